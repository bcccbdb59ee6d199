package documents

import (
	"cmp"
	"hash/maphash"
	"log/slog"

	"quire/auth"
	"quire/content"
	"quire/content/release"
	"quire/index"
	"quire/query"
	"quire/query/params"
	"quire/schema"
	"quire/schema/settings"
	"quire/store"
)

// Config is what a Service works with. All of it belongs to one version of a site.
type Config struct {
	Site   *schema.Site
	DB     *store.DB
	Index  *index.Index
	Writer *content.Writer
	Log    *slog.Logger

	// Calendar has the schedules and releases of the site.
	Calendar *release.Calendar

	// CursorKey encrypts the cursors of pages. It must be the same on all nodes of a site.
	CursorKey []byte

	// Forms are the unsaved forms that previews show; nil for none.
	Forms *Forms

	// Files signs the addresses of private files; nil signs none.
	Files query.Signer

	// Words returns the words of searches that are set in the admin; nil for none.
	Words func() *settings.SearchWords

	// AdminName returns the name of an account of the admin or of an assistant; empty if it
	// is unknown. Nil knows none.
	AdminName func(store.Actor) string
}

// Service answers for one version of a site. It is immutable and safe to share.
type Service struct {
	Config
	compiler *query.Compiler
	compiled *compiledQueries
	defaults map[*schema.Type]typeDefaults
}

// New returns a Service. It fails if defaults in site.json are not valid queries of their
// types.
func New(c Config) (*Service, error) {
	s := &Service{Config: c, compiler: query.NewCompiler(c.Site), compiled: &compiledQueries{seed: maphash.MakeSeed()}}
	s.compiler.SealWith(c.CursorKey)
	s.compiler.UseWords(c.Words)
	s.compiler.SignWith(c.Files)
	var err error
	s.defaults, err = readDefaults(c.Site, s.compiler)
	return s, err
}

// Compiler returns the compiler of queries, for reads that are not about one type: streams
// and copies.
func (s *Service) Compiler() *query.Compiler { return s.compiler }

// Defaults returns the default parameters for reading one document of a type; nil for none.
func (s *Service) Defaults(t *schema.Type) *params.Node { return s.defaults[t].one }

// Names reports whether a caller who may see what an author has written may also see the
// name, and not only the kind. Callers who may find users see the names of users. Callers
// of full access and accounts of the admin see all names.
func (s *Service) Names(c *auth.Caller, a store.Actor) bool {
	if a.Kind() == store.ByUser {
		return c.Allows(s.Site.Type(schema.UserUID), schema.Find)
	}
	return c.Full() || c.IsAdmin()
}

// Author is who wrote something, as a caller may see it.
type Author struct {
	Kind string `json:"kind"`
	ID   string `json:"id,omitempty"`
	Name string `json:"name,omitempty"`

	Model string `json:"model,omitempty"` // the language model whose suggestions a version has
}

// author returns an author as a caller may see it: everybody sees the kind. It is nil for
// an unknown one.
func (s *Service) author(c *auth.Caller, a store.Actor, at *index.Snapshot) *Author {
	if a == "" {
		return nil
	}
	a, model := a.Model()
	seen := &Author{Kind: a.Kind()}
	if !s.Names(c, a) || a.ID() == "" {
		return seen
	}
	seen.ID, seen.Name, seen.Model = a.ID(), a.ID(), model
	if a.Account() != "" && s.AdminName != nil {
		seen.Name = cmp.Or(s.AdminName(a), a.ID())
	}
	if a.Kind() == store.ByUser {
		users := s.Site.Type(schema.UserUID)
		user, ok := at.Lookup(users, store.Published).ByDocument(a.ID(), "")
		if !ok || !c.Sight(users).Sees(users.Attribute("username")) {
			seen.Name = ""
			return seen
		}
		seen.Name = user.Text("username")
	}
	return seen
}

// AppendActor appends an author in JSON, as the caller may see it.
func (s *Service) AppendActor(dst []byte, c *auth.Caller, a store.Actor) []byte {
	return s.author(c, a, s.Index.Snapshot()).append(dst)
}

func (a *Author) append(dst []byte) []byte {
	if a == nil {
		return append(dst, "null"...)
	}
	dst = index.AppendString(append(dst, `{"kind":`...), a.Kind)
	if a.ID != "" {
		dst = index.AppendString(append(dst, `,"id":`...), a.ID)
	}
	if a.Name != "" {
		dst = index.AppendString(append(dst, `,"name":`...), a.Name)
	}
	if a.Model != "" {
		dst = index.AppendString(append(dst, `,"model":`...), a.Model)
	}
	return append(dst, '}')
}
