package edit

import (
	"slices"
	"strings"

	"quire/schema"
)

// The defaults of a type name attributes of the type, and of those to which its relations
// and components lead, in the JSON form of the parameters of reads.

// query reads {"populate", "sort", "fields", "filters"} of records that may be of any of
// some types. No types means unknown ones.
func (v *mentions) query(place string, s *span, types []*schema.Type) {
	for _, member := range s.parts {
		at := place + "." + member.key
		switch member.key {
		case "populate":
			v.populate(at, member, types)
		case "sort":
			v.sort(at, member, types)
		case "fields":
			v.names(at, member, types)
		case "filters":
			v.filters(at, member, types)
		case "find", "findOne": // of the defaults of a type
			v.query(at, member, types)
		case "on":
			v.fragments(at, member)
		}
	}
}

// fragments reads {"shared.seo": {...}}, which has more for each type of a zone.
func (v *mentions) fragments(place string, s *span) {
	for _, member := range s.parts {
		if at := place + "." + member.key; v.rekey(at, member) {
			v.query(at, member, v.typesOf(member.key))
		}
	}
}

func (v *mentions) populate(place string, s *span, types []*schema.Type) {
	if s.is != '{' {
		v.names(place, s, types)
		return
	}
	for _, member := range s.parts {
		next := v.member(place, member, types, true)
		if !member.gone {
			v.query(place+"."+member.key, member, next)
		}
	}
}

func (v *mentions) sort(place string, s *span, types []*schema.Type) {
	if s.is != '{' {
		v.names(place, s, types)
		return
	}
	for _, member := range s.parts {
		next := v.member(place, member, types, true)
		if !member.gone && member.is == '{' {
			v.sort(place+"."+member.key, member, next)
		}
	}
}

// filters renames attributes in conditions. A condition on a removed attribute stays, and
// is wrong: without it, more would be shown.
func (v *mentions) filters(place string, s *span, types []*schema.Type) {
	for _, part := range s.parts {
		switch {
		case s.is == '[':
			v.filters(place, part, types)
		case strings.HasPrefix(part.key, "$"):
			v.filters(place+"."+part.key, part, types)
		default:
			v.filters(place+"."+part.key, part, v.member(place, part, types, false))
		}
	}
}

// member renames the key of a member, which is a path, or takes it out if removes is set.
// It returns the types to which the path leads.
func (v *mentions) member(place string, s *span, types []*schema.Type, removes bool) []*schema.Type {
	path, next, gone := v.path(s.key, types)
	switch {
	case gone && removes:
		s.gone = true
		v.note(place, s.key, "")
	case !gone && path != s.key:
		s.rekeyed = path
		v.note(place, s.key, path)
	}
	return next
}

// names renames the paths in a text with commas between them, or in a list of texts. A path
// may have an order after it: "title:asc".
func (v *mentions) names(place string, s *span, types []*schema.Type) {
	for _, part := range s.parts {
		v.names(place, part, types)
	}
	if s.is == '[' && s.empty() {
		s.gone = true
	}
	if s.is != '"' {
		return
	}
	var kept []string
	for part := range strings.SplitSeq(s.text, ",") {
		name, order, ordered := strings.Cut(part, ":")
		was := strings.TrimSpace(name)
		path, _, gone := v.path(was, types)
		if gone || path != was {
			v.note(place, was, path)
		}
		if gone {
			continue
		}
		if part = strings.Replace(name, was, path, 1); ordered {
			part += ":" + order
		}
		kept = append(kept, part)
	}
	if text := strings.Join(kept, ","); text != s.text {
		s.gone, s.replacement = len(kept) == 0, &text
	}
}

// path returns a path like "chef.restaurants" with the new names, and the types to which it
// leads. It is gone if it leads through a removed attribute. If the types disagree about a
// name, it is unchanged.
func (v *mentions) path(text string, types []*schema.Type) (path string, next []*schema.Type, gone bool) {
	steps := strings.Split(text, ".")
	for i, step := range steps {
		names := map[string]bool{}
		var behind []*schema.Type
		removed, total := 0, 0
		for _, t := range types {
			a := t.Attribute(step)
			if a == nil {
				continue
			}
			total++
			if v.gone[Removed{t.UID, step}] {
				removed++
				continue
			}
			name := step
			if now, ok := v.attributes[Removed{t.UID, step}]; ok {
				name = now
			}
			names[name] = true
			behind = append(behind, behindOf(v.site, a)...)
		}
		if total > 0 && removed == total {
			return "", nil, true
		}
		if len(names) == 1 {
			for name := range names {
				steps[i] = name
			}
		}
		types = behind
	}
	return strings.Join(steps, "."), types, false
}

// behindOf returns the types of what an attribute may hold or link to.
func behindOf(site *schema.Site, a *schema.Attribute) []*schema.Type {
	switch {
	case a.Kind == schema.Component:
		return []*schema.Type{a.ComponentType}
	case a.Kind == schema.DynamicZone:
		return a.Zone
	case a.Relation != nil && a.Relation.Target != nil:
		return []*schema.Type{a.Relation.Target}
	case a.Kind == schema.RelationKind:
		return slices.Clone(site.Types)
	}
	return nil
}
