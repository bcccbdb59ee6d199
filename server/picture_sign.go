package server

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"quire/index"
	"quire/media"
)

// With a signature, whoever has the address can request one picture that site.json does not
// list. The signature is valid for that file and those parameters, in any order, as long as
// the data file keeps its keys, or until the time in the parameters.

// signatureBytes is the length of a signature.
const signatureBytes = 16

// signature signs a picture of the url /uploads/NAME.
func (e *siteVersion) signature(name string, a pictureAsk) string {
	mac := hmac.New(sha256.New, e.auth.KeyFor("addresses of pictures"))
	fmt.Fprintf(mac, "%s?%s", name, a.query())
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:signatureBytes])
}

// signs reports whether the signature is the one of the picture.
func (e *siteVersion) signs(name string, a pictureAsk) bool {
	return hmac.Equal([]byte(e.signature(name, a)), []byte(a.signature))
}

// query writes the parameters, without the signature, always in the same order.
func (a *pictureAsk) query() string {
	var parts []string
	add := func(key, value string) { parts = append(parts, key+"="+value) }
	if a.Width > 0 {
		add("w", strconv.Itoa(a.Width))
	}
	if a.Height > 0 {
		add("h", strconv.Itoa(a.Height))
	}
	if a.Cover {
		add("fit", "cover")
	}
	add("q", strconv.Itoa(a.Quality))
	if a.Format != "" {
		add("format", a.Format)
	}
	if a.expires > 0 {
		add(expiresKey, strconv.FormatInt(a.expires, 10))
	}
	return strings.Join(parts, "&")
}

// mostSigned is the maximum number of addresses that a request signs.
const mostSigned = 100

// longestSigned is the maximum lifetime of an address that expires, in seconds: a year.
const longestSigned = 365 * 24 * 60 * 60

// signPictures responds with signed addresses of pictures of a file.
func signPictures(x *request) error {
	if !x.site.schema.Settings.Upload.Pictures.Signed {
		return invalid("This site takes no signed addresses; upload.pictures.signed in site.json allows them")
	}
	requested, err := readPictures(x)
	if err != nil {
		return err
	}
	name, err := x.site.library.Name(x.params[0].Value)
	if err != nil {
		return err
	}
	dst := append(x.scratch(), `{"urls":[`...)
	for i, query := range requested.Pictures {
		a, err := x.toSign(query)
		if err != nil {
			return err
		}
		if requested.ExpiresIn != nil {
			a.expires = x.site.now().Unix() + *requested.ExpiresIn
		}
		if _, err := x.site.library.Picture(name, a.Ask, false); err != nil {
			return err
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = index.AppendString(dst, media.URL(name)+"?"+a.query()+"&"+signatureKey+"="+x.site.signature(name, a))
	}
	x.buffer = append(dst, `]}`...)
	x.Header()["Cache-Control"] = never
	x.json(http.StatusOK, x.buffer)
	return nil
}

// toSign reads the parameters of a picture to sign.
func (x *request) toSign(query string) (pictureAsk, error) {
	a, err := parsePicture(query, &x.site.schema.Settings.Upload.Pictures)
	if err == nil && a.signature != "" {
		err = refuseParameter(signatureKey, "The parameters are to be signed, and have a signature already")
	}
	if err == nil && a.expires > 0 {
		err = refuseParameter(expiresKey, "expires is made of expiresIn, a member of the body")
	}
	return a, err
}

// toBeSigned is a body such as {"pictures": ["w=320", …], "expiresIn": 3600}.
type toBeSigned struct {
	Pictures  []string `json:"pictures"`
	ExpiresIn *int64   `json:"expiresIn"` // seconds; nil for never
}

func readPictures(x *request) (requested toBeSigned, err error) {
	if err := x.readMembers(&requested); err != nil {
		return requested, err
	}
	if len(requested.Pictures) == 0 || len(requested.Pictures) > mostSigned {
		return requested, KeyProblem("pictures", fmt.Sprintf(`pictures must be a list of 1 to %d texts such as "w=800&h=600&fit=cover"`, mostSigned))
	}
	if requested.ExpiresIn != nil && (*requested.ExpiresIn < 1 || *requested.ExpiresIn > longestSigned) {
		return requested, KeyProblem("expiresIn", fmt.Sprintf("expiresIn must be a whole number of seconds from 1 to %d; leave it out for addresses that do not expire", longestSigned))
	}
	return requested, nil
}
