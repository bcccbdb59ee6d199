package server

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"
)

// leastCoded is the size in bytes from which bodies are compressed.
const leastCoded = 1024

// newCoder returns a writer that compresses a body with zstd or gzip, as the client
// prefers. It adds the coding to the tag, because the bytes differ.
func newCoder() (func(http.Handler) http.HandlerFunc, error) {
	return gzhttp.NewWrapper(
		gzhttp.MinSize(leastCoded),
		gzhttp.SuffixETag("-gzip"), // "-zstd" for the other one
		gzhttp.ContentTypeFilter(gzhttp.CompressAllContentTypeFilter),
		gzhttp.CompressionLevel(gzip.BestSpeed),
	)
}

// buffered is the size in bytes from which net/http does not find out the length of a body
// by itself. It does so at less cost than that of one more name in the header.
const buffered = 2048

// send sends a whole body. A body that is not compressed goes directly to the connection.
func (x *request) send(status int, body []byte) {
	h := x.Header()
	if len(body) >= buffered || x.http.Method == http.MethodHead {
		x.length[0] = strconv.Itoa(len(body))
		h["Content-Length"] = x.length[:]
	}
	if len(body) < leastCoded || !x.takesCoding() || !x.beginCoding() {
		x.WriteHeader(status)
		x.Write(body) // an error means that the client has disconnected
		return
	}
	defer x.server.coders.Add(-1)
	vary := h["Vary"]
	x.server.coder(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if vary != nil {
			h["Vary"] = vary // it contains everything that the coder adds
		}
		w.WriteHeader(status)
		w.Write(body)
	}))(x, x.http)
}

// maxCoders is the maximum number of responses that are compressed at the same time. A
// coder takes up to 820 KB while its client receives the response. Further responses are
// not compressed.
const maxCoders = 64

// beginCoding reserves a coder if one is free.
func (x *request) beginCoding() bool {
	coders := &x.server.coders
	if coders.Add(1) <= maxCoders {
		return true
	}
	coders.Add(-1)
	return false
}

// takesCoding reports whether the body may be compressed. Responses to HEAD have no body,
// and have the headers of the uncompressed one.
func (x *request) takesCoding() bool {
	return x.http.Method != http.MethodHead && (x.takes("zstd") || x.takes("gzip"))
}

// takes reports whether the client accepts the coding.
func (x *request) takes(coding string) bool {
	accept := x.http.Header["Accept-Encoding"]
	if len(accept) == 0 {
		return false
	}
	for each := range strings.SplitSeq(accept[0], ",") {
		name, parameters, _ := strings.Cut(each, ";")
		if strings.EqualFold(strings.TrimSpace(name), coding) {
			return !refused(parameters)
		}
	}
	return false
}

// refused reads the q of a coding; the default is 1.
func refused(parameters string) bool {
	for each := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(each), "=")
		if strings.EqualFold(name, "q") {
			q, err := strconv.ParseFloat(value, 64)
			return err != nil || q <= 0
		}
	}
	return false
}
