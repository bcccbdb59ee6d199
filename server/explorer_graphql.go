package server

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"quire/schema"
	"quire/server/graphql"
)

// queryableType is a type of the GraphQL schema as one caller may use it.
type queryableType struct {
	Kind   string            `json:"kind"`
	Fields []queryableMember `json:"fields,omitempty"`
	Names  []string          `json:"names,omitempty"` // of the values of an enumeration, or of the types of a union
}

// queryableMember is a field, an argument or a member of an input.
type queryableMember struct {
	Name      string            `json:"name"`
	Type      string            `json:"type"`
	Arguments []queryableMember `json:"arguments,omitempty"`
}

var actionOfOp = map[graphql.Op]schema.Action{
	graphql.FindOne: schema.FindOne, graphql.Find: schema.Find, graphql.FindConnection: schema.Find, graphql.FindSingle: schema.Find,
	graphql.Create: schema.Create, graphql.Update: schema.Update, graphql.Delete: schema.Delete,
}

// queryable makes the part of the GraphQL schema that one caller may use: no operation that
// it may not run, and no attribute that it may not see, in outputs and in filters.
type queryable struct {
	schema *graphql.Schema
	access schema.Access
	routes map[string]bool // that the caller may call
	types  map[string]*queryableType
}

// exploreGraphQL answers GET /api/docs/graphql.
func exploreGraphQL(x *request) error {
	q := &queryable{schema: x.site.graphql, access: x.caller, routes: map[string]bool{}, types: map[string]*queryableType{}}
	for _, r := range Routes(x.site.schema) {
		if r.Open || r.isFor(x.caller) {
			q.routes[r.Method+" "+r.Path] = true
		}
	}
	q.add("Query")
	q.add("Mutation")
	answer, err := json.Marshal(map[string]any{"types": q.types})
	if err != nil {
		return err
	}
	x.json(http.StatusOK, answer)
	return nil
}

// add adds a type and those that it leads to.
func (q *queryable) add(name string) {
	d := q.schema.AST().Types[name]
	if q.types[name] != nil || d == nil {
		return
	}
	t := &queryableType{Kind: string(d.Kind), Names: append([]string(nil), d.Types...)}
	q.types[name] = t
	for _, v := range d.EnumValues {
		t.Names = append(t.Names, v.Name)
	}
	for _, member := range d.Types {
		q.add(member)
	}
	for _, f := range d.Fields {
		if strings.HasPrefix(f.Name, "__") || !q.offers(d, f) {
			continue
		}
		m := queryableMember{Name: f.Name, Type: f.Type.String()}
		q.add(f.Type.Name())
		for _, a := range f.Arguments {
			m.Arguments = append(m.Arguments, queryableMember{Name: a.Name, Type: a.Type.String()})
			q.add(a.Type.Name())
		}
		t.Fields = append(t.Fields, m)
	}
}

// offers reports whether the caller may use a field of a type, or a member of an input.
func (q *queryable) offers(d *ast.Definition, f *ast.FieldDefinition) bool {
	if d.Kind == ast.InputObject {
		name, filters := strings.CutSuffix(d.Name, "FiltersInput")
		t := q.schema.Type(name)
		return !filters || t == nil || t.Attribute(f.Name) == nil || q.sees(t.Attribute(f.Name))
	}
	means := q.schema.Means(f)
	switch {
	case means == nil:
		return true
	case means.Op == graphql.Special:
		return q.routes[pluginRoutes[f.Name]]
	case means.Op != graphql.NoOp:
		return q.access.Allows(means.Type, actionOfOp[means.Op])
	}
	return means.Attribute != nil && q.sees(means.Attribute)
}

// sees reports whether the caller sees an attribute, and may read what it leads to.
func (q *queryable) sees(a *schema.Attribute) bool {
	if a.Private || !a.Owner.IsComponent() && !q.access.Sight(a.Owner).Sees(a) {
		return false
	}
	return a.Relation == nil || a.Kind == schema.Media || a.Relation.Target == nil || q.access.Allows(a.Relation.Target, schema.Find)
}
