package server

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"
)

// leastCoded is the size from which a body is worth compressing, in bytes.
const leastCoded = 1024

// newCoder returns what compresses a body with zstd or gzip, whichever the client
// prefers. It adds the coding to the tag, as that of another sequence of bytes.
func newCoder() (func(http.Handler) http.HandlerFunc, error) {
	return gzhttp.NewWrapper(
		gzhttp.MinSize(leastCoded),
		gzhttp.SuffixETag("-gzip"), // "-zstd" for the other
		gzhttp.ContentTypeFilter(gzhttp.CompressAllContentTypeFilter),
		gzhttp.CompressionLevel(gzip.BestSpeed),
	)
}

// send sends a whole body. One that is not to be compressed goes straight to the
// connection.
func (x *exchange) send(status int, body []byte) {
	h := x.Header()
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	if len(body) < leastCoded || !x.takesCoding() || !x.beginCoding() {
		x.WriteHeader(status)
		x.Write(body) // a client that went away is no news
		return
	}
	defer x.server.coders.Add(-1)
	vary := h["Vary"]
	x.server.coder(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if vary != nil {
			h["Vary"] = vary // which has all that the coder adds
		}
		w.WriteHeader(status)
		w.Write(body)
	}))(x, x.request)
}

// maxCoders is how many answers are compressed at once. A coder takes up to 820 KB,
// for as long as its client takes the answer. Answers beyond that go as they are.
const maxCoders = 64

// beginCoding takes a place for a coder, if there is one.
func (x *exchange) beginCoding() bool {
	coders := &x.server.coders
	if coders.Add(1) <= maxCoders {
		return true
	}
	coders.Add(-1)
	return false
}

// takesCoding reports whether the body may be compressed. Answers to HEAD, which
// have none, are those that a client would get uncompressed.
func (x *exchange) takesCoding() bool {
	return x.request.Method != http.MethodHead && (x.takes("zstd") || x.takes("gzip"))
}

// takes reports whether the client names the coding as one that it understands.
func (x *exchange) takes(coding string) bool {
	accept := x.request.Header["Accept-Encoding"]
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

// refused reads the q of a coding, which is 1 where there is none.
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
