package query

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"quire/index"
	"quire/query/params"
	"quire/schema"
	"quire/store"
)

// docName names a document.
type docName struct{ uid, id string }

// walker finds all that a preview of one document may show, and rather more: it follows
// links whatever their locale and status.
type walker struct {
	*world
	found map[docName]bool
}

// reachable is what a preview of a document may show, by a walk over what is stored.
func reachable(w *world, root docName) map[docName]bool {
	k := &walker{w, map[docName]bool{root: true}}
	for before := 0; before != len(k.found); {
		before = len(k.found)
		for t, entries := range w.entries {
			for _, e := range entries {
				k.entry(t, e, root)
			}
		}
	}
	return k.found
}

// entry adds what an entry leads to, if it is shown, and the entry if what is shown leads
// to it.
func (k *walker) entry(t *schema.Type, e *store.Entry, root docName) {
	own := docName{t.UID, e.DocumentID}
	k.edges(t, e.Fields, func(a *schema.Attribute, to docName) {
		both := a.IsTwoSided()
		switch {
		case k.found[own] && (own == root || !both || !a.Relation.Many()):
			k.found[to] = true
		}
		if k.found[to] && both && (to == root || sideOf(k.site, a, to) != nil && !sideOf(k.site, a, to).Relation.Many()) {
			k.found[own] = true
		}
	})
}

// sideOf is the attribute of the other side of a relation; nil where there is none.
func sideOf(site *schema.Site, a *schema.Attribute, to docName) *schema.Attribute {
	if a.Relation.Inverse != nil {
		return a.Relation.Inverse
	}
	for _, other := range site.Type(to.uid).Attributes {
		if other.IsInverse() && other.Relation.Inverse == a {
			return other
		}
	}
	return nil
}

// edges calls fn for each link in some fields, those in components among them.
func (k *walker) edges(t *schema.Type, fields store.Fields, fn func(*schema.Attribute, docName)) {
	for _, f := range fields {
		a := t.Attribute(f.Name)
		for _, e := range f.Value.Edges {
			uid := e.Type
			if a.Relation.Target != nil {
				uid = a.Relation.Target.UID
			}
			fn(a, docName{uid, e.Target})
		}
		for _, in := range f.Value.Instances {
			k.edges(k.site.Type(in.Component), in.Fields, fn)
		}
	}
}

// elsewhere is the world with other documents in the place of those that are not found:
// some are gone, others have the fields of documents of another world, but for links that
// would lead to the root.
func elsewhere(d *dice, w *world, found map[docName]bool, root docName) (other *world, changed int) {
	other = w.clone()
	foreign := newDice(d.site, d.Uint64()).world()
	for t, entries := range w.entries {
		for key, e := range entries {
			if found[docName{t.UID, key.DocumentID}] {
				continue
			}
			changed++
			delete(other.entries[t], key)
			for _, f := range foreign.entries[t] {
				if k := (&walker{foreign, nil}); d.chance(2) && !k.leadsTo(t, f, found) {
					copied := *e
					copied.Fields = f.Fields
					other.entries[t][key] = &copied
				}
				break
			}
		}
	}
	return other, changed
}

// withoutChains is the world without the lists of one side, through which everything
// leads to nearly everything.
func withoutChains(w *world) *world {
	pruned := newWorld(w.site)
	for t, entries := range w.entries {
		for key, e := range entries {
			copied := *e
			copied.Fields = slices.DeleteFunc(slices.Clone(e.Fields), func(f store.Field) bool {
				a := t.Attribute(f.Name)
				return f.Value.Kind == store.Instances || a.Relation != nil && a.Relation.Many() && !a.IsTwoSided()
			})
			pruned.entries[t][key] = &copied
		}
	}
	return pruned
}

// across is a query that names an attribute behind two relations, where there are two.
func (d *dice) across(t *schema.Type) string {
	a := d.relation(t)
	if a == nil {
		return ""
	}
	b := d.relation(a.Relation.Target)
	if b == nil {
		return "populate=" + a.Name
	}
	last := pick(d, slices.DeleteFunc(slices.Clone(b.Relation.Target.Attributes), func(c *schema.Attribute) bool { return !c.IsScalar() || c.Hidden() })...)
	condition := "[" + b.Name + "][" + last.Name + pick(d, "][$notNull]=true", "][$null]=true", "][$gt]=2", "][$ne]=2")
	return pick(d, "filters["+a.Name+"]"+condition, "filters[$not]["+a.Name+"]"+condition, "sort="+a.Name+"."+b.Name+"."+last.Name+"&locale=*",
		"populate["+a.Name+"][filters]"+condition, "populate["+a.Name+"][sort]="+b.Name+"."+last.Name, "populate="+a.Name+"."+b.Name, "populate["+a.Name+"][populate]["+b.Name+"][count]=true")
}

// relation is one of a type's to content, nil where it has none.
func (d *dice) relation(t *schema.Type) *schema.Attribute {
	all := slices.DeleteFunc(slices.Concat(t.Attributes, t.System), func(a *schema.Attribute) bool {
		return a.Relation == nil || a.Relation.Target == nil || a.Hidden() || a.Kind == schema.Media
	})
	if len(all) == 0 {
		return nil
	}
	return pick(d, all...)
}

// leadsTo reports whether an entry has a link to one of some documents.
func (k *walker) leadsTo(t *schema.Type, e *store.Entry, some map[docName]bool) (leads bool) {
	k.edges(t, e.Fields, func(_ *schema.Attribute, to docName) { leads = leads || some[to] })
	return leads
}

func snapshotOf(t *testing.T, w *world) *index.Snapshot {
	t.Helper()
	edit := emptyIndex(t, w.site).Edit()
	for _, c := range w.changes() {
		check(t, edit.Apply(c))
	}
	return edit.Publish(store.CommitID{Revision: 1})
}

// Whatever a preview of a document is asked, the answer depends on what it may show
// alone: it is the same where all other documents are gone or have become others.
func TestPreviewsDependOnWhatTheyShow(t *testing.T) {
	site := modelSite(t)
	c := NewCompiler(site)
	requested, refused, changed := 0, 0, 0
	for seed := range uint64(40) {
		d := newDice(site, seed)
		w := d.world()
		if seed%4 > 0 {
			w = withoutChains(w)
		}
		for _, root := range site.Types {
			if !root.DraftAndPublish || d.docs[root] == 0 {
				continue
			}
			name := docName{root.UID, documentName(root, 0)}
			other, n := elsewhere(d, w, reachable(w, name), name)
			changed += n
			one, two := snapshotOf(t, w), snapshotOf(t, other)
			for range 60 {
				raw := d.across(root)
				if d.chance(2) {
					raw = d.query(root)
				}
				n, err := params.Parse(raw, params.Limits{})
				if err != nil {
					continue
				}
				q, err := c.Compile(root, n, everything{}, Options{Document: name.id})
				if err != nil {
					if errors.As(err, new(*PreviewError)) {
						refused++
					}
					continue
				}
				requested++
				previewsAgree(t, q, name, raw, one, two)
			}
		}
	}
	t.Logf("%d questions, %d refused, %d entries changed", requested, refused, changed)
	if requested < 1000 || refused < 50 || changed < 1000 {
		t.Error("too few to tell")
	}
}

// previewsAgree demands the same answers from two contents.
func previewsAgree(t *testing.T, q *Query, name docName, raw string, one, two *index.Snapshot) {
	t.Helper()
	a, aErr := q.AppendList(context.Background(), one, nil)
	b, bErr := q.AppendList(context.Background(), two, nil)
	if aErr != nil || bErr != nil || !bytes.Equal(a, b) {
		t.Errorf("preview of %s: %q depends on other documents:\n%s\n%s\n%v %v", name, raw, a, b, aErr, bErr)
	}
	a, aFound, _ := q.AppendOne(context.Background(), one, name.id, nil)
	b, bFound, _ := q.AppendOne(context.Background(), two, name.id, nil)
	if aFound != bFound || !bytes.Equal(a, b) {
		t.Errorf("preview of %s: %q depends on other documents:\n%s\n%s", name, raw, a, b)
	}
	next := documentName(q.t, 1) // of a single type the same
	if _, found, _ := q.AppendOne(context.Background(), one, next, nil); found && next != name.id {
		t.Errorf("preview of %s: %q finds another document", name, raw)
	}
}
