package server

import (
	"crypto/rand"
	"strconv"
	"strings"
	"sync/atomic"
)

// Each request has an id. It stands in every line of the log about the request,
// and an error goes back with it, so that one leads to the other.

const requestIDHeader = "X-Request-Id"

// longestID is the length of the longest id that is taken over from a client.
const longestID = 64

// ids makes the ids of one process: a random word, which sets it apart from other
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

// assignID gives the exchange its id: the one that the client has sent, such as a
// proxy that logs it too, if it can do no harm in a log, and else a new one. Only
// who has sent one gets it back with every answer: one header more is a good part
// of what the others of a small answer cost.
func (x *exchange) assignID() {
	if sent := x.request.Header[requestIDHeader]; len(sent) == 1 && isID(sent[0]) {
		x.id[0] = sent[0]
		x.setRequestID()
		return
	}
	x.id[0] = x.server.ids.next()
}

// setRequestID adds the id to the answer.
func (x *exchange) setRequestID() { x.Header()[requestIDHeader] = x.id[:] }

// isID reports whether the text is short and nothing but letters, digits, "-"
// and "_".
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
