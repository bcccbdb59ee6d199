package query

import (
	"slices"
	"strings"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"

	"quire/query/params"
	"quire/schema"
	"quire/store"
)

// answerer is a read of the model that has been understood.
type answerer struct {
	*model
	t       *schema.Type
	query   *params.Node
	locales []string // nil for all
	where   predicate
	order   []criterion
	shown   *view
}

// read understands a query on entries of type t, or refuses it.
func (w *world) read(t *schema.Type, query *params.Node, access schema.Access) (*answerer, error) {
	m := &model{world: w, access: access, status: store.Published, collator: collate.New(language.English)}
	m.sides = map[*schema.Attribute]map[*store.Entry][]*store.Entry{}
	a := &answerer{model: m, t: t, query: query, shown: &view{}}
	steps := []func() error{
		func() error { return a.readStatus(query.Get("status")) },
		func() error { return a.readPublication() },
		func() error { return a.readInclude(query.Get("include")) },
		func() error { return a.readLocale(query.Get("locale")) },
		func() error { return a.readFallback(query.Get("fallbackLocale")) },
		func() (err error) { a.where, err = m.filterParam(t, query.Get("filters")); return },
		func() (err error) {
			m.rank = m.ranking(t, query.Get("_q"))
			a.order, err = m.ordering(t, query.Get("sort"))
			m.rank = nil
			return
		},
		func() (err error) { a.shown.fields, err = m.fields(t, query.Get("fields"), false); return },
		func() (err error) { a.shown.branches, err = m.populated(t, query.Get("populate"), false); return },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return a, nil
}

func (a *answerer) readStatus(n *params.Node) error {
	switch {
	case n == nil || n.IsNull() || n.IsText() && n.Text == "published":
		return nil
	case !n.IsText() || n.Text != "draft" || a.t.DraftAndPublish && !a.access.Allows(a.t, schema.ReadDraft):
		return errRefused
	}
	a.status = store.Draft
	return nil
}

func (a *answerer) readInclude(n *params.Node) error {
	if n != nil && !a.t.BuiltIn && (!n.IsText() || n.Text != "state" || a.t.DraftAndPublish && !a.access.Allows(a.t, schema.ReadDraft)) {
		return errRefused
	}
	return nil
}

func (a *answerer) readPublication() error {
	switch n, old := a.query.Get("publicationFilter"), a.query.Get("hasPublishedVersion"); {
	case n.IsText() && slices.Contains(strings.Fields("never-published never-published-document has-published-version has-published-version-document modified unmodified published-without-draft published-with-draft"), n.Text):
		a.publication = n.Text
	case n != nil:
		return errRefused
	case old.IsText() && old.Text == "true":
		a.publication = "has-published-version-document"
	case old.IsText() && old.Text == "false":
		a.publication = "never-published-document"
	case old != nil:
		return errRefused
	}
	return nil
}

// readLocale reads one code, several, or * for all; a filter on the locale
// stands in for it, and without either it is the default.
func (a *answerer) readLocale(n *params.Node) error {
	switch {
	case !a.t.Localized || n.IsText() && n.Text == "*":
	case n.IsList():
		for _, item := range n.Items {
			if !item.IsText() {
				return errRefused
			}
			a.locales = append(a.locales, item.Text)
		}
	case n.IsObject():
		return errRefused
	case n.IsText() && n.Text != "":
		a.locales = []string{n.Text}
	case a.query.Get("filters").Get("locale") == nil:
		a.locales = []string{a.site.Settings.DefaultLocale}
	}
	return nil
}

// readFallback reads the locales that stand in for those asked for: one text or
// several, each with commas. They count only where a locale could be missing.
func (a *answerer) readFallback(n *params.Node) error {
	var codes []string
	a.requested = a.locales
	switch {
	case n == nil || n.IsNull() || !a.t.Localized:
		return nil
	case n.IsObject():
		return errRefused
	case n.IsText():
		codes = strings.Split(n.Text, ",")
	}
	for _, item := range n.Items {
		if !item.IsText() {
			return errRefused
		}
		codes = append(codes, strings.Split(item.Text, ",")...)
	}
	known := a.site.Settings.HasLocale
	for _, code := range codes {
		switch {
		case code == "":
		case !known(code):
			return errRefused
		case !slices.Contains(a.requested, code) && !slices.Contains(a.standIns, code):
			a.standIns = append(a.standIns, code)
		}
	}
	switch {
	case a.requested == nil:
		a.standIns = nil
	case len(a.standIns) > 0 && !slices.ContainsFunc(a.requested, func(code string) bool { return !known(code) }):
	case len(a.standIns) > 0:
		return errRefused
	}
	return nil
}

// selected are the entries that the query finds, in order.
func (a *answerer) selected() []row {
	var rows []row
	for _, e := range a.visible(a.t) {
		r := row{entry: e}
		if (a.locales == nil || a.place(e.Locale) >= 0 && a.first(e)) && a.publishedAs(e) && a.found(r) && (a.where == nil || a.where(r)) {
			rows = append(rows, r)
		}
	}
	return a.sorted(rows, a.order)
}

// found is _q: the text in any text, in any number when it is one, or in the id.
func (a *answerer) found(r row) bool {
	n := a.query.Get("_q")
	if !n.IsText() || n.Text == "" {
		return true
	}
	isNumber := number(n, 0) == number(n, 0)
	contains := func(v any) bool {
		return v != nil && strings.Contains(strings.ToLower(textOf(v)), strings.ToLower(n.Text))
	}
	for _, at := range a.t.Attributes {
		numeric := at.Kind >= schema.Integer && at.Kind <= schema.Decimal
		if (at.IsText() || numeric && isNumber) && !at.Private && at.Kind != schema.Password && !at.Unsearchable && contains(a.value(r, at)) {
			return true
		}
	}
	return contains(a.value(r, a.t.Attribute("id")))
}

// publishedAs is publicationFilter, on the two versions of an entry or, where
// it says document, on whether any locale of it is published.
func (m *model) publishedAs(e *store.Entry) bool {
	t := m.typeOf(e)
	if m.publication == "" || !t.DraftAndPublish {
		return true
	}
	draft := m.entries[t][store.Key{DocumentID: e.DocumentID, Locale: e.Locale, Status: m.seen(t, store.Draft)}]
	published := m.entries[t][store.Key{DocumentID: e.DocumentID, Locale: e.Locale, Status: store.Published}]
	document := false
	for k := range m.entries[t] {
		document = document || k.DocumentID == e.DocumentID && k.Status == store.Published
	}
	return map[string]bool{
		"never-published": published == nil, "never-published-document": !document,
		"has-published-version": published != nil, "has-published-version-document": document,
		"modified":                draft != nil && published != nil && draft.UpdatedAt > published.UpdatedAt,
		"unmodified":              draft != nil && published != nil && draft.UpdatedAt <= published.UpdatedAt,
		"published-without-draft": draft == nil && published == e, "published-with-draft": draft != nil && published == e,
	}[m.publication]
}

func (m *model) typeOf(e *store.Entry) *schema.Type {
	for t, entries := range m.entries {
		if entries[e.Key()] == e {
			return t
		}
	}
	return nil
}

// list is the whole answer with a page of entries; nil where what the query says
// of pages is refused.
func (a *answerer) list() any {
	rows := a.selected()
	w, err := a.paginated(a.query, len(rows))
	if err != nil {
		return nil
	}
	return map[string]any{"data": a.showWhole(page(rows, w)), "meta": map[string]any{"pagination": w.meta}}
}

// bare is the entries alone, all of them or a range; nil where what the query
// says of that is refused.
func (a *answerer) bare() any {
	w, err := a.ranged(a.query)
	if err != nil {
		return nil
	}
	return a.showWhole(page(a.selected(), w))
}

func page(rows []row, w window) []row {
	start := min(w.start, len(rows))
	return rows[start:min(start+w.size, len(rows))]
}

// one is the answer with one document: the oldest of its versions that the
// query finds; nil when there is none.
func (a *answerer) one(documentID string) any {
	a.order = nil
	for _, r := range a.selected() {
		if r.entry.DocumentID == documentID {
			return map[string]any{"data": a.showWhole([]row{r})[0], "meta": map[string]any{}}
		}
	}
	return nil
}

// showWhole are the entries that the answer is about.
func (a *answerer) showWhole(rows []row) []any {
	all := []any{}
	for _, r := range rows {
		whole := a.show(r, a.t, a.shown)
		if a.query.Get("include") != nil && !a.t.BuiltIn {
			whole["state"] = a.state(r.entry)
		}
		all = append(all, whole)
	}
	return all
}

// show is one row of type t as answers show it.
func (m *model) show(r row, t *schema.Type, v *view) map[string]any {
	out := map[string]any{}
	for _, a := range append(slices.Clone(t.Attributes), t.System...) {
		always := a.System == schema.SystemID || a.System == schema.SystemDocumentID
		if a.IsScalar() && m.may(a) && (always || v.fields == nil || v.fields[a]) {
			out[a.Name] = plainValue(a, m.value(r, a))
		}
	}
	for _, b := range v.branches {
		out[b.attribute.Name] = m.showBranch(r, b)
	}
	return out
}

func (m *model) showBranch(r row, b *branch) any {
	var shown []row
	for _, one := range m.related(r, b.attribute) {
		if v := b.views[m.typeOfRow(one)]; v != nil && (b.where == nil || b.where(one)) && (v.where == nil || v.where(one)) && (one.record != nil || m.publishedAs(one.entry)) {
			shown = append(shown, one)
		}
	}
	shown = m.sorted(shown, b.order)
	all := []any{}
	for _, one := range shown {
		t := m.typeOfRow(one)
		item := m.show(one, t, b.views[t])
		if b.attribute.Kind == schema.DynamicZone {
			item["__component"] = t.UID
		}
		all = append(all, item)
	}
	a := b.attribute
	switch {
	case b.count:
		return map[string]any{"count": float64(len(all))}
	case a.Kind == schema.DynamicZone || a.Repeatable || a.Relation != nil && a.Relation.Many():
		return all
	case len(all) == 0:
		return nil
	}
	return all[0]
}

func (m *model) typeOfRow(r row) *schema.Type {
	if r.record != nil {
		return m.site.Type(r.record.Component)
	}
	return m.typeOf(r.entry)
}
