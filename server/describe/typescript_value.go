package describe

import (
	"fmt"
	"strconv"
	"strings"

	"quire/schema"
)

// scalarOutput is the type of a plain value in answers.
func (w *typeWriter) scalarOutput(a *schema.Attribute) string {
	switch a.System {
	case schema.SystemCreatedAt, schema.SystemUpdatedAt:
		return "string"
	case schema.SystemPublishedAt:
		if a.Owner.DraftAndPublish {
			return "PublishedAt<S>"
		}
		return "string"
	case schema.SystemLocale:
		return "LocaleCode"
	}
	value := scalarType(a)
	if value == "unknown" {
		return value
	}
	return value + orNull(a)
}

// orNull is what an answer can have instead of a value: " | null", " | Missing<S>"
// where only drafts can lack the value, or "".
func orNull(a *schema.Attribute) string {
	switch {
	case !alwaysHasValue(a):
		return " | null"
	case a.Owner.DraftAndPublish || a.Owner.IsComponent():
		return " | Missing<S>"
	}
	return ""
}

// scalarType is the type of a plain value that is not null.
func scalarType(a *schema.Attribute) string {
	switch a.Kind {
	case schema.Enumeration:
		return unionType(a.Enum)
	case schema.Integer, schema.Float, schema.Decimal:
		return "number"
	case schema.Boolean:
		return "boolean"
	case schema.Blocks:
		return "Blocks"
	case schema.JSON:
		if isFormats(a) {
			return "Record<string, PictureFormat>"
		}
		return "unknown"
	}
	return "string"
}

// isFormats reports whether an attribute holds the smaller copies of a picture.
func isFormats(a *schema.Attribute) bool {
	return a.Owner.UID == schema.FileUID && a.Name == "formats"
}

func unionType(values []string) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = quoteText(v)
	}
	return strings.Join(quoted, " | ")
}

// quoteText writes a text as JSON does, which TypeScript reads.
func quoteText(value string) string { return string(appendJSON(nil, value)) }

// populatedOutput is the type of a populated attribute.
func (w *typeWriter) populatedOutput(a *schema.Attribute) string {
	item := w.itemOf(a)
	switch {
	case isMany(a) && strings.Contains(item, " | "):
		return "(" + item + ")[]"
	case isMany(a):
		return item + "[]"
	case a.Kind == schema.Component:
		return item + orNull(a)
	}
	return item + " | null"
}

// itemOf is the type of one entry or instance of a populated attribute.
func (w *typeWriter) itemOf(a *schema.Attribute) string {
	switch {
	case a.Kind == schema.DynamicZone:
		return w.zone(a, w.entryOf)
	case a.Kind == schema.Component:
		return w.entryOf(a.ComponentType)
	case a.Relation.Target != nil:
		return w.entryOf(a.Relation.Target)
	case w.anyVersioned():
		return "AnyEntry<S>"
	}
	return "AnyEntry"
}

// zone joins the components of a dynamic zone, each with its name.
func (w *typeWriter) zone(a *schema.Attribute, of func(*schema.Type) string) string {
	var members []string
	for _, t := range a.Zone {
		members = append(members, fmt.Sprintf("({ __component: %s } & %s)", strconv.Quote(t.UID), of(t)))
	}
	return strings.Join(members, " | ")
}

// inputType is the type of a value in a body.
func (w *typeWriter) inputType(a *schema.Attribute) string {
	instance := func(t *schema.Type) string { return "ComponentInstance<" + w.names[t] + "Input>" }
	switch {
	case a.Kind == schema.DynamicZone:
		return "(" + w.zone(a, instance) + ")[]"
	case a.Kind == schema.Component && a.Repeatable:
		return instance(a.ComponentType) + "[]"
	case a.Kind == schema.Component:
		return instance(a.ComponentType) + orNullInput(a)
	case a.Relation != nil:
		return linkType(a.Relation)
	case a.Kind == schema.BigInteger:
		return "string | number" + orNullInput(a)
	case a.Kind == schema.JSON:
		return "unknown"
	}
	return scalarType(a) + orNullInput(a)
}

// orNullInput is orNull for a value in a body.
func orNullInput(a *schema.Attribute) string {
	if a.AlwaysRequired() || neededToPublish(a) {
		return ""
	}
	return " | null"
}

func linkType(r *schema.Relation) string {
	form := "ToOne"
	if r.Many() {
		form = "ToMany"
	}
	if r.Morph() {
		return form + "<MorphLink<ContentTypeUid>>"
	}
	return form
}
