package content

import (
	"maps"

	"quire/store"
)

// loadedFile is the data file below a Loader. Changes gather into large
// transactions, and one is stored by a goroutine of its own while the next
// gathers: what a plan reads is the file and what is on its way there.
type loadedFile struct {
	db        *store.DB
	sequences map[string]uint64 // all that have been read or moved on
	limit     int               // how many changes make a transaction

	changes []store.Change
	gathers map[entryName]*store.Entry // after those changes; nil for a deleted one
	stores  map[entryName]*store.Entry // the same of the transaction under way

	transactions chan transaction
	done         chan struct{} // closed when the goroutine has ended
	closed       bool
	err          error // of the goroutine; read after done
}

// transaction is what one transaction writes.
type transaction struct {
	changes   []store.Change
	sequences map[string]uint64
}

// gathered is how many changes make a transaction. Fewer write the same pages
// too often; with more, pages get too full before they are split.
const gathered = 16384

func newLoadedFile(db *store.DB) *loadedFile {
	f := &loadedFile{
		db: db, limit: gathered, sequences: map[string]uint64{}, gathers: map[entryName]*store.Entry{},
		transactions: make(chan transaction), done: make(chan struct{}),
	}
	go f.run()
	return f
}

// run stores transactions until there are no more, or one fails.
func (f *loadedFile) run() {
	defer close(f.done)
	for t := range f.transactions {
		if f.err = f.store(t); f.err != nil {
			return
		}
	}
}

func (f *loadedFile) store(t transaction) (err error) {
	defer recovered(&err)
	return f.db.Update(func(tx *store.Tx) error {
		for _, c := range t.changes {
			if err := tx.Apply(c); err != nil {
				return err
			}
		}
		for name, last := range t.sequences {
			if err := tx.SetSequence(name, last); err != nil {
				return err
			}
		}
		return nil
	})
}

// apply takes changes on.
func (f *loadedFile) apply(changes []store.Change) error {
	for _, c := range changes {
		if c.Before == nil && c.After == nil {
			continue
		}
		f.changes = append(f.changes, c)
		f.gathers[nameOf(c)] = c.After
	}
	if len(f.changes) < f.limit {
		return nil
	}
	return f.flush()
}

func nameOf(c store.Change) entryName {
	if c.After != nil {
		return entryName{c.Type, c.After.Key()}
	}
	return entryName{c.Type, c.Before.Key()}
}

// flush hands over what has gathered. When the goroutine takes it, the
// transaction before is in the file.
func (f *loadedFile) flush() error {
	if len(f.changes) == 0 {
		return nil
	}
	select {
	case f.transactions <- transaction{f.changes, maps.Clone(f.sequences)}:
	case <-f.done:
		return f.err
	}
	f.stores, f.gathers = f.gathers, make(map[entryName]*store.Entry, len(f.gathers))
	f.changes = make([]store.Change, 0, f.limit)
	return nil
}

// close stores what is left.
func (f *loadedFile) close() error {
	if !f.closed {
		f.closed = true
		err := f.flush()
		close(f.transactions)
		if err != nil {
			return err
		}
	}
	<-f.done
	return f.err
}

// Entry is store.Tx.Entry of what will be in the file.
func (f *loadedFile) Entry(uid string, k store.Key) (e *store.Entry, err error) {
	name := entryName{uid, k}
	for _, moving := range []map[entryName]*store.Entry{f.gathers, f.stores} {
		if e, ok := moving[name]; ok {
			return e, nil
		}
	}
	err = f.db.View(func(tx *store.Tx) error {
		e, err = tx.Entry(uid, k)
		return err
	})
	return e, err
}

// Sequence is store.Tx.Sequence of what will be in the file. An operation keeps
// its numbers in the same map, so one that is not there has not moved.
func (f *loadedFile) Sequence(name string) (n uint64) {
	_ = f.db.View(func(tx *store.Tx) error {
		n = tx.Sequence(name)
		return nil
	})
	return n
}
