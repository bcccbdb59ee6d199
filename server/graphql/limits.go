package graphql

import (
	"fmt"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"quire/schema/settings"
)

// Limits limit what a request may contain. They are checked before the work that they
// limit.
type Limits struct {
	Tokens        int  // in the text of the query
	Depth         int  // fields inside fields, the first at 0; as the plugin's depthLimit
	Fields        int  // of all operations together, with those of each fragment wherever it is used
	Roots         int  // fields of the root
	Aliases       int  // fields of an operation with a name of their own
	VariableBytes int  // of all variables in JSON
	Values        int  // in the variables
	Operands      int  // in the arguments of one field of the root and of the relations in it
	ArgumentBytes int  // of all arguments, with the value of a variable wherever it is used
	Introspection bool // __schema and __type are answered

	DefaultLimit, MaxLimit int // of lists, also inside others; a MaxLimit of -1 is none
}

// DefaultLimits are the limits of a site that sets none.
func DefaultLimits() Limits {
	return Limits{Tokens: 10_000, Depth: 10, Fields: 2_000, Roots: 50, Aliases: 200, VariableBytes: 1 << 20, Values: 50_000, Operands: 2_000, ArgumentBytes: 1 << 20, Introspection: true, DefaultLimit: 10, MaxLimit: -1}
}

// limitsOf returns the limits of a site.
func limitsOf(s *settings.Settings) Limits {
	l := DefaultLimits()
	l.ArgumentBytes = int(s.Limits.BodyBytes)
	l.Depth, l.Introspection = s.GraphQL.DepthLimit, s.GraphQL.Introspection
	l.DefaultLimit, l.MaxLimit = s.GraphQL.DefaultLimit, s.GraphQL.Most()
	return l
}

// size is what an operation asks for, with all its fragments.
type size struct{ roots, fields, aliases, depth int }

// measure sums up selections. Each fragment is measured once, so it takes time
// proportional to the text, however often fragments use each other.
type measure struct {
	fragments     ast.FragmentDefinitionList
	measured      map[string]size
	introspection bool // __schema or __type occurs
}

// enough is more than any limit: sums stop here.
const enough = 1 << 30

func (m *measure) selections(set ast.SelectionSet) (sum size) {
	for _, one := range set {
		var s size
		switch one := one.(type) {
		case *ast.Field:
			s = m.field(one)
		case *ast.InlineFragment:
			s = m.selections(one.SelectionSet)
		case *ast.FragmentSpread:
			s = m.fragment(one.Name)
		}
		sum.roots = min(sum.roots+s.roots, enough)
		sum.fields = min(sum.fields+s.fields, enough)
		sum.aliases = min(sum.aliases+s.aliases, enough)
		sum.depth = max(sum.depth, s.depth)
	}
	return sum
}

func (m *measure) field(f *ast.Field) size {
	s := m.selections(f.SelectionSet)
	s.roots = 1
	s.fields++
	if f.Alias != f.Name {
		s.aliases++
	}
	switch {
	case strings.HasPrefix(f.Name, "__"):
		s.depth = 0 // the schema is not content, and has its own depth
		m.introspection = m.introspection || f.Name != "__typename"
	case len(f.SelectionSet) > 0:
		s.depth++
	}
	return s
}

// fragment measures a fragment. One that uses itself counts as empty inside itself; the
// validation refuses it.
func (m *measure) fragment(name string) size {
	s, done := m.measured[name]
	if f := m.fragments.ForName(name); f != nil && !done {
		m.measured[name] = size{}
		s = m.selections(f.SelectionSet)
		m.measured[name] = s
	}
	return s
}

// check refuses a document with an operation that exceeds the limits.
func (l *Limits) check(document *ast.QueryDocument) *Refusal {
	m := measure{fragments: document.Fragments, measured: map[string]size{}}
	for _, f := range document.Fragments { // one that is not used is validated too
		if s := m.fragment(f.Name); s.fields > l.Fields {
			return refuse(ValidationFailed, fmt.Sprintf("The query has more than %d fields", l.Fields))
		}
	}
	fields := 0
	for _, op := range document.Operations {
		s := m.selections(op.SelectionSet)
		fields += s.fields
		switch {
		case s.depth > l.Depth:
			return refuse(ValidationFailed, fmt.Sprintf("'%s' exceeds maximum operation depth of %d", op.Name, l.Depth))
		case fields > l.Fields:
			return refuse(ValidationFailed, fmt.Sprintf("The query has more than %d fields", l.Fields))
		case s.aliases > l.Aliases:
			return refuse(ValidationFailed, fmt.Sprintf("'%s' has more than %d aliases", op.Name, l.Aliases))
		case m.introspection && !l.Introspection:
			return refuse(ValidationFailed, "GraphQL introspection is not allowed, but the query contained __schema or __type")
		case s.roots > l.Roots:
			return refuse(ValidationFailed, fmt.Sprintf("'%s' has more than %d fields at the top", op.Name, l.Roots))
		}
	}
	return nil
}
