package query

import (
	"fmt"

	"quire/query/params"
	"quire/schema"
)

// filters compiles the filters parameter of a query or of a populated relation.
type filters struct {
	*compilation
	limit  int  // maximum comparisons in one query
	atRoot bool // about the entries of the query, not behind a relation
}

// compileFilters resolves filters on records of a scope. Without filters it returns nil.
// atRoot is for those of the query itself.
func (c *Compiler) compileFilters(b *compilation, in scope, n *params.Node, atRoot bool) (condition, error) {
	if n == nil || n.IsNull() {
		return nil, nil
	}
	if !n.IsObject() {
		return nil, refuseParam("filters", "filters", "The filters parameter must be an object")
	}
	f := &filters{b, c.limits.Conditions, atRoot}
	return f.group(in, "", n, false, nil)
}

// count adds one comparison to those of the query.
func (c *filters) count() error {
	c.conditions++
	if c.conditions > c.limit {
		return refuseParam("filters", "filters", fmt.Sprintf("The query has more than %d conditions", c.limit))
	}
	return nil
}

// group compiles an object of conditions that must all be true. Comparison operators
// directly in it apply to self, the id of a related record; at the top level of a query
// there is none.
func (c *filters) group(in scope, at string, n *params.Node, negate bool, self *schema.Attribute) (condition, error) {
	if self != nil {
		if err := unmixed(at, n); err != nil {
			return nil, err
		}
	}
	var parts []condition
	for i, key := range n.Keys {
		part, err := c.member(in, at, key, n.Items[i], negate, self)
		if err != nil {
			return nil, err
		}
		if part != nil {
			parts = append(parts, part)
		}
	}
	return combineParts(parts, negate), nil
}

// unmixed refuses an operator beside other keys in the conditions on a related record, as
// Strapi does: one asks whether there is a record, or which, and the other what is in it.
func unmixed(at string, n *params.Node) error {
	operator, other := "", ""
	for i, key := range n.Keys {
		switch _, compares := operators[key]; {
		case isEmptyNode(n.Items[i]):
		case compares:
			operator = key
		default:
			other = key
		}
	}
	if operator == "" || other == "" {
		return nil
	}
	key := joinPath(at, operator)
	return refuseParam("filters", key, fmt.Sprintf("%s cannot stand beside %s; make each of them an item of $and around the relation", key, joinPath(at, other)))
}

// combineParts returns the condition that all parts are true or, negated, that one of the
// negated parts is (De Morgan). Without parts it is nil.
func combineParts(parts []condition, negate bool) condition {
	switch {
	case len(parts) == 0:
		return nil
	case len(parts) == 1:
		return parts[0]
	case negate:
		return anyOf(parts)
	}
	return allOf(parts)
}

func (c *filters) member(in scope, at, key string, n *params.Node, negate bool, self *schema.Attribute) (condition, error) {
	if isGroup(key) {
		return c.groupOperator(in, at, key, n, negate, self)
	}
	if _, known := operators[key]; known && self != nil {
		return c.comparison(self, at, key, n, negate)
	}
	return c.attribute(in, at, key, n, negate)
}

// groupOperator compiles $and, $or and $not.
func (c *filters) groupOperator(in scope, at, key string, n *params.Node, negate bool, self *schema.Attribute) (condition, error) {
	if key == "$not" {
		if n.IsObject() {
			return c.group(in, at, n, !negate, self)
		}
		if self != nil && (n.IsText() || n.IsNull()) {
			return c.comparison(self, at, "$eq", n, !negate)
		}
		return c.list(in, at, key, n, !negate, false, self)
	}
	return c.list(in, at, key, n, negate, key == "$or", self)
}

// list compiles the items of a group operator; a list within the list is a separate group.
func (c *filters) list(in scope, at, key string, n *params.Node, negate, or bool, self *schema.Attribute) (condition, error) {
	if !n.IsList() {
		return nil, refuseParam("filters", joinPath(at, key), fmt.Sprintf("%s takes a list of conditions", joinPath(at, key)))
	}
	var parts []condition
	for _, item := range n.Items {
		var part condition
		var err error
		switch {
		case item.IsObject():
			part, err = c.group(in, at, item, negate, self)
		case item.IsList():
			part, err = c.list(in, at, key, item, negate, false, self)
		default:
			err = refuseParam("filters", joinPath(at, key), fmt.Sprintf("%s takes a list of conditions", joinPath(at, key)))
		}
		if err != nil {
			return nil, err
		}
		if part != nil {
			parts = append(parts, part)
		}
	}
	return combineParts(parts, negate != or), nil
}

// attribute compiles the conditions on one attribute of a scope.
func (c *filters) attribute(in scope, at, key string, n *params.Node, negate bool) (condition, error) {
	a, err := resolveAttribute(c.access, in, at, key, "filters")
	if err != nil {
		return nil, err
	}
	path := joinPath(at, key)
	switch {
	case a.Kind == schema.DynamicZone, a.Relation != nil && a.Relation.Target == nil:
		return nil, forbiddenKey(key, at, "filters")
	case a.Kind == schema.Component:
		where, err := c.record(c.behind(in, a, a.ComponentType), path, n, negate)
		if where == nil || err != nil {
			return nil, err
		}
		return &inside{a, where}, nil
	case a.Relation != nil:
		if err := c.mayFollow(a, c.atRoot, "filters", path); err != nil {
			return nil, err
		}
		c.dependsOn(a.Relation.Target)
		beyond := &filters{c.compilation, c.limit, false}
		where, err := beyond.record(c.behind(in, a, a.Relation.Target), path, n, negate)
		if where == nil || err != nil {
			return nil, err
		}
		return &related{a, a.Relation.Target, where}, nil
	}
	return c.scalar(a, path, n, negate)
}

// record compiles the conditions on the records that a relation or component leads to.
// A value or an operator applies to their id.
func (c *filters) record(in scope, at string, n *params.Node, negate bool) (condition, error) {
	id := in.t.Attribute("id")
	switch {
	case n.IsObject():
		return c.group(in, at, n, negate, id)
	case n.IsList():
		return c.comparison(id, at, "$in", n, negate)
	}
	return c.comparison(id, at, "$eq", n, negate)
}

// scalar compiles the conditions on a scalar attribute.
func (c *filters) scalar(a *schema.Attribute, at string, n *params.Node, negate bool) (condition, error) {
	switch {
	case n.IsList():
		return c.comparison(a, at, "$in", n, negate)
	case !n.IsObject():
		return c.comparison(a, at, "$eq", n, negate)
	}
	var parts []condition
	for i, key := range n.Keys {
		part, err := c.scalarOperator(a, at, key, n.Items[i], negate)
		if err != nil {
			return nil, err
		}
		if part != nil {
			parts = append(parts, part)
		}
	}
	return combineParts(parts, negate), nil
}

func (c *filters) scalarOperator(a *schema.Attribute, at, key string, n *params.Node, negate bool) (condition, error) {
	if key == "$not" {
		return c.scalar(a, at, n, !negate)
	}
	if isGroup(key) {
		if isEmptyNode(n) {
			return nil, nil
		}
		return nil, refuseParam("filters", joinPath(at, key), fmt.Sprintf("%s stands at an attribute; groups go around attributes", joinPath(at, key)))
	}
	if _, known := operators[key]; !known {
		return nil, unknownKey(key, at, "filters")
	}
	return c.comparison(a, at, key, n, negate)
}

// isEmptyNode reports whether a node has only empty lists and objects, which Strapi leaves
// out.
func isEmptyNode(n *params.Node) bool {
	if n.IsText() || n.IsNull() {
		return false
	}
	for _, item := range n.Items {
		if !isEmptyNode(item) {
			return false
		}
	}
	return true
}

// scope is the records of a type at one place, and what the caller sees of them there.
type scope struct {
	t     *schema.Type
	sight *schema.Sight
}

// entries returns the scope of the entries of a content type.
func (b *compilation) entries(t *schema.Type) scope { return scope{t, b.access.Sight(t)} }

// behind returns the scope of the records of type t that an attribute of a scope leads to.
func (b *compilation) behind(s scope, a *schema.Attribute, t *schema.Type) scope {
	if t.IsComponent() {
		return scope{t, s.sight.Within(a)}
	}
	return b.entries(t)
}

// resolveAttribute returns the attribute that a key of a parameter names, if the caller may
// name it. It is used for all keys of filters, sort and fields.
func resolveAttribute(access schema.Access, in scope, at, key, param string) (*schema.Attribute, error) {
	a := in.t.Attribute(key)
	switch {
	case a == nil && isCreator(in.t, key):
		return nil, forbiddenKey(key, at, param)
	case a == nil || !in.sight.Knows(a):
		return nil, unknownKey(key, at, param)
	case !in.sight.Sees(a) || !mayReadTarget(access, a):
		return nil, forbiddenKey(key, at, param)
	}
	return a, nil
}

// isCreator reports whether a key names the administrator who created or changed an entry.
// Strapi has these relations and refuses to name them.
func isCreator(t *schema.Type, key string) bool {
	return !t.IsComponent() && (key == "createdBy" || key == "updatedBy")
}

// mayReadTarget reports whether the caller may see what a relation leads to. Files
// follow the entries that show them.
func mayReadTarget(access schema.Access, a *schema.Attribute) bool {
	if a.Kind != schema.RelationKind || a.Relation.Target == nil {
		return true
	}
	return access.Allows(a.Relation.Target, schema.Find)
}
