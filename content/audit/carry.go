package audit

import (
	"bytes"
	"errors"

	"quire/store"
)

// Carry copies the lines of the data file at from into the one at to, which is about to
// replace it: a restore removes no line. If to has the beginning of the same log, as a
// backup has, the missing lines keep their numbers; lines of another log come after its
// own. If the file at from is missing or cannot be read, it has none. Nobody may have to
// open. Errors are the store's.
func Carry(to, from string) error {
	former, err := store.Open(from, store.Options{Existing: true, ReadOnly: true})
	if err != nil {
		return nil // there is nothing to copy that can be read
	}
	next, err := store.Open(to, store.Options{Existing: true})
	switch format := (*store.FormatError)(nil); {
	case errors.As(err, &format) && format.Older: // it must be migrated first, and has no log
		return former.Close()
	case err != nil:
		return errors.Join(err, former.Close())
	}
	return errors.Join(carry(next, former), next.Close(), former.Close())
}

// carry copies in steps, so that no transaction grows large.
func carry(to, from *store.DB) error {
	var begin, shift, oldest, last uint64
	err := errors.Join(
		to.View(func(tx *store.Tx) error { begin = Last(tx); return nil }),
		from.View(func(tx *store.Tx) (err error) { last = Last(tx); oldest, err = First(tx); return err }),
	)
	if err != nil || oldest == 0 {
		return err
	}
	same, err := continues(to, from, begin, oldest)
	if err != nil {
		return err
	}
	first := begin + 1
	if !same {
		first, shift = 1, begin
	}
	if oldest > first {
		first = oldest
	}
	for n := first; n <= last; n += readAtOnce {
		if err := carrySome(to, from, n, min(n+readAtOnce, last+1), shift); err != nil {
			return err
		}
	}
	return nil
}

// continues reports whether the log of from continues that of to: whether the newest common
// line is the same, searching from the last of to back to the oldest of from. If from
// begins after the end of to, no line can be duplicated.
func continues(to, from *store.DB, last, oldest uint64) (same bool, err error) {
	same = oldest > last
	err = to.View(func(one *store.Tx) error {
		return from.View(func(other *store.Tx) error {
			for n := last; n >= oldest; n-- {
				line, err := Line(one, n)
				if err != nil {
					return err
				}
				theirs, err := Line(other, n)
				if err != nil {
					return err
				}
				if line != nil && theirs != nil {
					same = bytes.Equal(line, theirs)
					return nil
				}
			}
			return nil
		})
	})
	return same, err
}

func carrySome(to, from *store.DB, first, end, shift uint64) error {
	return from.View(func(source *store.Tx) error {
		return to.Update(func(tx *store.Tx) error {
			for n := first; n < end; n++ {
				for _, s := range shares() {
					line, err := source.Record(s.bucket, key(n))
					if err != nil {
						return err
					}
					e, unreadable := read(line)
					if line == nil || unreadable != nil {
						continue
					}
					e.Number += shift
					if err := s.put(tx, e); err != nil {
						return err
					}
				}
			}
			return nil
		})
	})
}

// NoteIn adds a line to the log of a data file that nobody has open, for example one that
// is about to replace another. A file in an earlier format gets none: it must be migrated
// first. Errors are the store's.
func NoteIn(path string, by *Source, e Event) error {
	db, err := store.Open(path, store.Options{Existing: true})
	if format := (*store.FormatError)(nil); errors.As(err, &format) && format.Older {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(NewLog(db).Note(by, e), db.Close())
}
