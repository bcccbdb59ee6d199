package simulation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"

	"go.etcd.io/bbolt"

	"quire/content/migrate"
	"quire/schema"
	"quire/schema/edit"
)

// schemaJournal has the former schema files while they change.
func (w *world) schemaJournal() string { return filepath.Join(w.folder, "schema-change.json") }

// openSite ends an interrupted change of schemas, as each start does, and reads the site.
func (n *node) openSite() {
	err := edit.Repair(n.siteFolder(), n.schemaJournal(), func(id string) (bool, error) {
		mark, err := migrate.LastMark(n.db)
		return mark == id, err
	})
	if err != nil {
		n.fail("repair: %v", err)
	}
	n.useSite()
}

// shapeOf returns what the schemas of a site say.
func shapeOf(site *schema.Site) (s shape) {
	t := site.Type(articleUID)
	for _, name := range []string{"rank", "score"} {
		if t.Attribute(name) != nil {
			s.rank = name
		}
	}
	if a := t.Attribute("note"); a != nil {
		s.note = a.Kind.String()
	}
	return s
}

// freeze remembers what the disk of a node has now. It begins with that when its process, or
// the power, ends before the step does.
func (n *node) freeze() {
	n.frozen = map[string][]byte{}
	for _, place := range n.places() {
		must(filepath.WalkDir(place, func(path string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return nil // it does not exist
			}
			n.frozen[path], err = os.ReadFile(path)
			return err
		}))
	}
	if n.random.IntN(2) == 0 && !n.disk.lied && n.disk.bolt == *seam[*bbolt.DB](n.db, "bolt") {
		n.frozen[n.path] = n.disk.left()
	}
}

// places are the files and folders of a node.
func (n *node) places() []string {
	if n.line != nil {
		return []string{n.path}
	}
	return []string{n.path, n.path + ".import", n.siteFolder(), n.schemaJournal(), n.uploadsFolder()}
}

// thaw puts back what the disk had.
func (n *node) thaw() {
	for _, place := range n.places() {
		must(os.RemoveAll(place))
	}
	for path, content := range n.frozen {
		must(os.MkdirAll(filepath.Dir(path), 0o700))
		must(os.WriteFile(path, content, 0o600))
	}
	n.world.frozen = nil
}

// reshape adapts the content to other schemas. It reports whether that loses nothing.
func (s *state) reshape(to shape) (lossless bool) {
	was := s.shape
	s.shape, lossless = to, true
	adapt := func(versions map[string]*version) {
		for locale, v := range versions {
			other := *v
			switch {
			case to.note == "":
				other.note = ""
			case was.note == "string" && to.note == "integer" && v.note == "word":
				other.note, lossless = "", false
			}
			versions[locale] = &other
		}
	}
	for id := range s.articles {
		a := s.change(id)
		adapt(a.draft)
		adapt(a.live)
	}
	return lossless
}

// change returns the change of the schemas that leads from one shape to another.
func (s shape) change(to shape, lossy bool) edit.Change {
	attributes := []edit.Attribute{{Name: "title", Was: "title"}, {Name: to.rank, Was: s.rank}, {Name: "code", Was: "code"}}
	if to.note != "" {
		note := edit.Attribute{Name: "note", Set: map[string]json.RawMessage{"type": json.RawMessage(`"` + to.note + `"`), "localized": json.RawMessage("true")}}
		if s.note != "" {
			note.Was = "note"
		}
		attributes = append(attributes, note)
	}
	attributes = append(attributes, edit.Attribute{Name: "tags", Was: "tags"})
	return edit.Change{Types: []edit.Type{{Was: articleUID, Attributes: attributes}}, Lossy: lossy}
}

// migrate changes the schemas, and adapts the content, as a change of content types in the
// admin does. Something fails, or ends, in most of them.
func (n *node) migrate() {
	from, to, lossy := n.state.shape, n.state.shape, n.random.IntN(2) == 0
	if to.note = n.one("", "integer", "string"); n.random.IntN(2) == 0 {
		to.rank = map[string]string{"rank": "score", "score": "rank"}[to.rank]
	}
	if from == to {
		return
	}
	fault := n.one("", "", "refused files", "failed commit", "failed rename", "end between files", "end with the files", "end with the content")
	n.note("migrate %v to %v %t, %s", from, to, lossy, fault)
	next := n.state.next()
	refused := !next.reshape(to) && !lossy
	draft, err := edit.Make(os.DirFS(n.siteFolder()), from.change(to, lossy), func(*schema.Site) []error { return nil })
	must(err)
	if draft.Site == nil {
		n.fail("the change of schemas is refused: %v", draft.Problems)
	}
	n.limit(draft.Site)
	e := migrate.Evolution{From: n.site, To: draft.Site, Lossy: lossy, Mark: fmt.Sprint("change ", n.number)}
	for _, r := range draft.Attributes {
		e.Attributes = append(e.Attributes, migrate.Rename(r))
	}
	for _, r := range draft.Removed {
		e.Drop = append(e.Drop, migrate.Removed(r))
	}
	must(n.writer.Close())
	done, err := n.evolve(e, draft.Files, fault)
	if n.frozen != nil {
		n.count(fault)
		n.restart(false)
	} else {
		if edit.Pending(n.schemaJournal()) {
			n.fail("the schema files are neither the former nor the new ones: %v", err)
		}
		n.useSite()
		n.serve()
	}
	switch {
	case err != nil && !refused && fault == "":
		n.fail("the migration fails: %v", err)
	case done && refused:
		n.fail("the migration was not refused")
	case done:
		n.count("migrated")
		n.world.state, n.last, n.world.backup = next, n.revision(), nil
		n.states[n.last] = next
	case refused:
		n.count("refused migration")
	default:
		n.count(fault)
	}
	if shapeOf(n.site) != n.state.shape {
		n.fail("the schemas are %v, and the content is for %v", shapeOf(n.site), n.state.shape)
	}
	if n.revision() != n.last {
		n.fail("the content has revision %d, and should have %d", n.revision(), n.last)
	}
	n.check()
}

// evolve migrates the content and the files, with a fault. It reports whether what the disk has
// then is the new content.
func (n *node) evolve(e migrate.Evolution, files []edit.File, fault string) (done bool, err error) {
	commit := seam[func(*bbolt.Tx) error](n.db, "commit")
	defer func(was func(*bbolt.Tx) error) { *commit = was }(*commit)
	if fault == "failed commit" {
		*commit = func(*bbolt.Tx) error { return syscall.EIO }
	}
	var in *edit.Installation
	plan, err := e.MigrateInstalling(context.Background(), n.db, func() (undo func() error, err error) {
		path := filepath.Join(n.siteFolder(), files[0].Path)
		if fault == "refused files" {
			must(os.WriteFile(path, append(slices.Clone(files[0].Before), '\n'), 0o600))
			defer func() { must(os.WriteFile(path, files[0].Before, 0o600)) }()
		}
		if in, err = edit.Install(n.siteFolder(), n.schemaJournal(), e.Mark, files); err != nil {
			return nil, err
		}
		switch fault {
		case "failed rename":
			if err := os.Remove(n.path + ".import"); !errors.Is(err, os.ErrNotExist) {
				must(err)
			}
		case "end between files", "end with the files":
			if n.freeze(); fault == "end between files" {
				n.frozen[path] = files[0].Before
			}
		}
		return in.Undo, nil
	})
	if err == nil && fault == "end with the content" {
		n.freeze()
	}
	if err == nil {
		must(in.Keep())
	}
	ended := n.frozen != nil && (fault != "end with the content" || !plan.Changes()) // only changed content has the mark
	return err == nil && !ended, err
}
