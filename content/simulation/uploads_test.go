package simulation

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"quire/index"
	"quire/media"
	"quire/schema"
	"quire/store"
)

const mostFiles = 12

func (w *world) uploadsFolder() string { return filepath.Join(w.folder, "uploads") }

// openUploads opens the files beside the data file. Only a site by itself has some.
func (n *node) openUploads() {
	if n.isReplica() || n.leader != nil {
		return
	}
	var err error
	n.uploads, err = media.Open(n.uploadsFolder())
	must(err)
}

// named returns the texts of files, by the names in their records.
func (n *node) named() map[string]string {
	names := map[string]string{}
	must(n.db.View(func(tx *store.Tx) error {
		return tx.Scan(schema.FileUID, func(e *store.Entry) error {
			names[e.Value("hash").Text+e.Value("ext").Text] = e.Value("caption").Text
			return nil
		})
	}))
	return names
}

// sweep removes what a crash may leave: files without a record. After a disk has lied, a record
// may have returned whose file was deleted.
func (n *node) sweep(lied bool) {
	if n.uploads == nil {
		return
	}
	named := n.named()
	for name, text := range named {
		if _, err := os.Stat(filepath.Join(n.uploadsFolder(), name)); lied && err != nil {
			must(os.WriteFile(filepath.Join(n.uploadsFolder(), name), []byte(text), 0o600))
		}
	}
	entries, err := os.ReadDir(n.uploadsFolder())
	must(err)
	for _, e := range entries {
		if _, ok := named[e.Name()]; !ok {
			n.count("stray")
			must(os.Remove(filepath.Join(n.uploadsFolder(), e.Name())))
		}
	}
}

// checkUploads requires that each record has its file, and each file its record.
func (n *node) checkUploads() {
	if n.uploads == nil {
		return
	}
	named := n.named()
	for name, text := range named {
		if content, err := os.ReadFile(filepath.Join(n.uploadsFolder(), name)); string(content) != text {
			n.fail("the file %s has %q, and should have %q: %v", name, content, text, err)
		}
	}
	if entries, err := os.ReadDir(n.uploadsFolder()); err != nil || len(entries) != len(named) {
		n.fail("there are %d files with a record, and %v: %v", len(named), entries, err)
	}
}

// readFiles compares the list of files, and one of them.
func (n *node) readFiles(x *index.Snapshot, s *state) {
	entries, _ := n.ask(x, schema.FileUID, "fields[0]=caption&pagination[pageSize]=1000&sort=documentId")
	is := map[string]string{}
	for _, e := range entries {
		is[e.DocumentID] = e.Caption
	}
	if a, b := fmt.Sprint(is), fmt.Sprint(s.files); a != b {
		n.fail("the files are %s, and should be %s", a, b)
	}
	n.count("read")
	id := n.oneOf(s.fileIDs())
	if id == "" || n.uploads == nil {
		return
	}
	name, err := n.library.Name(id)
	must(err)
	f, err := n.library.Open(context.Background(), name)
	if err != nil {
		n.fail("the file of %s: %v", id, err)
	}
	defer f.File.Close()
	if text, err := io.ReadAll(f.File); err != nil || string(text) != s.files[id] {
		n.fail("the file of %s has %q, and should have %q: %v", id, text, s.files[id], err)
	}
}

// receive receives a file of a document.
func (n *node) receive(id, text string) *media.Upload {
	u, err := n.library.Receive(context.Background(), strings.NewReader(text), "a.txt")
	must(err)
	caption, _ := json.Marshal(text)
	u.Info = media.FileInfo{"caption": caption}
	*seam[string](u, "documentID") = id
	return u
}

// upload stores, replaces or deletes a file. In some cases the process or the power ends when
// the bytes are there and the record is not, or the other way round.
func (n *node) upload() {
	id, action, fault := n.oneOf(n.state.fileIDs()), n.one("save", "replace", "delete"), ""
	if n.random.IntN(6) == 0 {
		fault = n.one("failed flush", "end with the bytes", "end with the record")
	}
	switch {
	case id == "" || action == "save" && len(n.state.files) < mostFiles:
		id, action = n.newID("f"), "save"
	case action == "save" || fault == "failed flush" || fault == "end with the bytes":
		action = "replace" // a deletion has no bytes
	}
	next, text := n.state.next(), fmt.Sprint("text ", n.number)
	var u *media.Upload
	if next.files[id] = text; action == "delete" {
		delete(next.files, id)
	} else {
		u = n.receive(id, text)
	}
	flushed := seam[func() error](n.uploads, "flushed")
	defer func(at *func() error, was func() error) { *at = was }(flushed, *flushed)
	switch fault {
	case "failed flush":
		*flushed = func() error { return &store.StorageError{Err: syscall.EIO} }
	case "end with the bytes":
		*flushed = func() error { n.freeze(); return nil }
	case "end with the record":
		defer n.db.Subscribe(func(store.Commit) { n.freeze() })()
	}
	before, last := n.state, n.last
	done := n.commit(fmt.Sprintf("%s %s, %s", action, id, fault), to(next), func() (err error) {
		switch action {
		case "save":
			_, err = n.library.Save(context.Background(), []*media.Upload{u}, nil)
		case "replace":
			_, err = n.library.Replace(context.Background(), id, u)
		default:
			err = n.library.Delete(context.Background(), id)
		}
		return err
	})
	switch {
	case fault == "failed flush" && done:
		n.fail("a file whose bytes are not on the disk has a record")
	case n.frozen != nil:
		n.count(fault)
		if fault == "end with the bytes" {
			n.world.state, n.last = before, last
		}
		if n.restart(false); n.revision() != n.last {
			n.fail("the content has revision %d, and should have %d", n.revision(), n.last)
		}
		n.check()
	default:
		n.checkUploads()
	}
}

// restoreUploads puts the files of a backup into the folder.
func (n *node) restoreUploads(files map[string]string) {
	if n.uploads == nil {
		return
	}
	for name, text := range files {
		must(os.WriteFile(filepath.Join(n.uploadsFolder(), name), []byte(text), 0o600))
	}
	n.library = media.New(n.uploads, n.site, n.index, n.writer)
	n.sweep(false)
}
