package edit

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"quire/schema"
	"quire/schema/source"
)

// Draft is the result of a change for the files of a site folder.
type Draft struct {
	Files    []File       // written, moved or removed, by path
	Problems []Problem    // that prevent the folder from being a site; Site is nil if there are any
	Site     *schema.Site // the site after the change

	Types      []Rename // content types and components with a new name; Type is empty
	Attributes []Rename // of types, by the new name of the type
	Removed    []Removed
	Mentions   []Mention // places of site.json that name them
	Unagreed   bool      // some of these go, and the change does not allow it

	// Fingerprint identifies the folder before the change, and the change.
	Fingerprint string
}

// File is one file of a draft.
type File struct {
	Path   string // in the site folder
	From   string // its former path; empty if it stays, and for a new file
	Before []byte // nil for a new one
	After  []byte // nil for a removed file
}

// Rename gives a type or an attribute another name.
type Rename struct{ Type, Old, New string }

// Removed is a removed attribute, by its former name, or a whole type.
type Removed struct{ Type, Attribute string }

// Problem is one mistake, with its type and attribute if it has them.
type Problem struct {
	source.Problem
	Type      string // uid after the change
	Attribute string
	Key       string // member of the attribute or, without one, of the file: "info.pluralName"
}

// Make computes what a change does to a site folder, and changes nothing. check finds what
// cannot be served in a site that can be loaded. The error is that of the file system;
// problems of the change or of the folder are in the draft.
func Make(folder fs.FS, c Change, check func(*schema.Site) []error) (*Draft, error) {
	m := &maker{folder: folder, draft: &Draft{}, byPath: map[string]*sheet{}}
	site, err := schema.Load(folder)
	if m.wrong(err) {
		return m.draft, nil
	} else if err != nil {
		return nil, err
	}
	if err := m.sheetsOf(site); err != nil {
		return nil, err
	}
	m.carryOut(c)
	if len(m.draft.Problems) > 0 {
		return m.draft, nil
	}
	m.replaceRetargeted()
	m.followNames()
	m.followSides()
	m.removeOtherSides()
	m.listFiles()
	if err := m.followSettings(site); err != nil {
		return nil, err
	}
	if err := m.setLocales(c.Locales); err != nil {
		return nil, err
	}
	m.draft.Unagreed = !c.DropSettings && slices.ContainsFunc(m.draft.Mentions, func(one Mention) bool { return one.Replacement == "" })
	m.draft.Fingerprint = fingerprintOf(site, c, m.draft.Files)
	m.draft.Site, err = schema.Load(Over(folder, m.draft.Files))
	if err == nil {
		err = errors.Join(check(m.draft.Site)...)
		m.wrong(err)
		m.refuseNotes(site)
	} else if !m.wrong(err) {
		return nil, err
	}
	if len(m.draft.Problems) > 0 {
		m.draft.Site = nil
	}
	return m.draft, nil
}

// refuseNotes refuses a change after which there is more to note: what Strapi loads, but nobody
// means.
func (m *maker) refuseNotes(former *schema.Site) {
	for _, note := range m.draft.Site.Notes {
		if !slices.Contains(former.Notes, note) {
			m.note(note)
		}
	}
}

// fingerprintOf identifies a folder, a change and the resulting files. No attributes and an
// empty list of attributes give the same text.
func fingerprintOf(site *schema.Site, c Change, files []File) string {
	text, _ := json.Marshal(c) // was read as JSON
	h := sha256.New()
	fmt.Fprintf(h, "%x\n%s", site.Fingerprint, text)
	for _, f := range files {
		fmt.Fprintf(h, "\n%q %q %t %q", f.Path, f.From, f.After == nil, f.After)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// maker makes one draft.
type maker struct {
	folder fs.FS
	draft  *Draft
	sheets []*sheet
	byPath map[string]*sheet // after the change
}

// sheet is the file of one type.
type sheet struct {
	uid, was   string // the uid after and before the change; was is empty for a new type
	path, from string
	before     []byte
	file       *object
	component  bool
	removed    bool
	touched    bool
	listed     bool                       // the change lists its attributes
	names      map[string]string          // new names of its attributes by the former ones
	set        map[string]map[string]bool // what the change sets, by the new name of the attribute
}

// sheetsOf reads the file of each type that can be changed.
func (m *maker) sheetsOf(site *schema.Site) error {
	for _, t := range slices.Concat(site.Types, site.Components) {
		if t.BuiltIn {
			continue
		}
		text, err := fs.ReadFile(m.folder, t.File)
		if err != nil {
			return err
		}
		file, err := parse(text)
		if err != nil {
			return fmt.Errorf("%s: %w", t.File, err)
		}
		m.sheets = append(m.sheets, &sheet{
			uid: t.UID, was: t.UID, path: t.File, from: t.File, before: text, file: file, component: t.IsComponent(),
			names: map[string]string{}, set: map[string]map[string]bool{},
		})
	}
	return nil
}

// find returns the sheet of a type by its former uid.
func (m *maker) find(was string) *sheet {
	i := slices.IndexFunc(m.sheets, func(s *sheet) bool { return s.was == was && was != "" })
	if i < 0 {
		return nil
	}
	return m.sheets[i]
}

// refuse adds a problem with a sheet.
func (m *maker) refuse(path, at, message, fix string) {
	m.note(source.Problem{File: path, Place: at, Message: message, Fix: fix})
}

// wrong adds the problems of an error, and reports whether it had any.
func (m *maker) wrong(err error) bool {
	var list *source.Problems
	switch {
	case err == nil:
		return false
	case errors.As(err, &list):
		for _, p := range list.List {
			m.note(p)
		}
		return true
	case errors.As(err, new(*fs.PathError)):
		return false
	}
	m.note(source.Problem{Message: err.Error()})
	return true
}

// note adds a problem, with the type and the attribute at its place.
func (m *maker) note(p source.Problem) {
	known := Problem{Problem: p, Key: p.Place}
	if s := m.byPath[p.File]; s != nil {
		known.Type = s.uid
	}
	if rest, ok := strings.CutPrefix(p.Place, "attributes."); ok {
		end := strings.IndexAny(rest+".", ".[")
		known.Attribute, known.Key = rest[:end], strings.TrimPrefix(rest[end:], ".")
	}
	m.draft.Problems = append(m.draft.Problems, known)
}

// listFiles adds the changed files to the draft, and how each changes.
func (m *maker) listFiles() {
	for _, s := range m.sheets {
		f := File{Path: s.path, Before: s.before}
		switch {
		case s.removed:
			m.draft.Removed = append(m.draft.Removed, Removed{Type: s.was})
		case !s.touched && s.path == s.from:
			continue
		default:
			if f.After = s.before; s.touched {
				f.After = append(s.file.write(nil, ""), '\n')
			}
			if s.from != "" && s.path != s.from {
				f.From = s.from
			}
		}
		if f.From == "" && f.After != nil && bytes.Equal(f.Before, f.After) {
			continue
		}
		m.draft.Files = append(m.draft.Files, f)
	}
	slices.SortFunc(m.draft.Files, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
}

// Definition is the content of a type's file.
type Definition struct {
	UID, Kind, File string
	Text            json.RawMessage
}

// Definitions returns the content types and components of a site folder that a change can
// name. The error is a *source.Problems if the folder has problems.
func Definitions(folder fs.FS) (list []Definition, err error) {
	site, err := schema.Load(folder)
	if err != nil {
		return nil, err
	}
	for _, t := range slices.Concat(site.Types, site.Components) {
		if t.BuiltIn {
			continue
		}
		text, err := fs.ReadFile(folder, t.File)
		if err != nil {
			return nil, err
		}
		kind := map[schema.TypeKind]string{schema.Collection: "collectionType", schema.Single: "singleType", schema.ComponentType: "component"}[t.Kind]
		list = append(list, Definition{t.UID, kind, t.File, text})
	}
	return list, nil
}
