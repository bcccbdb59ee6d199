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
	"quire/auth/users"
	"quire/content"
	"quire/documents"
	"quire/index"
	"quire/media"
	"quire/notify/webhook"
	"quire/schema"
	"quire/schema/settings"
	"quire/server/edge"
	"quire/server/mcp"
	"quire/server/metrics"
	"quire/store"
)

// Deps is what a server serves.
type Deps struct {
	Site     *schema.Site
	DB       *store.DB // the content of Index
	Index    *index.Index
	Writer   *content.Writer
	Files    *media.Folder // the uploads
	Auth     *auth.Auth
	Accounts *users.Service
	Log      *slog.Logger // one line for each request

	// Metrics are shared with other parts of the program; nil for new ones.
	Metrics *metrics.Metrics

	// Now is the clock for scheduled times; nil for time.Now.
	Now func() time.Time

	// StopDelay is how long Serve continues when it is asked to stop, while /_ready reports
	// that already: the time that others need to send requests elsewhere.
	StopDelay time.Duration

	// Version is the version of the program for people.
	Version string

	// Build identifies the sources of the program; empty if they are unknown. Two builds
	// may encode the same content differently.
	Build string

	// Suspended is called at least once when the data file refuses writes until it is
	// reopened. It must not block.
	Suspended func()

	// LastBackup returns the time of the last successful backup; the zero time for none.
	LastBackup func() (time.Time, error)

	// NewestBackup opens the newest backup of the site on this machine; nil if there is none.
	// The caller closes the file.
	NewestBackup func() (*StoredBackup, error)

	// Stream returns the state of the stream of commits; nil for none.
	Stream func() *metrics.StreamState

	// Webhooks are those of the site; nil for those of the data file and site.json.
	Webhooks *webhook.Webhooks

	// AdminName returns the name of an account of the admin or of an assistant, or an empty string
	// if there is no such account; nil if there is no admin.
	AdminName func(store.Actor) string

	// Decides reports whether a commit may change the result of an Authenticator of
	// ServeAs; nil if ServeAs is not used.
	Decides func(store.Commit) bool

	// LoadCode loads the project's own code for a version of the site; nil for none. It
	// returns nil if the project has none.
	LoadCode func(*documents.Service) (Code, error)

	// ProviderSecret returns the client secret of the site at a provider for users, by the
	// provider's name; nil if there are none.
	ProviderSecret func(name string) (string, error)

	// Words returns the words of searches that are set in the admin; nil for none.
	Words func() *settings.SearchWords

	// Missed is called with the text of each search of a visitor that finds nothing, if the
	// site counts them; nil if this server does not. It must not block.
	Missed func(text string)

	// WebhookState is what the metrics report about deliveries; nil for nothing.
	WebhookState func() (metrics.Webhooks, error)

	// Nodes are the nodes that share the site; nil for a single server.
	Nodes Nodes

	// Leading is what this server needs to have followers; nil if it can have none.
	Leading *Leading

	// Assistants finds the assistants that ask at /mcp; nil if there are none.
	Assistants Assistants
}

// Server serves one site over HTTP.
type Server struct {
	log     *slog.Logger
	current atomic.Pointer[siteVersion]
	mounts  []mount                             // parts that other handlers serve
	coder   func(http.Handler) http.HandlerFunc // compresses what a handler writes
	buffers sync.Pool                           // of *[]byte, for responses
	plans   sync.Pool                           // of *query.Plan, for requests that are observed
	slow    slowRing                            // recent slow requests
	load    *edge.Load                          // all that clients take together
	turns   *edge.Turns                         // of queries that are neither quick nor heavy
	coders  atomic.Int64                        // responses that are being compressed

	backupsSent atomic.Int64 // downloads of backups that are under way

	metrics    *metrics.Metrics
	exposition http.Handler // of the metrics
	ids        *ids
	version    string
	started    time.Time
	draining   atomic.Bool
	preparing  atomic.Bool
	stopDelay  time.Duration
	nodes      Nodes // nil for a single server
	leading    *Leading
	followers  followers
	stored     storedStreams
	files      *media.Folder
	endHashing func() // ends the wait of requests for password hashing

	assistants Assistants
	usage      *mcp.Usage       // of assistants
	forms      *documents.Forms // that previews show
}

// New returns a server of the site. It fails if two routes of the site exclude each other,
// or if a default in site.json is not a valid query of its type.
func New(d Deps) (*Server, error) {
	s := &Server{log: d.Log, metrics: d.Metrics, ids: newIDs(), version: d.Version, started: time.Now(), stopDelay: d.StopDelay, nodes: d.Nodes, leading: d.Leading, files: d.Files, endHashing: d.Accounts.EndHashing, load: edge.NewLoad(edge.UsualPatience()), turns: edge.NewTurns(turns()), assistants: d.Assistants, usage: mcp.NewUsage(d.Now), forms: documents.NewForms(d.Now)}
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
	s.metrics.Watch(metrics.Sources{Load: s.Counts, State: s.state, Backup: s.backups, Stream: d.Stream, Lag: s.lag, Pictures: s.pictures, Webhooks: d.WebhookState})
	return s, nil
}

// Reload serves another version of the site from the next request on. Streams of the former
// version end, and their clients resume. If it fails, the former version stays.
func (s *Server) Reload(d Deps) error {
	e, err := newSiteVersion(d, s)
	if err != nil {
		return err
	}
	if former := s.current.Swap(e); former != nil {
		former.live.Close()
		for _, b := range former.beside {
			b.transport.CloseIdleConnections()
		}
		if former.code != nil {
			go former.code.Close() // it waits for the requests in progress
		}
	}
	return nil
}

// CloseCode stops the project's own code.
func (s *Server) CloseCode() {
	if c := s.current.Load().code; c != nil {
		c.Close()
	}
}

// Accounts returns the users and roles of the version of the site that is served now.
func (s *Server) Accounts() *users.Accounts { return s.current.Load().accounts }

// Handler returns the whole API as an http.Handler.
func (s *Server) Handler() http.Handler { return http.HandlerFunc(s.serve) }

// Serve answers requests at the listener until ctx is done. Then it accepts no more, lets
// those in progress finish, and returns nil.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	return s.load.Serve(ctx, l, s.listenerConfig(s.Handler(), s.drain))
}

// ServeTLS is Serve over TLS, with HTTP/2 for clients that support it. The configuration
// has the certificates.
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
	settings := &s.current.Load().schema.Settings
	return edge.Config{
		Handler: h, Drain: drain, Log: s.log,
		Connections: settings.Limits.Connections, Proxies: settings.Accounts.Proxies, URLBytes: settings.Limits.URLBytes,
	}
}
