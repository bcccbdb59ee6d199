package server

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"quire/index"
	"quire/media"
)

// A signature lets whoever has the address ask for one picture that site.json does not
// list. It holds for that file and those parameters, in any order, as long as the data
// file keeps its keys.

// signatureBytes is how long a signature is.
const signatureBytes = 16

// signature signs a picture of the url /uploads/NAME.
func (e *edition) signature(name string, a pictureAsk) string {
	mac := hmac.New(sha256.New, e.auth.KeyFor("addresses of pictures"))
	fmt.Fprintf(mac, "%s?%s", name, a.query())
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:signatureBytes])
}

// signs reports whether the signature is that of the picture.
func (e *edition) signs(name string, a pictureAsk) bool {
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
	return strings.Join(parts, "&")
}

// mostSigned bounds the addresses that are signed at once.
const mostSigned = 100

// signPictures answers with signed addresses of pictures of a file.
func signPictures(x *exchange) error {
	if !x.edition.site.Settings.Upload.Pictures.Signed {
		return invalid("This site takes no signed addresses; upload.pictures.signed in site.json allows them")
	}
	list, err := readPictures(x)
	if err != nil {
		return err
	}
	name, err := x.edition.library.Name(x.params[0].Value)
	if err != nil {
		return err
	}
	dst := append(x.scratch(), `{"urls":[`...)
	for i, query := range list {
		a, err := parsePicture(query, &x.edition.site.Settings.Upload.Pictures)
		if err == nil && a.signature != "" {
			err = refusePicture(signatureKey, "The parameters are to be signed, and have a signature already")
		}
		if err != nil {
			return err
		}
		if _, err := x.edition.library.Picture(name, a.Ask, false); err != nil {
			return err
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = index.AppendString(dst, media.URL(name)+"?"+a.query()+"&"+signatureKey+"="+x.edition.signature(name, a))
	}
	x.buffer = append(dst, `]}`...)
	x.Header()["Cache-Control"] = never
	x.json(http.StatusOK, x.buffer)
	return nil
}

// readPictures reads the body {"pictures": ["w=320", …]}.
func readPictures(x *exchange) ([]string, error) {
	kind, data, err := openBody(x, x.edition.site.Settings.Limits.BodyBytes)
	if err != nil {
		return nil, err
	}
	var asked struct {
		Pictures []string `json:"pictures"`
	}
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.DisallowUnknownFields()
	if kind != jsonBody || decoder.Decode(&asked) != nil || len(asked.Pictures) == 0 || len(asked.Pictures) > mostSigned {
		return nil, invalid(fmt.Sprintf(`The body must be JSON such as {"pictures": ["w=320", "w=800&h=600&fit=cover"]}, with 1 to %d pictures`, mostSigned))
	}
	return asked.Pictures, nil
}
