package graphql

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator"
	"github.com/vektah/gqlparser/v2/validator/core"

	"quire/schema"
)

// Schema is the GraphQL schema of a site. It is immutable and safe to share.
type Schema struct {
	ast       *ast.Schema
	text      string
	fields    map[*ast.FieldDefinition]*Field
	types     map[string]*schema.Type // content types and components by their names
	enums     map[string]*Enum        // by the names of their types
	zoneItems map[string]bool         // scalars that are items of dynamic zones
	rules     []core.Rule
	limits    Limits
	known     *knownQueries
}

// Op is what a field of the root does.
type Op uint8

const (
	NoOp Op = iota // it is not of the root
	FindOne
	Find
	FindConnection
	FindSingle
	Create
	Update
	Delete
	Changed // a stream of changes
	Special // about files, users, roles, locales or the caller: known by its name
)

// Field says what a field of the schema means.
type Field struct {
	Op   Op           // of a field of the root
	Type *schema.Type // the content type of an operation, nil for none; otherwise the type with the attribute

	// Attribute is nil for an operation, and for an attribute that the type has in Strapi
	// alone.
	Attribute  *schema.Attribute
	Connection bool  // the field shows a list as nodes
	Enum       *Enum // of an enumeration
}

// New makes the schema of a site. The error names two things that would have the same name
// in GraphQL.
func New(site *schema.Site) (*Schema, error) {
	w := &writer{site: site, origin: map[string]string{}, operations: map[string]*Field{}, types: map[string]*schema.Type{}, zoneItems: map[string]bool{}}
	w.writeAll()
	if w.err != nil {
		return nil, w.err
	}
	document, err := parser.ParseSchemas(validator.Prelude, &ast.Source{Name: "schema", Input: w.text(nil) + atomicDirective})
	if err != nil {
		return nil, fmt.Errorf("the site has no GraphQL schema: %w", err)
	}
	used := reachable(document)
	document.Definitions = slices.DeleteFunc(document.Definitions, func(d *ast.Definition) bool { return !d.BuiltIn && !used[d.Name] })
	s := &Schema{
		text: w.text(used) + atomicDirective, types: w.types, zoneItems: w.zoneItems, limits: limitsOf(&site.Settings),
		fields: map[*ast.FieldDefinition]*Field{}, enums: map[string]*Enum{}, known: newKnownQueries(),
	}
	if s.ast, err = validator.ValidateSchemaDocument(document); err != nil {
		return nil, fmt.Errorf("the site has no GraphQL schema: %w", err)
	}
	delete(s.ast.Directives, "defer") // the parser knows it, and Strapi does not
	if s.types["Subscription"] != nil {
		s.ast.Subscription = nil // it is a content type
	}
	s.nameFields(site, w.operations)
	s.rules = s.newRules()
	return s, nil
}

// nameFields notes what the fields of the root and those of content mean.
func (s *Schema) nameFields(site *schema.Site, operations map[string]*Field) {
	for _, root := range []*ast.Definition{s.ast.Query, s.ast.Mutation, s.ast.Subscription} {
		if root == nil {
			continue
		}
		for _, f := range root.Fields {
			if s.fields[f] = operations[f.Name]; s.fields[f] == nil {
				s.fields[f] = &Field{Op: Special, Type: site.Type(pluginTypes[f.Name])}
			}
		}
	}
	for name, t := range s.types {
		for _, f := range s.ast.Types[name].Fields {
			means := &Field{Type: t, Attribute: t.Attribute(f.Name)}
			if many, ok := strings.CutSuffix(f.Name, "_connection"); ok && means.Attribute == nil {
				means.Attribute, means.Connection = t.Attribute(many), true
			}
			switch a := means.Attribute; {
			case a == nil:
			case a.Private:
				means.Attribute = nil
			case a.Kind == schema.Enumeration:
				means.Enum = enumOf(a)
				s.enums[enumName(a)] = means.Enum
			}
			s.fields[f] = means
		}
	}
}

// SDL returns the schema as text, in the form and the order of Strapi's. What Quire adds
// comes last: subscriptions, and @atomic.
func (s *Schema) SDL() string { return s.text }

// AST returns the schema as the parser knows it. It must not be changed.
func (s *Schema) AST() *ast.Schema { return s.ast }

// Means returns what a field means; nil for fields of types that are not content, which are
// known by their names.
func (s *Schema) Means(f *ast.FieldDefinition) *Field { return s.fields[f] }

// Type returns the content type or component of a name in GraphQL, or nil.
func (s *Schema) Type(name string) *schema.Type { return s.types[name] }

// reachable returns the names of the types that an operation can lead to: Strapi leaves out
// the others.
func reachable(document *ast.SchemaDocument) map[string]bool {
	byName := map[string]*ast.Definition{}
	for _, d := range document.Definitions {
		byName[d.Name] = d
	}
	used := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		d := byName[name]
		if d == nil || used[name] {
			return
		}
		used[name] = true
		for _, member := range d.Types {
			visit(member)
		}
		for _, f := range d.Fields {
			visit(f.Type.Name())
			for _, a := range f.Arguments {
				visit(a.Type.Name())
			}
		}
	}
	visit("Query")
	visit("Mutation")
	visit("Subscription")
	return used
}
