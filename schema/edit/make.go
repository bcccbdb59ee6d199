package edit

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"quire/schema/source"
)

// carryOut applies a change to the sheets, and adds what is impossible to the problems.
func (m *maker) carryOut(c Change) {
	if len(c.Types) > MaxTypes {
		m.refuse("", "", fmt.Sprintf("more than %d types change at once", MaxTypes), "change some of them first")
		return
	}
	changed := map[*sheet]bool{}
	for i := range c.Types {
		t := &c.Types[i]
		s := m.sheetFor(t)
		if s == nil {
			continue
		}
		if at, message, fix := t.fault(); message != "" {
			m.byPath[s.path] = s
			m.refuse(s.path, at, message, fix)
		} else if changed[s] {
			m.refuse(s.path, "", s.uid+" is changed twice", "make one change of the two")
		} else {
			m.change(s, t)
		}
		changed[s] = true
	}
	for _, s := range m.sheets {
		if other := m.byPath[s.path]; other != nil && other != s && !s.removed && !other.removed {
			m.refuse(s.path, nameKey(s), "there is a type of this name already", "choose another name")
		} else if !s.removed {
			m.byPath[s.path] = s
		}
	}
}

// sheetFor returns the sheet of a changed or new type.
func (m *maker) sheetFor(t *Type) *sheet {
	if t.Was != "" {
		s := m.find(t.Was)
		if s == nil {
			m.refuse("", "", fmt.Sprintf("there is no type %.100q that can be changed here", t.Was), "correct the uid")
		}
		return s
	}
	s := &sheet{component: t.Kind == "component", file: &object{}, touched: true, names: map[string]string{}, set: map[string]map[string]bool{}}
	if !m.name(s, t.Name) {
		return nil
	}
	m.sheets = append(m.sheets, s)
	return s
}

// nameKey returns the key of a type's name; the name of a component is in its path.
func nameKey(s *sheet) string {
	if s.component {
		return ""
	}
	return "info.singularName"
}

// name gives a sheet the uid and the path of a name. Only checked names become paths.
func (m *maker) name(s *sheet, name string) bool {
	group, short, dotted := strings.Cut(name, ".")
	fits := typeName.MatchString(name) && !s.component ||
		s.component && dotted && typeName.MatchString(group) && typeName.MatchString(short)
	if device := deviceName(name); fits && device != "" {
		m.badName(s, fmt.Sprintf("Windows keeps %q for a device and has no file of that name, and sites are copied to such machines", device), "choose another name")
		return false
	}
	if !fits || len(name) > longestName {
		fix := "use lower-case letters and digits, words joined by -"
		if s.component {
			fix = `write a group and a name, such as "shared.seo", each of lower-case letters, digits and -`
		}
		m.badName(s, fmt.Sprintf("%.80q cannot be the name of a type", name), fix)
		return false
	}
	if s.component {
		s.uid, s.path = name, "src/components/"+group+"/"+short+".json"
	} else {
		api := name
		if before, own, ok := strings.Cut(strings.TrimPrefix(s.was, "api::"), "."); ok && before != own {
			api = before // several types in one folder stay together
		}
		s.uid, s.path = "api::"+api+"."+name, "src/api/"+api+"/content-types/"+name+"/schema.json"
	}
	if _, err := fs.Stat(m.folder, s.path); err == nil && s.path != s.from && !slices.ContainsFunc(m.sheets, func(o *sheet) bool { return o.path == s.path || o.from == s.path }) {
		m.refuse(s.path, nameKey(s), "the file is there already", "choose another name")
		return false
	}
	return true
}

// badName reports a wrong name of a type.
func (m *maker) badName(s *sheet, message, fix string) {
	m.draft.Problems = append(m.draft.Problems, Problem{
		Problem: source.Problem{File: s.from, Place: "info.singularName", Message: message, Fix: fix},
		Type:    s.was, Key: "info.singularName",
	})
}

// devices are names that Windows allows for no file or folder, with any extension.
var devices = regexp.MustCompile(`^(con|prn|aux|nul|com[0-9]|lpt[0-9])$`)

// deviceName returns the part of a name that is the name of a device, or "".
func deviceName(name string) string {
	for part := range strings.SplitSeq(name, ".") {
		if devices.MatchString(part) {
			return part
		}
	}
	return ""
}

// change applies the changes of one type.
func (m *maker) change(s *sheet, t *Type) {
	if t.Remove {
		s.removed = true
		return
	}
	before := s.uid
	if t.Name != "" && s.was != "" && t.Name != nameOf(s) {
		if !m.name(s, t.Name) {
			return
		}
		m.draft.Types = append(m.draft.Types, Rename{Old: before, New: s.uid})
	}
	if s.was == "" {
		s.begin(t)
	}
	s.setInfo(t)
	if t.Attributes != nil {
		m.setAttributes(s, t.Attributes)
	}
}

// nameOf returns the name of a type as it is in a change.
func nameOf(s *sheet) string {
	if s.component {
		return s.uid
	}
	return s.file.read("info").text("singularName")
}

// begin gives a new file the members that Strapi expects.
func (s *sheet) begin(t *Type) {
	words := strings.NewReplacer("-", "_", ".", "_")
	if s.component {
		s.file.set("collectionName", quote("components_"+words.Replace(t.Name)+"s"), 1)
	} else {
		s.file.set("kind", quote(t.Kind), 1)
		plural := t.Name + "s"
		if t.Plural != nil {
			plural = *t.Plural
		}
		s.file.set("collectionName", quote(words.Replace(plural)), 1)
		s.file.open("info").set("singularName", quote(t.Name), 2)
	}
	s.file.open("info")
	s.file.open("options")
	if !s.component {
		s.file.open("pluginOptions")
	}
	s.file.open("attributes")
}

// setInfo sets names and options.
func (s *sheet) setInfo(t *Type) {
	if !s.component && t.Name != "" {
		s.info("singularName", &t.Name)
	}
	if !s.component {
		s.info("pluralName", t.Plural)
	}
	s.info("displayName", t.Display)
	if s.component {
		s.info("icon", t.Icon)
	}
	s.info("description", t.Description)
	if t.DraftAndPublish != nil && !s.component {
		s.flag(*t.DraftAndPublish, "options", "draftAndPublish")
	}
	if t.Localized != nil && !s.component {
		s.flag(*t.Localized, "pluginOptions", "i18n", "localized")
	}
}

// info sets a name of the type; nil leaves it unchanged, and an empty text removes it.
func (s *sheet) info(key string, text *string) {
	if text == nil || *text == s.file.read("info").text(key) {
		return
	}
	value := quote(*text)
	if *text == "" {
		value = nil
	}
	s.touched = true
	s.file.open("info").set(key, value, 2)
}

// flag sets a flag at a path; a missing one is already false.
func (s *sheet) flag(on bool, path ...string) {
	at, last := s.file, path[len(path)-1]
	for _, key := range path[:len(path)-1] {
		at = at.read(key)
	}
	var is bool
	at.value(last, &is)
	if is == on && (on || s.was != "" || len(path) > 2) {
		return
	}
	at = s.file
	for _, key := range path[:len(path)-1] {
		at = at.open(key)
	}
	at.set(last, fmt.Append(nil, on), len(path))
	s.touched = true
}
