package migrate

import (
	"cmp"
	"fmt"
	"slices"

	"quire/content/verify"
	"quire/schema"
	"quire/store"
)

// mover carries out a migration, entry by entry, and collects what prevents it.
type mover struct {
	Migration
	site *schema.Site
	tx   *store.Tx
	to   *schema.Attribute // nil when something is dropped

	counts            map[MigratedEntries]int
	components, links int // that change

	both, unfit           int // values that cannot move
	firstBoth, firstUnfit string
	found                 bool // a link leads to an existing document
	lost                  int  // links that lead nowhere, until one was found
}

func (m Migration) mover(site *schema.Site, tx *store.Tx, to *schema.Attribute) *mover {
	return &mover{Migration: m, site: site, tx: tx, to: to, counts: map[MigratedEntries]int{}}
}

// entry returns how an entry changes, and whether it does.
func (v *mover) entry(uid string, e *store.Entry) (change store.Change, changes bool) {
	change = store.Change{Type: uid, Before: e}
	if v.From != "" || uid != v.Type {
		fields, changed := v.fields(uid, e.Fields, verify.Spot{Name: store.Name{Type: uid, Key: e.Key()}})
		if !changed {
			return change, false
		}
		after := *e
		after.Fields = fields
		change.After = &after
	}
	v.counts[MigratedEntries{Type: uid, Locale: e.Locale, Status: e.Status.String()}]++
	return change, true
}

// fields returns the new fields of an entry or a component.
func (v *mover) fields(owner string, fields store.Fields, at verify.Spot) (after store.Fields, changed bool) {
	after = fields
	for i := range fields {
		inner, ok := v.inside(fields[i].Value, at.Attribute(fields[i].Name))
		if ok && !changed {
			after, changed = slices.Clone(fields), true
		}
		if ok {
			after[i].Value = inner
		}
	}
	after = slices.DeleteFunc(after, func(f store.Field) bool { return changed && f.Value.IsEmpty() })
	if v.From == "" || owner != v.Type || fields.Value(v.From).IsEmpty() {
		return after, changed
	}
	if t := v.site.Type(owner); t.IsComponent() {
		v.components++
	}
	return v.attribute(after, at.Attribute(v.From)), true
}

// attribute moves or drops the one attribute of an entry or a component.
func (v *mover) attribute(fields store.Fields, at verify.Spot) store.Fields {
	value := fields.Value(v.From)
	rest := fields.With(v.From, store.Value{})
	if v.to == nil {
		return rest
	}
	if !fields.Value(v.To).IsEmpty() {
		switch v.Keep {
		case KeepNew:
			return rest
		case KeepNeither:
			v.both++
			v.firstBoth = cmp.Or(v.firstBoth, at.String())
			return rest
		}
	}
	if err := v.suits(value); err != nil {
		v.unfit++
		v.firstUnfit = cmp.Or(v.firstUnfit, fmt.Sprintf("%s: %v", at, err))
	}
	return rest.Set(v.To, value)
}

// inside returns the new form of a value that may have components, or links to a type
// that is dropped.
func (v *mover) inside(value store.Value, at verify.Spot) (after store.Value, changed bool) {
	switch value.Kind {
	case store.Instances:
		return v.instances(value, at)
	case store.Edges:
		if v.From != "" {
			return value, false
		}
		edges := slices.DeleteFunc(slices.Clone(value.Edges), func(e store.Edge) bool { return e.Type == v.Type })
		v.links += len(value.Edges) - len(edges)
		changed = len(edges) < len(value.Edges)
		value.Edges = edges
	}
	return value, changed
}

func (v *mover) instances(value store.Value, at verify.Spot) (after store.Value, changed bool) {
	instances := make([]store.Instance, 0, len(value.Instances))
	for _, r := range value.Instances {
		if v.From == "" && r.Component == v.Type {
			v.components++
			changed = true
			continue
		}
		fields, ok := v.fields(r.Component, r.Fields, at)
		r.Fields = fields
		changed = changed || ok
		instances = append(instances, r)
	}
	value.Instances = instances
	return value, changed
}

// result returns what was done, or why it is refused.
func (v *mover) result() (*Migrated, error) {
	name := v.Type + "." + v.From
	switch {
	case v.unfit > 0:
		return nil, unmigrated("%s of %s cannot be of %s; the first: %s", plural(v.unfit, "value"), name, v.To, v.firstUnfit)
	case v.both > 0:
		return nil, unmigrated("%s of %s would replace what is stored as %s, the first in %s; --keep old or --keep new says which of the two stays", plural(v.both, "value"), name, v.To, v.firstBoth)
	case v.lost > 0 && !v.found:
		return nil, unmigrated("none of the links of %s leads to a document that %s could link to", name, v.To)
	}
	done := &Migrated{Components: v.components, Links: v.links}
	for e, n := range v.counts {
		e.Count = n
		done.Entries = append(done.Entries, e)
	}
	slices.SortFunc(done.Entries, func(a, b MigratedEntries) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), cmp.Compare(a.Locale, b.Locale), cmp.Compare(a.Status, b.Status))
	})
	return done, nil
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
