package query

import (
	"fmt"
	"math"
	"slices"

	"quire/index"
	"quire/schema"
	"quire/store"
)

// Compiler resolves parsed queries against one site. It is immutable and safe
// to share; a changed site needs a new one.
type Compiler struct {
	site   *schema.Site
	limits schema.Limits
	shapes map[*schema.Type]*shape
	scratches
}

// NewCompiler prepares the types of a site for compiling.
func NewCompiler(site *schema.Site) *Compiler {
	c := &Compiler{site: site, limits: site.Settings.Limits, shapes: map[*schema.Type]*shape{}}
	for _, t := range slices.Concat(site.Types, site.Components) {
		c.shapes[t] = newShape(t)
	}
	return c
}

// shape is what encoding needs to know of a type, worked out once.
type shape struct {
	t           *schema.Type
	outputs     []output            // by slot
	values      []shownValue        // what is shown unless the query says otherwise
	system      []*schema.Attribute // shown unless fields says otherwise
	populatable []*schema.Attribute
}

// output is one declared attribute: how its key is written, and whether it is a
// scalar that answers show.
type output struct {
	attribute *schema.Attribute
	key       string // `,"name":`
	scalar    bool
}

func newShape(t *schema.Type) *shape {
	s := &shape{t: t}
	for _, a := range t.Slots {
		s.outputs = append(s.outputs, output{a, `,"` + a.Name + `":`, a.IsScalar() && !a.Hidden()})
	}
	for _, a := range t.Attributes {
		if !a.IsScalar() {
			s.populatable = append(s.populatable, a)
		}
	}
	for _, a := range t.System {
		switch {
		case a.System == schema.SystemLocalizations:
			s.populatable = append(s.populatable, a)
		case a.System != schema.SystemID && a.System != schema.SystemDocumentID && !a.Hidden():
			s.system = append(s.system, a)
		}
	}
	s.values = (&selection{shape: s}).shownValues()
	return s
}

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

	// Bare is for lists without an envelope: they show all entries unless start
	// or limit, which may stand at the top too, ask for fewer.
	Bare bool

	// Extra is what each entry of the answer has besides its own members, in
	// JSON, each with a comma before it: `,"isUrlSigned":false`.
	Extra string
}

// build is the state of compiling one query.
type build struct {
	access     schema.Access
	conditions int
	types      []*schema.Type // whose entries the answer depends on
}

// reads takes note of a type that the answer depends on.
func (b *build) reads(t *schema.Type) {
	if !t.IsComponent() && !slices.Contains(b.types, t) {
		b.types = append(b.types, t)
	}
}

// Query is a read that has been resolved against the schema and the caller. It
// may be run any number of times, also at the same time.
type Query struct {
	t           *schema.Type
	site        *schema.Site
	status      store.Status
	locales     []string // nil for all
	where       condition
	search      condition
	order       []sortKey
	paging      paging
	publication publication
	selection   *selection
	v4          bool
	extra       string // see Options.Extra
	scratches   *scratches
	plan        *Plan // where runs are recorded; nil for nowhere
	types       []*schema.Type
	gate        Gate // of runs that prove heavy; nil for none
	gateAt      int
}

// Compile resolves the parameters of a read of type t. A nil node is a query
// without parameters. Unknown parameters are ignored, as the reference does,
// but for lookup, which reached its database once.
func (c *Compiler) Compile(t *schema.Type, n *Node, access schema.Access, o Options) (*Query, error) {
	b := &build{access: access, types: []*schema.Type{t}}
	q := &Query{t: t, site: c.site, scratches: &c.scratches, v4: o.V4, extra: o.Extra}
	if n.Get("lookup") != nil {
		return nil, refuse("lookup", "lookup", "Invalid parameter lookup")
	}
	steps := []func() error{
		func() (err error) { q.status, err = compileStatus(t, n.Get("status"), access, o); return },
		func() (err error) { q.locales, err = c.compileLocales(t, n); return },
		func() (err error) { q.where, err = c.compileFilters(b, t, n.Get("filters")); return },
		func() (err error) { q.order, err = c.compileSort(b, t, n.Get("sort")); return },
		func() (err error) { q.paging, err = compilePages(n, &c.site.Settings, o.Bare); return },
		func() (err error) { q.publication, err = compilePublication(t, n); return },
		func() (err error) { q.search, err = compileSearch(t, n.Get("_q")); return },
		func() (err error) {
			q.selection, err = c.compileSelection(b, t, n.Get("fields"), n.Get("populate"))
			return
		},
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	q.types = b.types
	return q, nil
}

// Revision is the revision of the last write to any of the types that the
// answer depends on: as long as it stays the same, so does the answer.
func (q *Query) Revision(s *index.Snapshot) uint64 {
	var last uint64
	for _, t := range q.types {
		last = max(last, s.Collection(t).Revision())
	}
	return last
}

// Type is the content type that the query is about.
func (q *Query) Type() *schema.Type { return q.t }

// Status is the version that the query reads.
func (q *Query) Status() store.Status { return q.status }

func compileStatus(t *schema.Type, n *Node, access schema.Access, o Options) (store.Status, error) {
	if n == nil || n.IsNull() {
		return store.Published, nil
	}
	switch {
	case n.IsText() && n.Text == "published":
		return store.Published, nil
	case n.IsText() && n.Text == "draft":
		if t.DraftAndPublish && !o.Write && !access.Allows(t, schema.ReadDraft) {
			return 0, &DraftError{t.UID}
		}
		return store.Draft, nil
	}
	return 0, refuse("status", "status", "Invalid status parameter. Expected draft or published")
}

// compileLocales resolves the locale parameter: one code, several, or * for
// all. Without it a read sees the default locale, unless a filter at the top
// names the locale.
func (c *Compiler) compileLocales(t *schema.Type, query *Node) ([]string, error) {
	n := query.Get("locale")
	if !t.Localized {
		return nil, nil
	}
	switch {
	case n.IsList():
		var codes []string
		for _, item := range n.Items {
			if !item.IsText() {
				return nil, refuse("locale", "locale", "Invalid locale parameter. Expected a locale code or an array of locale codes")
			}
			codes = append(codes, item.Text)
		}
		return codes, nil
	case n.IsObject():
		return nil, refuse("locale", "locale", "Invalid locale parameter. Expected a locale code or an array of locale codes")
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

// compilePublication resolves publicationFilter and its older form
// hasPublishedVersion. Types without draft and publish ignore both.
func compilePublication(t *schema.Type, query *Node) (publication, error) {
	if n := query.Get("publicationFilter"); n != nil && !n.IsNull() {
		p := publication(n.Text)
		if !n.IsText() || !slices.Contains(publications, p) {
			return "", refuse("publicationFilter", "publicationFilter", fmt.Sprintf("Invalid value for 'publicationFilter'. Expected one of: %s.", joinNames(publications)))
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
	return "", refuse("hasPublishedVersion", "hasPublishedVersion", "Invalid value for 'hasPublishedVersion'. Expected true or false")
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

// compileSearch resolves _q: the text, as it stands, in any of the attributes
// that may be searched, upper and lower case the same. As in the reference, a
// text that is a number is looked for in numbers and in the id too.
func compileSearch(t *schema.Type, n *Node) (condition, error) {
	if n == nil || n.IsNull() || n.IsText() && n.Text == "" {
		return nil, nil
	}
	if !n.IsText() {
		return nil, refuse("_q", "_q", "Invalid _q parameter. Expected a string")
	}
	find := test{kind: contains, needle: index.Fold(n.Text), fold: true}
	isNumber := !math.IsNaN(toNumber(n.Text))
	var parts anyOf
	for _, a := range t.Attributes {
		if a.Searchable() && (a.IsText() || isNumber) {
			parts = append(parts, &compare{a, find, false})
		}
	}
	if isNumber {
		parts = append(parts, &compare{t.Attribute("id"), find, false})
	}
	return parts, nil
}
