package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	_ "image/jpeg"
	"image/png"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	_ "golang.org/x/image/webp"

	"quire/schema/settings"
)

// pictureRules allow two sizes to everybody, and other sizes with a signature.
func pictureRules(signed bool) settings.Upload {
	u := settings.Default().Upload
	u.Pictures.Sizes = []settings.PictureSize{{Width: 320}, {Width: 200, Height: 100}}
	u.Pictures.Signed = signed
	return u
}

// newPictureClient serves pictures, and has uploaded one of 600 × 400.
func newPictureClient(t *testing.T, rules settings.Upload, permissions ...string) (c *client, url, id string) {
	t.Helper()
	c, _ = newUploadClient(t, rules, permissions...)
	stored := c.uploaded(part{"files", "photo.png", photo(t)})[0]
	return c, stored.URL, stored.DocumentID
}

// photo returns a picture of 600 × 400 pixels.
func photo(t *testing.T) string {
	t.Helper()
	m := image.NewGray(image.Rect(0, 0, 600, 400))
	for i := range m.Pix {
		m.Pix[i] = byte(i / 600 / 2)
	}
	var b bytes.Buffer
	check(t, png.Encode(&b, m))
	return b.String()
}

// shape returns the format and size of the picture in a response.
func shape(t *testing.T, a *answer) string {
	t.Helper()
	if a.status != 200 {
		return fmt.Sprint(a.status)
	}
	config, kind, err := image.DecodeConfig(strings.NewReader(a.body))
	check(t, err)
	if a.header.Get("Content-Type") != "image/"+kind {
		t.Errorf("%s as %s", kind, a.header.Get("Content-Type"))
	}
	return fmt.Sprintf("%s %d×%d", kind, config.Width, config.Height)
}

func TestPictures(t *testing.T) {
	t.Parallel()
	c, address, _ := newPictureClient(t, pictureRules(false))
	for query, want := range map[string]string{
		"":                           "png 600×400",
		"?updatedAt=2026-01-01":      "png 600×400", // a parameter against caches has no effect
		"?w=320":                     "png 320×213",
		"?w=320&format=webp":         "webp 320×213",
		"?format=jpeg&w=320&q=80":    "jpeg 320×213",
		"?w=200&h=100":               "png 150×100",
		"?w=200&h=100&fit=inside":    "png 150×100",
		"?w=200&h=100&fit=cover":     "png 200×100",
		"?w=320&format=auto":         "png 320×213",
		"?h=100&w=200&fit=%63over&&": "png 200×100",
	} {
		a := c.send("", "GET", address+query, "")
		if got := shape(t, a); got != want {
			t.Errorf("%s: %s, want %s: %.200s", query, got, want, a.body)
		}
		head := c.send("", "HEAD", address+query, "")
		for _, name := range []string{"Content-Type", "Content-Length", "Etag", "Cache-Control", "Vary"} {
			if head.header.Get(name) != a.header.Get(name) {
				t.Errorf("HEAD %s: %s is %q, and %q with GET", query, name, head.header.Get(name), a.header.Get(name))
			}
		}
	}
}

// The metrics count pictures that are made, and responses with an existing one.
func TestPicturesAreCounted(t *testing.T) {
	t.Parallel()
	c, address, _ := newPictureClient(t, pictureRules(false), "plugin::quire.metrics.read")
	for range 3 {
		c.send("", "GET", address+"?w=320", "")
	}
	a := c.send("custom", "GET", "/metrics", "")
	for _, line := range []string{`quire_pictures_total{outcome="made"} 1`, `quire_pictures_total{outcome="kept"} 2`, `quire_pictures_total{outcome="refused"} 0`, `quire_pictures_waiting 0`} {
		if !strings.Contains(a.body, line+"\n") {
			t.Errorf("%s is missing in %d %.300s", line, a.status, a.body)
		}
	}
}

func TestHeadersOfPictures(t *testing.T) {
	t.Parallel()
	c, address, id := newPictureClient(t, pictureRules(false))
	address += "?w=200&h=100&fit=cover&format=auto"
	webp, other := []string{"Accept", "image/avif,image/webp;q=0.8,*/*"}, []string{"Accept", "image/webp;q=0,image/*"}
	a, b := c.send("", "GET", address, "", webp...), c.send("", "GET", address, "", other...)
	if shape(t, a) != "webp 200×100" || shape(t, b) != "png 200×100" || a.header.Get("Etag") == b.header.Get("Etag") {
		t.Errorf("%v and %v", a.header, b.header)
	}
	for name, want := range map[string]string{
		"Vary": "Accept", "Cache-Control": "public, max-age=60", "X-Content-Type-Options": "nosniff", "Accept-Ranges": "bytes",
		"Cross-Origin-Resource-Policy": "cross-origin", "Content-Security-Policy": "", "Content-Length": fmt.Sprint(len(a.body)),
	} {
		if got := a.header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	tag := a.header.Get("Etag")
	if got := c.send("", "GET", address, "", append(webp, "Range", "bytes=4-9")...); got.status != 206 || got.body != a.body[4:10] || got.header.Get("Etag") != tag {
		t.Errorf("a part: %d, %v", got.status, got.header)
	}
	for _, method := range []string{"GET", "HEAD"} {
		if got := c.send("", method, address, "", append(webp, held(`"x"`, "W/"+tag)...)...); got.status != 304 || got.header.Get("Etag") != tag || got.header.Get("Vary") != "Accept" {
			t.Errorf("who has it: %d, %v", got.status, got.header)
		}
		if got := c.send("", method, address, "", append(other, held(tag)...)...); got.status != 200 {
			t.Errorf("who has another: %d", got.status)
		}
	}
	check(t, c.describe(id, `{"focalPoint": {"x": 0, "y": 0}}`))
	if got := c.send("", "GET", address, "", append(webp, held(tag)...)...); got.status != 200 || got.header.Get("Etag") == tag {
		t.Errorf("after the focal point has moved: %d", got.status)
	}
}

// describe changes the information about a file.
func (c *client) describe(id, info string) error {
	if a := c.upload("/api/upload?id="+id, part{"fileInfo", "", info}); a.status != 200 {
		return fmt.Errorf("%d %s", a.status, a.body)
	}
	return nil
}

// A picture that site.json does not list is refused. The error for an invalid parameter
// names it.
func TestPicturesThatAreRefused(t *testing.T) {
	t.Parallel()
	c, address, _ := newPictureClient(t, pictureRules(false))
	long := strings.Repeat("k", 5000)
	for query, want := range map[string]string{
		"w=321": "w", "w=320&h=9": "w", "h=100": "h", "format=webp": "w", "q=80": "w", "w=320&q=81": "q", "w=0": "w", "w=-1": "w", "w=+320": "w", "w=0320": "w", "w=3.2e2": "w", "w=": "w", "w": "w", "w=4097": "w",
		"w=99999999999999999999": "w", "w=320&w=320": "w", "w=320&h=%zz": "h", "w=320&fit=contain": "fit", "w=320&fit=cover": "fit", "w=320&format=avif": "format", "w=320&format=": "format", "w=320&q=0": "q", "w=320&q=101": "q",
		"w=320&x=1": "x", "w=320&W=1": "W", "w=320&w[]=1": "w[]", "w=320&%77=1": "%77", "w=320&s=abc": "s", "w=320&expires=1800000000": "expires", "w=320&expires=0": "expires", "w=320&expires=253402300800": "expires", "w=320&s=": "s", "w=320&" + long + "=1": long[:100],
	} {
		a := c.send("", "GET", address+"?"+query, "")
		if a.status != 400 || !strings.Contains(string(a.Error.Details), fmt.Sprintf(`"key":%q`, want)) {
			t.Errorf("%.99s: %d %.300s", query, a.status, a.body)
		}
	}
	if a := c.send("", "GET", address+"?w=321", ""); a.Error.Message != "Pictures of that size need a signature; without one there are those of 320x, 200x100" {
		t.Error(a.Error.Message)
	}
	drawing := c.uploaded(part{"files", "a.svg", `<svg xmlns="http://www.w3.org/2000/svg"/>`})[0]
	if a := c.send("", "GET", drawing.URL+"?w=320", ""); a.status != 400 || a.Error.Message != "Pictures are made of JPEG, PNG, GIF and WebP, not of image/svg+xml" {
		t.Errorf("%d %s", a.status, a.body)
	}
	for _, path := range []string{"/uploads/nothing.png", "/uploads/", "/uploads/../quire.db", "/uploads/%2e%2e%2fquire.db"} {
		if a := c.send("", "GET", path+"?w=320", ""); a.status != 404 {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
}

// Without settings in site.json, parameters have no effect, as in Strapi, and nothing can
// be signed.
func TestPicturesAreOffByDefault(t *testing.T) {
	t.Parallel()
	c, address, id := newPictureClient(t, settings.Default().Upload)
	for _, query := range []string{"w=320", "w=320&w=5", "format=webp", "s=x", "x=%zz"} {
		if a := c.send("", "GET", address+"?"+query, ""); shape(t, a) != "png 600×400" {
			t.Errorf("%s: %d", query, a.status)
		}
	}
	if a := c.send("full", "POST", "/api/upload/files/"+id+"/pictures", `{"pictures": ["w=5"]}`); a.status != 400 {
		t.Errorf("%d %s", a.status, a.body)
	}
}

// A signature gives everybody access to one picture of one file, and to nothing else.
func TestSignedPictures(t *testing.T) {
	t.Parallel()
	c, address, id := newPictureClient(t, pictureRules(true), "plugin::quire.pictures.sign")
	another := c.uploaded(part{"files", "b.png", photo(t)})[0].URL
	a := c.send("custom", "POST", "/api/upload/files/"+id+"/pictures", `{"pictures": ["w=111", "h=77&w=99&format=webp&fit=cover&q=33"]}`)
	if a.status != 200 || a.header.Get("Cache-Control") != keepNever {
		t.Fatalf("%d %s", a.status, a.body)
	}
	var signed []string
	for _, text := range strings.Split(strings.Trim(a.body, `{}[]"urls:`), ",") {
		signed = append(signed, strings.Trim(strings.ReplaceAll(text, `\u0026`, "&"), `"`))
	}
	if len(signed) != 2 || !strings.HasPrefix(signed[1], address+"?w=99&h=77&fit=cover&q=33&format=webp&s=") {
		t.Fatal(signed)
	}
	for i, want := range []string{"png 111×74", "webp 99×77"} {
		if got := shape(t, c.send("", "GET", signed[i], "")); got != want {
			t.Errorf("%s: %s, want %s", signed[i], got, want)
		}
	}
	u, err := url.Parse(signed[1])
	check(t, err)
	values := u.Query()
	if got := shape(t, c.send("", "GET", address+"?"+values.Encode(), "")); got != "webp 99×77" {
		t.Errorf("in another order: %s", got)
	}
	for key, value := range map[string]string{"w": "98", "h": "78", "q": "34", "format": "png", "fit": "inside", "s": "AAAAAAAAAAAAAAAAAAAAAA"} {
		forged, _ := url.ParseQuery(u.RawQuery)
		forged.Set(key, value)
		if got := c.send("", "GET", address+"?"+forged.Encode(), ""); got.status != 403 {
			t.Errorf("with %s=%s: %d", key, value, got.status)
		}
	}
	if got := c.send("", "GET", another+"?"+u.RawQuery, ""); got.status != 403 {
		t.Errorf("of another file: %d", got.status)
	}
	if got := shape(t, c.send("", "GET", address+"?w=320", "")); got != "png 320×213" {
		t.Errorf("a listed size: %s", got)
	}
}

// An address with an expiry works until that time, which nobody can change, and no cache
// keeps it longer.
func TestSignedPicturesExpire(t *testing.T) {
	t.Parallel()
	clock := &handClock{now: time.Unix(1_900_000_000, 0)}
	h := openAccountSite(t, os.DirFS("../testdata/site"), options{Now: clock.Now})
	h.site.Settings.Upload = pictureRules(true)
	body, kind := form(t, part{"files", "photo.png", photo(t)})
	stored := h.send("full", "POST", "/api/upload", body, "Content-Type", kind).records(t)[0]
	a := h.send("full", "POST", "/api/upload/files/"+stored.DocumentID+"/pictures", `{"pictures": ["w=111"], "expiresIn": 100}`)
	var signed struct{ URLs []string }
	check(t, json.Unmarshal([]byte(a.body), &signed))
	if len(signed.URLs) != 1 || !strings.HasPrefix(signed.URLs[0], stored.URL+"?w=111&q=80&expires=1900000100&s=") {
		t.Fatalf("%d %s", a.status, a.body)
	}
	address := signed.URLs[0]
	for _, keep := range []string{"public, max-age=60", "public, max-age=1"} {
		if a = h.send("", "GET", address, ""); shape(t, a) != "png 111×74" || a.header.Get("Cache-Control") != keep {
			t.Errorf("%d, %s, want %s", a.status, a.header.Get("Cache-Control"), keep)
		}
		clock.advance(99 * time.Second)
	}
	for query, want := range map[string]string{
		"":      "The address has expired",
		"later": "The signature is not that of this address", "never": "The signature is not that of this address",
	} {
		at := address
		switch query {
		case "later":
			at = strings.Replace(address, "expires=1900000100", "expires=1900009999", 1)
		case "never":
			at = strings.Replace(address, "expires=1900000100&", "", 1)
		}
		a := h.send("", "GET", at, "", held(`"x"`)...)
		if a.status != 403 || a.Error.Message != want {
			t.Errorf("%s: %d %s", at, a.status, a.body)
		}
	}
}

// Signing needs its own permission. An error says what is wrong with the picture to sign.
func TestWhoMaySignPictures(t *testing.T) {
	t.Parallel()
	c, _, id := newPictureClient(t, pictureRules(true), "plugin::upload.content-api.upload", "plugin::upload.content-api.find")
	path := "/api/upload/files/" + id + "/pictures"
	for as, want := range map[string]int{"": 403, "custom": 403, "full": 200} {
		if a := c.send(as, "POST", path, `{"pictures": ["w=5"]}`); a.status != want {
			t.Errorf("%q: %d %s", as, a.status, a.body)
		}
	}
	many := `{"pictures": ["w=5"` + strings.Repeat(`,"w=5"`, 100) + `]}`
	for body, want := range map[string]int{
		`{"pictures": ["w=5"]}`: 200, `{}`: 400, `{"pictures": []}`: 400, many: 400, `{"pictures": ["w=5"], "x": 1}`: 400, `{"pictures": ["w=0"]}`: 400, `{"pictures": ["w=5&s=x"]}`: 400, `{"pictures": [5]}`: 400, `[`: 400, `{"pictures": [""]}`: 200,
		`{"pictures": ["w=5"], "expiresIn": 1}`: 200, `{"pictures": ["w=5"], "expiresIn": 31536000}`: 200, `{"pictures": ["w=5"], "expiresIn": 31536001}`: 400, `{"pictures": ["w=5"], "expiresIn": 0}`: 400, `{"pictures": ["w=5"], "expiresIn": -1}`: 400,
		`{"pictures": ["w=5"], "expiresIn": 1.5}`: 400, `{"pictures": ["w=5"], "expiresIn": "1"}`: 400, `{"pictures": ["w=5"], "expiresIn": null}`: 200, `{"pictures": ["w=5&expires=1800000000"]}`: 400,
	} {
		if a := c.send("full", "POST", path, body); a.status != want {
			t.Errorf("%.50s: %d %s", body, a.status, a.body)
		}
	}
	for body, key := range map[string]string{`{}`: "pictures", many: "pictures", `{"pictures": [5]}`: "pictures", `{"pictures": ["w=5"], "x": 1}`: "x", `{"expiresIn": "1"}`: "expiresIn"} {
		if a := c.send("full", "POST", path, body); !strings.Contains(a.body, `"key":"`+key+`"`) {
			t.Errorf("%.50s: %s", body, a.body)
		}
	}
	if a := c.send("full", "POST", "/api/upload/files/nothing/pictures", `{"pictures": ["w=5"]}`); a.status != 404 {
		t.Errorf("no such file: %d", a.status)
	}
	text := c.uploaded(part{"files", "a.txt", "text"})[0]
	if a := c.send("full", "POST", "/api/upload/files/"+text.DocumentID+"/pictures", `{"pictures": ["w=5"]}`); a.status != 400 {
		t.Errorf("a text: %d", a.status)
	}
}

// When many strangers request all pictures at the same time, they get them or are asked
// to try again. Only listed pictures are made.
func TestManyPicturesAtOnce(t *testing.T) {
	t.Parallel()
	c, address, _ := newPictureClient(t, pictureRules(false))
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			query := []string{"w=320&format=webp", "w=200&h=100&fit=cover", fmt.Sprintf("w=%d", i+1), "w=200&h=100&format=auto"}[i%4]
			response, err := http.Get(c.url + address + "?" + query)
			if err != nil {
				t.Error(err)
				return
			}
			var body bytes.Buffer
			_, err = body.ReadFrom(response.Body)
			check(t, err)
			check(t, response.Body.Close())
			switch response.StatusCode {
			case 200:
			case 503:
				if response.Header.Get("Retry-After") == "" {
					t.Errorf("%s: nothing says when to come again", query)
				}
			default:
				if response.StatusCode != 400 || i%4 != 2 {
					t.Errorf("%s: %d %s", query, response.StatusCode, body.String())
				}
			}
		})
	}
	wg.Wait()
}
