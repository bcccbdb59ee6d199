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
	// stopTimeout is how long requests in progress may take when serving ends.
	stopTimeout = 30 * time.Second

	// headerBytes is the maximum size of a header without the URL. There is space for
	// twice the URL, so that the server can refuse one that is too long.
	headerBytes = 64 << 10

	// streams is the maximum number of concurrent requests on one HTTP/2 connection.
	streams = 100
)

// Limits of a connection between nodes, which carries requests of many clients.
const (
	// nodeHeaders is the factor for the size of headers: HTTP/2 counts each field as 32
	// bytes more than the client's connection did.
	nodeHeaders = 16

	// The body of each request has its own buffer, and that of the connection is as large
	// as all of them, so an unread body does not block others.
	nodeStreams          = 60
	nodeStreamBuffer     = 64 << 10
	nodeConnectionBuffer = nodeStreams * nodeStreamBuffer
)

// Config says how the connections of a listener are served.
type Config struct {
	Handler     http.Handler
	TLS         *tls.Config    // with the certificates; nil for connections without TLS
	Connections int            // maximum number of open connections
	Proxies     []netip.Prefix // trusted proxies, each of which may take all connections
	URLBytes    int            // maximum length of an answered URL
	Log         *slog.Logger   // for messages of net/http about connections
	Nodes       bool           // whether the clients are other nodes

	// Drain is called when serving is about to end, and returns when no more requests are
	// to be accepted. The channel is closed if serving has ended by itself. A nil Drain
	// ends at once.
	Drain func(ended <-chan struct{})
}

// Serve answers requests at the listener until ctx is done. Then it accepts no more
// requests, lets those in progress finish for a limited time, and returns nil. When it
// returns, the listener is closed.
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
	<-ended // the server may begin to serve only now
	return err
}

// newHTTP returns the HTTP server for the connections of a listener.
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
