package server

import (
	"context"
	"log/slog"
	"net"
	"net/http"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// ServeMetrics answers GET /metrics at a listener of its own until ctx is done:
// to everybody who reaches it, so it is for an address that strangers do not.
func (s *Server) ServeMetrics(ctx context.Context, l net.Listener) error {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", s.exposition)
	return s.ServePlain(ctx, l, mux)
}

// newExposition returns the handler that writes all metrics in the format that
// the client asks for.
func (s *Server) newExposition() http.Handler {
	return promhttp.HandlerFor(s.metrics.registry, promhttp.HandlerOpts{
		ErrorLog:      slog.NewLogLogger(s.log.Handler(), slog.LevelError),
		ErrorHandling: promhttp.ContinueOnError,
	})
}

// showMetrics answers GET /metrics.
func showMetrics(x *exchange) error {
	x.dropTag()
	x.server.exposition.ServeHTTP(x, x.request)
	return nil
}
