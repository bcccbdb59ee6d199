package main

import (
	"fmt"
	"maps"
	"slices"

	"quire/schema"
	"quire/store"
)

// dataCheck compares what is stored with what the schemas say, and counts what
// does not fit: each finding once, with the number of entries that have it.
type dataCheck struct {
	site     *schema.Site
	leftover map[string]int // no longer in the schemas: kept, not served
	wrong    map[string]int // in the schemas, and stored as something else
}

// checkEntries reads every entry and reports what does not fit the schemas.
func (r *report) checkEntries(file string, site *schema.Site, tx *store.Tx) error {
	c := &dataCheck{site, map[string]int{}, map[string]int{}}
	for _, uid := range tx.Types() {
		if err := tx.Scan(uid, func(e *store.Entry) error { c.entry(uid, e); return nil }); err != nil {
			return err
		}
	}
	for _, what := range slices.Sorted(maps.Keys(c.wrong)) {
		r.problems = append(r.problems, schema.Problem{
			File:    file,
			Message: fmt.Sprintf("%s (%s)", what, count(c.wrong[what], "entry", "entries")),
			Fix:     "give the attribute its former type back, or write the values anew",
		})
	}
	for _, what := range slices.Sorted(maps.Keys(c.leftover)) {
		r.notes = append(r.notes, fmt.Sprintf("%s: %s (%s): kept, not served", file, what, count(c.leftover[what], "entry", "entries")))
	}
	return nil
}

func (c *dataCheck) entry(uid string, e *store.Entry) {
	t := c.site.Type(uid)
	if t == nil || t.IsComponent() {
		c.leftover["content of the type "+uid+", which the site no longer has"]++
		return
	}
	if t.Localized && !c.site.Settings.HasLocale(e.Locale) {
		c.leftover[fmt.Sprintf("%s in the locale %q, which the site no longer has", uid, e.Locale)]++
	}
	c.fields(t, uid, e.Fields)
}

func (c *dataCheck) fields(t *schema.Type, at string, fields []store.Field) {
	for _, f := range fields {
		a := t.Attribute(f.Name)
		place := at + "." + f.Name
		switch {
		case a == nil:
			c.leftover[place+", which the schema no longer has"]++
		case !fits(a, f.Value.Kind):
			c.wrong[fmt.Sprintf("%s is stored as %s", place, kindNames[f.Value.Kind])]++
		default:
			c.records(place, f.Value.Records)
			c.edges(a, place, f.Value.Edges)
		}
	}
}

func (c *dataCheck) records(at string, records []store.Record) {
	for _, r := range records {
		t := c.site.Type(r.Component)
		if t == nil || !t.IsComponent() {
			c.leftover[fmt.Sprintf("%s holds the component %s, which the site no longer has", at, r.Component)]++
			continue
		}
		c.fields(t, at+"("+r.Component+")", r.Fields)
	}
}

func (c *dataCheck) edges(a *schema.Attribute, at string, edges []store.Edge) {
	if a.Relation == nil || !a.Relation.Morph() {
		return
	}
	for _, e := range edges {
		if t := c.site.Type(e.Type); t == nil || t.IsComponent() {
			c.wrong[fmt.Sprintf("%s links to the type %q, which the site does not have", at, e.Type)]++
		}
	}
}

var kindNames = [...]string{
	store.Null: "null", store.Bool: "a boolean", store.Int: "a whole number", store.Float: "a number",
	store.Text: "text", store.JSON: "JSON", store.Records: "components", store.Edges: "links",
}

// fits reports whether values of that kind can belong to the attribute.
func fits(a *schema.Attribute, k store.ValueKind) bool {
	switch a.Kind {
	case schema.Integer, schema.BigInteger:
		return k == store.Int
	case schema.Float, schema.Decimal:
		return k == store.Float
	case schema.Boolean:
		return k == store.Bool
	case schema.JSON, schema.Blocks:
		return k == store.JSON
	case schema.Component, schema.DynamicZone:
		return k == store.Records
	case schema.RelationKind, schema.Media:
		return k == store.Edges
	}
	return k == store.Text
}
