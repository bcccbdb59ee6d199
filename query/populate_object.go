package query

import (
	"fmt"
	"math"
	"strconv"

	"quire/query/params"
	"quire/schema"
)

// object compiles {chef: true, categories: {fields: …, sort: …}}.
func (p *populator) object(s *selection, n *params.Node) error {
	if len(n.Keys) > p.c.limits.PopulateEntries {
		return p.tooMany(len(n.Keys))
	}
	for i, key := range n.Keys {
		name := key
		if a := n.Items[i].Get("attribute"); p.shape != nil && a != nil {
			name = a.Text
		}
		one, err := p.member(s, name, n.Items[i])
		if err != nil && p.shape != nil && hasPlace(err) {
			s.refuse(key, err)
			continue
		}
		if err != nil {
			return err
		}
		if one != nil {
			one.name = key
			s.add(one)
		}
	}
	return nil
}

// mostLevels is the maximum depth of populate[*].
const mostLevels = 5

// levels compiles {"*": 3}: all that the caller may see, to that depth; and {"*": "whole"},
// all that belongs to the records.
func (p *populator) levels(s *selection, n *params.Node) error {
	levels := n.Get("*")
	if !levels.IsText() {
		return unknownKey("*", "", populateParam)
	}
	depth, err := strconv.Atoi(levels.Text)
	if err != nil || strconv.Itoa(depth) != levels.Text {
		depth = 0 // 1.5, or 03
	}
	switch {
	case levels.Text == "" || levels.Text != "whole" && math.IsNaN(toNumber(levels.Text)):
		return unknownKey("*", "", populateParam) // as in Strapi
	case len(n.Keys) > 1:
		return refuseParam(populateParam, "populate[*]", "populate[*] stands alone: it populates everything, with nothing said about single attributes")
	case levels.Text == "whole":
		p.populateWhole(s)
		return nil
	case depth < 1 || depth > mostLevels:
		return refuseParam(populateParam, "populate[*]", fmt.Sprintf("Invalid populate[*] parameter. Expected a number of levels from 1 to %d, or whole", mostLevels))
	case p.depth+depth > p.c.limits.PopulateDepth+1:
		return refuseParam(populateParam, "populate[*]", fmt.Sprintf("populate is nested deeper than %d levels", p.c.limits.PopulateDepth))
	}
	p.populateLevels(s, depth)
	return nil
}

// deep is what is behind an attribute, with a number of levels of everything behind it.
type deep struct {
	scope
	levels int
}

// deepSelection returns the one selection of a scope with a number of levels. All
// attributes that lead to the scope share it, so there are at most as many selections as
// levels for each scope.
func (p *populator) deepSelection(in scope, levels int) *selection {
	s := p.whole[deep{in, levels}]
	if s == nil {
		s = &selection{shape: p.c.shape(in.t), sight: in.sight, shared: true}
		if p.whole == nil {
			p.whole = map[deep]*selection{}
		}
		p.whole[deep{in, levels}] = s
		p.b.dependsOn(in.t)
		p.populateLevels(s, levels)
		s.arrange()
	}
	return s
}

// populateLevels populates everything that the caller may see, like populate=* on each
// level.
func (p *populator) populateLevels(s *selection, levels int) {
	if levels == 0 {
		return
	}
	for _, a := range s.shape.populatable {
		if !s.sight.Sees(a) || !p.mayShow(s, a) {
			continue
		}
		one := &population{attribute: a, key: `,"` + a.Name + `":`}
		if a.Kind != schema.DynamicZone && targetType(a) != nil {
			one.record = p.deepSelection(p.behind(s, a, targetType(a)), levels-1)
		} else {
			one.byType = map[*schema.Type]*selection{}
			for _, t := range p.targetTypes(a) {
				one.byType[t] = p.deepSelection(p.behind(s, a, t), levels-1)
			}
		}
		p.b.deep++
		s.add(one)
	}
}

// member compiles one key of a populate object; nil if it requests nothing, or something
// that the caller may not see.
func (p *populator) member(s *selection, key string, n *params.Node) (*population, error) {
	t := s.shape.t
	a := t.Attribute(key)
	switch {
	case a == nil && isCreator(t, key):
		return nil, refuseCreator(key, n)
	case a == nil || !s.sight.Knows(a):
		return nil, unknownKey(key, "", populateParam)
	case !s.sight.Sees(a) || a.IsScalar():
		return nil, forbiddenKey(key, "", populateParam)
	}
	shown := true
	switch {
	case n.IsText():
		var ok bool
		if shown, ok = parseSwitch(n.Text); !ok {
			return nil, unknownKey(n.Text, key, populateParam)
		}
		n = nil
	case n.IsNull():
		n = nil
	case n.IsList():
		return nil, refuseParam(populateParam, key, populateMessage)
	}
	if !shown || !p.mayShow(s, a) {
		return nil, nil
	}
	if n == nil {
		return p.plain(s, a, nil)
	}
	return p.detailed(s, a, n)
}

// refuseCreator refuses a creator relation; if the query requests fields of it, Strapi
// names the first of them.
func refuseCreator(key string, n *params.Node) error {
	if fields := n.Get("fields"); fields.IsText() {
		return forbiddenKey(splitNames(fields.Text)[0], "", populateParam)
	}
	return forbiddenKey(key, "", populateParam)
}

// parseSwitch reads a word that switches an attribute on or off in a populate object.
func parseSwitch(text string) (on, ok bool) {
	switch text {
	case "true", "t", "1", "*":
		return true, true
	case "false", "f", "0":
		return false, true
	}
	return false, false
}

// detailed compiles the nested parameters of a populated attribute.
func (p *populator) detailed(s *selection, a *schema.Attribute, n *params.Node) (*population, error) {
	polymorphic := a.Kind == schema.DynamicZone || a.Relation != nil && a.Relation.Target == nil
	for i, key := range n.Keys {
		switch key {
		case "on":
			if !polymorphic || !n.Items[i].IsObject() && !n.Items[i].IsNull() {
				return nil, &KeyError{Key: key, Path: joinPath(a.Name, key), Param: populateParam}
			}
		case "fields", "filters", "sort", "populate", "count":
		case "attribute", "pagination":
			if p.shape == nil {
				return nil, unknownKey(key, a.Name, populateParam)
			}
		default:
			return nil, unknownKey(key, a.Name, populateParam)
		}
	}
	if polymorphic {
		return p.fragments(s, a, n)
	}
	one := &population{attribute: a, key: `,"` + a.Name + `":`}
	if err := p.details(one, p.behind(s, a, targetType(a)), n); err != nil {
		return nil, err
	}
	if p.shape != nil && isList(a) {
		var err error
		if one.part, err = p.shape.compilePage(n.Get("pagination")); err != nil {
			return nil, err
		}
	}
	return one, p.counted(one, n)
}

// details compiles fields, filters, sort and populate for records of a scope. As in Strapi,
// a declared attribute in sort is shown even if fields leaves it out. The locale and the
// times of an entry are not.
func (p *populator) details(one *population, in scope, n *params.Node) error {
	shown, err := p.c.compileFields(p.b, in, n.Get("fields"), populateParam)
	if err != nil {
		return err
	}
	if one.where, err = p.c.compileFilters(p.b, in, n.Get("filters"), false); err != nil {
		return asPopulateError(err)
	}
	if one.order, err = (&sorter{compilation: p.b, limit: p.c.limits.Depth}).compile(in, n.Get("sort")); err != nil {
		return asPopulateError(err)
	}
	for _, k := range one.order {
		if a := k.path.Last(); shown != nil && len(k.hops) == 0 && len(k.path.Attributes) == 1 && a.System == schema.NotSystem {
			shown[a] = true
		}
	}
	one.record, err = p.selection(in, shown, n.Get("populate"), one.attribute.Name)
	if err == nil {
		p.shapeRecord(one.record, n)
	}
	return err
}

// isList reports whether an attribute leads to a list of records of one type.
func isList(a *schema.Attribute) bool {
	return a.Kind == schema.Component && a.Repeatable || a.Relation != nil && a.Relation.Many()
}

// asPopulateError replaces the parameter in a refusal by populate, which the client wrote.
func asPopulateError(err error) error {
	if key, ok := err.(*KeyError); ok {
		key.Param = populateParam
	}
	return err
}

func (p *populator) counted(one *population, n *params.Node) error {
	count := n.Get("count")
	if count == nil {
		return nil
	}
	on, ok := false, count.IsText()
	if ok {
		on, ok = parseSwitch(count.Text)
	}
	if !ok {
		return refuseParam(populateParam, "count", "Invalid count parameter. Expected true or false")
	}
	one.count = on
	return nil
}

// fragments compiles what to populate of a dynamic zone or a morph relation: {on:
// {"section.cta": {…}}} for chosen types, or {populate: "*"} for all.
func (p *populator) fragments(s *selection, a *schema.Attribute, n *params.Node) (*population, error) {
	on, nested := n.Get("on"), n.Get("populate")
	if nested != nil && !(nested.IsText() && nested.Text == "*") {
		return nil, unknownKey(populateParam, a.Name, populateParam)
	}
	for _, key := range []string{"fields", "filters", "sort"} {
		if n.Get(key) != nil {
			return nil, refuseParam(populateParam, a.Name, fmt.Sprintf("Invalid nested populate for %s.%s (%s). Expected a fragment (on) or count but found %s", a.Owner.Singular, a.Name, a.Owner.UID, key))
		}
	}
	if on == nil {
		one, err := p.plain(s, a, nested)
		if err != nil {
			return nil, err
		}
		return one, p.counted(one, n)
	}
	one := &population{attribute: a, key: `,"` + a.Name + `":`, byType: map[*schema.Type]*selection{}}
	if len(on.Keys) == 0 {
		return nil, nil
	}
	for i, uid := range on.Keys {
		if err := p.fragment(s, one, uid, on.Items[i]); err != nil {
			return nil, err
		}
	}
	return one, p.counted(one, n)
}

// fragment compiles what to show of one component or type.
func (p *populator) fragment(s *selection, one *population, uid string, n *params.Node) error {
	a := one.attribute
	t := p.c.site.Type(uid)
	if t == nil || a.Kind == schema.DynamicZone && !allows(a.Zone, t) || a.Kind != schema.DynamicZone && t.IsComponent() {
		return &KeyError{Key: uid, Path: a.Name + ".on." + uid, Param: populateParam}
	}
	if !t.IsComponent() && !p.b.access.Allows(t, schema.Find) {
		return nil
	}
	if !n.IsObject() {
		on, ok := true, true
		if n.IsText() {
			on, ok = parseSwitch(n.Text)
		}
		if !ok || n.IsList() {
			return &KeyError{Key: n.Text, Path: a.Name + ".on." + uid, Param: populateParam}
		}
		if !on {
			return nil
		}
		n = &params.Node{Kind: params.Object}
	}
	for _, key := range n.Keys {
		switch key {
		case "fields", "filters", "sort", "populate":
		default:
			return unknownKey(key, a.Name+".on."+uid, populateParam)
		}
	}
	part := &population{attribute: a}
	if err := p.details(part, p.behind(s, a, t), n); err != nil {
		return err
	}
	one.byType[t] = part.record
	part.record.where = part.where
	return nil
}

func allows(zone []*schema.Type, t *schema.Type) bool {
	for _, one := range zone {
		if one == t {
			return true
		}
	}
	return false
}
