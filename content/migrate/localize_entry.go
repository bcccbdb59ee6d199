package migrate

import (
	"cmp"
	"fmt"
	"slices"

	"quire/content/verify"
	"quire/schema"
	"quire/schema/settings"
	"quire/store"
)

// localizer carries out a localization, entry by entry. It looks up the content as it was
// before.
type localizer struct {
	Localization
	site  *schema.Site
	tx    *store.Tx
	types map[*schema.Type]*relocated // whose entries move

	links     int
	both      int // versions that would replace another one
	firstBoth string

	before, after clashes
}

// relocated is a type whose entries move: from no locale to one, or from their locales to
// none.
type relocated struct {
	t      *schema.Type
	main   string            // the locale that entries get, or that is kept
	others map[string]string // documents that get, or keep, another one
}

// locale returns the locale that a document's entry without a locale gets, or comes from.
func (r *relocated) locale(documentID string) string {
	return cmp.Or(r.others[documentID], r.main)
}

// localizer finds the types that must change.
func (l Localization) localizer(site *schema.Site, tx *store.Tx) (*localizer, error) {
	l.Locale = cmp.Or(l.Locale, site.Settings.DefaultLocale)
	switch {
	case !site.Settings.HasLocale(l.Locale):
		return nil, unmigrated("the site has no locale %q", l.Locale)
	case !slices.Contains([]Kept{KeepNeither, KeepOld, KeepNew}, l.Keep):
		return nil, unmigrated("of two versions, the %q one or the %q one can be kept, not %q", KeepOld, KeepNew, l.Keep)
	}
	v := &localizer{Localization: l, site: site, tx: tx, types: map[*schema.Type]*relocated{}}
	for _, t := range site.Types {
		if verify.UnfitLocales(t, tx.Locales(t.UID)) == nil {
			continue
		}
		r := &relocated{t: t, main: l.Locale}
		var err error
		if r.others, err = v.others(r); err != nil {
			return nil, err
		}
		v.types[t] = r
	}
	return v, nil
}

// others finds the documents that get or keep another locale than the rest: those that were
// given up in it, and those that have no version in the main one.
func (v *localizer) others(r *relocated) (map[string]string, error) {
	if r.t.Localized {
		locales, err := otherLocales(v.tx, r.t.UID)
		for documentID, locale := range locales {
			if !v.site.Settings.HasLocale(locale) {
				delete(locales, documentID)
			}
		}
		return locales, err
	}
	locales := map[string]string{}
	err := v.tx.Scan(r.t.UID, func(e *store.Entry) error {
		_, aside := schema.AsideOf(e.Locale)
		if aside || e.Locale == "" || v.hasVersion(r.t, e.DocumentID, r.main) || v.hasVersion(r.t, e.DocumentID, "") {
			return nil
		}
		if known, ok := locales[e.DocumentID]; !ok || v.rank(e.Locale) < v.rank(known) {
			locales[e.DocumentID] = e.Locale
		}
		return nil
	})
	return locales, err
}

// rank returns the position of a locale in the site's list; others come last.
func (v *localizer) rank(locale string) int {
	list := v.site.Settings.Locales
	if i := slices.IndexFunc(list, func(l settings.Locale) bool { return l.Code == locale }); i >= 0 {
		return i
	}
	return len(list)
}

// hasVersion reports whether a document is stored in a locale, draft or published.
func (v *localizer) hasVersion(t *schema.Type, documentID, locale string) bool {
	k := store.Key{DocumentID: documentID, Locale: locale, Status: store.Draft}
	return v.tx.Has(t.UID, k) || v.tx.Has(t.UID, k.WithStatus(store.Published))
}

// entry returns what an entry becomes, nil if it is deleted.
func (v *localizer) entry(uid string, e *store.Entry) (after *store.Entry, changed bool, err error) {
	t := v.site.Type(uid)
	if t == nil || t.IsComponent() {
		return e, false, nil
	}
	locale, stays := e.Locale, true
	if r := v.types[t]; r != nil {
		if locale, stays = v.destination(r, e); !stays {
			return nil, true, nil
		}
	}
	fields, changed := v.relink(t, e.Fields, e.Locale, locale)
	if carried, err := v.carry(t, e, fields); err != nil || carried != nil {
		fields, changed = carried, true
		if err != nil {
			return nil, false, err
		}
	}
	if !changed && locale == e.Locale {
		return e, false, nil
	}
	moved := *e
	moved.Locale, moved.Fields = locale, fields
	return &moved, true, nil
}

// destination returns the locale in which an entry will be stored; false if it is deleted.
func (v *localizer) destination(r *relocated, e *store.Entry) (locale string, stays bool) {
	to, alive := v.wants(r, e)
	if !alive {
		return "", false
	}
	rivals := slices.DeleteFunc(v.rivals(r, e.DocumentID, to), func(from string) bool {
		return !v.tx.Has(r.t.UID, store.Key{DocumentID: e.DocumentID, Locale: from, Status: e.Status})
	})
	switch {
	case len(rivals) < 2:
		return to, true
	case v.Keep == KeepNeither:
		if e.Locale != to {
			v.both++
			v.firstBoth = cmp.Or(v.firstBoth, verify.Spot{Name: store.Name{Type: r.t.UID, Key: e.Key()}}.String())
		}
		return to, true
	case v.Keep == KeepOld && rivals[0] == e.Locale, v.Keep == KeepNew && rivals[len(rivals)-1] == e.Locale:
		return to, true
	case !r.t.Localized && e.Locale != "":
		return schema.Aside(e.Locale), true
	}
	return "", false
}

// wants returns the locale in which an entry will be stored if nothing else is there. A
// version that was kept aside is deleted with its document, if that was deleted since.
func (v *localizer) wants(r *relocated, e *store.Entry) (to string, alive bool) {
	locale, aside := schema.AsideOf(e.Locale)
	switch {
	case !r.t.Localized && (aside || e.Locale == ""):
		return e.Locale, true
	case !r.t.Localized && e.Locale == r.locale(e.DocumentID):
		return "", true
	case !r.t.Localized:
		return schema.Aside(e.Locale), true
	case aside:
		return locale, v.hasVersion(r.t, e.DocumentID, "") || v.hasVersion(r.t, e.DocumentID, r.locale(e.DocumentID))
	case e.Locale == "":
		return r.locale(e.DocumentID), true
	}
	return e.Locale, true
}

// rivals returns the locales from which versions of a document move to one place: first
// those that move, last the one that is there.
func (v *localizer) rivals(r *relocated, documentID, to string) (from []string) {
	main := r.locale(documentID)
	switch {
	case !r.t.Localized && to == "":
		from = append(from, main)
	case !r.t.Localized:
		locale, _ := schema.AsideOf(to)
		from = append(from, locale)
	case to == main:
		from = append(from, "", schema.Aside(to))
	default:
		from = append(from, schema.Aside(to))
	}
	return append(from, to)
}

// carry gives a returning version the current values that all locales share. It returns nil
// if there are none to carry.
func (v *localizer) carry(t *schema.Type, e *store.Entry, fields store.Fields) (store.Fields, error) {
	r := v.types[t]
	if _, aside := schema.AsideOf(e.Locale); r == nil || !t.Localized || !aside {
		return nil, nil
	}
	base, err := v.tx.Entry(t.UID, store.Key{DocumentID: e.DocumentID, Status: e.Status})
	if err != nil || base == nil {
		return nil, err
	}
	links := v.links // those of base are counted where base itself moves
	shared, _ := v.relink(t, base.Fields, "", r.locale(e.DocumentID))
	v.links = links
	for _, a := range t.Attributes {
		if a.IsShared() {
			fields = fields.With(a.Name, shared.Value(a.Name))
		}
	}
	return fields, nil
}

// clashes finds what two documents have that only one may, in one locale: unique values,
// and ends of exclusive links.
type clashes struct {
	values map[claim]string // the document that has it first
	count  int
	first  string
}

// claim is a value at an attribute below one of an entry, or the end of a link.
type claim struct {
	top, last *schema.Attribute // the entry's own, and the one below it that has the value
	kind      store.ValueKind
	num       int64
	real      float64
	text      string
	end       store.End
	status    store.Status
	locale    string
}

// gather records what an entry has before and after: a localization is not the cause of
// earlier clashes.
func (v *localizer) gather(t *schema.Type, before, after *store.Entry) {
	v.before.gather(t, before)
	if after != nil && t.TakesLocale(after.Locale) {
		v.after.gather(t, after)
	}
}

func (c *clashes) gather(t *schema.Type, e *store.Entry) {
	if c.values == nil {
		c.values = map[claim]string{}
	}
	for _, a := range t.Attributes {
		c.attribute(e, a, a, e.Fields.Value(a.Name), verify.Spot{Name: store.Name{Type: t.UID, Key: e.Key()}}.Attribute(a.Name))
	}
}

func (c *clashes) attribute(e *store.Entry, top, a *schema.Attribute, v store.Value, at verify.Spot) {
	switch {
	case v.IsEmpty():
	case v.Kind == store.Edges && top == a && a.Kind == schema.RelationKind && a.Relation.Owns && a.Relation.Exclusive():
		for _, edge := range v.Edges {
			c.claim(e, claim{top: top, end: edge.End(), status: e.Status, locale: e.Locale}, at)
		}
	case v.Kind == store.Instances:
		c.instances(e, top, a, v.Instances, at)
	case a.Unique && a.IsScalar() && e.Status == store.Published:
		c.claim(e, claim{top: top, last: a, kind: v.Kind, num: v.Num, real: v.Real, text: v.Text, status: e.Status, locale: e.Locale}, at)
	}
}

func (c *clashes) instances(e *store.Entry, top, a *schema.Attribute, instances []store.Instance, at verify.Spot) {
	components := a.Zone
	if a.ComponentType != nil {
		components = []*schema.Type{a.ComponentType}
	}
	for _, r := range instances {
		i := slices.IndexFunc(components, func(t *schema.Type) bool { return t.UID == r.Component })
		if i < 0 {
			continue
		}
		for _, inner := range components[i].Attributes {
			c.attribute(e, top, inner, r.Value(inner.Name), at.Attribute(inner.Name))
		}
	}
}

func (c *clashes) claim(e *store.Entry, what claim, at verify.Spot) {
	switch other, taken := c.values[what]; {
	case !taken:
		c.values[what] = e.DocumentID
	case other != e.DocumentID:
		c.count++
		c.first = cmp.Or(c.first, fmt.Sprintf("%s, which %s holds too", at, other))
	}
}
