package edge

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"time"
)

const (
	// stopTimeout is how long requests under way may take when serving ends.
	stopTimeout = 30 * time.Second

	// headerBytes is what a request may have in its header beside the URL. There is
	// room for the URL twice, so that one that is too long can be answered.
	headerBytes = 64 << 10

	// streams is how many requests one HTTP/2 connection may have under way.
	streams = 100
)

// Of a connection between nodes, which has requests of many clients.
const (
	// nodeHeaders is how many times as much a header may have: in HTTP/2 each field counts
	// for 32 bytes more than it did where the client sent it.
	nodeHeaders = 16

	// The body of each request has a buffer of its own, and that of the connection is as
	// large as all of them: a body that nobody reads holds up no other.
	nodeStreams          = 60
	nodeStreamBuffer     = 64 << 10
	nodeConnectionBuffer = nodeStreams * nodeStreamBuffer
)

// Config is how the connections of a listener are served.
type Config struct {
	Handler     http.Handler
	TLS         *tls.Config    // nil for connections without; in it are the certificates
	Connections int            // that may be open at once
	Proxies     []netip.Prefix // that are trusted: one of them may take all connections
	URLBytes    int            // of the longest URL that is answered
	Log         *slog.Logger   // what net/http has to say about connections
	Nodes       bool           // the clients are other nodes, with requests of theirs

	// Drain is called when serving is to end, and returns when no more requests
	// shall be taken. The channel is closed if serving has ended by itself. A nil
	// Drain stops at once.
	Drain func(ended <-chan struct{})
}

// Serve answers requests that come in at the listener until ctx is done. Then it
// takes no more, lets those under way finish for a bounded time, and returns nil. When
// it returns, the listener is closed.
func (l *Load) Serve(ctx context.Context, listener net.Listener, c Config) error {
	return l.serve(ctx, l.limit(listener, &c), c)
}

func (l *Load) serve(ctx context.Context, limited *limitedListener, c Config) error {
	h := l.newHTTP(&c)
	ended := make(chan struct{})
	var failure error
	go func() {
		defer close(ended)
		if c.TLS != nil {
			failure = h.ServeTLS(limited, "", "")
		} else {
			failure = h.Serve(limited)
		}
	}()
	select {
	case <-ended:
		return failure
	case <-ctx.Done():
	}
	if c.Drain != nil {
		c.Drain(ended)
	}
	select {
	case <-ended:
		return failure
	default:
	}
	err := shutDown(h)
	<-ended // it may have come to serving only now
	return err
}

// newHTTP makes what speaks HTTP with the connections of a listener.
func (l *Load) newHTTP(c *Config) *http.Server {
	p := l.patience
	h := &http.Server{
		Handler:           c.Handler,
		ReadHeaderTimeout: p.Header,
		ReadTimeout:       p.Read,
		WriteTimeout:      p.Write,
		IdleTimeout:       p.Idle,
		MaxHeaderBytes:    headerBytes + 2*c.URLBytes,
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: streams},
		ConnState:         track,
		ConnContext:       introduce,
		ErrorLog:          slog.NewLogLogger(c.Log.Handler(), slog.LevelWarn),
	}
	if c.Nodes {
		h.MaxHeaderBytes *= nodeHeaders
		h.HTTP2 = &http.HTTP2Config{MaxConcurrentStreams: nodeStreams, MaxReceiveBufferPerStream: nodeStreamBuffer, MaxReceiveBufferPerConnection: nodeConnectionBuffer}
	}
	if c.TLS != nil {
		h.TLSConfig = c.TLS.Clone()
		h.TLSConfig.MinVersion = max(h.TLSConfig.MinVersion, tls.VersionTLS12)
	}
	return h
}

func shutDown(h *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	err := h.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.Join(errors.New("some requests did not finish in time and were cut off"), h.Close())
	}
	return err
}
