package graphql

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"quire/schema"
)

//go:embed internals.graphql
var internals string // what stands before the types of a site

//go:embed builtin.graphql
var builtin string // files, locales and roles, which no site changes

//go:embed plugins.graphql
var plugins string // what stands after the types of a site

//go:embed mutations.graphql
var pluginMutations string // fields of Mutation that do not depend on the site

// writer writes a schema, one definition after the other.
type writer struct {
	site       *schema.Site
	written    []definition
	origin     map[string]string // by the name of a definition: what it is made of
	members    []string          // of the union of all content types and components
	operations map[string]*Field // fields of the root that read and write content
	types      map[string]*schema.Type
	zoneItems  map[string]bool
	err        error
}

type definition struct{ name, text string }

// text returns the definitions that are used; nil means all.
func (w *writer) text(used map[string]bool) string {
	var texts []string
	for _, d := range w.written {
		if used == nil || used[d.name] {
			texts = append(texts, d.text)
		}
	}
	return strings.Join(texts, "\n\n") + "\n"
}

// writeAll writes the definitions in the order of Strapi.
func (w *writer) writeAll() {
	w.writeFixed(internals)
	for _, scalar := range []string{"ID", "Boolean", "String", "Int", "Long", "Float", "Date", "Time", "DateTime", "JSON"} {
		w.writeOperators(scalar)
	}
	for _, t := range w.site.Components {
		w.writeType(t)
	}
	file, role, user := w.site.Type(schema.FileUID), w.site.Type(schema.RoleUID), w.site.Type(schema.UserUID)
	w.types[typeName(file)], w.types[typeName(role)] = file, role
	w.members = append(w.members, typeName(file), "I18NLocale", "UsersPermissionsPermission", typeName(role))
	w.writeFixed(w.withoutHidden(role, builtin))
	w.writeType(user)
	w.block("type", "UsersPermissionsUserEntityResponse", "", []string{"data: UsersPermissionsUser"})
	queries := append(w.queries(file), localeQueries()...)
	queries = append(append(queries, w.queries(role)...), w.queries(user)...)
	var mutations []string
	for t := range w.site.Served() {
		w.writeType(t)
		queries, mutations = append(queries, w.queries(t)...), append(mutations, w.mutations(t)...)
	}
	w.define("GenericMorph", "", "union GenericMorph = "+strings.Join(w.members, " | "))
	w.writeFixed(plugins)
	w.block("type", "Query", "", append(queries, "me: UsersPermissionsMe"))
	w.block("type", "Mutation", "", append(mutations, strings.TrimSpace(pluginMutations)))
	if !w.has("Subscription") {
		w.writeSubscription()
	}
}

// atomicDirective is Quire's own, as subscriptions are.
const atomicDirective = `
"""All fields of the mutation are one transaction: all are done, or none."""
directive @atomic on MUTATION
`

func (w *writer) has(name string) bool {
	_, taken := w.origin[name]
	return taken
}

// writeSubscription writes the streams of changes of each content type.
func (w *writer) writeSubscription() {
	var lines []string
	for t := range w.site.Served() {
		name := typeName(t)
		change := name + "Change"
		for w.has(change) {
			change += "_"
		}
		w.block("type", change, "", []string{"action: String!", "at: DateTime!", "documentId: ID!", "entry: " + name})
		arguments := []string{"documentId: ID", "filters: " + name + "FiltersInput", "status: PublicationStatus = PUBLISHED"}
		if t.Kind == schema.Single {
			arguments = arguments[2:]
		}
		lines = append(lines, w.operation(t, lowerFirst(name)+"Changed", Changed, arguments, change+"!"))
	}
	if lines != nil {
		w.block("type", "Subscription", "", lines)
	}
}

// withoutHidden removes the lines of the attributes of the system that the site hides in
// all types.
func (w *writer) withoutHidden(t *schema.Type, text string) string {
	var kept strings.Builder
	for line := range strings.Lines(text) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), ":")
		if a := t.Attribute(name); a == nil || a.System == schema.NotSystem || !a.Private {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

var validName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// define adds a definition; of is what it is made of, for the message if two have one name.
func (w *writer) define(name, of, text string) {
	switch first, twice := w.origin[name]; {
	case w.err != nil:
	case twice:
		w.err = fmt.Errorf("%s and %s would both be %s in GraphQL; rename one of them", describe(first), describe(of), name)
	case !validName.MatchString(name):
		w.err = fmt.Errorf("%s would be %q in GraphQL, whose names have letters, digits and _ only, and no digit first", describe(of), name)
	}
	w.origin[name] = of
	w.written = append(w.written, definition{name, text})
}

func describe(of string) string {
	if of == "" {
		return "a type of GraphQL itself"
	}
	return of
}

// block adds a definition with a line for each of its fields.
func (w *writer) block(kind, name, of string, lines []string) {
	w.define(name, of, kind+" "+name+" {\n  "+strings.Join(lines, "\n  ")+"\n}")
}

// writeFixed adds definitions that do not depend on the site, with empty lines between them.
func (w *writer) writeFixed(text string) {
	for part := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		for line := range strings.Lines(part) {
			words := strings.Fields(line)
			if len(words) > 1 && slices.Contains([]string{"scalar", "type", "enum", "input"}, words[0]) {
				w.define(words[1], "", part)
			}
		}
	}
}

// operatorNames are the operators of a scalar after and, or and not.
const operatorNames = "eq eqi ne nei startsWith endsWith contains notContains containsi notContainsi gt gte lt lte null notNull in notIn between"

func (w *writer) writeOperators(scalar string) {
	name := scalar + "FilterInput"
	lines := []string{"and: [" + scalar + "]", "or: [" + scalar + "]", "not: " + name}
	for _, operator := range strings.Fields(operatorNames) {
		operand := scalar
		switch operator {
		case "null", "notNull":
			operand = "Boolean"
		case "in", "notIn", "between":
			operand = "[" + scalar + "]"
		}
		lines = append(lines, operator+": "+operand)
	}
	w.block("input", name, "", lines)
}

// writeType writes the types of one content type or component.
func (w *writer) writeType(t *schema.Type) {
	name := typeName(t)
	w.types[name], w.members = t, append(w.members, name)
	for _, a := range t.Attributes {
		switch a.Kind {
		case schema.Enumeration:
			w.writeEnum(a)
		case schema.DynamicZone:
			w.writeZone(a)
		}
	}
	w.block("input", name+"FiltersInput", t.UID, filterLines(t, name+"FiltersInput"))
	w.block("input", name+"Input", t.UID, inputLines(t))
	w.block("type", name, t.UID, outputLines(t))
	if !t.IsComponent() {
		nodes := "nodes: [" + name + "!]!"
		w.block("type", name+"EntityResponseCollection", t.UID, []string{nodes, "pageInfo: Pagination!"})
		w.block("type", name+"RelationResponseCollection", t.UID, []string{nodes})
	}
}

func (w *writer) writeEnum(a *schema.Attribute) {
	var lines []string
	for _, name := range enumOf(a).Names {
		if !slices.Contains(lines, name) {
			lines = append(lines, name)
		}
	}
	w.block("enum", enumName(a), a.Owner.UID+"."+a.Name, lines)
}

func enumOf(a *schema.Attribute) *Enum {
	e := &Enum{Values: a.Enum}
	for _, value := range a.Enum {
		e.Names = append(e.Names, enumValueName(value))
	}
	return e
}

func (w *writer) writeZone(a *schema.Attribute) {
	name, of := zoneName(a), a.Owner.UID+"."+a.Name
	var members []string
	for _, t := range a.Zone {
		members = append(members, typeName(t))
	}
	w.define(name, of, "union "+name+" = "+strings.Join(append(members, "Error"), " | "))
	w.define(name+"Input", of, "scalar "+name+"Input")
	w.zoneItems[name+"Input"] = true
}

// queries returns the fields of Query that read a content type.
func (w *writer) queries(t *schema.Type) []string {
	name := typeName(t)
	one, many := lowerFirst(name), lowerFirst(pluginName(t)+pascalCase(t.Plural))
	if t.Kind == schema.Single {
		return []string{w.operation(t, one, FindSingle, versionArguments, name)}
	}
	list := slices.Concat(listArguments(name), versionArguments)
	return []string{
		w.operation(t, one, FindOne, append([]string{"documentId: ID!"}, versionArguments...), name),
		w.operation(t, many+"_connection", FindConnection, list, name+"EntityResponseCollection"),
		w.operation(t, many, Find, list, "["+name+"]!"),
	}
}

// localeQueries returns the fields of Query that read the locales of the site, which are no
// content here.
func localeQueries() []string {
	const name = "I18NLocale"
	list := slices.Concat(listArguments(name), versionArguments)
	return []string{
		fieldLine("i18NLocale", append([]string{"documentId: ID!"}, versionArguments...), name),
		fieldLine("i18NLocales_connection", list, name+"EntityResponseCollection"),
		fieldLine("i18NLocales", list, "["+name+"]!"),
	}
}

// mutations returns the fields of Mutation that write a content type.
func (w *writer) mutations(t *schema.Type) (lines []string) {
	name := typeName(t)
	write := []string{"status: PublicationStatus = PUBLISHED", "data: " + name + "Input!"}
	var id []string
	if t.Kind != schema.Single {
		id = []string{"documentId: ID!"}
		lines = append(lines, w.operation(t, "create"+name, Create, write, name))
	}
	return append(lines,
		w.operation(t, "update"+name, Update, append(id, write...), name),
		w.operation(t, "delete"+name, Delete, id, "DeleteMutationResponse"))
}

func (w *writer) operation(t *schema.Type, name string, op Op, arguments []string, kind string) string {
	if t.Localized {
		arguments = append(slices.Clone(arguments), localeArgument)
	}
	w.operations[name] = &Field{Op: op, Type: t}
	return fieldLine(name, arguments, kind)
}
