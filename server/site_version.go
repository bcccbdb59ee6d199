package server

import (
	"crypto/sha256"
	"errors"
	"slices"
	"time"

	"github.com/julienschmidt/httprouter"

	"quire/auth"
	"quire/auth/users"
	"quire/content"
	"quire/content/release"
	"quire/documents"
	"quire/index"
	"quire/media"
	"quire/notify/webhook"
	"quire/schema"
	"quire/server/edge"
	"quire/server/graphql"
	"quire/server/live"
	"quire/server/mcp"
	"quire/store"
)

// siteVersion is one served version of the site. It never changes.
type siteVersion struct {
	schema       *schema.Site
	index        *index.Index
	writer       *content.Writer
	db           *store.DB
	lineage      uint64 // of the content of the index, see store.CommitID
	calendar     *release.Calendar
	hooks        *webhook.Webhooks
	library      *media.Library
	access       *media.PrivateFiles // to private files
	auth         *auth.Auth
	accounts     *users.Accounts        // users, for this version of the site
	providers    map[string]*connection // where they can sign in, by name
	router       *httprouter.Router
	beside       []*beside // the paths that other processes serve
	writes       []Route   // routes that can be part of a batch
	documents    *documents.Service
	graphql      *graphql.Schema   // nil if GraphQL is off
	pluginRoutes map[string]*Route // by the fields of GraphQL
	mcp          *mcp.Server       // what assistants can use
	code         Code              // nil if the project has none
	codedReads   map[string]bool   // the types whose reads it answers, by uid
	suspended    func()
	now          func() time.Time
	missed       func(text string) // see Deps.Missed; nil if searches are not counted
	lastBackup   func() (time.Time, error)
	newest       func() (*StoredBackup, error) // see Deps.NewestBackup
	locales      []locale
	mark         [sha256.Size]byte         // identifies the version of the site in tags
	ages         map[*schema.Type][]string // Cache-Control of public responses, if site.json sets it
	cache        *responseCache

	description *description
	live        *live.Hub

	slots *edge.Slots // for heavy queries
	rate  *edge.Rate  // nil if there is no limit
}

func newSiteVersion(d Deps, s *Server) (*siteVersion, error) {
	m := s.metrics
	e := &siteVersion{mcp: mcp.New(d.Site, d.Version, s.usage), schema: d.Site, db: d.DB, lineage: d.DB.Lineage(), index: d.Index, writer: d.Writer, auth: d.Auth, suspended: d.Suspended, lastBackup: d.LastBackup, newest: d.NewestBackup}
	if e.suspended == nil {
		e.suspended = func() {}
	}
	if e.now = d.Now; e.now == nil {
		e.now = time.Now
	}
	if d.Site.Settings.Search.CountMissed {
		e.missed = d.Missed
	}
	e.description, e.cache = &description{}, newResponseCache()
	e.slots = newSlots(&d.Site.Settings.Limits, s.load)
	rate := d.Site.Settings.Rate
	e.rate = edge.NewRate(rate.Max, rate.Interval, rate.Burst)
	e.access = media.NewPrivateFiles(d.Site, d.Auth.KeyFor, e.now)
	if e.hooks = d.Webhooks; e.hooks == nil {
		e.hooks = webhook.New(d.DB, d.Site, d.Index, d.Writer, webhook.Options{Now: d.Now, Log: d.Log, Files: e.access})
	}
	e.library = media.New(d.Files, d.Site, d.Index, d.Writer)
	e.accounts = d.Accounts.Accounts(d.Site, d.Index, d.Writer)
	e.providers = openProviders(&d)
	var err error
	e.calendar = release.New(d.DB, d.Site, d.Writer, d.Now)
	if e.documents, err = documents.New(documents.Config{
		Site: d.Site, DB: d.DB, Index: d.Index, Writer: d.Writer, Log: d.Log, Calendar: e.calendar, CursorKey: d.Auth.KeyFor("cursors"), Forms: s.forms, Files: e.access, Words: d.Words, AdminName: d.AdminName,
	}); err != nil {
		return nil, err
	}
	if err := e.loadCode(&d); err != nil {
		return nil, err
	}
	routes := metered(withoutOwned(allRoutes(d.Site), e.code), m)
	if err := e.route(routes); err != nil {
		return nil, err
	}
	e.beside = besides(&d.Site.Settings, m)
	e.sign(d.Build)
	e.locales = localesOf(&d.Site.Settings)
	e.live, err = live.New(live.Config{
		Site: d.Site, DB: d.DB, Index: d.Index, Log: d.Log, Decides: d.decides,
		Expired: func(i auth.Identity) bool { return !s.mayStream() || d.Auth.Expired(i) }, Actor: e.documents.AppendActor, Sent: m.CountEvents,
	})
	return e, err
}

// loadCode loads the project's own code.
func (e *siteVersion) loadCode(d *Deps) (err error) {
	if d.LoadCode != nil {
		e.code, err = d.LoadCode(e.documents)
	}
	if err == nil {
		e.codedReads = codedReads(e.schema, e.code)
	}
	return err
}

// route makes what finds the handler of a request.
func (e *siteVersion) route(routes []Route) (err error) {
	if e.graphql, err = newGraphQL(e.schema); err != nil {
		return err
	}
	e.pluginRoutes = findPluginRoutes(routes)
	e.writes = slices.DeleteFunc(slices.Clone(routes), func(r Route) bool { return r.write == nil })
	if e.router, err = newRouter(e.schema, routes); err != nil {
		return err
	}
	return errors.Join(slices.Concat(checkRoles(e.schema), checkProxy(e.schema, routes))...)
}

// decides reports whether a commit may change the identity or the rights of a caller.
func (d *Deps) decides(c store.Commit) bool {
	return users.Decides(c) || d.Decides != nil && d.Decides(c)
}
