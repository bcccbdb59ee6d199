package server

import (
	"crypto/rand"
	"strconv"
	"strings"
	"sync/atomic"
)

// Each request has an id. It is in every log line about the request and in every error, so
// that one leads to the other.

const requestIDHeader = "X-Request-Id"

// longestID is the maximum length of an id that is accepted from a client.
const longestID = 64

// ids makes the ids of one process: a random word, which distinguishes it from other
// processes, and a number.
type ids struct {
	process string
	last    atomic.Uint64
}

func newIDs() *ids { return &ids{process: strings.ToLower(rand.Text()[:8]) + "-"} }

func (s *ids) next() string {
	id := append(make([]byte, 0, 24), s.process...)
	return string(strconv.AppendUint(id, s.last.Add(1), 36))
}

// assignID assigns an id to the request: the one that the client has sent, such as a proxy
// that logs it too, if it is harmless in a log, and otherwise a new one. Only clients that
// have sent one get it back with every response, because another header makes a small
// response noticeably slower.
func (x *request) assignID() {
	if sent := x.http.Header[requestIDHeader]; len(sent) == 1 && isID(sent[0]) {
		x.id[0] = sent[0]
		x.setRequestID()
		return
	}
	x.id[0] = x.server.ids.next()
}

// setRequestID adds the id to the response.
func (x *request) setRequestID() { x.Header()[requestIDHeader] = x.id[:] }

// isID reports whether the text is short and contains only letters, digits, "-" and "_".
func isID(text string) bool {
	if text == "" || len(text) > longestID {
		return false
	}
	for i := range len(text) {
		c := text[i]
		if c != '-' && c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}
