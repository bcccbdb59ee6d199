package query

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"quire/schema"
	"quire/store"
)

// partial is a caller for whom only some of the entries of some types exist.
type partial struct {
	schema.Access
	filters map[*schema.Type]*schema.Filter
}

func (p partial) Filter(t *schema.Type) *schema.Filter { return p.filters[t] }

func (p partial) String() string {
	var lines []string
	for t, f := range p.filters {
		lines = append(lines, fmt.Sprintf("%s: %q", t.UID, f.Ways))
	}
	return fmt.Sprintf("%v to whom exist %s", p.Access, strings.Join(lines, "; "))
}

// partly makes a caller one for whom only some entries exist: of about half of the types, those
// that meet one or two lists of one or two conditions.
func (d *dice) partly(access schema.Access) schema.Access {
	p := partial{access, map[*schema.Type]*schema.Filter{}}
	for _, t := range d.site.Types {
		var about []*schema.Attribute
		for _, a := range t.Attributes {
			if a.TakesCondition() {
				about = append(about, a)
			}
		}
		if t.BuiltIn || len(about) == 0 || d.chance(2) {
			continue
		}
		var ways [][]schema.Equality
		for range pick(d, 0, 1, 1, 2, 3) {
			var way []schema.Equality
			for range pick(d, 1, 1, 1, 2) {
				way = append(way, d.equality(pick(d, about...)))
			}
			ways = append(ways, way)
		}
		p.filters[t] = schema.FilterOf(ways...)
	}
	return p
}

// equality is a condition that some entries meet, rarely one about an attribute that is not there.
func (d *dice) equality(a *schema.Attribute) schema.Equality {
	c := schema.Equality{Attribute: a.Name}
	switch a.Kind {
	case schema.Boolean:
		c.Value = pick(d, "true", "false", "false")
	case schema.Integer:
		c.Value = strconv.FormatInt(oneOf(d, wholePool), 10)
	case schema.BigInteger:
		c.Value = strconv.FormatInt(oneOf(d, bigPool), 10)
	default:
		c.Value = d.text(a)
	}
	if d.chance(30) {
		c.Attribute = "gone"
	}
	return c
}

// of returns the part of the world that exists for a caller, which the rest of the model then
// takes for all there is.
func (w *world) of(access schema.Access) *world {
	p, some := access.(partial)
	if !some {
		return w
	}
	part := newWorld(w.site)
	for t, entries := range w.entries {
		for k, e := range entries {
			if f := p.filters[t]; f == nil || slices.ContainsFunc(f.Ways, func(way []schema.Equality) bool { return hasAll(e, way) }) {
				part.entries[t][k] = e
			}
		}
	}
	return part
}

// hasAll reports whether an entry has the values of all conditions, compared as texts.
func hasAll(e *store.Entry, way []schema.Equality) bool {
	return !slices.ContainsFunc(way, func(c schema.Equality) bool {
		switch v := e.Value(c.Attribute); v.Kind {
		case store.Text:
			return v.Text != c.Value
		case store.Int:
			return fmt.Sprint(v.Num) != c.Value
		case store.Bool:
			return fmt.Sprint(v.Num == 1) != c.Value
		}
		return true
	})
}

// TestModelOfPart asks simple questions for callers to whom only some entries exist: whole lists in
// the order of an index, lists in other locales, and what relations lead to from both sides.
func TestModelOfPart(t *testing.T) {
	s := &trial{site: modelSite(t), requested: map[string]int{}}
	s.compiler = NewCompiler(s.site)
	worlds := 20
	if testing.Short() {
		worlds = 8
	}
	for seed := range uint64(worlds) {
		d := newDice(s.site, 1000+seed)
		w := d.world()
		file := newFile(t, s.site)
		file.apply(w.changes())
		snapshot := file.build().Snapshot
		var queries, figures []modelQuery
		for _, of := range s.site.Types {
			if of.Kind == schema.Single || of.BuiltIn {
				continue
			}
			some := of.Attributes[0].Name
			for _, raw := range []string{"", "locale=*", "sort=" + some + "&locale=*", "sort=id:desc&locale=*", "status=draft&sort=" + some, "locale=fr&fallbackLocale=en,it", "populate=*", "populate=*&status=draft&locale=*", "populate[*]=2&locale=it&fallbackLocale=en", "include=state&status=draft&locale=*", "publicationFilter=modified&status=draft&locale=*"} {
				queries = append(queries, modelQuery{t: of, raw: raw, caller: d.partly(everything{}), documentID: documentName(of, 0)})
			}
			for _, raw := range []string{"count=true&locale=*", "groupBy=" + some + "&locale=*", "groupBy=" + some} {
				figures = append(figures, modelQuery{t: of, raw: raw, caller: d.partly(everything{})})
			}
		}
		s.compare(t, fmt.Sprint("part of world ", seed), w, queries, snapshot)
		s.compareLinks(t, fmt.Sprint("part of world ", seed), w, queries, snapshot())
		s.compareFigures(t, fmt.Sprint("part of world ", seed), w, figures, snapshot())
		if t.Failed() {
			return
		}
	}
}
