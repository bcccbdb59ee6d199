package store

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"go.etcd.io/bbolt"
)

// recording keeps what it gets.
type recording struct {
	begins  []CommitID
	commits []Recorded
}

func (r *recording) Begin(last CommitID) { r.begins = append(r.begins, last) }
func (r *recording) Record(c Recorded)   { r.commits = append(r.commits, c) }

// opsOf lists the content of a file as its journal would have it.
func opsOf(t *testing.T, db *DB) (ops []Op) {
	t.Helper()
	view(t, db, func(tx *Tx) error {
		return tx.Ops(func(o Op) error {
			ops = append(ops, o)
			return nil
		})
	})
	return ops
}

// A copy of the file to which the recorded commits are written is the file itself, whatever
// was written.
func TestRecordedCommitsMakeTheSameFile(t *testing.T) {
	db := newDB(t)
	put(t, db, "api::dog.dog", text(1, "ada", "", Draft, "Ada"))
	var r recording
	noError(t, db.SetRecorder(&r))
	path := filepath.Join(t.TempDir(), "copy.db")
	noError(t, db.CopyTo(path))
	for i := range uint64(100) {
		update(t, db, func(tx *Tx) error {
			return errors.Join(
				tx.Apply(Change{Type: "api::dog.dog", After: text(i+2, string(rune('a'+i%26))+string(rune('a'+i/26)), "en", Draft, "a dog")}),
				tx.PutRecord("token", "key", []byte{byte(i)}), tx.DeleteRecord("token", "other"),
				tx.SetSequence("dog", i), tx.SetSequence("dog", i+1),
				tx.PutHistory(Replaced, []byte{byte(i)}, []byte("before")), tx.PutLog([]byte("a line of the log, which is not short, so that some move")),
			)
		})
	}
	update(t, db, func(tx *Tx) error { _, err := tx.TrimLog(40, 10); return err })
	last, err := db.LastCommit()
	if err != nil || len(r.commits) != 101 || !slices.Equal(r.begins, []CommitID{r.commits[0].Before}) || r.commits[100].CommitID != last {
		t.Fatalf("%d commits after %v until %v, and the last is %v, %v", len(r.commits), r.begins, r.commits[100].CommitID, last, err)
	}
	other := open(t, path, Options{})
	noError(t, errors.Join(other.Replay(r.commits[:30]), other.Replay(r.commits[30:])))
	if at, err := other.LastCommit(); err != nil || at != last {
		t.Errorf("the copy is at %v instead of %v, %v", at, last, err)
	}
	want, got := opsOf(t, db), opsOf(t, other)
	if !slices.EqualFunc(want, got, func(a, b Op) bool {
		return slices.Equal(a.Path, b.Path) && string(a.Key) == string(b.Key) && string(a.Value) == string(b.Value)
	}) {
		t.Errorf("the copy has %d values, and not those %d", len(got), len(want))
	}
	view(t, other, func(tx *Tx) error {
		if !tx.knowsChanges() || !tx.keepsLog() {
			t.Error("the copy does not know what changed last, or its log")
		}
		return nil
	})
}

// A commit is recorded before it is in the file, so that none is missing after a crash. The
// next one after a failed commit follows the same.
func TestACommitThatFailsIsFollowedByAnother(t *testing.T) {
	db := newDB(t)
	var r recording
	noError(t, db.SetRecorder(&r))
	commit := db.commit
	db.commit = func(*bbolt.Tx) error { return errors.New("the disk is gone") }
	if err := db.Update(func(tx *Tx) error { return tx.SetSequence("a", 1) }); err == nil {
		t.Error("it has not failed")
	}
	db.commit = commit
	noError(t, db.Reopen())
	update(t, db, func(tx *Tx) error { return tx.SetSequence("a", 2) })
	if len(r.commits) != 2 || r.commits[0].Before != r.commits[1].Before || r.commits[0].CommitID == r.commits[1].CommitID {
		t.Errorf("%+v", r.commits)
	}
}

// What is too much for the memory, or removes all entries of a type at once, is not recorded
// in part.
func TestACommitThatIsNotRecordedSaysSo(t *testing.T) {
	db := newDB(t)
	put(t, db, "api::dog.dog", text(1, "ada", "", Draft, "Ada"))
	var r recording
	noError(t, db.SetRecorder(&r))
	update(t, db, func(tx *Tx) error { return tx.Clear("api::dog.dog") })
	update(t, db, func(tx *Tx) error {
		large := make([]byte, 1<<20)
		for i := range MaxRecorded>>20 + 1 {
			if err := tx.PutRecord("token", string(rune('a'+i)), large); err != nil {
				return err
			}
		}
		return nil
	})
	update(t, db, func(tx *Tx) error { return tx.SetSequence("a", 2) })
	for i, partial := range []bool{true, true, false} {
		if c := r.commits[i]; c.Partial != partial || partial != (len(c.Ops) == 0) {
			t.Errorf("commit %d: partial %v, %d operations", i, c.Partial, len(c.Ops))
		}
	}
	noError(t, db.SetRecorder(nil))
	update(t, db, func(tx *Tx) error { return tx.SetSequence("a", 3) })
	if len(r.commits) != 3 {
		t.Error("it is recorded after its end")
	}
}

// What somebody has made up is written to no place of the file that has another meaning.
func TestReplayRefusesOtherPlaces(t *testing.T) {
	db := newDB(t)
	for _, path := range [][]string{nil, {"meta"}, {"fresh"}, {"content"}, {"content", "a"}, {"records"}, {"records", "a", "b"}, {"sequence", "a"}, {"other"}} {
		err := db.Replay([]Recorded{{CommitID: CommitID{1, 1}, Ops: []Op{{path, []byte("k"), []byte("v")}}}})
		if err == nil {
			t.Errorf("%q is written to", path)
		}
	}
	if err := db.Replay([]Recorded{{CommitID: CommitID{1, 1}, Ops: []Op{{[]string{"sequence"}, nil, []byte("v")}}}}); err == nil {
		t.Error("an empty key is written")
	}
}
