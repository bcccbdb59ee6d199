package bulk

import (
	"errors"

	"quire/content"
	"quire/content/history"
	"quire/schema"
	"quire/store"
)

// loadedFile is the data file of a Loader. Entries are collected, and written to a spool by
// a separate goroutine while the next ones are collected: a plan reads the file, the spool
// and what is on its way there. At the end everything in the spool is written to the file,
// in the order of the file.
type loadedFile struct {
	db        *store.DB
	spool     *store.Spool
	rewrite   *history.Rewrite  // stamps all changes with one new version
	sequences map[string]uint64 // all that have been read or changed
	limit     int               // number of entries that are spooled together

	gathers map[store.Name]*store.Entry // nil for a deleted entry
	spools  map[store.Name]*store.Entry // those on their way to the spool

	runs   chan map[store.Name]*store.Entry
	done   chan struct{} // closed when the goroutine has ended
	closed bool
	err    error // the first error; of the goroutine, read after done
	unread error // of a sequence; nothing is stored any more
}

// gathered is the number of entries that are spooled together.
const gathered = 16384

func newLoadedFile(db *store.DB, site *schema.Site) *loadedFile {
	f := &loadedFile{
		db: db, limit: gathered, sequences: map[string]uint64{}, gathers: map[store.Name]*store.Entry{},
		runs: make(chan map[store.Name]*store.Entry), done: make(chan struct{}),
	}
	f.rewrite = history.NewRewrite(site, f.Sequence(history.VersionsSequence)+1, store.ActionImport, "import")
	if f.spool, f.err = db.NewSpool(); f.err != nil {
		close(f.done)
		return f
	}
	go f.run()
	return f
}

// run spools until there is nothing left, or the spool fails.
func (f *loadedFile) run() {
	defer close(f.done)
	for entries := range f.runs {
		if f.err = f.put(entries); f.err != nil {
			return
		}
	}
}

func (f *loadedFile) put(entries map[store.Name]*store.Entry) (err error) {
	defer content.CatchPanic(&err)
	return f.spool.Put(entries)
}

// apply adds changes.
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
		f.gathers[c.Name()] = c.After
	}
	if len(f.gathers) < f.limit {
		return nil
	}
	return f.flush()
}

// flush passes the collected entries on. When the goroutine accepts them, the earlier ones
// are in the spool.
func (f *loadedFile) flush() error {
	if f.unread != nil {
		return f.unread
	}
	if len(f.gathers) == 0 {
		return nil
	}
	select {
	case f.runs <- f.gathers:
	case <-f.done:
		return f.err
	}
	f.spools, f.gathers = f.gathers, make(map[store.Name]*store.Entry, len(f.gathers))
	return nil
}

// finish writes everything to the file.
func (f *loadedFile) finish() error {
	if f.closed {
		return f.err
	}
	err := f.flush()
	f.stop()
	if f.err == nil {
		f.err = err
	}
	if f.err == nil {
		f.spools = nil
		f.err = f.settle()
	}
	f.close()
	return f.err
}

// stop ends the goroutine.
func (f *loadedFile) stop() {
	if !f.closed {
		f.closed = true
		close(f.runs)
	}
	<-f.done
}

// close drops what is not in the file.
func (f *loadedFile) close() {
	f.stop()
	if f.spool != nil {
		f.err = errors.Join(f.err, f.spool.Close())
		f.spool = nil
	}
}

// settled is how many bytes of entries are written to the file in one transaction.
const settled = 8 << 20

// settle stores everything in the spool, and the sequences.
func (f *loadedFile) settle() (err error) {
	defer content.CatchPanic(&err)
	var some []store.Spooled
	size := 0
	err = f.spool.All(func(one store.Spooled) error {
		some = append(some, one)
		if size += one.Size(); size < settled {
			return nil
		}
		err := f.store(some)
		some, size = some[:0], 0
		return err
	})
	if err != nil {
		return err
	}
	if err := f.store(some); err != nil {
		return err
	}
	return f.db.Update(func(tx *store.Tx) error {
		for name, last := range f.sequences {
			if err := tx.SetSequence(name, last); err != nil {
				return err
			}
		}
		return nil
	})
}

// store stores entries in one transaction. The file is mapped, and the memory of what is
// done is released.
func (f *loadedFile) store(some []store.Spooled) error {
	err := f.db.Update(func(tx *store.Tx) error {
		for _, one := range some {
			if err := f.storeOne(tx, one); err != nil {
				return err
			}
		}
		return nil
	})
	return errors.Join(err, f.db.ReleaseMemory())
}

// storeOne stores an entry, or removes it. What the file had before the import goes to the
// history.
func (f *loadedFile) storeOne(tx *store.Tx, one store.Spooled) error {
	name, err := one.Name()
	if err != nil {
		return err
	}
	before, err := tx.Entry(name.Type, name.Key)
	switch {
	case err != nil:
		return err
	case before == nil && one.Gone():
		return nil
	case before == nil:
		return tx.Load(one)
	}
	after, err := one.Entry()
	if err != nil {
		return err
	}
	return f.rewrite.Apply(tx, store.Change{Type: name.Type, Before: before, After: after})
}

// Entry is store.Tx.Entry for the resulting file.
func (f *loadedFile) Entry(uid string, k store.Key) (e *store.Entry, err error) {
	name := store.Name{Type: uid, Key: k}
	for _, moving := range []map[store.Name]*store.Entry{f.gathers, f.spools} {
		if e, ok := moving[name]; ok {
			return e, nil
		}
	}
	if f.spool != nil {
		if e, known, err := f.spool.Entry(name); known || err != nil {
			return e, err
		}
	}
	err = f.db.View(func(tx *store.Tx) error {
		e, err = tx.Entry(uid, k)
		return err
	})
	return e, err
}

// Sequence is store.Tx.Sequence for the resulting file. A sequence that cannot be read is
// 0, and then nothing more is stored: the numbers after it may be in use.
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
