package bulk

import (
	"errors"
	"maps"

	"quire/content"
	"quire/history"
	"quire/schema"
	"quire/store"
)

// loadedFile is the data file below a Loader. Changes gather into large
// transactions, and one is stored by a goroutine of its own while the next
// gathers: what a plan reads is the file and what is on its way there.
type loadedFile struct {
	db        *store.DB
	rewrite   *history.Rewrite  // stamps all changes with one new version
	sequences map[string]uint64 // all that have been read or moved on
	limit     int               // how many changes make a transaction

	changes []store.Change
	gathers map[store.Name]*store.Entry // after those changes; nil for a deleted one
	stores  map[store.Name]*store.Entry // the same of the transaction under way

	transactions chan transaction
	done         chan struct{} // closed when the goroutine has ended
	closed       bool
	err          error // of the goroutine; read after done
	unread       error // of a sequence; nothing is stored any more
}

// transaction is what one transaction writes.
type transaction struct {
	changes   []store.Change
	sequences map[string]uint64
}

// gathered is how many changes make a transaction. Fewer write the same pages
// too often; with more, pages get too full before they are split.
const gathered = 16384

func newLoadedFile(db *store.DB, site *schema.Site) *loadedFile {
	f := &loadedFile{
		db: db, limit: gathered, sequences: map[string]uint64{}, gathers: map[store.Name]*store.Entry{},
		transactions: make(chan transaction), done: make(chan struct{}),
	}
	f.rewrite = history.NewRewrite(site, f.Sequence(history.VersionsSequence)+1, store.ActionImport, "import")
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
	defer content.CatchPanic(&err)
	defer func() { err = errors.Join(err, f.db.ReleaseMemory()) }()
	return f.db.Update(func(tx *store.Tx) error {
		for _, c := range t.changes {
			if err := f.rewrite.Apply(tx, c); err != nil {
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
	if f.unread != nil {
		return f.unread
	}
	for _, c := range changes {
		if c.Before == nil && c.After == nil {
			continue
		}
		c = f.rewrite.Stamp(c)
		f.sequences[history.VersionsSequence] = f.rewrite.Version
		f.changes = append(f.changes, c)
		f.gathers[c.Name()] = c.After
	}
	if len(f.changes) < f.limit {
		return nil
	}
	return f.flush()
}

// flush hands over what has gathered. When the goroutine takes it, the
// transaction before is in the file.
func (f *loadedFile) flush() error {
	if f.unread != nil {
		return f.unread
	}
	if len(f.changes) == 0 {
		return nil
	}
	select {
	case f.transactions <- transaction{f.changes, maps.Clone(f.sequences)}:
	case <-f.done:
		return f.err
	}
	f.stores, f.gathers = f.gathers, make(map[store.Name]*store.Entry, len(f.gathers))
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
			<-f.done
			return err
		}
	}
	<-f.done
	return f.err
}

// Entry is store.Tx.Entry of what will be in the file.
func (f *loadedFile) Entry(uid string, k store.Key) (e *store.Entry, err error) {
	name := store.Name{Type: uid, Key: k}
	for _, moving := range []map[store.Name]*store.Entry{f.gathers, f.stores} {
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

// Sequence is store.Tx.Sequence of what will be in the file. A sequence that cannot
// be read is 0, and then nothing more is stored: the numbers after it may be in use.
func (f *loadedFile) Sequence(name string) (n uint64) {
	if n, known := f.sequences[name]; known {
		return n
	}
	err := f.db.View(func(tx *store.Tx) error {
		n = tx.Sequence(name)
		return nil
	})
	if err != nil && f.unread == nil {
		f.unread = err
	}
	f.sequences[name] = n
	return n
}
