package graphql

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"
	"github.com/vektah/gqlparser/v2/validator/core"
	"github.com/vektah/gqlparser/v2/validator/rules"
)

// Operation is an operation of a request that may run: parsed, checked against the schema,
// and with its variables.
type Operation struct {
	schema    *Schema
	limits    *Limits
	def       *ast.OperationDefinition
	fragments ast.FragmentDefinitionList
	variables map[string]*ast.Value
	roots     []*Selected
	hash      queryHash
	key       string // identifies the operation and its variables
	weight    int    // of the arguments so far, in bytes
}

// IsMutation reports whether the operation writes.
func (o *Operation) IsMutation() bool { return o.def.Operation == ast.Mutation }

// IsSubscription reports whether the operation is a stream of events.
func (o *Operation) IsSubscription() bool { return o.def.Operation == ast.Subscription }

// isAtomic reports whether all fields of a mutation are one transaction.
func (o *Operation) isAtomic() bool { return o.def.Directives.ForName("atomic") != nil }

// Prepare parses a request and checks it. The limits come first: they refuse what would be
// expensive to check.
func (s *Schema) Prepare(r Request) (*Operation, *Refusal) {
	if len(r.Variables) > s.limits.VariableBytes {
		return nil, refuse(BadUserInput, "`variables` are too long")
	}
	document, hash, refusal := s.document(r)
	if refusal != nil {
		return nil, refusal
	}
	def, refusal := choose(document, r.OperationName)
	if refusal != nil {
		return nil, refusal
	}
	o := &Operation{schema: s, limits: &s.limits, def: def, fragments: document.Fragments, hash: hash, key: string(hash[:]) + def.Name + "\n" + string(r.Variables)}
	if refusal := cmp.Or(o.checkLength(r.Variables), o.readVariables(r.Variables)); refusal != nil {
		return nil, refusal
	}
	o.roots = o.collect(s.root(def).Name, def.SelectionSet)
	return o, o.checkRoots()
}

// document returns the parsed query of a request. What was parsed and found valid before is
// not parsed again.
func (s *Schema) document(r Request) (document *ast.QueryDocument, hash queryHash, refusal *Refusal) {
	persisted, refusal := readPersisted(r.Extensions)
	switch {
	case refusal != nil:
		return nil, hash, refusal
	case persisted != nil && r.Query == "":
		if document = s.known.find(*persisted); document == nil {
			return nil, hash, refuse(NotPersisted, "PersistedQueryNotFound")
		}
		return document, *persisted, s.checkStreams(document, r)
	case r.Query == "":
		return nil, hash, refuse(BadRequest, "GraphQL operations must contain a non-empty `query`")
	case !utf8.ValidString(r.Query):
		return nil, hash, refuse(BadRequest, "`query` is not valid UTF-8")
	}
	hash = sha256.Sum256([]byte(r.Query))
	if persisted != nil && *persisted != hash {
		return nil, hash, refuse(BadRequest, "provided sha does not match query")
	}
	if document = s.known.find(hash); document != nil {
		return document, hash, s.checkStreams(document, r)
	}
	if document, refusal = parse(r.Query, &s.limits); refusal == nil {
		refusal = s.checkStreams(document, r)
	}
	if refusal != nil {
		return nil, hash, refusal
	}
	if invalid := s.validate(document); len(invalid) > 0 {
		return nil, hash, refuseAll(ValidationFailed, invalid)
	}
	s.known.put(hash, document, len(r.Query))
	return document, hash, nil
}

// checkStreams refuses a subscription if the client or the site has no streams, as Strapi
// does: before the document is validated.
func (s *Schema) checkStreams(document *ast.QueryDocument, r Request) *Refusal {
	def, _ := choose(document, r.OperationName)
	if def == nil || def.Operation != ast.Subscription || r.Streams && s.ast.Subscription != nil {
		return nil
	}
	refusal := refuse(BadUserInput, "Schema is not configured to execute subscription operation.")
	refusal.Started, refusal.Errors[0].Name = true, "ValidationError"
	return refusal
}

// checkRoots refuses fields at the top that the kind of the operation does not take.
func (o *Operation) checkRoots() *Refusal {
	for _, root := range o.roots {
		switch content := root.Means != nil && root.Means.Op != Special; {
		case o.isAtomic() && !content && root.Field.Name != typenameField:
			return refuse(ValidationFailed, fmt.Sprintf(`"@atomic" is for mutations of content, and "%s" is not one.`, root.Field.Name))
		case o.IsSubscription() && (!content || len(o.roots) > 1):
			return refuse(ValidationFailed, "A subscription has one field at the top, which is one of its type.")
		}
	}
	return nil
}

// parse parses the text of a query within the limits.
func parse(text string, l *Limits) (*ast.QueryDocument, *Refusal) {
	document, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: text}, l.Tokens)
	switch fault, ok := err.(*gqlerror.Error); {
	case ok:
		refusal := refuseAll(ParseFailed, gqlerror.List{fault})
		refusal.Errors[0].Message = "Syntax Error: " + strings.TrimSuffix(fault.Message, ".") + "."
		return nil, refusal
	case err != nil:
		return nil, refuse(ParseFailed, "Syntax Error: "+err.Error())
	case len(document.Operations)+len(document.Fragments) == 0:
		return nil, refuse(ParseFailed, "Syntax Error: Unexpected <EOF>.")
	}
	return document, l.check(document)
}

// choose finds the operation that a request names, or the only one.
func choose(document *ast.QueryDocument, name string) (*ast.OperationDefinition, *Refusal) {
	switch {
	case name != "":
		if def := document.Operations.ForName(name); def != nil {
			return def, nil
		}
		return nil, refuse(NoOperation, `Unknown operation named "`+shorten(name)+`".`)
	case len(document.Operations) == 1:
		return document.Operations[0], nil
	case len(document.Operations) == 0:
		return nil, refuse(NoOperation, "Must provide an operation.")
	}
	return nil, refuse(NoOperation, "Must provide operation name if query contains multiple operations.")
}

// newRules returns the rules of the validation. Two differ from those of the parser, so that
// one mistake is one error, in the words of graphql-js. None suggests names: that compares a
// wrong name with each name of the schema.
func (s *Schema) newRules() (all []core.Rule) {
	byName := rules.NewDefaultRules()
	byName.ReplaceRule("KnownArgumentNames", rules.KnownArgumentNamesRuleWithoutSuggestions.RuleFunc)
	byName.ReplaceRule(knownTypes, rules.KnownTypeNamesRuleWithoutSuggestions.RuleFunc)
	byName.ReplaceRule("ScalarLeafs", rules.ScalarLeafsRuleWithoutSuggestions.RuleFunc)
	byName.ReplaceRule("FieldsOnCorrectType", checkFields)
	byName.ReplaceRule("ValuesOfCorrectType", s.checkValues)
	byName.RemoveRule("OverlappingFieldsCanBeMerged") // see merger
	for name, rule := range byName.GetInner() {
		all = append(all, core.Rule{Name: name, RuleFunc: rule})
	}
	slices.SortFunc(all, func(a, b core.Rule) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Two rules: what the first reports of a variable, the second reports again.
const (
	knownTypes       = "KnownTypeNames"
	allowedPositions = "VariablesInAllowedPosition"
)

// checkFields refuses fields that their type does not have.
func checkFields(events *core.Events, report core.AddErrFunc) {
	events.OnField(func(_ *core.Walker, f *ast.Field) {
		if d := f.ObjectDefinition; d != nil && d.IsCompositeType() && f.Definition == nil {
			report(core.Message(`Cannot query field "%s" on type "%s".`, shorten(f.Name), d.Name), core.At(f.Position))
		}
	})
}

// checkValues refuses values that do not have the type of their place.
func (s *Schema) checkValues(events *core.Events, report core.AddErrFunc) {
	events.OnValue(func(_ *core.Walker, v *ast.Value) {
		switch {
		case v.Definition == nil, v.ExpectedType == nil, v.Kind == ast.Variable:
		case v.Kind == ast.NullValue:
			if v.ExpectedType.NonNull {
				report(core.Message(`Expected value of type "%s", found null.`, v.ExpectedType), core.At(v.Position))
			}
		case v.ExpectedType.Elem != nil && v.Kind == ast.ListValue: // its items come by themselves
		default:
			for _, fault := range s.faults(v.Definition, v, true) {
				report(core.Message("%s", fault), core.At(v.Position))
			}
		}
	})
}

// root returns the type of an operation.
func (s *Schema) root(op *ast.OperationDefinition) *ast.Definition {
	switch op.Operation {
	case ast.Mutation:
		return s.ast.Mutation
	case ast.Subscription:
		return s.ast.Subscription
	}
	return s.ast.Query
}

// mostErrors is the maximum number of errors in one refusal.
const mostErrors = 50

func (s *Schema) validate(document *ast.QueryDocument) (errs gqlerror.List) {
	events := &core.Events{}
	for _, rule := range s.rules {
		rule.RuleFunc(events, func(options ...core.ErrorOption) {
			if len(errs) == mostErrors {
				return
			}
			err := &gqlerror.Error{Rule: rule.Name}
			for _, option := range options {
				option(err)
			}
			errs = append(errs, err)
		})
	}
	core.Walk(s.ast, document, events)
	if slices.ContainsFunc(errs, func(e *gqlerror.Error) bool { return e.Rule == knownTypes }) {
		errs = slices.DeleteFunc(errs, func(e *gqlerror.Error) bool { return e.Rule == allowedPositions })
	}
	if len(errs) > 0 {
		return errs
	}
	m := merger{schema: s, fragments: document.Fragments}
	for _, op := range document.Operations {
		m.check(placedSet{op.SelectionSet, mergedType{t: s.root(op)}})
	}
	return m.errs
}
