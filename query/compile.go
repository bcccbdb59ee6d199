package query

import (
	"fmt"
	"math"
	"slices"

	"quire/index"
	"quire/query/params"
	"quire/schema"
	"quire/schema/settings"
	"quire/store"
)

// Compiler resolves parsed queries against one site. It is immutable and safe
// to share; a changed site needs a new one.
type Compiler struct {
	site   *schema.Site
	limits settings.Limits
	shapes map[*schema.Type]*shape
	sealer *sealer // of cursors
	scratches
}

// NewCompiler prepares the types of a site for compiling.
func NewCompiler(site *schema.Site) *Compiler {
	c := &Compiler{site: site, limits: site.Settings.Limits, shapes: map[*schema.Type]*shape{}, sealer: newSealer(randomSecret())}
	for _, t := range slices.Concat(site.Types, site.Components) {
		c.shapes[t] = newShape(t)
	}
	return c
}

// shape is what encoding needs to know of a type, worked out once.
type shape struct {
	t           *schema.Type
	outputs     []output            // by slot
	values      []shownValue        // what the content API shows unless the query says otherwise
	system      []*schema.Attribute // that it shows unless fields says otherwise
	populatable []*schema.Attribute
	fixed       int // bytes that an entry takes in an answer besides its values, at most
}

// output is one declared attribute, and how its key is written.
type output struct {
	attribute *schema.Attribute
	key       string // `,"name":`
}

func newShape(t *schema.Type) *shape {
	s := &shape{t: t}
	for _, a := range t.Slots {
		s.outputs = append(s.outputs, output{a, `,"` + a.Name + `":`})
	}
	for _, a := range t.Attributes {
		if !a.IsScalar() {
			s.populatable = append(s.populatable, a)
		}
	}
	for _, a := range t.System {
		if a.System == schema.SystemLocalizations {
			s.populatable = append(s.populatable, a)
		}
	}
	s.system = systemSeen(t, nil)
	s.values = (&selection{shape: s}).shownValues()
	s.fixed = fixedBytes + len(t.UID)
	for _, o := range s.outputs {
		s.fixed += len(o.key) + len("null")
	}
	return s
}

// systemSeen are the system attributes besides id and documentId that answers show.
func systemSeen(t *schema.Type, sight *schema.Sight) (seen []*schema.Attribute) {
	for _, a := range t.System {
		switch a.System {
		case schema.SystemID, schema.SystemDocumentID, schema.SystemLocalizations:
			continue
		}
		if sight.Sees(a) {
			seen = append(seen, a)
		}
	}
	return seen
}

// fixedBytes is what the ids, the system attributes and the brackets take.
const fixedBytes = 512

func (c *Compiler) shape(t *schema.Type) *shape { return c.shapes[t] }

// readable is the content types that the caller may find.
func (c *Compiler) readable(access schema.Access) []*schema.Type {
	var types []*schema.Type
	for _, t := range c.site.Types {
		if access.Allows(t, schema.Find) {
			types = append(types, t)
		}
	}
	return types
}

// Options says how a query is to be understood and answered.
type Options struct {
	V4    bool // answer in the previous format: attributes and data wrapped
	Write bool // the query goes with a write, whose answer may show a draft that was just written
	Draft bool // it reads drafts, as with status=draft

	// Bare is for lists without an envelope: they show all entries unless start
	// or limit, which may stand at the top too, ask for fewer.
	Bare bool

	// Document, unless empty, is the one document of its type that the query may find,
	// for somebody who may read that one alone.
	Document string

	// Unlinked asks for entries alone to which nothing links that the caller sees.
	Unlinked bool

	// Extra is what each entry of the answer has besides its own members, in
	// JSON, each with a comma before it: `,"isUrlSigned":false`.
	Extra string
}

// compilation is the state of compiling one query.
type compilation struct {
	access     schema.Access
	conditions int
	types      []*schema.Type // whose entries the answer depends on
	led        bool           // to entries behind relations, of whatever type
	preview    bool           // for somebody who may read one document alone
	deep       int            // attributes populated because everything is, level by level
}

// dependsOn notes that the answer depends on entries of a type behind a relation, which
// can be the type that the query is about. A component is part of its entry.
func (b *compilation) dependsOn(t *schema.Type) {
	if t.IsComponent() {
		return
	}
	b.led = true
	if !slices.Contains(b.types, t) {
		b.types = append(b.types, t)
	}
}

// Query is a read that has been resolved against the schema and the caller. It
// may be run any number of times, also at the same time.
type Query struct {
	t           *schema.Type
	site        *schema.Site
	versions    versions
	locales     []string // nil for all
	fallback    []string // the locales that stand in for those; nil for none
	where       condition
	search      condition
	order       []sortKey
	paging      paging
	publication publication
	linking     bool // the query is that of a Linking, which sees both versions of entries
	state       bool // entries are shown with the state of their documents
	selection   *selection
	v4          bool
	extra       string // see Options.Extra
	scratches   *scratches
	plan        *Plan // where runs are recorded; nil for nowhere
	types       []*schema.Type
	led         bool // by populate, filters or sort to entries behind relations
	host        Host // see Guard
	heavyAt     int
	unlimited   bool // see Own
	large       bool // see Large
	sealer      *sealer
	document    string    // see Options.Document
	mark        queryMark // where pages go by cursors
	after       *cursor   // nil for the first page
}

// Compile resolves the parameters of a read of type t. A nil node is a query without
// parameters. Unknown parameters are ignored, as Strapi does, but lookup is refused:
// it once reached Strapi's database. Errors are *KeyError, *PaginationError,
// *DraftError, *PreviewError and *params.ParamError.
func (c *Compiler) Compile(t *schema.Type, n *params.Node, access schema.Access, o Options) (*Query, error) {
	b := &compilation{access: access, types: []*schema.Type{t}, preview: o.Document != ""}
	all := b.entries(t)
	q := &Query{t: t, site: c.site, scratches: &c.scratches, v4: o.V4, extra: o.Extra, document: o.Document}
	if n.Get("lookup") != nil {
		return nil, refuseParam("lookup", "lookup", "Invalid parameter lookup")
	}
	only, err := c.compilePreview(t, n, o)
	if err != nil {
		return nil, err
	}
	steps := []func() error{
		func() (err error) { q.versions, err = c.compileStatus(t, n.Get("status"), access, o); return },
		func() (err error) { q.locales, err = c.compileLocales(t, n); return },
		func() (err error) { q.fallback, err = c.compileFallback(t, n, q.locales); return },
		func() (err error) { q.where, err = c.compileFilters(b, all, n.Get("filters"), true); return },
		func() (err error) { q.order, err = c.compileOrder(b, all, n); return },
		func() (err error) { q.paging, err = compilePages(n, &c.site.Settings, o.Bare); return },
		func() (err error) { q.publication, err = c.compilePublication(n, access, &q.versions); return },
		func() (err error) { q.search, err = compileSearch(all, n.Get("_q")); return },
		func() (err error) { q.state, err = c.compileInclude(t, n.Get("include"), access, o); return },
		func() error { return c.compileUnlinked(q, b, o) },
		func() error { return c.compileCursor(q, n) },
		func() (err error) {
			q.selection, err = c.compileSelection(b, all, n.Get("fields"), n.Get("populate"))
			return
		},
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	q.where = bothOf(only, q.where)
	q.types, q.led, q.large = b.types, b.led, b.deep > mostDeep
	return q, nil
}

// LastChange is the last commit that changed anything on which the answer depends: as
// long as it stays the same, so does the answer. Drafts count only where the query
// reads them.
func (q *Query) LastChange(s *index.Snapshot) (last store.CommitID) {
	count := func(tb *index.Table) {
		if c := tb.LastChange(); c.Revision > last.Revision {
			last = c
		}
	}
	for _, t := range q.types {
		count(q.versions.table(s, t))
		if q.publication != "" || q.linking || q.state && t == q.t {
			count(q.versions.tableOf(s, t, store.Draft))
			count(q.versions.tableOf(s, t, store.Published))
		}
	}
	return last
}

// Alone reports whether the answer about one document depends on its own values and on
// nothing else: not on other documents of its type either.
func (q *Query) Alone() bool { return !q.led && q.publication == "" && !q.state }

// mostDeep is how many attributes populate[*] may come by in a query that is not large.
const mostDeep = 256

// Large reports whether the compiled query takes so much memory that it is not to be
// kept: everything on several levels of a site with many types can.
func (q *Query) Large() bool { return q.large }

// Type is the content type that the query is about.
func (q *Query) Type() *schema.Type { return q.t }

// Status is the version that the query reads.
func (q *Query) Status() store.Status { return q.versions.status }

// compileStatus resolves the status parameter. It refuses the drafts of t to a caller
// that may not read them; the answer to a write has a rule of its own, see
// AppendEntry.
func (c *Compiler) compileStatus(t *schema.Type, n *params.Node, access schema.Access, o Options) (versions, error) {
	v := versions{status: store.Published}
	switch {
	case o.Draft, o.Document != "" && (n == nil || n.IsNull()):
	case n == nil || n.IsNull() || n.IsText() && n.Text == "published":
		return v, nil
	case !n.IsText() || n.Text != "draft":
		return v, refuseParam("status", "status", "Invalid status parameter. Expected draft or published")
	}
	v.status = store.Draft
	v.hideDrafts(c.site, access)
	if !o.Write && v.hidesDrafts(c.site, t) {
		return v, &DraftError{t.UID}
	}
	return v, nil
}

// compileLocales resolves the locale parameter: one code, several, or * for
// all. Without it a read sees the default locale, unless a filter at the top
// names the locale.
func (c *Compiler) compileLocales(t *schema.Type, query *params.Node) ([]string, error) {
	n := query.Get("locale")
	if !t.Localized {
		return nil, nil
	}
	switch {
	case n.IsList():
		var codes []string
		for _, item := range n.Items {
			if !item.IsText() {
				return nil, refuseParam("locale", "locale", "Invalid locale parameter. Expected a locale code or an array of locale codes")
			}
			codes = append(codes, item.Text)
		}
		return codes, nil
	case n.IsObject():
		return nil, refuseParam("locale", "locale", "Invalid locale parameter. Expected a locale code or an array of locale codes")
	case n.IsText() && n.Text == "*":
		return nil, nil
	case n.IsText() && n.Text != "":
		return []string{n.Text}, nil
	case query.Get("filters").Get("locale") != nil:
		return nil, nil
	}
	return []string{c.site.Settings.DefaultLocale}, nil
}

// publication is a condition on the two versions of an entry.
type publication string

var publications = []publication{
	"never-published", "has-published-version", "modified", "unmodified",
	"never-published-document", "has-published-version-document", "published-without-draft", "published-with-draft",
}

// compilePublication resolves publicationFilter and its older form, which depend on
// drafts whatever the status is.
func (c *Compiler) compilePublication(query *params.Node, access schema.Access, v *versions) (publication, error) {
	p, err := readPublication(query)
	if p != "" {
		v.hideDrafts(c.site, access)
	}
	return p, err
}

// readPublication reads publicationFilter and its older form
// hasPublishedVersion. Types without draft and publish ignore both.
func readPublication(query *params.Node) (publication, error) {
	if n := query.Get("publicationFilter"); n != nil && !n.IsNull() {
		p := publication(n.Text)
		if !n.IsText() || !slices.Contains(publications, p) {
			return "", refuseParam("publicationFilter", "publicationFilter", fmt.Sprintf("Invalid value for 'publicationFilter'. Expected one of: %s.", joinNames(publications)))
		}
		return p, nil
	}
	n := query.Get("hasPublishedVersion")
	if n == nil || n.IsNull() {
		return "", nil
	}
	switch {
	case n.IsText() && n.Text == "true":
		return "has-published-version-document", nil
	case n.IsText() && n.Text == "false":
		return "never-published-document", nil
	}
	return "", refuseParam("hasPublishedVersion", "hasPublishedVersion", "Invalid value for 'hasPublishedVersion'. Expected true or false")
}

func joinNames(names []publication) string {
	text := ""
	for i, name := range names {
		if i > 0 {
			text += ", "
		}
		text += string(name)
	}
	return text
}

// compileSearch resolves _q: any searchable attribute that the caller sees contains the text, upper and
// lower case being the same. As in Strapi, a text that is a number is looked for in
// numbers and in the id too.
func compileSearch(in scope, n *params.Node) (condition, error) {
	if n == nil || n.IsNull() || n.IsText() && n.Text == "" {
		return nil, nil
	}
	if !n.IsText() {
		return nil, refuseParam("_q", "_q", "Invalid _q parameter. Expected a string")
	}
	find := newTextTest(contains, n.Text, true)
	var parts anyOf
	for _, a := range searched(in, n.Text) {
		parts = append(parts, &compare{a, find, false})
	}
	return parts, nil
}

// searched are the attributes in which _q looks for a text.
func searched(in scope, text string) []*schema.Attribute {
	isNumber := !math.IsNaN(toNumber(text))
	var all []*schema.Attribute
	for _, a := range in.t.Attributes {
		if a.Searchable() && in.sight.Sees(a) && (a.IsText() || isNumber) {
			all = append(all, a)
		}
	}
	if isNumber {
		all = append(all, in.t.Attribute("id"))
	}
	return all
}
