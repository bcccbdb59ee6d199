package stream

import (
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"hash/fnv"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quire/media"
	"quire/store"
)

var seedFlag = flag.Uint64("seed", 0, "seed of the random tests; 0 takes a new one")

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// site is a data folder that is streamed, with a ledger of what it was at each moment.
type site struct {
	t      testing.TB
	folder string
	db     *store.DB
	target media.Storage
	key    *Key
	sender *Sender
	log    *strings.Builder
	random *rand.Rand
	ids    uint64
	ledger []page

	id        string  // of the data folder
	continues *Branch // see Options
}

// page is the content at a moment: after the commit until the next one.
type page struct {
	at      time.Time
	commit  store.CommitID
	content uint64 // hash
	files   []string
}

const (
	dogs  = "api::dog.dog"
	files = "plugin::upload.file"
)

func newSite(t testing.TB) *site {
	t.Helper()
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("repeat with -seed %d", seed)
	s := &site{t: t, folder: t.TempDir(), target: Folder(filepath.Join(t.TempDir(), "target")), log: &strings.Builder{}, random: rand.New(rand.NewPCG(seed, seed)), id: "1a2b"}
	check(t, os.Mkdir(filepath.Join(s.folder, "uploads"), 0o700))
	s.open()
	t.Cleanup(func() { s.db.Close() })
	return s
}

// open opens the data file, and the sender of its stream.
func (s *site) open() {
	s.t.Helper()
	var err error
	s.db, err = store.Open(filepath.Join(s.folder, dataName), store.Options{Hasty: true})
	check(s.t, err)
	s.begin()
}

// begin opens the sender.
func (s *site) begin() {
	s.t.Helper()
	var err error
	s.sender, err = Open(s.options())
	check(s.t, err)
	s.sender.queue.age = 0
}

func (s *site) options() Options {
	return Options{
		ID: s.id, Continues: s.continues, Target: s.target, Key: s.key, Folder: filepath.Join(s.folder, "stream"), Most: 1 << 20, DB: s.db,
		Stage: s.stage, Names: namesOf, Uploads: filepath.Join(s.folder, "uploads"), Program: "quire test", Schemas: func() string { return "abc" },
		Log: slog.New(slog.NewTextHandler(s.log, nil)),
	}
}

// restart closes the data file and opens it again.
func (s *site) restart() {
	s.t.Helper()
	check(s.t, s.sender.Close())
	check(s.t, s.db.Close())
	s.open()
}

func (s *site) stage(context.Context) (string, error) {
	folder, err := os.MkdirTemp(s.folder, "staged-")
	check(s.t, err)
	check(s.t, os.CopyFS(filepath.Join(folder, "uploads"), os.DirFS(filepath.Join(s.folder, "uploads"))))
	return folder, s.db.CopyTo(filepath.Join(folder, dataName))
}

// namesOf returns the name of the upload in a record of one.
func namesOf(o store.Op) ([]string, error) {
	if o.Path[0] != "content" || o.Path[1] != files {
		return nil, nil
	}
	_, e, err := o.Entry()
	if e == nil || err != nil {
		return nil, err
	}
	return []string{e.Value("name").Text}, nil
}

func namesIn(tx *store.Tx) (names []string, err error) {
	err = tx.Scan(files, func(e *store.Entry) error {
		names = append(names, e.Value("name").Text)
		return nil
	})
	return names, err
}

func textEntry(id uint64, document, name string) *store.Entry {
	return &store.Entry{ID: id, DocumentID: document, Status: store.Draft, Fields: []store.Field{{Name: "name", Value: store.Value{Kind: store.Text, Text: name}}}}
}

// write commits something random, and notes it in the ledger.
func (s *site) write() {
	s.t.Helper()
	check(s.t, s.db.Update(func(tx *store.Tx) error {
		for range 1 + s.random.IntN(3) {
			if err := s.change(tx); err != nil {
				return err
			}
		}
		return tx.PutLog(binary.BigEndian.AppendUint64(nil, tx.Revision()))
	}))
	s.note()
}

func (s *site) change(tx *store.Tx) error {
	s.ids++
	document := fmt.Sprintf("d%d", s.random.IntN(30))
	before, err := tx.Entry(dogs, store.Key{DocumentID: document, Status: store.Draft})
	if err != nil {
		return err
	}
	switch s.random.IntN(6) {
	case 0:
		if before != nil {
			return tx.Apply(store.Change{Type: dogs, Before: before})
		}
	case 1:
		return tx.PutRecord("token", document, []byte(document))
	case 2:
		return tx.DeleteRecord("token", document)
	case 3:
		name := fmt.Sprintf("f_%d.txt", s.ids)
		check(s.t, os.WriteFile(filepath.Join(s.folder, "uploads", name), []byte("content of "+name), 0o600))
		return tx.Apply(store.Change{Type: files, After: textEntry(s.ids, fmt.Sprintf("u%d", s.ids), name)})
	}
	if err := tx.SetSequence("dog", s.ids); err != nil {
		return err
	}
	return tx.Apply(store.Change{Type: dogs, Before: before, After: textEntry(s.ids, document, strings.Repeat(document, s.random.IntN(50)))})
}

// note notes the content, and waits until the next commit has a later time.
func (s *site) note() {
	s.t.Helper()
	p := pageOf(s.t, s.db)
	p.at = time.Now()
	for time.Now().UnixMilli() <= p.at.UnixMilli() {
	}
	s.ledger = append(s.ledger, p)
}

func pageOf(t testing.TB, db *store.DB) (p page) {
	t.Helper()
	h := fnv.New64a()
	check(t, db.View(func(tx *store.Tx) (err error) {
		if p.commit = tx.CommitID(); p.commit.Revision == 0 {
			p.commit = store.CommitID{}
		}
		if p.files, err = namesIn(tx); err != nil {
			return err
		}
		return tx.Ops(func(o store.Op) error {
			fmt.Fprintf(h, "%q %q %q\n", o.Path, o.Key, o.Value)
			return nil
		})
	}))
	p.content = h.Sum64()
	return p
}

// send sends everything.
func (s *site) send() {
	s.t.Helper()
	check(s.t, s.trySend())
}

func (s *site) trySend() error {
	if s.sender.files == nil {
		if err := s.sender.connect(s.t.Context()); err != nil {
			return err
		}
	}
	if err := s.sender.step(s.t.Context()); err != nil {
		return err
	}
	return s.sender.step(s.t.Context()) // after beginning anew
}

func (s *site) catalog() *Catalog {
	s.t.Helper()
	return s.traced(s.id)
}

// restored restores a moment, and returns its content.
func (s *site) restored(at time.Time) (page, *Restored, error) {
	s.t.Helper()
	folder := s.t.TempDir()
	m, err := s.catalog().Restore(s.t.Context(), at, folder, namesIn)
	if err != nil {
		return page{}, m, err
	}
	damage, err := store.CheckFile(s.t.Context(), filepath.Join(folder, dataName))
	if err != nil || len(damage) > 0 {
		s.t.Errorf("the restored file: %v, %v", damage, err)
	}
	db, err := store.Open(filepath.Join(folder, dataName), store.Options{ReadOnly: true})
	check(s.t, err)
	defer db.Close()
	for _, name := range m.Files {
		if text, err := os.ReadFile(filepath.Join(folder, "uploads", name)); err != nil || string(text) != "content of "+name {
			s.t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	return pageOf(s.t, db), m, nil
}

// requireMoment demands that a moment of the ledger is restored exactly.
func (s *site) requireMoment(p page) {
	s.t.Helper()
	got, m, err := s.restored(p.at)
	check(s.t, err)
	if got.commit != p.commit || got.content != p.content || len(m.Missing) > 0 || len(m.Files) != len(p.files) {
		s.t.Errorf("at %v there is commit %v instead of %v, content %x instead of %x, %d of %d files", p.at, got.commit, p.commit, got.content, p.content, len(m.Files), len(p.files))
	}
}
