package server

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"time"

	"github.com/julienschmidt/httprouter"

	"quire/auth"
	"quire/content"
	"quire/index"
	"quire/media"
	"quire/query"
	"quire/schema"
	"quire/store"
)

// edition is one version of the site being served. It never changes.
type edition struct {
	site       *schema.Site
	index      *index.Index
	writer     *content.Writer
	db         *store.DB
	library    *media.Library
	auth       *auth.Auth
	accounts   *auth.Accounts // users, as of this version of the site
	router     *httprouter.Router
	compiler   *query.Compiler
	prepared   *prepared
	defaults   map[*schema.Type]*query.Node // what reads of a type get when they do not ask
	suspended  func()
	operate    func(ctx context.Context, command string, args json.RawMessage) (any, error)
	lastBackup func() (time.Time, error)
	locales    []byte                    // the answer of GET /api/i18n/locales
	mark       [sha256.Size]byte         // tells the edition from others in tags
	ages       map[*schema.Type][]string // Cache-Control of public answers, where site.json sets it

	description *description

	gate *gate
	rate *rate // nil where there is no limit
}

func newEdition(d Deps, m *Metrics, p patience) (*edition, error) {
	e := &edition{site: d.Site, db: d.DB, index: d.Index, writer: d.Writer, auth: d.Auth, suspended: d.Suspended, operate: d.Operate, lastBackup: d.LastBackup}
	if e.suspended == nil {
		e.suspended = func() {}
	}
	e.description = &description{}
	e.gate = newGate(&d.Site.Settings.Limits, p.heavy)
	e.rate = newRate(d.Site.Settings.Rate)
	e.library = media.New(d.Files, d.Site, d.Index, d.Writer)
	e.accounts = d.Auth.Accounts(d.Site, d.Index, d.Writer)
	e.compiler, e.prepared = query.NewCompiler(d.Site), newPrepared()
	var err error
	if e.router, err = newRouter(metered(Routes(d.Site), m)); err != nil {
		return nil, err
	}
	if err := errors.Join(checkRoles(d.Site)...); err != nil {
		return nil, err
	}
	if e.defaults, err = readDefaults(d.Site, e.compiler); err != nil {
		return nil, err
	}
	e.sign(d.Build)
	e.locales, err = encodeLocales(&d.Site.Settings)
	return e, err
}

// metered gives each route its meter.
func metered(routes []Route, m *Metrics) []Route {
	for i := range routes {
		r := &routes[i]
		r.meter = m.meter(r.Method, r.Path)
	}
	return routes
}
