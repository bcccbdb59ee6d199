package storetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"sync"
	"testing"

	"quire/store"
)

var (
	seed   = flag.Uint64("seed", 0, "what random tests choose, as one before them did; 0 for anything")
	rounds = flag.Int("rounds", 150, "steps of random tests")
)

const dogs = "api::dog.dog"

// replica is a data file on a journal, with what its mover has in memory.
type replica struct {
	path   string
	db     *store.DB
	detach func()

	mu       sync.Mutex
	revision uint64
	names    map[string]string // of dogs, by documentId
}

func openReplica(t *testing.T, path string, j store.Journal) *replica {
	t.Helper()
	r := &replica{path: path}
	var err error
	if r.db, err = store.Open(path, store.Options{Journal: j}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.db.Close() })
	r.load(t)
	return r
}

// load reads everything into memory, and follows from there.
func (r *replica) load(t *testing.T) {
	t.Helper()
	err := store.ErrMissed
	for errors.Is(err, store.ErrMissed) {
		r.names = map[string]string{}
		must(t, r.db.View(func(tx *store.Tx) error {
			r.revision = tx.Revision()
			return tx.Scan(dogs, func(e *store.Entry) error {
				r.names[e.DocumentID] = e.Value("name").Text
				return nil
			})
		}))
		r.detach, err = r.db.Attach(r.revision, r.move)
	}
	must(t, err)
}

func (r *replica) move(c store.Commit) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c.Revision != r.revision+1 {
		return fmt.Errorf("revision %d after %d", c.Revision, r.revision)
	}
	r.revision = c.Revision
	for _, change := range c.Changes {
		if change.After == nil {
			delete(r.names, change.Before.DocumentID)
			continue
		}
		r.names[change.After.DocumentID] = change.After.Value("name").Text
	}
	return nil
}

// set names a dog, or removes it, and returns what it was before.
func (r *replica) set(id, name string) (before string, err error) {
	err = r.db.Update(func(tx *store.Tx) error {
		k := store.Key{DocumentID: id, Status: store.Published}
		was, err := tx.Entry(dogs, k)
		if err != nil {
			return err
		}
		before = ""
		change := store.Change{Type: dogs, Before: was}
		if was != nil {
			before = was.Value("name").Text
		}
		if name != "" {
			n := tx.Sequence(dogs) + 1
			if err := tx.SetSequence(dogs, n); err != nil {
				return err
			}
			change.After = &store.Entry{ID: n, DocumentID: id, Status: store.Published, Fields: []store.Field{{Name: "name", Value: store.Value{Kind: store.Text, Text: name}}}}
		}
		if change.Before == nil && change.After == nil {
			return nil
		}
		own := store.Commit{CommitID: tx.CommitID(), Changes: []store.Change{change}}
		tx.AtEnd(func(committed bool) {
			if committed {
				err = r.move(own)
			}
		})
		return errors.Join(err, tx.Apply(change), tx.PutLog(logged(tx.Revision())))
	})
	return before, err
}

// logged is what the commit of a revision logs: mostly little, sometimes much.
func logged(revision uint64) []byte {
	n := revision * 37 % 200
	if revision%11 == 0 {
		n = 1500
	}
	return bytes.Repeat([]byte{byte(revision)}, int(n))
}

// trim removes some of the log, mostly the older half.
func (r *replica) trim(most int) error {
	return r.db.Update(func(tx *store.Tx) (err error) {
		own := store.Commit{CommitID: tx.CommitID()}
		tx.AtEnd(func(committed bool) {
			if committed {
				err = r.move(own)
			}
		})
		_, err = tx.TrimLog(tx.Revision()-tx.Revision()%uint64(most), most)
		return err
	})
}

// requireLog reads the whole log, which is the same on all nodes.
func (r *replica) requireLog(t *testing.T) {
	t.Helper()
	must(t, r.db.View(func(tx *store.Tx) error {
		var last uint64
		return tx.Log(0, func(revision uint64, value []byte) bool {
			if revision <= last || !bytes.Equal(value, logged(revision)) {
				t.Errorf("after %d the log has %d with %d bytes", last, revision, len(value))
			}
			last = revision
			return true
		})
	}))
}

// content is all that the file holds, as text.
func (r *replica) content(t *testing.T) string {
	t.Helper()
	var ops []store.Op
	var revision uint64
	must(t, r.db.View(func(tx *store.Tx) error {
		revision = tx.Revision()
		return tx.Ops(func(o store.Op) error { ops = append(ops, o); return nil })
	}))
	text, err := json.Marshal(ops)
	must(t, err)
	return fmt.Sprint(revision, " ", string(text))
}

// lastChange is the commit that changed the dogs last.
func (r *replica) lastChange(t *testing.T) (id store.CommitID) {
	t.Helper()
	must(t, r.db.View(func(tx *store.Tx) error { id = tx.LastChange(dogs, store.Published); return nil }))
	return id
}

func requireAlike(t *testing.T, all ...*replica) {
	t.Helper()
	for _, r := range all {
		must(t, r.db.Fresh(t.Context()))
	}
	all[0].requireLog(t)
	for _, r := range all[1:] {
		if a, b := all[0].content(t), r.content(t); a != b {
			t.Fatalf("two replicas hold\n%s\nand\n%s", a, b)
		}
		if !reflect.DeepEqual(all[0].names, r.names) {
			t.Fatalf("two replicas have in memory\n%v\nand\n%v", all[0].names, r.names)
		}
		if a, b := all[0].lastChange(t), r.lastChange(t); a != b {
			t.Fatalf("two replicas say that the dogs were changed last by %v and by %v", a, b)
		}
	}
}

func TestWhoIsBehindPlansAgain(t *testing.T) {
	j, dir := NewMemory(), t.TempDir()
	one, two := openReplica(t, filepath.Join(dir, "1"), j), openReplica(t, filepath.Join(dir, "2"), j)
	for i := range 10 {
		r := []*replica{one, two}[i%2]
		before, err := r.set("rex", fmt.Sprint("Rex ", i))
		must(t, err)
		if want := fmt.Sprint("Rex ", i-1); i > 0 && before != want {
			t.Errorf("write %d was planned on %q, want %q", i, before, want)
		}
	}
	requireAlike(t, one, two)
}

func TestRecordsAreFollowed(t *testing.T) {
	j, dir := NewMemory(), t.TempDir()
	one, two := openReplica(t, filepath.Join(dir, "1"), j), openReplica(t, filepath.Join(dir, "2"), j)
	var heard []store.RecordChange
	two.db.Subscribe(func(c store.Commit) { heard = append(heard, c.Records...) })
	must(t, one.db.Update(func(tx *store.Tx) error { return tx.PutRecord("tokens", "a", []byte("1")) }))
	must(t, one.db.Update(func(tx *store.Tx) error { return tx.PutRecord("tokens", "a", []byte("2")) }))
	must(t, one.db.Update(func(tx *store.Tx) error { return tx.DeleteRecord("tokens", "a") }))
	requireAlike(t, one, two)
	want := []store.RecordChange{
		{Bucket: "tokens", Key: "a", After: []byte("1")},
		{Bucket: "tokens", Key: "a", Before: []byte("1"), After: []byte("2")},
		{Bucket: "tokens", Key: "a", Before: []byte("2")},
	}
	if !reflect.DeepEqual(heard, want) {
		t.Errorf("heard %q", heard)
	}
}

// A replica is sound while it is open, and after a close.
func TestReplicasAreSound(t *testing.T) {
	r := openReplica(t, filepath.Join(t.TempDir(), "1"), NewMemory())
	must(t, r.db.Update(func(tx *store.Tx) error { return tx.PutRecord("tokens", "a", []byte("1")) }))
	if wrong, err := r.db.Check(t.Context()); err != nil || len(wrong) > 0 {
		t.Errorf("open: %v, %v", wrong, err)
	}
	must(t, r.db.Close())
	if wrong, err := store.CheckFile(t.Context(), r.path); err != nil || len(wrong) > 0 {
		t.Errorf("closed: %v, %v", wrong, err)
	}
}

// An answer that got lost leaves the write unknown; the feed shows which it was.
func TestLostAnswersResolve(t *testing.T) {
	j := NewMemory()
	r := openReplica(t, filepath.Join(t.TempDir(), "1"), j)
	for _, c := range []struct {
		fault Fault
		name  string
	}{{LoseBefore, ""}, {LoseAfter, "Lost"}} {
		fault := c.fault
		j.Fault = func(store.Batch) (f Fault) { f, fault = fault, None; return f }
		_, err := r.set("rex", "Lost")
		if !store.Uncertain(err) || store.Suspends(err) {
			t.Fatalf("a lost answer: %v", err)
		}
		before, err := r.set("ada", "Ada")
		must(t, err)
		must(t, r.db.Fresh(t.Context()))
		if r.names["rex"] != c.name {
			t.Errorf("after %v, %q: the dog is called %q, want %q", c.fault, before, r.names["rex"], c.name)
		}
	}
}

func TestUpdatesAreBounded(t *testing.T) {
	r := openReplica(t, filepath.Join(t.TempDir(), "1"), NewMemory())
	var large *store.TooLargeError
	err := r.db.Update(func(tx *store.Tx) error {
		for i := range store.MaxOps + 1 {
			if err := tx.PutRecord("many", fmt.Sprint(i), []byte("x")); err != nil {
				return err
			}
		}
		return nil
	})
	if !errors.As(err, &large) || large.Ops != store.MaxOps+1 {
		t.Errorf("too many values: %v", err)
	}
	err = r.db.Update(func(tx *store.Tx) error { return tx.PutRecord("long", "x", make([]byte, store.MaxBytes)) })
	if !errors.As(err, &large) || large.Ops != 1 {
		t.Errorf("too many bytes: %v", err)
	}
	_, err = r.set("rex", "Rex")
	must(t, err)
}

// A replica that was away for longer than the journal keeps its batches loads it.
func TestWhoWasAwayLoads(t *testing.T) {
	j, dir := NewMemory(), t.TempDir()
	one := openReplica(t, filepath.Join(dir, "1"), j)
	two := openReplica(t, filepath.Join(dir, "2"), j)
	must(t, two.db.Close())
	for i := range 5 {
		_, err := one.set(fmt.Sprint("dog", i), "Dog")
		must(t, err)
	}
	j.Compact()
	back := openReplica(t, filepath.Join(dir, "2"), j)
	requireAlike(t, one, back)
}

// What names the state of a type is the same on each node, however it came there.
func TestReplicasAgreeOnLastChanges(t *testing.T) {
	j, dir := NewMemory(), t.TempDir()
	one, two := openReplica(t, filepath.Join(dir, "1"), j), openReplica(t, filepath.Join(dir, "2"), j)
	_, err := one.set("rex", "Rex")
	must(t, err)
	requireAlike(t, one, two)
	was := one.lastChange(t)
	must(t, two.db.Update(func(tx *store.Tx) error { return tx.PutRecord("tokens", "a", []byte("1")) }))
	must(t, two.db.Close())
	two = openReplica(t, filepath.Join(dir, "2"), j)
	must(t, one.db.Fresh(t.Context())) // has followed what is dropped now
	j.Compact()
	requireAlike(t, one, two, openReplica(t, filepath.Join(dir, "3"), j))
	if now := two.lastChange(t); now != was {
		t.Errorf("the dogs were changed last by %v, and by %v before a record was written", now, was)
	}
	_, err = two.set("rex", "Rex the second")
	must(t, err)
	requireAlike(t, one, two)
	if now := one.lastChange(t); now == was || now.Lineage != was.Lineage {
		t.Errorf("the dogs were changed last by %v, and by %v before", now, was)
	}
}

// A file that takes the place of another takes the place of everybody's.
func TestAnExchangeReachesEveryNode(t *testing.T) {
	j, dir := NewMemory(), t.TempDir()
	one, two := openReplica(t, filepath.Join(dir, "1"), j), openReplica(t, filepath.Join(dir, "2"), j)
	_, err := one.set("rex", "Rex")
	must(t, err)
	must(t, two.db.Fresh(t.Context()))
	other := filepath.Join(dir, "other")
	db, err := store.Open(other, store.Options{})
	must(t, err)
	must(t, errors.Join((&replica{db: db, names: map[string]string{}}).put("ada", "Ada"), db.Close()))
	one.detach()
	must(t, one.db.Exchange(func(path string) error { return store.Replace(other, path) }))
	one.load(t)
	two.detach()
	if err := two.db.Fresh(t.Context()); err == nil {
		t.Error("a replica of what was replaced goes on")
	}
	must(t, two.db.Reopen())
	two.load(t)
	requireAlike(t, one, two)
	if len(two.names) != 1 || two.names["ada"] != "Ada" {
		t.Errorf("the other node has %v", two.names)
	}
}

func (r *replica) put(id, name string) error {
	_, err := r.set(id, name)
	return err
}

// Three replicas write at random, are closed and opened again, lose answers and the
// journal's past; in the end they hold the same, and every acknowledged write once.
func TestReplicasAgree(t *testing.T) {
	s := *seed
	if s == 0 {
		s = rand.Uint64()
	}
	t.Logf("-seed %d", s)
	random := rand.New(rand.NewPCG(s, 1))
	j, dir := NewMemory(), t.TempDir()
	faults := rand.New(rand.NewPCG(s, 2))
	j.Fault = func(store.Batch) Fault {
		if faults.IntN(12) == 0 {
			return Fault(1 + faults.IntN(2))
		}
		return None
	}
	var all []*replica
	for i := range 3 {
		all = append(all, openReplica(t, filepath.Join(dir, fmt.Sprint(i)), j))
	}
	model, unknown := map[string]string{}, map[string][]string{}
	for step := range *rounds {
		i := random.IntN(len(all))
		r := all[i]
		switch random.IntN(20) {
		case 0:
			must(t, r.db.Close())
			all[i] = openReplica(t, r.path, j)
		case 1:
			requireAlike(t, all...)
		case 2:
			must(t, r.db.Reopen())
		case 3:
			if err := r.trim(1 + random.IntN(20)); err != nil && !store.Uncertain(err) {
				t.Fatal(err)
			}
		case 4:
			must(t, r.db.Fresh(t.Context()))
			_, err := r.db.Compact(t.Context())
			must(t, err)
		default:
			id, name := fmt.Sprint("dog", random.IntN(8)), fmt.Sprint("name ", step)
			if random.IntN(4) == 0 {
				name = ""
			}
			before, err := r.set(id, name)
			switch {
			case err == nil && name == "" && before == "":
				// It wrote nothing, so the journal was not asked and this node may be behind.
			case err == nil:
				if before != model[id] && !contains(unknown[id], before) {
					t.Fatalf("%s was %q, want %q or %q", id, before, model[id], unknown[id])
				}
				model[id], unknown[id] = name, nil
			case store.Uncertain(err):
				unknown[id] = append(unknown[id], name)
			default:
				t.Fatal(err)
			}
		}
	}
	requireAlike(t, all...)
	for id, name := range model {
		if is := all[0].names[id]; is != name && !contains(unknown[id], is) {
			t.Errorf("%s is %q, want %q or one of %q", id, is, name, unknown[id])
		}
	}
}

func contains(list []string, text string) bool {
	for _, s := range list {
		if s == text {
			return true
		}
	}
	return false
}
