package store

import (
	"errors"
	"sync"
	"time"
)

// Tail keeps the last batches of a data file, so that others can follow it: see DB.Tail.
// All methods may be called from any goroutine.
type Tail struct {
	mu      sync.Mutex
	limit   int        // bytes
	from    []CommitID // names of the commit before the first batch
	batches []Batch
	size    int           // of batches, in bytes
	last    CommitID      // of the file
	time    int64         // of the last batch
	changed chan struct{} // closed with the next change
	closed  bool
}

// Tail returns the last batches of the file, in at most that many bytes. The first call
// begins to collect them; until then a commit costs nothing for it. A file with a journal
// has no tail: whoever wants its batches follows the journal.
func (db *DB) Tail(limit int) (*Tail, error) {
	db.writing.Lock()
	defer db.writing.Unlock()
	switch {
	case db.options.Journal != nil:
		return nil, ErrNoTail
	case db.tail != nil:
		return db.tail, nil
	}
	t := &Tail{limit: limit, changed: make(chan struct{})}
	err := db.View(func(tx *Tx) error {
		t.begin(tx.lastCommit(), tx.origin())
		return nil
	})
	if err != nil {
		return nil, err
	}
	db.tail = t
	return t, nil
}

// ErrNoTail: the file is a replica, and others follow what it follows.
var ErrNoTail = errors.New("store: the file follows a journal itself")

// reopenTail makes the tail begin again if the file ends with another commit than before.
// db.writing must be held.
func (db *DB) reopenTail() error {
	if db.tail == nil {
		return nil
	}
	return db.View(func(tx *Tx) error {
		if last := tx.lastCommit(); last != db.tail.Last() {
			db.tail.begin(last, tx.origin())
		}
		return nil
	})
}

// begin forgets all batches: the tail now begins after a commit, which may have a second
// name. It does so after a commit of which not all operations are known, see Recorded.Partial.
func (t *Tail) begin(last, origin CommitID) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.from = []CommitID{last}
	if origin.Lineage != 0 && origin.Revision == last.Revision {
		t.from = append(t.from, origin)
	}
	t.batches, t.size, t.last = nil, 0, last
	t.wake()
}

// add appends a batch. The oldest ones make space for it; one that is too large leaves a
// tail that begins after it.
func (t *Tail) add(b Batch) {
	t.mu.Lock()
	defer t.mu.Unlock()
	defer t.wake()
	id := CommitID{b.Lineage, b.Revision}
	t.last, t.time = id, b.Time
	t.batches, t.size = append(t.batches, b), t.size+b.Size()
	n := 0
	for n < len(t.batches) && t.size > t.limit {
		t.from = []CommitID{{t.batches[n].Lineage, t.batches[n].Revision}}
		t.size -= t.batches[n].Size()
		t.batches[n] = Batch{}
		n++
	}
	t.batches = t.batches[n:]
}

func (t *Tail) wake() {
	close(t.changed)
	t.changed = make(chan struct{})
}

// Last returns the last commit of the file.
func (t *Tail) Last() CommitID {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last
}

// After returns the batches after a commit, and a channel that is closed when there is more
// to see. The error is ErrCompacted if the tail does not reach back to that commit, and
// ErrClosed after the last batch of a closed file.
func (t *Tail) After(id CommitID) (batches []Batch, changed <-chan struct{}, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := -1
	for i, b := range t.batches {
		if (CommitID{b.Lineage, b.Revision}) == id {
			at = i + 1
		}
	}
	for _, from := range t.from {
		if from == id {
			at = 0
		}
	}
	switch {
	case at < 0:
		return nil, nil, ErrCompacted
	case at == len(t.batches) && t.closed:
		return nil, nil, ErrClosed
	}
	return append([]Batch(nil), t.batches[at:]...), t.changed, nil
}

// Close lets whoever reads the tail end after the last batch.
func (t *Tail) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	t.wake()
}

// Size returns the approximate size of a batch, in bytes.
func (b Batch) Size() int {
	n := 64
	for _, o := range b.Ops {
		n += o.Size() + 64
	}
	return n
}

// origin returns the name of the commit where it was made, in its stored form; nil if that
// is the one here.
func (b Batch) origin() []byte {
	if b.Lineage == 0 {
		return nil
	}
	return CommitID{b.Lineage, b.Revision}.stored()
}

// originKey is the key in meta of the name that the commit at the position of a replica has
// where it was made. Its own name there is of the lineage of the replica.
const originKey = "origin"

// origin returns where the last batch that the file got from a journal was made; zero for
// none.
func (tx *Tx) origin() (id CommitID) {
	tx.guardOrDamage(metaBucket, func() (err error) {
		id, err = commitID(tx.bucket(metaBucket).Get([]byte(originKey)))
		return err
	})
	return id
}

// ReplicaAt returns of which lineage the file at path is a replica, 0 if it is none or cannot
// be read, and the name and the time that its last commit has where it was made.
func ReplicaAt(path string, timeout time.Duration) (lineage uint64, at CommitID, when time.Time) {
	db, err := Open(path, Options{Existing: true, ReadOnly: true, Timeout: timeout})
	if err != nil {
		return 0, at, when
	}
	defer db.Close() // it was only read
	if lineage, err = db.replicated(); err != nil || lineage == 0 {
		return 0, at, when
	}
	_ = db.View(func(tx *Tx) error { // zero if it cannot be read
		at, when = tx.Origin(), time.UnixMilli(int64(tx.number(metaBucket, timeKey)))
		return nil
	})
	return lineage, at, when
}

// Origin returns the name that the last commit of the file has where it was made: that of
// the file itself, or of the one that it follows.
func (tx *Tx) Origin() CommitID {
	last, origin := tx.lastCommit(), tx.origin()
	if origin.Lineage != 0 && origin.Revision == last.Revision {
		return origin
	}
	return last
}
