package content

import (
	"errors"
	"testing"

	"quire/store"
)

// putting returns a write of a record, as Record queues it.
func (f *fixture) putting(key string, fail error) *write {
	return f.queued(func(op *operation) (Result, error) {
		op.beside = append(op.beside, func(tx *store.Tx) error {
			return errors.Join(tx.PutRecord("notes", key, []byte("x")), fail)
		})
		return Result{}, nil
	})
}

// notes lists the stored records.
func (f *fixture) notes() (keys string) {
	f.Helper()
	err := f.db.View(func(tx *store.Tx) error {
		return tx.Records("notes", func(key string, _ []byte) error { keys += key; return nil })
	})
	must(f, err)
	return keys
}

// Records share a commit with each other and with content, and each gets its own
// errors.
func TestRecordsShareACommit(t *testing.T) {
	f := newFixture(t, guide(t))
	before := f.index.Snapshot().Revision()
	failure := errors.New("no")
	batch := []*write{f.putting("a", nil), f.creating("x"), f.putting("b", failure), f.putting("c", nil)}
	f.writer.commit(batch)
	for i, one := range batch {
		if failed := i == 2; errors.Is(one.err, failure) != failed || !failed && one.err != nil {
			t.Errorf("write %d: %v", i, one.err)
		}
	}
	if got := f.notes(); got != "ac" {
		t.Errorf("the records are %q", got)
	}
	if now := f.index.Snapshot().Revision(); now != before+1 {
		t.Errorf("revision %d became %d", before, now)
	}
}

// A record beside a document is stored with it or not at all.
func TestRecordsBesideADocument(t *testing.T) {
	f := newFixture(t, guide(t))
	beside := func(key string, err error) func(*Request) {
		return func(r *Request) {
			r.Beside = func(tx *store.Tx) error { return errors.Join(tx.PutRecord("notes", key, nil), err) }
		}
	}
	f.create("category", `{"name": "a"}`, beside("a", nil))
	if _, err := f.tryCreate("category", `{"name": "a"}`, beside("b", nil)); err == nil {
		t.Error("a document is there twice")
	}
	failure := errors.New("no")
	if _, err := f.tryCreate("category", `{"name": "c"}`, beside("c", failure)); !errors.Is(err, failure) {
		t.Errorf("got %v", err)
	}
	if got := f.notes(); got != "a" {
		t.Errorf("the records are %q", got)
	}
	if err := f.writer.Record(t.Context(), func(tx *store.Tx) error { return tx.DeleteRecord("notes", "a") }); err != nil || f.notes() != "" {
		t.Errorf("%v, and the records are %q", err, f.notes())
	}
	if _, err := f.tryCreate("category", `{"name": "c"}`); err != nil {
		t.Errorf("a document was stored without what belongs to it: %v", err)
	}
}
