package server

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/semaphore"

	"quire/auth"
	"quire/content"
	"quire/index"
	"quire/media"
	"quire/schema"
	"quire/store"
)

// Deps is what a server serves.
type Deps struct {
	Site   *schema.Site
	DB     *store.DB // holds what Index shows
	Index  *index.Index
	Writer *content.Writer
	Files  *media.Folder // where uploads lie
	Auth   *auth.Auth
	Log    *slog.Logger // one line a request

	// Metrics counts, together with whoever else counts there; nil for new ones.
	Metrics *Metrics

	// StopDelay is how long Serve goes on when it is to end, while /_ready says so
	// already: the time that it takes to send requests elsewhere.
	StopDelay time.Duration

	// Version is the version of the program as people write it.
	Version string

	// Build names the program down to its sources, empty where they are not known:
	// two that are not the same may encode the same content differently.
	Build string

	// Suspended is called, once or more, when the data file takes no writes any
	// more until it is reopened. It must not block.
	Suspended func()

	// LastBackup tells when the last good backup was made; the zero time for never.
	LastBackup func() (time.Time, error)

	// Operate carries out the commands on the data as a whole; their names begin
	// with "data ".
	Operate func(ctx context.Context, command string, args json.RawMessage) (any, error)
}

// Server serves one site over HTTP.
type Server struct {
	log     *slog.Logger
	current atomic.Pointer[edition]
	coder   func(http.Handler) http.HandlerFunc // compresses what a handler writes
	buffers sync.Pool                           // of *[]byte, for answers
	plans   sync.Pool                           // of *query.Plan, for whoever is watched
	load    load

	patience patience // never changes once it serves

	metrics    *Metrics
	exposition http.Handler // of the metrics
	ids        *ids
	version    string
	started    time.Time
	draining   atomic.Bool
	stopDelay  time.Duration
}

// New returns a server of the site. It fails when two routes of the site exclude
// each other, or when a default of site.json is not a query that its type can
// answer.
func New(d Deps) (*Server, error) {
	s := &Server{log: d.Log, metrics: d.Metrics, ids: newIDs(), version: d.Version, started: time.Now(), stopDelay: d.StopDelay, patience: usualPatience}
	if s.metrics == nil {
		s.metrics = NewMetrics(d.Version)
	}
	s.exposition = s.newExposition()
	s.load.memory = semaphore.NewWeighted(memoryBudget)
	var err error
	if s.coder, err = newCoder(); err != nil {
		return nil, err
	}
	if err := s.Reload(d); err != nil {
		return nil, err
	}
	for _, c := range []prometheus.Collector{newState(s), newLoadState(s), newBackupState(s)} {
		if err := s.metrics.registry.Register(c); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Reload serves another version of the site from the next request on. When it
// fails, the former version stays.
func (s *Server) Reload(d Deps) error {
	e, err := newEdition(d, s.metrics, s.patience)
	if err != nil {
		return err
	}
	s.current.Store(e)
	return nil
}

// Handler returns the whole API as an http.Handler.
func (s *Server) Handler() http.Handler { return http.HandlerFunc(s.serve) }

// Serve answers requests that come in at the listener until ctx is done. Then it
// takes no more, lets those under way finish, and returns nil.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	h := s.newHTTP(s.serve)
	return serveUntil(ctx, h, func() error { return h.Serve(s.crowd(l)) }, s.leave)
}

// ServeTLS is Serve over TLS, in HTTP/2 with clients that speak it. The
// certificates are those of the configuration.
func (s *Server) ServeTLS(ctx context.Context, l net.Listener, config *tls.Config) error {
	h := s.newHTTP(s.serve)
	h.TLSConfig = config.Clone()
	h.TLSConfig.MinVersion = tls.VersionTLS12
	return serveUntil(ctx, h, func() error { return h.ServeTLS(s.crowd(l), "", "") }, s.leave)
}

// ServePlain is Serve with another handler, under the same limits.
func (s *Server) ServePlain(ctx context.Context, l net.Listener, handler http.Handler) error {
	h := s.newHTTP(handler.ServeHTTP)
	return serveUntil(ctx, h, func() error { return h.Serve(s.crowd(l)) }, stopAtOnce)
}

// crowd bounds the connections of a listener.
func (s *Server) crowd(l net.Listener) *crowd {
	settings := &s.current.Load().site.Settings
	return newCrowd(l, settings.Limits.Connections, settings.Accounts.Proxies, &s.load)
}

// serveUntil serves until ctx is done, and then leaves.
func serveUntil(ctx context.Context, h *http.Server, serve func() error, leave func(h *http.Server, ended <-chan error) error) error {
	ended := make(chan error, 1)
	go func() { ended <- serve() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return leave(h, ended)
	}
}

func stopAtOnce(h *http.Server, _ <-chan error) error { return stop(h) }

func stop(h *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTimeout)
	defer cancel()
	err := h.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.Join(errors.New("some requests did not finish in time and were cut off"), h.Close())
	}
	return err
}
