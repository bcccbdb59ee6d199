package server

import (
	"fmt"
	"net/http"
	"strings"

	"quire/media"
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
	address, err := x.edition.library.Address(x.request.Context(), name)
	if err != nil {
		return err
	}
	if address != "" && x.request.Method == http.MethodGet { // the signature is for no other
		return x.sendElsewhere(address)
	}
	served, err := x.edition.library.Open(x.request.Context(), name)
	if err != nil {
		return err
	}
	defer served.File.Close()
	x.setFileHeaders()
	h := x.Header()
	h.Set("Content-Type", media.ServedType(served.Mime))
	h.Set("ETag", fmt.Sprintf(`"%s-%x"`, served.Name, served.Size))
	h.Set("Cache-Control", fileCache)
	if !media.IsInert(served.Mime) {
		h.Set("Content-Security-Policy", sandbox)
	}
	fewRanges(x.request)
	http.ServeContent(x.share.Patient(x), x.request, "", served.Modified, served.File)
	return nil
}

// sendElsewhere answers with the address at which the object store has the file.
func (x *exchange) sendElsewhere(address string) error {
	x.setFileHeaders()
	x.Header().Set("Cache-Control", fileCache)
	x.Header().Set("Location", address)
	x.WriteHeader(http.StatusFound)
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
