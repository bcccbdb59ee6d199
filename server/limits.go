package server

import (
	"fmt"
	"log/slog"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

// patience is how long a connection may take over each part of a request. A
// client that dawdles is cut off, so that a few of them cannot hold everything.
// Large bodies and files have a patience of their own, see deadlines.
type patience struct {
	header time.Duration // from the first byte of a request to the end of its header
	read   time.Duration // to the end of its body
	write  time.Duration // from there to the end of the answer
	idle   time.Duration // between two requests
	heavy  time.Duration // that a heavy query waits for others to end
}

var usualPatience = patience{header: 10 * time.Second, read: time.Minute, write: 2 * time.Minute, idle: 2 * time.Minute, heavy: time.Second}

const (
	stopTimeout = 30 * time.Second

	// headerBytes is what a request may have in its header beside the URL. There is
	// room for the URL twice, so that one that is too long can be answered.
	headerBytes = 64 << 10

	// streams is how many requests one HTTP/2 connection may have under way.
	streams = 100
)

// newHTTP makes what speaks HTTP with the connections of a listener.
func (s *Server) newHTTP(h http.HandlerFunc) *http.Server {
	p := s.patience
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: p.header,
		ReadTimeout:       p.read,
		WriteTimeout:      p.write,
		IdleTimeout:       p.idle,
		MaxHeaderBytes:    headerBytes + 2*s.current.Load().site.Settings.Limits.URLBytes,
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: streams},
		ConnState:         track,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
}

// What large bodies and answers may take of the memory together, in bytes. A
// client that is slow to send or to receive holds what it takes for as long.
const (
	memoryBudget = 256 << 20
	smallBody    = 64 << 10 // smaller ones are not counted
)

// load is what the requests under way take, and what became of those that did
// not fit in.
type load struct {
	requests    atomic.Int64
	connections atomic.Int64
	memory      *semaphore.Weighted

	rated, throttled                  atomic.Uint64
	crowded, oversized                atomic.Uint64
	evicted, heavyWaits, heavyRefused atomic.Uint64
}

// Counts is what a server does at a moment, and what it has turned away since it
// began.
type Counts struct {
	Connections int64 // that are open
	Requests    int64 // that are under way

	Rated        uint64 // requests answered 429 because their address sent too many
	Throttled    uint64 // requests answered 429 because passwords were tried, or mail was asked for, too often
	Crowded      uint64 // requests answered 503 because too many were under way
	Oversized    uint64 // requests answered 503 because too many large ones were
	Evicted      uint64 // connections that were closed to make room for others
	HeavyWaits   uint64 // heavy queries that had to wait for others
	HeavyRefused uint64 // those that waited too long and were answered 503
}

// Counts reads the counters.
func (s *Server) Counts() Counts {
	l := &s.load
	return Counts{
		Connections: l.connections.Load(), Requests: l.requests.Load(),
		Rated: l.rated.Load(), Throttled: l.throttled.Load(), Crowded: l.crowded.Load(), Oversized: l.oversized.Load(),
		Evicted: l.evicted.Load(), HeavyWaits: l.heavyWaits.Load(), HeavyRefused: l.heavyRefused.Load(),
	}
}

// arrive lets a request in, or tells why not. leave is called in either case.
func (x *exchange) arrive() error {
	limits := &x.edition.site.Settings.Limits
	under := x.server.load.requests.Add(1)
	x.arrived = true
	switch {
	case len(x.request.RequestURI) > limits.URLBytes:
		return uriTooLong(limits.URLBytes)
	case under > int64(limits.Requests):
		x.server.load.crowded.Add(1)
		return unavailable("There are too many requests under way; try again later")
	case x.edition.rate != nil:
		return x.edition.rate.admit(x)
	}
	return nil
}

// leave gives back what the exchange has taken.
func (x *exchange) leave() {
	x.lighten()
	if x.memory > 0 {
		x.server.load.memory.Release(x.memory)
		x.memory = 0
	}
	if x.arrived {
		x.server.load.requests.Add(-1)
		x.arrived = false
	}
}

// hold takes memory for a large body or answer up to the end of the exchange.
func (x *exchange) hold(bytes int64) error {
	if bytes <= smallBody {
		return nil
	}
	bytes = min(bytes, memoryBudget-x.memory)
	if !x.server.load.memory.TryAcquire(bytes) {
		x.server.load.oversized.Add(1)
		return unavailable("There are too many large requests under way; try again later")
	}
	x.memory += bytes
	return nil
}

func tooLarge(limit int64) *problem {
	return &problem{http.StatusRequestEntityTooLarge, "PayloadTooLargeError",
		fmt.Sprintf("The request body is larger than %d bytes", limit), none{}}
}
