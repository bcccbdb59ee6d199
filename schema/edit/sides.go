package edit

import (
	"encoding/json"
	"maps"
	"slices"
)

// A relation with two sides is written in two attributes. A change of one of them changes
// the other one, too.

// inverted maps the form of a relation to the form of its other side.
var inverted = map[string]string{"oneToOne": "oneToOne", "oneToMany": "manyToOne", "manyToOne": "oneToMany", "manyToMany": "manyToMany"}

// replaceRetargeted makes relations that lead to another type new ones, because none of
// their links could stay. The former ones are removed with their stored links, and with
// their other sides.
func (m *maker) replaceRetargeted() {
	for _, s := range m.sheets {
		if s.removed || s.was == "" {
			continue
		}
		former, err := parse(s.before)
		if err != nil {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(s.set)) {
			was := s.formerName(name)
			before := former.read("attributes").read(was)
			if was == "" || !s.set[name]["target"] || before.text("type") != "relation" || m.leadsThere(before, s.file.read("attributes").read(name)) {
				continue
			}
			delete(s.names, was)
			m.draft.Attributes = slices.DeleteFunc(m.draft.Attributes, func(r Rename) bool { return r == Rename{s.uid, was, name} })
			m.draft.Removed = append(m.draft.Removed, Removed{s.uid, was})
			s.forgetSide(name)
		}
	}
}

// leadsThere reports whether a relation leads to the same type as the former one.
func (m *maker) leadsThere(before, after *object) bool {
	target := before.text("target")
	if other := m.find(target); other != nil {
		target = other.uid
	}
	named := after.text("target")
	if other := m.find(named); other != nil && m.sheetNamed(named) == nil {
		named = other.uid // by its former name
	}
	return target == named || after.text("type") != "relation"
}

// forgetSide removes the name of the other side from an attribute, unless the change sets
// it.
func (s *sheet) forgetSide(name string) {
	for _, key := range sideKeys {
		if definition := s.file.read("attributes").read(name); !s.set[name][key] && definition.find(key) != nil {
			at := s.file.open("attributes").open(name)
			at.order = attributeOrder
			at.set(key, nil, 3)
			s.touched = true
		}
	}
}

// followSides gives the other side of each changed relation the matching form. The many
// side stores the links of a one-to-many relation.
func (m *maker) followSides() {
	for _, s := range m.sheets {
		for _, name := range slices.Sorted(maps.Keys(s.set)) {
			definition := s.file.read("attributes").read(name)
			form, other := definition.text("relation"), m.sheetNamed(definition.text("target"))
			side := definition.text("inversedBy") + definition.text("mappedBy")
			if s.removed || !s.set[name]["relation"] || inverted[form] == "" || other == nil || other.removed || other.file.read("attributes").find(side) == nil {
				continue
			}
			if !other.set[side]["relation"] {
				other.setMember(side, "relation", quote(inverted[form]))
			}
			if s.setsSide(name) || other.setsSide(side) {
				continue
			}
			if form == "manyToOne" || form == "oneToMany" {
				many, one := sideOf{s, name}, sideOf{other, side}
				if form == "oneToMany" {
					many, one = one, many
				}
				many.sheet.setMember(many.name, "mappedBy", nil)
				many.sheet.setMember(many.name, "inversedBy", quote(one.name))
				one.sheet.setMember(one.name, "inversedBy", nil)
				one.sheet.setMember(one.name, "mappedBy", quote(many.name))
			}
		}
	}
}

// sideOf is one attribute of a relation.
type sideOf struct {
	sheet *sheet
	name  string
}

// setsSide reports whether the change sets the other side of an attribute.
func (s *sheet) setsSide(name string) bool {
	return slices.ContainsFunc(sideKeys, func(key string) bool { return s.set[name][key] })
}

// setMember sets a member of an attribute.
func (s *sheet) setMember(name, key string, value json.RawMessage) {
	attributes := s.file.open("attributes")
	at := attributes.open(name)
	at.order = attributeOrder
	if at.set(key, value, 3) {
		s.touched = true
	}
}
