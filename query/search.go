package query

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"quire/index"
	"quire/index/language"
	"quire/query/params"
	"quire/schema"
	"quire/schema/settings"
)

// Search is a read that finds entries by the words of a language, best first. Like a Query
// it may run any number of times.
//
// It searches the entries that its Query selects, in the attributes that the caller sees.
// Everything that an answer has comes from these alone: which words are near a misspelt one,
// how rare a word is, what a word can be continued to. So an answer shows nothing of drafts,
// of hidden attributes or of other entries.
type Search struct {
	query      *Query
	text       string
	units      []searchUnit
	fields     []searchedField
	languages  []*language.Language // of the entries; the first is that of the text
	vocabulary *vocabulary
	order      []sortKey // of entries that fit equally well
	ordering   []string  // the same, as site.json names it
	ownOrder   bool      // the query has an order of its own
	explain    bool
	facets     []facet
}

// searchedField is an attribute that is searched.
type searchedField struct {
	name   string // its path, without the components of zones
	path   index.Path
	weight int
}

// facet counts the entries found by their values at a path.
type facet struct {
	name  string
	group *Aggregate
}

// Limits of a search.
const (
	longestSearch  = 512 // bytes of the text
	mostUnits      = 24  // words and phrases of a text
	mostTokens     = 64  // words of a text, with those of phrases
	mostFields     = 100 // attributes of a type that are searched
	deepestField   = 4   // components around an attribute
	mostFacets     = 8
	mostSearchSkip = 10_000 // entries before a page
)

// Default weights of attributes.
const (
	titleWeight = 10
	shortWeight = 3 // of other strings of the entry itself
	textWeight  = 1
)

// Query returns the query that selects the entries: what the response depends on, and where a
// run is observed and guarded.
func (s *Search) Query() *Query { return s.query }

// Text returns what is searched for.
func (s *Search) Text() string { return s.text }

// Words returns the version of the words that are set besides those of site.json; empty for
// none.
func (s *Search) Words() string {
	if s.vocabulary.more == nil {
		return ""
	}
	return s.vocabulary.more.Version
}

// CompileSearch resolves the parameters of a search for entries of type t: those of Compile
// except _q, and q, facets and explain.
func (c *Compiler) CompileSearch(t *schema.Type, n *params.Node, access schema.Access) (*Search, error) {
	if n.Get("pagination").Get("after") != nil {
		return nil, refuseParam("pagination", afterKey, "A search has pages and no cursors; use pagination[page] or pagination[start] instead of "+afterKey)
	}
	q, err := c.Compile(t, n, access, Options{})
	if err != nil {
		return nil, err
	}
	if q.paging.start > mostSearchSkip {
		return nil, refuseParam("pagination", "pagination", fmt.Sprintf("A search shows the first %d entries; add a word or a filter", mostSearchSkip))
	}
	s := &Search{query: q, ownOrder: len(q.order) > 0, vocabulary: c.vocabulary()}
	b := &compilation{access: access, types: q.types, led: q.led}
	of := c.site.Settings.Search.Types[t.UID]
	steps := []func() error{
		func() error { s.languages = c.languagesOf(q); return nil },
		func() error { s.fields = c.searchedFields(b, t, of.Attributes); return nil },
		func() error { return s.readText(n.Get("q")) },
		func() error { return s.readOrder(c, b, t, of.Order) },
		func() (err error) { s.facets, err = c.compileFacets(b, q, n.Get("facets")); return },
		func() (err error) { s.explain, err = readFlag(n, "explain"); return },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	q.types, q.led = b.types, b.led
	return s, nil
}

// readText reads the text of a search.
func (s *Search) readText(n *params.Node) (err error) {
	switch {
	case n == nil || n.IsNull():
		return nil
	case !n.IsText():
		return refuseParam("q", "q", "Invalid q parameter. Expected a string")
	case len(n.Text) > longestSearch:
		return refuseParam("q", "q", fmt.Sprintf("q is longer than %d bytes", longestSearch))
	}
	s.text = n.Text
	s.units, err = s.vocabulary.units(n.Text, s.languages[0])
	return err
}

// readFlag reads a parameter that is true or false, and false without it.
func readFlag(n *params.Node, name string) (bool, error) {
	v := n.Get(name)
	switch {
	case v == nil || v.IsNull():
		return false, nil
	case v.IsText() && slices.Contains([]string{"1", "t", "true"}, v.Text):
		return true, nil
	case v.IsText() && slices.Contains([]string{"0", "f", "false"}, v.Text):
		return false, nil
	}
	return false, refuseParam(name, name, fmt.Sprintf("Invalid %s parameter. Expected true or false", name))
}

// languagesOf returns the languages of the entries that a query reads, that of the first
// locale first.
func (c *Compiler) languagesOf(q *Query) (all []*language.Language) {
	codes := slices.Concat(q.locales, q.fallback)
	if !q.t.Localized || q.locales == nil {
		codes = []string{c.site.Settings.DefaultLocale}
	}
	if q.t.Localized && q.locales == nil {
		for _, l := range c.site.Settings.Locales {
			codes = append(codes, l.Code)
		}
	}
	for _, code := range codes {
		if l := language.Of(code); !slices.Contains(all, l) {
			all = append(all, l)
		}
	}
	if len(all) == 0 { // a list of no locales
		all = append(all, language.Of(""))
	}
	return all
}

// searchedFields returns the attributes of a type that are searched and that the caller sees:
// those of site.json, or all texts.
func (c *Compiler) searchedFields(b *compilation, t *schema.Type, chosen []settings.WeightedPath) (fields []searchedField) {
	eachText(b.entries(t), nil, func(way []*schema.Attribute, a *schema.Attribute) {
		f := searchedField{name: fieldName(way, a), path: index.NewPath(append(slices.Clone(way), a)...)}
		for _, one := range chosen {
			if one.Path == f.name {
				f.weight = one.Weight
			}
		}
		if chosen == nil {
			f.weight = textWeight
			if len(way) == 0 && a.Kind != schema.Text && a.Kind != schema.RichText && a.Kind != schema.Blocks {
				f.weight = shortWeight
			}
		}
		if f.weight > 0 && len(fields) < mostFields {
			fields = append(fields, f)
		}
	})
	if chosen == nil {
		raiseTitle(fields)
	}
	return fields
}

// raiseTitle gives the attribute with the title of an entry its weight.
func raiseTitle(fields []searchedField) {
	var own []*schema.Attribute
	for _, f := range fields {
		if len(f.path.Attributes) == 1 {
			own = append(own, f.path.Last())
		}
	}
	if title := titleOf(own); title != nil {
		at := slices.IndexFunc(fields, func(f searchedField) bool { return len(f.path.Attributes) == 1 && f.path.Last() == title })
		fields[at].weight = titleWeight
	}
}

// eachText calls fn for the texts that a scope shows, in components too.
func eachText(in scope, way []*schema.Attribute, fn func(way []*schema.Attribute, a *schema.Attribute)) {
	for _, a := range in.t.Attributes {
		if !in.sight.Sees(a) {
			continue
		}
		if index.HasTerms(a) {
			fn(way, a)
		}
		if len(way) == deepestField {
			continue
		}
		inside := in.sight.Within(a)
		if a.ComponentType != nil {
			eachText(scope{a.ComponentType, inside}, append(slices.Clip(way), a), fn)
		}
		for _, component := range a.Zone {
			eachText(scope{component, inside}, append(slices.Clip(way), a), fn)
		}
	}
}

// fieldName returns a path as site.json names it.
func fieldName(way []*schema.Attribute, a *schema.Attribute) string {
	name := ""
	for _, one := range way {
		name += one.Name + "."
	}
	return name + a.Name
}

// readOrder resolves the order of site.json. A key that the caller may not use is left out:
// the order would show what it hides.
func (s *Search) readOrder(c *Compiler, b *compilation, t *schema.Type, keys []string) error {
	in := &sorter{compilation: b, limit: c.limits.Depth, atRoot: true}
	for _, key := range keys {
		name, direction, _ := strings.Cut(key, ":")
		err := in.add(b.entries(t), strings.Split(name, "."), direction == "desc")
		if _, hidden := errors.AsType[*KeyError](err); err != nil && !hidden {
			return err
		} else if err == nil {
			s.ordering = append(s.ordering, key)
		}
	}
	s.order = in.keys
	return nil
}

// compileFacets resolves the paths of facets.
func (c *Compiler) compileFacets(b *compilation, q *Query, n *params.Node) (facets []facet, err error) {
	paths, err := names(n, "facets", mostFacets)
	if err != nil {
		return nil, err
	}
	for _, name := range paths {
		r := &aggregateReader{compilation: b, limit: c.limits.Depth, t: q.t, a: &Aggregate{query: q, count: true}}
		if err := r.groupBy(&params.Node{Kind: params.Text, Text: name}); err != nil {
			if p, ok := errors.AsType[*params.ParamError](err); ok {
				err = refuseParam("facets", name, strings.ReplaceAll(p.Error(), "groupBy", "facets"))
			}
			if key, ok := errors.AsType[*KeyError](err); ok {
				err = &KeyError{Key: key.Key, Path: name, Param: "facets"}
			}
			return nil, err
		}
		facets = append(facets, facet{name, r.a})
	}
	return facets, nil
}

// CheckSearch returns an error if the settings of a type name attributes that it does not
// have, or that no search can use.
func (c *Compiler) CheckSearch(t *schema.Type, of settings.SearchedType) error {
	known := map[string]bool{}
	eachText(scope{t, schema.WholeSight()}, nil, func(way []*schema.Attribute, a *schema.Attribute) { known[fieldName(way, a)] = true })
	for _, one := range of.Attributes {
		if !known[one.Path] {
			return unknownKey(one.Path, "", "search")
		}
	}
	all := &compilation{access: wholeSite{}}
	s := &sorter{compilation: all, limit: c.limits.Depth, atRoot: true}
	for _, key := range of.Order {
		name, _, _ := strings.Cut(key, ":")
		if err := s.add(all.entries(t), strings.Split(name, "."), false); err != nil {
			return err
		}
	}
	return nil
}

// wholeSite is the Access of the settings of a site.
type wholeSite struct{ schema.Unlimited }

func (wholeSite) Allows(*schema.Type, schema.Action) bool { return true }

// Sight shows private attributes: a search of an account of the admin may use them.
func (wholeSite) Sight(*schema.Type) *schema.Sight { return schema.WholeSight() }
