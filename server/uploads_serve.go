package server

import (
	"fmt"
	"mime"
	"net/http"
	"strings"
)

// fileCache is how long a file may be shown without asking again. It is short, since a
// file that is replaced keeps its url, and asking again costs no more than a 304.
const fileCache = "public, max-age=60"

// fileAge is that time in seconds.
const fileAge = 60

// sandbox is the policy of files that could run a script when a browser opens them: it
// keeps the script from acting in the name of this site.
const sandbox = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; media-src data:"

// serveFile answers GET on the url of a file: whole or in ranges, or not at all
// when the client has it already.
func serveFile(x *exchange) error {
	name := strings.TrimPrefix(x.params[0].Value, "/")
	if x.asksPicture() {
		return servePicture(x, name)
	}
	served, err := x.edition.library.Open(x.request.Context(), name)
	if err != nil {
		return err
	}
	defer served.File.Close()
	x.setFileHeaders()
	h := x.Header()
	h.Set("Content-Type", servedType(served.Mime))
	h.Set("ETag", fmt.Sprintf(`"%s-%x"`, served.Name, served.Size))
	h.Set("Cache-Control", fileCache)
	if !isInert(served.Mime) {
		h.Set("Content-Security-Policy", sandbox)
	}
	fewRanges(x.request)
	http.ServeContent(x.share.Patient(x), x.request, "", served.Modified, served.File)
	return nil
}

// mostRanges is how many parts of a file one answer may have.
const mostRanges = 16

// fewRanges ignores a request for many parts, so that the whole file is the answer:
// what goes around many parts could be much more than what is in them.
func fewRanges(r *http.Request) {
	if strings.Count(r.Header.Get("Range"), ",") >= mostRanges {
		r.Header.Del("Range")
	}
}

// servedType is the Content-Type of a file; text is taken for UTF-8.
func servedType(kind string) string {
	switch {
	case kind == "":
		return "application/octet-stream"
	case strings.HasPrefix(kind, "text/"):
		return kind + "; charset=utf-8"
	}
	return kind
}

// isInert reports whether browsers do no more than show a file of that type:
// pictures but for drawings, sound, film and plain text. A type that an import has
// brought may be written in any way; one that cannot be read is not inert.
func isInert(written string) bool {
	full, _, err := mime.ParseMediaType(written)
	if err != nil {
		return false
	}
	switch {
	case strings.HasPrefix(full, "image/"):
		return !strings.Contains(full, "xml")
	case strings.HasPrefix(full, "audio/"), strings.HasPrefix(full, "video/"):
		return true
	}
	return full == "text/plain"
}
