package query

import (
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"quire/index"
	"quire/query/params"
	"quire/schema"
	"quire/schema/settings"
	"quire/store"
)

// Compiler resolves parsed queries against one site. It is safe to share; a changed site needs
// a new one.
type Compiler struct {
	site   *schema.Site
	limits settings.Limits
	shapes map[*schema.Type]*encoding
	sealer *sealer // of cursors
	signer Signer  // see SignWith
	words  atomic.Pointer[vocabulary]

	moreWords func() *settings.SearchWords // see UseWords

	scratches
}

// NewCompiler prepares the types of a site for compiling.
func NewCompiler(site *schema.Site) *Compiler {
	c := &Compiler{site: site, limits: site.Settings.Limits, shapes: map[*schema.Type]*encoding{}, sealer: newSealer(randomSecret())}
	c.words.Store(newVocabulary(&site.Settings, nil))
	for _, t := range slices.Concat(site.Types, site.Components) {
		c.shapes[t] = newShape(t)
	}
	return c
}

// UseWords makes searches use more words than those of site.json: current returns them, the
// same pointer as long as they stay. It is called before the first query.
func (c *Compiler) UseWords(current func() *settings.SearchWords) { c.moreWords = current }

// encoding is what encoding needs to know of a type, computed once.
type encoding struct {
	t           *schema.Type
	outputs     []output            // by slot
	values      []shownValue        // shown by the content API by default
	system      []*schema.Attribute // shown by the content API unless fields says otherwise
	populatable []*schema.Attribute
	fixed       int // maximum bytes of an entry in a response, without its values
}

// output is one declared attribute, and the encoded form of its key.
type output struct {
	attribute *schema.Attribute
	key       string // `,"name":`
}

func newShape(t *schema.Type) *encoding {
	s := &encoding{t: t}
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

// systemSeen returns the system attributes other than id and documentId that responses
// show.
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

// fixedBytes is the size of the ids, the system attributes and the brackets.
const fixedBytes = 512

func (c *Compiler) shape(t *schema.Type) *encoding { return c.shapes[t] }

// readable returns the content types that the caller may find.
func (c *Compiler) readable(access schema.Access) []*schema.Type {
	var types []*schema.Type
	for _, t := range c.site.Types {
		if access.Allows(t, schema.Find) {
			types = append(types, t)
		}
	}
	return types
}

// Options configure how a query is read and answered.
type Options struct {
	V4    bool // respond in the previous format: attributes and data wrapped
	Write bool // the query belongs to a write, whose response may show a draft that was just written
	Draft bool // read drafts, as with status=draft

	// Bare is for lists without an envelope: they show all entries unless start or limit,
	// which may also be at the top level, request fewer.
	Bare bool

	// Document, unless empty, is the one document of its type that the query may find, for
	// a caller who may read only that one.
	Document string

	// Unlinked requests only entries to which nothing links that the caller sees.
	Unlinked bool

	// Shape, unless nil, is the form of the response.
	Shape *Shape

	// Extra is added to each entry of the response after its own members, in JSON, each
	// with a comma before it: `,"isUrlSigned":false`.
	Extra string
}

// compilation is the state of compiling one query.
type compilation struct {
	access     schema.Access
	conditions int
	types      []*schema.Type // whose entries the response depends on
	led        bool           // to entries behind relations, of any type
	preview    bool           // for a caller who may read only one document
	deep       int            // attributes that are populated by populate=*, level by level
}

// dependsOn records that the response depends on entries of a type behind a relation, which
// can be the type of the query. A component is part of its entry.
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
	fallback    []string // the fallback locales; nil for none
	where       condition
	search      condition
	order       []sortKey
	paging      paging
	publication publication
	linking     bool // the query belongs to a Linking, which sees both versions of entries
	state       bool // entries are shown with the state of their documents
	selection   *selection
	connection  []shapedMember // see Shape
	v4          bool
	extra       string // see Options.Extra
	scratches   *scratches
	plan        *Plan // where runs are recorded; nil for no plan
	types       []*schema.Type
	led         bool // by populate, filters or sort to entries behind relations
	host        Host // see Guard
	heavyAt     int
	unlimited   bool // see Own
	large       bool // see Large
	sealer      *sealer
	signer      Signer    // of the private files in the response; nil signs none
	document    string    // see Options.Document
	mark        queryMark // for pages by cursor
	after       *cursor   // nil for the first page
}

// Compile resolves the parameters of a read of type t. A nil node is a query without
// parameters. It ignores unknown parameters, as Strapi does, but refuses lookup: it once
// reached Strapi's database. Errors are *KeyError, *PaginationError, *DraftError,
// *PreviewError and *params.ParamError.
func (c *Compiler) Compile(t *schema.Type, n *params.Node, access schema.Access, o Options) (*Query, error) {
	b := &compilation{access: access, types: []*schema.Type{t}, preview: o.Document != ""}
	all := b.entries(t)
	q := &Query{t: t, site: c.site, scratches: &c.scratches, v4: o.V4, extra: o.Extra, document: o.Document, signer: c.signer}
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
		func() (err error) { q.paging, err = c.compilePages(n, o); return },
		func() (err error) { q.publication, err = c.compilePublication(n, access, &q.versions); return },
		func() (err error) { q.search, err = compileSearch(all, n.Get("_q")); return },
		func() (err error) { q.state, err = c.compileInclude(t, n.Get("include"), access, o); return },
		func() error { return c.compileUnlinked(q, b, o) },
		func() error { return c.compileCursor(q, n) },
		func() (err error) {
			q.selection, q.connection, err = c.compileSelection(b, all, n, o.Shape)
			return
		},
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	q.where = bothOf(only, q.where)
	q.versions.limit(c.site, access)
	q.types, q.led, q.large = b.types, b.led, b.deep > mostDeep
	return q, nil
}

// LastChange returns the last commit that changed anything on which the response depends:
// if it is the same, so is the response. Drafts count only if the query reads them.
func (q *Query) LastChange(s *index.Snapshot) (last store.CommitID) {
	count := func(tb *index.Table) {
		if c := tb.LastChange(); c.Revision > last.Revision {
			last = c
		}
	}
	for _, t := range q.types {
		count(q.versions.whole(s, t))
		if t.UID == schema.FileUID { // their folders say whether they are private
			count(s.Table(q.site.Type(schema.FolderUID), store.Published))
		}
		if q.publication != "" || q.linking || q.state && t == q.t {
			count(q.versions.wholeOf(s, t, store.Draft))
			count(q.versions.wholeOf(s, t, store.Published))
		}
	}
	return last
}

// Alone reports whether the response about one document depends only on the document's own
// values: not on other documents either, even of its type.
func (q *Query) Alone() bool {
	return !q.led && q.publication == "" && !q.state && q.t.UID != schema.FileUID
}

// mostDeep is the maximum number of attributes that populate[*] may add to a query that is
// not large.
const mostDeep = 256

// Large reports whether the compiled query takes too much memory to be kept: populating
// everything on several levels can, on a site with many types.
func (q *Query) Large() bool { return q.large }

// Type returns the content type of the query.
func (q *Query) Type() *schema.Type { return q.t }

// Status returns the version that the query reads.
func (q *Query) Status() store.Status { return q.versions.status }

// compileStatus resolves the status parameter. It refuses the drafts of t to a caller that
// may not read them; the response to a write has a separate rule, see AppendEntry.
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

// compileLocales resolves the locale parameter: one code, several, or * for all. Without it
// a read sees the default locale, unless a filter at the top level names the locale.
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

// compilePublication resolves publicationFilter and its older form, which depend on drafts
// for any status.
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

// compileSearch resolves _q: any searchable attribute that the caller sees contains the
// text, ignoring case. As in Strapi, a text that is a number is also searched in numbers
// and in the id.
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

// searched returns the attributes in which _q searches a text.
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
