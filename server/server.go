package server

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"quire/auth"
	"quire/auth/account"
	"quire/content"
	"quire/event/webhook"
	"quire/index"
	"quire/media"
	"quire/schema"
	"quire/server/edge"
	"quire/server/metrics"
	"quire/store"
)

// Deps is what a server serves.
type Deps struct {
	Site     *schema.Site
	DB       *store.DB // holds what Index shows
	Index    *index.Index
	Writer   *content.Writer
	Files    *media.Folder // where uploads lie
	Auth     *auth.Auth
	Accounts *account.Service
	Log      *slog.Logger // one line a request

	// Metrics counts, together with whoever else counts there; nil for new ones.
	Metrics *metrics.Metrics

	// Now is the clock that moments to come are compared with; nil for time.Now.
	Now func() time.Time

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

	// LastBackup returns when the last good backup was made; the zero time for never.
	LastBackup func() (time.Time, error)

	// Webhooks are those of the site; nil for those that the data file and site.json have.
	Webhooks *webhook.Book

	// AdminName returns the name of an account of the admin by its id, empty for one that
	// is not there; nil where there are none.
	AdminName func(id string) string

	// Decides reports whether a commit may change what an Authenticator of ServeAs
	// answers; nil where it is called for none.
	Decides func(store.Commit) bool

	// ProviderSecret returns the secret by which the site is known to a provider at which
	// users sign in, by the provider's name; nil where there is none.
	ProviderSecret func(name string) (string, error)

	// WebhookState is what the metrics report of deliveries; nil for nothing.
	WebhookState func() (metrics.Webhooks, error)

	// Nodes are those that share the site; nil for this one alone.
	Nodes Nodes
}

// Server serves one site over HTTP.
type Server struct {
	log     *slog.Logger
	current atomic.Pointer[edition]
	mounts  []mount                             // parts that others answer
	coder   func(http.Handler) http.HandlerFunc // compresses what a handler writes
	buffers sync.Pool                           // of *[]byte, for answers
	plans   sync.Pool                           // of *query.Plan, for whoever is watched
	slow    slowRing                            // requests that took long
	load    *edge.Load                          // all that clients take together
	coders  atomic.Int64                        // answers that are being compressed

	metrics    *metrics.Metrics
	exposition http.Handler // of the metrics
	ids        *ids
	version    string
	started    time.Time
	draining   atomic.Bool
	preparing  atomic.Bool
	stopDelay  time.Duration
	nodes      Nodes  // nil for this one alone
	endHashing func() // sends away who waits for a password to be hashed
}

// New returns a server of the site. It fails when two routes of the site exclude
// each other, or when a default of site.json is not a query that its type can
// answer.
func New(d Deps) (*Server, error) {
	s := &Server{log: d.Log, metrics: d.Metrics, ids: newIDs(), version: d.Version, started: time.Now(), stopDelay: d.StopDelay, nodes: d.Nodes, endHashing: d.Accounts.EndHashing, load: edge.NewLoad(edge.UsualPatience())}
	if s.metrics == nil {
		s.metrics = metrics.New(d.Version)
	}
	s.exposition = s.metrics.Handler(s.log)
	var err error
	if s.coder, err = newCoder(); err != nil {
		return nil, err
	}
	if err := s.Reload(d); err != nil {
		return nil, err
	}
	if err := s.metrics.Watch(metrics.Sources{Load: s.Counts, State: s.state, Backup: s.backups, Pictures: s.pictures, Webhooks: d.WebhookState}); err != nil {
		return nil, err
	}
	return s, nil
}

// Reload serves another version of the site from the next request on; streams of the
// former one end, and their clients resume. When it fails, the former version stays.
func (s *Server) Reload(d Deps) error {
	e, err := newEdition(d, s.metrics, s.load)
	if err != nil {
		return err
	}
	if former := s.current.Swap(e); former != nil {
		former.live.Close()
		former.closeBesides()
	}
	return nil
}

// Accounts returns the users and roles of the version of the site that is served now.
func (s *Server) Accounts() *account.Accounts { return s.current.Load().accounts }

// Handler returns the whole API as an http.Handler.
func (s *Server) Handler() http.Handler { return http.HandlerFunc(s.serve) }

// Serve answers requests that come in at the listener until ctx is done. Then it
// takes no more, lets those under way finish, and returns nil.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	return s.load.Serve(ctx, l, s.listenerConfig(s.Handler(), s.drain))
}

// ServeTLS is Serve over TLS, in HTTP/2 with clients that speak it. The
// certificates are those of the configuration.
func (s *Server) ServeTLS(ctx context.Context, l net.Listener, config *tls.Config) error {
	c := s.listenerConfig(s.Handler(), s.drain)
	c.TLS = config
	return s.load.Serve(ctx, l, c)
}

// ServePlain is Serve with another handler, whose requests need no body, under the
// same limits. It stops at once.
func (s *Server) ServePlain(ctx context.Context, l net.Listener, handler http.Handler) error {
	return s.load.Serve(ctx, l, s.listenerConfig(s.load.WithoutBodies(handler), nil))
}

func (s *Server) listenerConfig(h http.Handler, drain func(<-chan struct{})) edge.Config {
	settings := &s.current.Load().site.Settings
	return edge.Config{
		Handler: h, Drain: drain, Log: s.log,
		Connections: settings.Limits.Connections, Proxies: settings.Accounts.Proxies, URLBytes: settings.Limits.URLBytes,
	}
}
