package edit

import (
	"encoding/json"
	"maps"
	"slices"
)

// attributeOrder is the order in which the members of an attribute are written.
var attributeOrder = append(slices.Clone(settable[:len(settable)-1]), "pluginOptions")

// setAttributes gives a type the requested attributes, in their order.
func (m *maker) setAttributes(s *sheet, wanted []Attribute) {
	former := s.file.read("attributes")
	after := &object{}
	kept := map[string]bool{}
	moved := len(wanted) != len(former.members)
	for i, a := range wanted {
		one := member{key: a.Name, text: []byte("{}")}
		if a.Was != "" {
			old := former.find(a.Was)
			if old == nil {
				m.refuse(s.path, "attributes."+a.Name, "there is no attribute "+a.Was+" that it could have been", "reload the page")
				return
			}
			one.text, one.inner = old.text, old.inner
			kept[a.Was] = true
			if a.Was != a.Name {
				s.names[a.Was] = a.Name
				m.draft.Attributes = append(m.draft.Attributes, Rename{s.uid, a.Was, a.Name})
			}
		}
		after.members = append(after.members, one)
		changed := s.setAttribute(&after.members[i], a)
		moved = moved || changed || i >= len(former.members) || former.members[i].key != a.Name
	}
	for _, old := range former.members {
		if !kept[old.key] {
			if after.find(old.key) != nil && s.names[old.key] == "" && !slices.Contains(slices.Collect(maps.Values(s.names)), old.key) {
				m.refuse(s.path, "attributes."+old.key, "another attribute of this name is removed at the same time", "apply that first, or change the attribute that there is")
			}
			m.draft.Removed = append(m.draft.Removed, Removed{s.uid, old.key})
		}
	}
	if s.listed = true; moved {
		*s.file.open("attributes") = *after
		s.touched = true
	}
}

// setAttribute sets members of one attribute, and reports whether that changes anything.
func (s *sheet) setAttribute(one *member, a Attribute) (changed bool) {
	s.set[a.Name] = map[string]bool{}
	definition, err := parse(one.text)
	if err != nil {
		return false
	}
	definition.order = attributeOrder
	for _, key := range settable {
		value, ok := a.Set[key]
		if !ok {
			continue
		}
		s.set[a.Name][key] = true
		if key == "localized" {
			changed = localize(definition, string(value) == "true") || changed
		} else {
			changed = definition.set(key, value, 3) || changed
		}
	}
	if changed || a.Was == "" {
		one.text, one.inner = nil, definition
	}
	return changed
}

// localize sets pluginOptions.i18n.localized of an attribute.
func localize(definition *object, on bool) bool {
	var is bool
	definition.read("pluginOptions").read("i18n").value("localized", &is)
	if is == on {
		return false
	}
	i18n := definition.open("pluginOptions").open("i18n")
	if i18n.set("localized", json.RawMessage("true"), 5); on {
		return true
	}
	i18n.set("localized", nil, 5)
	if len(i18n.members) == 0 {
		definition.open("pluginOptions").set("i18n", nil, 4)
	}
	if len(definition.read("pluginOptions").members) == 0 {
		definition.set("pluginOptions", nil, 3)
	}
	return true
}

// followNames replaces former names of types and attributes with the new ones, unless the
// change sets them itself.
func (m *maker) followNames() {
	for _, s := range m.sheets {
		if s.removed {
			continue
		}
		for _, one := range s.file.read("attributes").members {
			definition := s.file.read("attributes").read(one.key)
			for key, value := range m.renamedIn(s, definition) {
				if s.set[one.key][key] {
					continue
				}
				at := s.file.open("attributes").open(one.key)
				at.order = attributeOrder
				at.set(key, value, 3)
				s.touched = true
			}
		}
	}
}

// renamedIn returns the members of an attribute that contain a former name.
func (m *maker) renamedIn(s *sheet, definition *object) map[string]json.RawMessage {
	found := map[string]json.RawMessage{}
	for _, key := range []string{"target", "component"} {
		if other := m.find(definition.text(key)); other != nil && other.uid != other.was {
			found[key] = quote(other.uid)
		}
	}
	var zone []string
	definition.value("components", &zone)
	for i, uid := range zone {
		if other := m.find(uid); other != nil && other.uid != other.was {
			zone[i] = other.uid
			text, _ := json.Marshal(zone) // uids
			found["components"] = text
		}
	}
	if name, ok := s.names[definition.text("targetField")]; ok {
		found["targetField"] = quote(name)
	}
	if other := m.find(definition.text("target")); other != nil {
		for _, key := range sideKeys {
			if name, ok := other.names[definition.text(key)]; ok {
				found[key] = quote(name)
			}
		}
	}
	return found
}

// sideKeys name the other side of a relation.
var sideKeys = []string{"inversedBy", "mappedBy", "morphBy"}

// removeOtherSides removes attributes that were the other side of a relation whose attribute
// or type is removed.
func (m *maker) removeOtherSides() {
	gone := map[Removed]bool{}
	for _, r := range m.draft.Removed {
		gone[r] = true
	}
	for _, s := range m.sheets {
		if s.removed {
			continue
		}
		for _, one := range s.file.read("attributes").members {
			definition := s.file.read("attributes").read(one.key)
			other := m.sheetNamed(definition.text("target"))
			side := definition.text("inversedBy") + definition.text("mappedBy")
			if other == nil || side == "" || s.set[one.key]["target"] || !other.removed && !m.loses(other, side, s.uid, gone) {
				continue
			}
			s.file.open("attributes").set(one.key, nil, 2)
			s.touched = true
			if was := s.formerName(one.key); was != "" {
				m.draft.Removed = append(m.draft.Removed, Removed{s.uid, was})
			}
		}
	}
}

// loses reports whether the change removes an attribute that was the other side of a
// relation of a type, or points it elsewhere.
func (m *maker) loses(s *sheet, name, uid string, gone map[Removed]bool) bool {
	now := s.file.read("attributes").find(name)
	return gone[Removed{s.uid, name}] && (now == nil || s.file.read("attributes").read(name).text("target") != uid)
}

// sheetNamed returns the sheet of a type by its new uid.
func (m *maker) sheetNamed(uid string) *sheet {
	i := slices.IndexFunc(m.sheets, func(s *sheet) bool { return s.uid == uid && uid != "" })
	if i < 0 {
		return nil
	}
	return m.sheets[i]
}

// formerName returns the former name of an attribute, empty for a new one.
func (s *sheet) formerName(name string) string {
	for old, now := range s.names {
		if now == name {
			return old
		}
	}
	before, err := parse(s.before)
	if err != nil || before.read("attributes").find(name) == nil {
		return ""
	}
	return name
}
