package server

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"quire/documents"
	"quire/media"
	"quire/schema/settings"
)

// Parameters on the url of a file request a picture that is made of it: in one of the sizes
// that site.json lists or, with a signature, in any size. The parameters do not affect
// which file it is, and whether it is shown. If site.json allows no pictures, the
// parameters have no effect.

// pictureKeys are the parameters of pictures; the last one signs the others.
var pictureKeys = []string{"w", "h", "fit", "q", "format", expiresKey, signatureKey}

const (
	expiresKey   = "expires"
	signatureKey = "s"
)

// lastMoment is the latest time at which an address can expire, in unix seconds: the end of
// 9999.
const lastMoment = 253_402_300_799

// asksPicture reports whether the request is for a picture that is made of the file.
func (x *request) asksPicture() bool {
	if !x.site.schema.Settings.Upload.Pictures.On() {
		return false
	}
	for part := range strings.SplitSeq(x.http.URL.RawQuery, "&") {
		key, _, _ := strings.Cut(part, "=")
		if slices.Contains(pictureKeys, key) {
			return true
		}
	}
	return false
}

// refuseParameter refuses a parameter and names it.
func refuseParameter(key, format string, args ...any) *problem {
	return &problem{http.StatusBadRequest, "ValidationError", fmt.Sprintf(format, args...), documents.QueryKey{Key: key, Source: "query", Param: key}}
}

// pictureAsk is the content of a query string.
type pictureAsk struct {
	media.Ask
	expires   int64  // unix seconds; 0 for never
	signature string // "" for none
	cache     caching
}

// parsePicture reads the parameters of a picture. It refuses duplicates and other
// parameters.
func parsePicture(query string, rules *settings.Pictures) (a pictureAsk, err error) {
	a.Quality = rules.Qualities[0]
	seen := map[string]bool{}
	for part := range strings.SplitSeq(query, "&") {
		if part == "" {
			continue
		}
		key, value, _ := strings.Cut(part, "=")
		if key == media.AccessKey {
			continue // see mayOpen
		}
		if !slices.Contains(pictureKeys, key) {
			shown := strings.ToValidUTF8(key, "\uFFFD")
			return a, refuseParameter(shown[:min(len(shown), 100)], "Pictures have no such parameter; they have %s", strings.Join(pictureKeys, ", "))
		}
		if seen[key] {
			return a, refuseParameter(key, "%s is given twice", key)
		}
		seen[key] = true
		if value, err = url.QueryUnescape(value); err == nil {
			err = a.set(key, value)
		} else {
			err = refuseParameter(key, "%s is not encoded as values in addresses are", key)
		}
		if err != nil {
			return a, err
		}
	}
	if a.Cover && (a.Width == 0 || a.Height == 0) {
		return a, refuseParameter("fit", "fit=cover needs both w and h")
	}
	return a, nil
}

// set sets the value of one parameter.
func (a *pictureAsk) set(key, value string) (err error) {
	switch key {
	case "w":
		a.Width, err = pictureNumber(key, value, settings.LongestSide)
	case "h":
		a.Height, err = pictureNumber(key, value, settings.LongestSide)
	case "q":
		a.Quality, err = pictureNumber(key, value, 100)
	case "fit":
		if a.Cover = value == "cover"; !a.Cover && value != "inside" {
			return refuseParameter(key, "fit must be cover or inside")
		}
	case "format":
		if a.Format = value; !slices.Contains(settings.PictureFormats, value) {
			return refuseParameter(key, "format must be one of %s", strings.Join(settings.PictureFormats, ", "))
		}
	case expiresKey:
		a.expires, err = strconv.ParseInt(value, 10, 64)
		if err != nil || a.expires < 1 || a.expires > lastMoment || strconv.FormatInt(a.expires, 10) != value {
			return refuseParameter(key, "expires must be a moment in unix seconds, from 1 to %d", int64(lastMoment))
		}
	case signatureKey:
		if a.signature = value; value == "" {
			return refuseParameter(key, "The signature is missing")
		}
	}
	return err
}

func pictureNumber(key, value string, most int) (int, error) {
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 || n > most || strconv.Itoa(n) != value {
		return 0, refuseParameter(key, "%s must be a whole number from 1 to %d", key, most)
	}
	return n, nil
}

// listed refuses what site.json does not list.
func (a *pictureAsk) listed(rules *settings.Pictures) error {
	if a.expires > 0 {
		return refuseParameter(expiresKey, "Only signed addresses expire, and this one has no signature")
	}
	size := settings.PictureSize{Width: a.Width, Height: a.Height}
	if !slices.Contains(rules.Sizes, size) {
		var sizes []string
		for _, s := range rules.Sizes {
			sizes = append(sizes, s.String())
		}
		key := "w"
		if a.Width == 0 && a.Height > 0 {
			key = "h"
		}
		return refuseParameter(key, "Pictures of that size need a signature; without one there are those of %s", orNone(sizes))
	}
	if !slices.Contains(rules.Qualities, a.Quality) {
		return refuseParameter("q", "Pictures of that quality need a signature; without one there are those of %s", strings.Trim(fmt.Sprint(rules.Qualities), "[]"))
	}
	if a.Format != "" && !slices.Contains(rules.Formats, a.Format) {
		return refuseParameter("format", "Pictures in that format need a signature; without one there are those in %s", orNone(rules.Formats))
	}
	return nil
}

func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

// readPicture reads what is requested, and refuses what is not allowed.
func (x *request) readPicture(name string) (pictureAsk, error) {
	rules := &x.site.schema.Settings.Upload.Pictures
	a, err := parsePicture(x.http.URL.RawQuery, rules)
	switch {
	case err != nil:
		return a, err
	case a.signature == "":
		return a, a.listed(rules)
	case !rules.Signed:
		return a, refuseParameter(signatureKey, "This site takes no signed addresses")
	case !x.site.signs(name, a):
		return a, &problem{http.StatusForbidden, "ForbiddenError", "The signature is not that of this address", none{}}
	case a.expires > 0 && x.site.now().Unix() >= a.expires:
		return a, &problem{http.StatusForbidden, "ForbiddenError", "The address has expired", none{}}
	}
	return a, nil
}

// servePicture answers GET on the url of a file with parameters: with the picture that is
// made of it, once for all concurrent requests.
func servePicture(x *request, name string) error {
	a, err := x.readPicture(name)
	if err == nil {
		a.cache, err = x.mayOpen(name)
	}
	if err != nil {
		return err
	}
	for attempt := 1; ; attempt++ { // a file that was replaced at this moment has another name
		p, err := x.site.library.Picture(name, a.Ask, x.takesWebP())
		if err != nil {
			return err
		}
		if x.hasPicture(p, a) {
			return nil
		}
		made, err := x.site.library.Make(x.http.Context(), p)
		if errors.Is(err, media.ErrNotFound) && attempt < 2 {
			continue
		}
		if err != nil {
			x.setPictureHeaders(nil, a)
			return err
		}
		return x.sendPicture(p, a, made)
	}
}

// hasPicture sends 304 if the client has the picture already. Then the server need not have
// it.
func (x *request) hasPicture(p *media.Picture, a pictureAsk) bool {
	tag := pictureTag(p)
	for _, list := range x.http.Header["If-None-Match"] {
		for held, rest := nextTag(list); held != ""; held, rest = nextTag(rest) {
			if held == tag {
				x.setPictureHeaders(p, a)
				x.notModified(tag)
				return true
			}
		}
	}
	return false
}

func (x *request) sendPicture(p *media.Picture, a pictureAsk, made *media.DerivedPicture) error {
	var content io.ReadSeeker
	if made.File != nil {
		defer made.File.Close()
		content = made.File
	} else {
		if err := x.Reserve(len(made.Data)); err != nil {
			return err
		}
		content = bytes.NewReader(made.Data)
	}
	x.setPictureHeaders(p, a)
	fewRanges(x.http)
	http.ServeContent(x.share.Patient(x), x.http, "", time.Time{}, content)
	return nil
}

func pictureTag(p *media.Picture) string { return `"` + p.Key() + `"` }

// setPictureHeaders sets the headers of a picture, or of the response that there is none.
func (x *request) setPictureHeaders(p *media.Picture, a pictureAsk) {
	h := x.Header()
	if a.Format == "auto" {
		h.Add("Vary", "Accept")
	}
	if p == nil {
		return
	}
	x.setFileHeaders()
	h.Set("Content-Type", p.Mime())
	h["Etag"] = []string{pictureTag(p)}
	cache := a.cache
	if a.expires > 0 {
		cache = cache.until(a.expires - x.site.now().Unix())
	}
	h.Set("Cache-Control", cache.String())
}

// takesWebP reports whether the client's Accept names WebP, as that of browsers that
// support it does.
func (x *request) takesWebP() bool {
	for _, list := range x.http.Header["Accept"] {
		for item := range strings.SplitSeq(list, ",") {
			kind, parameters, _ := strings.Cut(item, ";")
			if strings.EqualFold(strings.TrimSpace(kind), "image/webp") && !refuses(parameters) {
				return true
			}
		}
	}
	return false
}

// refuses reports whether the parameters of an item of Accept give it no weight.
func refuses(parameters string) bool {
	for parameter := range strings.SplitSeq(parameters, ";") {
		key, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
		if weight, err := strconv.ParseFloat(value, 64); strings.EqualFold(key, "q") && err == nil && weight == 0 {
			return true
		}
	}
	return false
}
