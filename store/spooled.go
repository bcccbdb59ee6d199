package store

import (
	"bufio"
	"bytes"
	"container/heap"
	"fmt"
	"io"
)

// Spooled is an entry in a Spool, or a deleted one.
type Spooled struct{ name, value []byte }

// Size returns the number of bytes that it takes.
func (s Spooled) Size() int { return len(s.name) + len(s.value) }

// Gone reports whether the entry was deleted.
func (s Spooled) Gone() bool { return len(s.value) == 0 }

// where returns its bucket and key in a data file.
func (s Spooled) where() (p entryBucket, key []byte) {
	uid, rest, _ := bytes.Cut(s.name, []byte{0})
	locale, key, _ := bytes.Cut(rest, []byte{0})
	return entryBucketAt(string(uid), string(locale)), key
}

// Entry returns the entry, nil if it was deleted.
func (s Spooled) Entry() (*Entry, error) {
	if s.Gone() {
		return nil, nil
	}
	p, key := s.where()
	return newDecoder().entry(p, key, s.value)
}

// Name returns the name of the entry. The error says that the spool is damaged.
func (s Spooled) Name() (Name, error) {
	p, key := s.where()
	documentID, status, err := splitKey(key)
	return Name{p.uid, Key{string(documentID), p.locale, status}}, err
}

// Load stores an entry of a spool that is not in the file yet. The feed does not get it: it
// is for a file that nobody follows, for example the copy that an import works on.
func (tx *Tx) Load(one Spooled) error {
	if !tx.writable {
		return ErrReadOnly
	}
	p, key := one.where()
	_, status, err := splitKey(key)
	if err == nil {
		err = checkValue(p, key, one.value, nil)
	}
	if err != nil {
		return fmt.Errorf("store: what was to be stored as %s in %s has been damaged on the way: %w", p.readableKey(key), p, err)
	}
	err = tx.guard(p.String(), func() error {
		b, err := tx.makeBucket(p.path()...)
		if err != nil {
			return err
		}
		b.FillPercent = 1 // the next ones come after it
		return putVersion(b, key, one.value)
	})
	if err != nil {
		return err
	}
	tx.recordOp(key, one.value, p.path())
	tx.touch(p.uid, status)
	tx.dirty = true
	return nil
}

// All calls fn for the last state under each name, in the order of a data file, until fn
// fails. fn may keep it. Errors are fn's, and *WriteError if the spool cannot be read.
func (s *Spool) All(fn func(Spooled) error) error {
	var runs runHeap
	begin := int64(0)
	for i, end := range s.ends {
		r := &spoolRun{number: i, in: bufio.NewReaderSize(io.NewSectionReader(s.file, begin, end-begin), spoolAhead)}
		begin = end
		more, err := r.advance(s)
		if err != nil {
			return err
		}
		if more {
			runs = append(runs, r)
		}
	}
	heap.Init(&runs)
	var last []byte
	for len(runs) > 0 {
		r := runs[0]
		one := r.first
		more, err := r.advance(s)
		if err != nil {
			return err
		}
		if more {
			heap.Fix(&runs, 0)
		} else {
			heap.Pop(&runs)
		}
		if bytes.Equal(one.name, last) {
			continue // a later run had it
		}
		last = one.name
		if err := fn(one); err != nil {
			return err
		}
	}
	return nil
}

// spoolAhead is how much of each run is read at a time, in bytes.
const spoolAhead = 32 << 10

// spoolRun is a run that is being read.
type spoolRun struct {
	number int
	in     *bufio.Reader
	first  Spooled
}

// advance reads the next entry of the run; more is false at its end.
func (r *spoolRun) advance(s *Spool) (more bool, err error) {
	if _, err := r.in.Peek(1); err == io.EOF {
		return false, nil
	}
	r.first, err = s.next(r.in)
	return err == nil, err
}

// runHeap has the run with the first name on top; of several, the latest run.
type runHeap []*spoolRun

func (h runHeap) Len() int      { return len(h) }
func (h runHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h runHeap) Less(i, j int) bool {
	c := bytes.Compare(h[i].first.name, h[j].first.name)
	return c < 0 || c == 0 && h[i].number > h[j].number
}
func (h *runHeap) Push(r any) { *h = append(*h, r.(*spoolRun)) }
func (h *runHeap) Pop() any {
	last := len(*h) - 1
	r := (*h)[last]
	*h = (*h)[:last]
	return r
}
