package mcp

import (
	"fmt"
	"slices"
	"strings"

	"quire/auth/people"
	"quire/schema"
)

// What types and attributes there are, in few words. It has no text of the content.

var describeTool = newTool("describe", "Content types that you may use, or one of them: its attributes and how to write each. Call it first.", reads, describe)

type describeArguments struct {
	Type string `json:"type" about:"uid, such as api::article.article; leave it out to list all"`
}

// mostTypesCounted is the maximum number of types whose documents describe counts.
const mostTypesCounted = 100

func describe(r *Request, a *describeArguments) (*toolResult, error) {
	if a.Type != "" {
		t, err := r.typeOf(a.Type)
		if err != nil {
			return nil, err
		}
		return &toolResult{text: r.describeType(t)}, nil
	}
	var codes []string
	for _, l := range r.server.site.Settings.Locales {
		codes = append(codes, l.Code)
	}
	s := say("Locales: %s (default %s)\nuid, name: kind, documents\n", strings.Join(codes, " "), r.server.site.Settings.DefaultLocale)
	n := 0
	for t := range r.server.site.Served() {
		if !r.knows(t) {
			continue
		}
		count := ""
		if n++; n <= mostTypesCounted && t.Kind != schema.Single && r.Caller.Allows(t, schema.Find) {
			of, err := r.count(t, readParams{}, "")
			if err != nil {
				return nil, err
			}
			count = ", " + string(of)
		}
		s.text = fmt.Appendf(s.text, "%s, %s: %s%s\n", t.UID, t.Display, kindOf(t), count)
	}
	return s, nil
}

func kindOf(t *schema.Type) string {
	words := "collection"
	if t.Kind == schema.Single {
		words = "single"
	}
	if t.DraftAndPublish {
		words += " with drafts"
	}
	if t.Localized {
		words += ", localized"
	}
	return words
}

// describeType describes a type for the agent.
func (r *Request) describeType(t *schema.Type) []byte {
	sight := r.Caller.Sight(t)
	dst := fmt.Appendf(nil, "%s, %s: %s; title: %s\n", t.UID, t.Display, kindOf(t), t.MainField(sight.Sees).Name)
	if t.Localized {
		dst = append(dst, "An attribute with * has one value for all locales.\n"...)
	}
	if t.Description != "" {
		dst = fmt.Appendf(dst, "%s\n", cutBytes(t.Description, textInOne))
	}
	d := &describer{Request: r, components: map[*schema.Type]bool{}}
	dst = d.attributes(dst, t, sight, "", 0)
	return fmt.Appendf(dst, "You may: %s\n", r.may(t))
}

// may lists what the agent may do with a type.
func (r *Request) may(t *schema.Type) string {
	var words []string
	for _, one := range []struct {
		word      string
		approval  people.Allowed
		instances []schema.Action
	}{
		{"read", people.Yes, []schema.Action{schema.Find, schema.FindOne}}, {"read drafts", people.Yes, []schema.Action{schema.ReadDraft}},
		{"create", people.Yes, []schema.Action{schema.Create, schema.CreateDraft}}, {"update", people.Yes, []schema.Action{schema.Update, schema.UpdateDraft}},
		{"publish", r.Limits.Publish, []schema.Action{schema.Publish}}, {"delete", r.Limits.Delete, []schema.Action{schema.Delete}},
	} {
		who := r.Caller
		if one.approval == people.Ask && r.Proposer != nil {
			who = r.Proposer
		}
		allowed := slices.ContainsFunc(one.instances, func(a schema.Action) bool { return who.Allows(t, a) })
		switch {
		case allowed && one.approval == people.Ask:
			words = append(words, one.word+" (after a person agrees)")
		case allowed:
			words = append(words, one.word)
		}
	}
	return strings.Join(words, ", ")
}

// describer describes attributes. Each component is described once.
type describer struct {
	*Request
	components map[*schema.Type]bool
}

// mostValues is how many values of an enumeration are listed.
const mostValues = 50

// mostLevels limits components in components.
const mostLevels = 6

func (d *describer) attributes(dst []byte, t *schema.Type, sight *schema.Sight, indent string, level int) []byte {
	for _, a := range t.Attributes {
		if !sight.Sees(a) || a.Kind == schema.RelationKind && a.Relation.Target != nil && !d.Caller.Allows(a.Relation.Target, schema.Find) {
			continue
		}
		mark := ""
		if t.Localized && !a.Localized {
			mark = "*"
		}
		dst = fmt.Appendf(dst, "%s%s%s: %s", indent, a.Name, mark, d.valueOf(a, sight))
		for _, rule := range rulesOf(a, sight) {
			dst = append(append(dst, ", "...), rule...)
		}
		dst = append(dst, '\n')
		inner := a.Zone
		if a.ComponentType != nil {
			inner = []*schema.Type{a.ComponentType}
		}
		for _, c := range inner {
			if d.components[c] || level == mostLevels {
				continue
			}
			d.components[c] = true
			if a.Zone != nil {
				dst = fmt.Appendf(dst, "%s  %s\n", indent, c.UID)
			}
			dst = d.attributes(dst, c, sight.Within(a), indent+"    ", level+1)
		}
	}
	return dst
}

// valueOf says what to write for an attribute.
func (d *describer) valueOf(a *schema.Attribute, sight *schema.Sight) string {
	switch a.Kind {
	case schema.RichText:
		return "text in Markdown"
	case schema.Blocks:
		return "text in Markdown (or blocks as JSON)"
	case schema.Enumeration:
		words := "one of " + strings.Join(a.Enum[:min(len(a.Enum), mostValues)], ", ")
		if more := len(a.Enum) - mostValues; more > 0 {
			words += fmt.Sprintf(" and %d more", more)
		}
		return words
	case schema.Date:
		return "date 2030-01-31"
	case schema.Time:
		return "time 12:30:00.000"
	case schema.DateTime, schema.Timestamp:
		return "datetime 2030-01-31T12:30:00.000Z"
	case schema.BigInteger:
		return "whole number as text"
	case schema.UID:
		if target := a.Owner.Attribute(a.TargetField); target != nil && sight.Sees(target) {
			return "uid made of " + a.TargetField
		}
	case schema.Media:
		kinds := strings.Join(a.AllowedFiles, ", ")
		if kinds == "" {
			kinds = "any"
		}
		return many(a, "file id", "list of file ids") + " (" + kinds + ")"
	case schema.RelationKind:
		if a.Relation.Target == nil {
			return many(a, "", "list of ") + `{"__type": uid, "documentId": …}`
		}
		return many(a, "documentId of ", `list of documentIds, or {"connect": […], "disconnect": […]}, of `) + a.Relation.Target.UID
	case schema.Component:
		if a.Repeatable {
			return "list of objects (" + a.ComponentType.UID + ")"
		}
		return "object (" + a.ComponentType.UID + ")"
	case schema.DynamicZone:
		return `list of objects, each with "__component"`
	}
	return a.Kind.String()
}

func many(a *schema.Attribute, one, several string) string {
	if a.Relation.Many() {
		return several
	}
	return one
}

// rulesOf lists the rules of an attribute.
func rulesOf(a *schema.Attribute, sight *schema.Sight) (rules []string) {
	add := func(applies bool, format string, args ...any) {
		if applies {
			rules = append(rules, fmt.Sprintf(format, args...))
		}
	}
	add(!sight.Sets(a), "read only")
	add(a.Required, "required")
	add(a.Unique, "unique")
	add(a.MinLength != nil, "at least %d characters", value(a.MinLength))
	add(a.MaxLength != nil, "up to %d characters", value(a.MaxLength))
	add(a.Min != nil, "from %v", value(a.Min))
	add(a.Max != nil, "to %v", value(a.Max))
	add(a.MinItems != nil, "at least %d", value(a.MinItems))
	add(a.MaxItems != nil, "up to %d", value(a.MaxItems))
	add(a.Pattern != nil, "matches %s", a.PatternText)
	add(a.Private, "private")
	return rules
}

func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
