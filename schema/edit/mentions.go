package edit

import (
	"bytes"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"quire/schema"
)

// SettingsFile is the file with the settings of a site. A change of types replaces their
// names in it, and changes nothing else.
const SettingsFile = "site.json"

// Mention is one place of site.json that names a renamed or removed type or attribute. It
// has nothing else of the file, which may contain secrets.
type Mention struct {
	Place       string `json:"place"`   // "roles.public.api::dish.dish", as in the file
	Was         string `json:"was"`     // the name, or the path of names
	Replacement string `json:"becomes"` // empty if it is removed
}

// mentions finds former names in site.json.
type mentions struct {
	site       *schema.Site // before the change; nil to check only uids
	types      map[string]string
	attributes map[Removed]string // new names by the former uid and name
	gone       map[Removed]bool   // by the former uid; without an attribute, the whole type
	found      []Mention
}

// RenameInSettings returns site.json with new names for types, or nil if it names none of
// them or does not exist. It does not validate the file: one that cannot be read is
// unchanged. Errors are those of the file system.
func RenameInSettings(folder fs.FS, types []Rename) (*File, []Mention, error) {
	v := &mentions{types: map[string]string{}}
	for _, r := range types {
		v.types[r.Old] = r.New
	}
	return v.rewrite(folder)
}

// followSettings replaces former names in site.json, and takes out what is removed.
func (m *maker) followSettings(site *schema.Site) error {
	v := &mentions{site: site, types: map[string]string{}, attributes: map[Removed]string{}, gone: map[Removed]bool{}}
	formers := map[string]string{}
	for _, s := range m.sheets {
		if s.was == "" {
			continue
		}
		formers[s.uid] = s.was
		if s.uid != s.was {
			v.types[s.was] = s.uid
		}
		for old, name := range s.names {
			v.attributes[Removed{s.was, old}] = name
		}
	}
	for _, r := range m.draft.Removed {
		if was, ok := formers[r.Type]; ok && r.Attribute != "" {
			r.Type = was // a mention of a whole type has its former name
		}
		v.gone[r] = true
	}
	f, found, err := v.rewrite(m.folder)
	if f != nil {
		m.draft.Files = append(m.draft.Files, *f)
	}
	m.draft.Mentions = found
	return err
}

// rewrite returns the changed file, nil if it does not change.
func (v *mentions) rewrite(folder fs.FS) (*File, []Mention, error) {
	text, err := fs.ReadFile(folder, SettingsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	} else if err != nil {
		return nil, nil, err
	}
	file, err := readSpans(text)
	if err != nil || file.is != '{' {
		return nil, nil, nil // loading the file reports it
	}
	for _, role := range file.get("roles").parts {
		v.keys("roles."+role.key, role)
	}
	v.keys("defaults", file.get("defaults"))
	v.keys("cache", file.get("cache"))
	v.keys("preview", file.get("preview"))
	for _, hook := range file.get("webhooks").parts {
		v.webhook(hook)
	}
	after := file.write(slices.Clone(text[:file.begin]), text)
	after = append(after, text[file.end:]...)
	if bytes.Equal(after, text) {
		return nil, v.found, nil
	}
	return &File{Path: SettingsFile, Before: text, After: after}, v.found, nil
}

// keys renames, or takes out, the members of an object whose keys are uids. It also checks
// their values if these can name attributes.
func (v *mentions) keys(place string, s *span) {
	for _, member := range s.parts {
		at := place + "." + member.key
		if !v.rekey(at, member) {
			continue
		}
		switch types := v.typesOf(member.key); place {
		case "defaults":
			v.query(at, member, types)
		case "preview":
			v.address(at, member, types)
		}
	}
}

// rekey renames a member whose key is a uid. It takes out the member of a removed type, and
// returns false.
func (v *mentions) rekey(at string, member *span) (stays bool) {
	if v.gone[Removed{Type: member.key}] {
		member.gone = true
		v.note(at, member.key, "")
		return false
	}
	if name, ok := v.types[member.key]; ok {
		member.rekeyed = name
		v.note(at, member.key, name)
	}
	return true
}

// typesOf returns the former type of a uid, in a list; none if it is unknown.
func (v *mentions) typesOf(uid string) []*schema.Type {
	if v.site == nil || v.site.Type(uid) == nil {
		return nil
	}
	return []*schema.Type{v.site.Type(uid)}
}

// webhook renames the types whose changes are sent. A webhook with only removed types is
// taken out: without types it would receive the changes of all.
func (v *mentions) webhook(hook *span) {
	place := "webhooks." + hook.get("name").text + ".types"
	list := hook.get("types")
	for _, one := range list.parts {
		if v.gone[Removed{Type: one.text}] {
			one.gone = true
			v.note(place, one.text, "")
		} else if name, ok := v.types[one.text]; ok {
			one.replacement = &name
			v.note(place, one.text, name)
		}
	}
	if list.empty() {
		hook.gone = true
		v.note("webhooks", hook.get("name").text, "")
	}
}

// address renames the placeholders of a preview. It takes out an address with a removed
// attribute.
func (v *mentions) address(place string, s *span, types []*schema.Type) {
	if len(types) == 0 || s.is != '"' {
		return
	}
	parts := strings.Split(s.text, "{")
	for i, part := range parts[1:] {
		name, rest, closed := strings.Cut(part, "}")
		at := Removed{types[0].UID, name}
		if closed && v.gone[at] {
			s.gone = true
			v.note(place, "{"+name+"}", "")
			return
		} else if now, ok := v.attributes[at]; closed && ok {
			parts[i+1] = now + "}" + rest
			v.note(place, "{"+name+"}", "{"+now+"}")
		}
	}
	if text := strings.Join(parts, "{"); text != s.text {
		s.replacement = &text
	}
}

// note adds a mention.
func (v *mentions) note(place, was, replacement string) {
	v.found = append(v.found, Mention{place, was, replacement})
}
