package graphql

import (
	"slices"
	"strings"

	"quire/schema"
)

// scalarNames are the types of plain values.
var scalarNames = map[schema.Kind]string{
	schema.String: "String", schema.Text: "String", schema.RichText: "String", schema.Email: "String",
	schema.Password: "String", schema.UID: "String", schema.Enumeration: "String",
	schema.Boolean: "Boolean", schema.Integer: "Int", schema.BigInteger: "Long",
	schema.Float: "Float", schema.Decimal: "Float", schema.Date: "Date", schema.Time: "Time",
	schema.DateTime: "DateTime", schema.Timestamp: "DateTime", schema.JSON: "JSON", schema.Blocks: "JSON",
}

// listArguments are the arguments of a list of records of a type.
func listArguments(name string) []string {
	return []string{"filters: " + name + "FiltersInput", "pagination: PaginationArg = {}", "sort: [String] = []"}
}

var versionArguments = []string{"status: PublicationStatus = PUBLISHED", "hasPublishedVersion: Boolean", "publicationFilter: PublicationFilter"}

// localeArgument is the last argument of the operations of localized types.
const localeArgument = "locale: I18NLocaleCode"

// attributesOf returns the declared attributes of a type and those of the system, without
// the ids.
func attributesOf(t *schema.Type) []*schema.Attribute {
	all := slices.Clone(t.Attributes)
	for _, a := range t.System {
		if a.System != schema.SystemID && a.System != schema.SystemDocumentID {
			all = append(all, a)
		}
	}
	return all
}

// filterLines returns the fields of the filters of a type.
func filterLines(t *schema.Type, name string) (lines []string) {
	if t.Kind == schema.Collection {
		lines = append(lines, "documentId: IDFilterInput")
	}
	for _, a := range attributesOf(t) {
		switch {
		case a.Private || a.Kind == schema.Media || a.Kind == schema.DynamicZone:
		case a.Kind == schema.Component:
			lines = append(lines, a.Name+": "+typeName(a.ComponentType)+"FiltersInput")
		case a.Relation == nil:
			lines = append(lines, a.Name+": "+scalarNames[a.Kind]+"FilterInput")
		case follows(a):
			lines = append(lines, a.Name+": "+typeName(a.Relation.Target)+"FiltersInput")
		}
	}
	for _, group := range []string{"and: [" + name + "]", "or: [" + name + "]", "not: " + name} {
		if operator, _, _ := strings.Cut(group, ":"); t.Attribute(operator) == nil {
			lines = append(lines, group)
		}
	}
	return lines
}

// follows reports whether a relation leads to one type that GraphQL shows. Strapi leaves
// out the relations that are seen from the target of a polymorphic one.
func follows(a *schema.Attribute) bool {
	switch a.Relation.Form {
	case schema.MorphToOne, schema.MorphToMany, schema.MorphOne, schema.MorphMany:
		return false
	}
	return a.Relation.Target != nil && a.Relation.Target.UID != schema.FolderUID
}

// inputLines returns the fields of what a client writes of a type: private ones too.
func inputLines(t *schema.Type) (lines []string) {
	if t.IsComponent() {
		lines = append(lines, "id: ID")
	}
	for _, a := range attributesOf(t) {
		if kind := inputType(a); kind != "" {
			lines = append(lines, a.Name+": "+kind)
		}
	}
	if !t.IsComponent() && !t.Localized {
		lines = append(lines, "locale: String")
	}
	return lines
}

// inputType returns the type of an attribute in an input; empty if no client writes it.
func inputType(a *schema.Attribute) string {
	switch {
	case a.System != schema.NotSystem && a.System != schema.SystemPublishedAt, a.Name == "sessionEpoch" && a.Reserved(), a.Name == "providerKey" && a.Reserved():
		return ""
	case a.Kind == schema.Enumeration:
		return enumName(a)
	case a.Kind == schema.Component:
		return listIf(a.Repeatable, typeName(a.ComponentType)+"Input")
	case a.Kind == schema.DynamicZone:
		return "[" + zoneName(a) + "Input!]"
	case a.Relation == nil:
		return scalarNames[a.Kind]
	case follows(a):
		return listIf(a.Relation.Many(), "ID")
	}
	return ""
}

func listIf(many bool, name string) string {
	if many {
		return "[" + name + "]"
	}
	return name
}

// outputLines returns the fields of what a client reads of a type.
func outputLines(t *schema.Type) []string {
	lines := []string{"documentId: ID!"}
	if t.IsComponent() {
		lines = []string{"id: ID!"}
	}
	for _, a := range attributesOf(t) {
		must := ""
		if a.AlwaysRequired() {
			must = "!"
		}
		kind := outputType(a)
		if a.Private || kind == "" {
			continue
		}
		if a.Relation != nil && follows(a) && a.Relation.Many() && t.Attribute(a.Name+"_connection") == nil {
			lines = append(lines, fieldLine(a.Name+"_connection", arguments(a), typeName(a.Relation.Target)+"RelationResponseCollection"+must))
		}
		lines = append(lines, fieldLine(a.Name, arguments(a), kind+must))
	}
	return lines
}

// outputType returns the type of an attribute in a response, without the mark of a required
// one; empty if responses do not have it.
func outputType(a *schema.Attribute) string {
	switch {
	case a.Kind == schema.Enumeration:
		return enumName(a)
	case a.Kind == schema.Component:
		return listIf(a.Repeatable, typeName(a.ComponentType))
	case a.Kind == schema.DynamicZone:
		return "[" + zoneName(a) + "]"
	case a.Relation == nil:
		return scalarNames[a.Kind]
	case a.Relation.Morph():
		return listIf(a.Relation.Many(), "GenericMorph")
	case !follows(a):
		return ""
	case a.Relation.Many() && !a.Required:
		return "[" + typeName(a.Relation.Target) + "]!"
	}
	return listIf(a.Relation.Many(), typeName(a.Relation.Target))
}

// arguments returns the arguments of an attribute in a response.
func arguments(a *schema.Attribute) []string {
	switch {
	case a.Kind == schema.Component && a.Repeatable:
		return listArguments(typeName(a.ComponentType))
	case a.Relation != nil && follows(a) && a.Relation.Many() && a.Relation.Target.Kind == schema.Collection:
		return listArguments(typeName(a.Relation.Target))
	}
	return nil
}

// fieldLine returns the definition of a field, on several lines if an argument has a
// description, as the locale has.
func fieldLine(name string, arguments []string, kind string) string {
	switch n := len(arguments); {
	case n == 0:
		return name + ": " + kind
	case arguments[n-1] == localeArgument:
		described := "    \"\"\"The locale to use for the query\"\"\"\n    " + localeArgument
		if n > 1 {
			described = "    " + strings.Join(arguments[:n-1], "\n    ") + "\n\n" + described
		}
		return name + "(\n" + described + "\n  ): " + kind
	}
	return name + "(" + strings.Join(arguments, ", ") + "): " + kind
}
