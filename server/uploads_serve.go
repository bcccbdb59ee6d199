package server

import (
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"quire/media"
)

// fileAge is for how many seconds a file may be cached without revalidation. It is short,
// because a replaced file keeps its url, and revalidation costs no more than a 304.
const fileAge = 60

// caching is who may cache a file, and for how many seconds.
type caching struct {
	by  string // "public" or "private"
	age int64
}

func (c caching) String() string { return fmt.Sprintf("%s, max-age=%d", c.by, max(0, c.age)) }

// until shortens the caching to what is left of the life of an address, in seconds.
func (c caching) until(left int64) caching {
	c.age = min(c.age, left)
	return c
}

// mayOpen returns how a file may be cached. Without a valid signature a private file is not
// found, like one that does not exist.
func (x *request) mayOpen(name string) (caching, error) {
	if !x.site.library.IsPrivate(name) {
		return caching{"public", fileAge}, nil
	}
	access := strings.TrimRightFunc(x.http.URL.Query().Get(media.AccessKey), func(r rune) bool { return r >= utf8.RuneSelf }) // the mark of a preview
	left := x.site.access.Left(name, access)
	if left == 0 {
		return caching{}, media.ErrNotFound
	}
	return caching{"private", fileAge}.until(left), nil
}

// sandbox is the policy of files that could run a script when a browser opens them. It
// keeps the script from acting on behalf of this site.
const sandbox = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; media-src data:"

// serveFile answers GET on the url of a file: with all of it, with ranges, or with 304 if
// the client has it already.
func serveFile(x *request) error {
	name := strings.TrimPrefix(x.params[0].Value, "/")
	if x.asksPicture() {
		return servePicture(x, name)
	}
	cache, err := x.mayOpen(name)
	if err != nil {
		return err
	}
	address, err := x.site.library.Address(x.http.Context(), name)
	if err != nil {
		return err
	}
	if address != "" && x.http.Method == http.MethodGet { // the signature is only for GET
		x.setFileHeaders()
		x.Header().Set("Cache-Control", cache.String())
		x.Header().Set("Location", address)
		x.WriteHeader(http.StatusFound)
		return nil
	}
	served, err := x.site.library.Open(x.http.Context(), name)
	if err != nil {
		return err
	}
	defer served.File.Close()
	x.setFileHeaders()
	h := x.Header()
	h.Set("Content-Type", media.ServedType(served.Mime))
	h.Set("ETag", fmt.Sprintf(`"%s-%x"`, served.Name, served.Size))
	h.Set("Cache-Control", cache.String())
	if !media.IsInert(served.Mime) {
		h.Set("Content-Security-Policy", sandbox)
	}
	fewRanges(x.http)
	http.ServeContent(x.share.Patient(x), x.http, "", served.Modified, served.File)
	return nil
}

// mostRanges is the maximum number of ranges in a response.
const mostRanges = 16

// fewRanges ignores a request for many ranges, so that the response is the whole file.
// Otherwise the headers of the ranges could be much larger than their contents.
func fewRanges(r *http.Request) {
	if strings.Count(r.Header.Get("Range"), ",") >= mostRanges {
		r.Header.Del("Range")
	}
}
