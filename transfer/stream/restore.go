package stream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"quire/media"
	"quire/store"
)

// Latest restores everything that the stream has.
var Latest = time.UnixMilli(1<<62 - 1)

// Restored describes what was restored.
type Restored struct {
	Wanted  time.Time      // the time that was requested
	At      time.Time      // the time of the last commit in it, or of the image
	Commit  store.CommitID // the last commit in it
	Program string
	Schemas string   // fingerprint of the site folder when the image was made
	Files   []string // uploaded files
	Missing []string // uploaded files that the stream does not have
	Skipped []string // damaged images that were replaced by earlier ones
	Image   time.Time
	Commits int // that were made after the image

	// Gap is set if the stream was interrupted after At, and has nothing until this time.
	Gap *time.Time

	expansion expansion
}

// NothingError reports that the stream has nothing from before a moment.
type NothingError struct{ First time.Time } // the first moment that it has; zero for none

func (e *NothingError) Error() string {
	if e.First.IsZero() {
		return "there is nothing to restore: the target has no image of this data folder"
	}
	return fmt.Sprintf("there is nothing from before that moment; the first one is %s", e.First.Format(time.RFC3339Nano))
}

// BrokenError reports that the stream cannot be followed to a moment.
type BrokenError struct {
	Err  error
	Last time.Time // the last moment before the damage
}

func (e *BrokenError) Error() string {
	return fmt.Sprintf("%v; what can be restored before it ends at %s", e.Err, e.Last.Format(time.RFC3339Nano))
}

func (e *BrokenError) Unwrap() error { return e.Err }

// mostReplayed is how many bytes of operations share a transaction. Each takes opBytes more than
// its keys and values.
const (
	mostReplayed = 32 << 20
	opBytes      = 96
)

// Restore writes the data file and the uploads as of a moment into a folder, which is empty.
// names lists the uploads in the records of a data file. A moment is that of the last commit
// that is not later. Errors: *NothingError, *BrokenError, *DamageError, those of keys, the
// target's and the context's.
func (c *Catalog) Restore(ctx context.Context, at time.Time, folder string, names func(*store.Tx) ([]string, error)) (*Restored, error) {
	m := &Restored{Wanted: at, expansion: expansion{freelyUnpacks}}
	last := -1
	for i, e := range c.images {
		beyond, err := c.isBeyond(ctx, e)
		if err != nil {
			return nil, err
		}
		if !beyond && e.time() <= at.UnixMilli() && (last < 0 || e.time() >= c.images[last].time() || e.from > c.images[last].from) {
			last = i
		}
	}
	switch {
	case last < 0 && c.Former != nil:
		return c.Former.Restore(ctx, at, folder, names)
	case last < 0:
		return nil, c.nothing()
	}
	data := filepath.Join(folder, dataName)
	for {
		err := c.restoreFrom(ctx, c.images[last], data, m)
		damage := new(DamageError)
		if !errors.As(err, &damage) || damage.Name != c.images[last].name(c.ID) || last == 0 || c.images[last].letter == anewLetter {
			if err != nil {
				return nil, err
			}
			break
		}
		m.Skipped = append(m.Skipped, err.Error())
		last-- // an earlier image of the same chain has longer to go
		// Nothing was written if the beginning of the image is damaged.
		if err := os.Remove(data); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return m, c.restoreFiles(ctx, data, filepath.Join(folder, "uploads"), names, m)
}

func (c *Catalog) nothing() error {
	if len(c.images) == 0 {
		return &NothingError{}
	}
	first := c.images[0].time()
	for _, e := range c.images {
		first = min(first, e.time())
	}
	return &NothingError{time.UnixMilli(first).UTC()}
}

// restoreFrom writes an image, and replays what follows it.
func (c *Catalog) restoreFrom(ctx context.Context, image entry, data string, m *Restored) error {
	head, err := c.unpack(ctx, image, data, m)
	if err != nil {
		return err
	}
	m.Image, m.At = time.UnixMilli(head.To).UTC(), time.UnixMilli(head.To).UTC()
	m.Commit, m.Program, m.Schemas, m.Commits, m.Gap = head.Last, head.Program, head.Schemas, 0, nil
	db, err := store.Open(data, store.Options{Existing: true, Hasty: true})
	if err != nil {
		return &DamageError{image.name(c.ID), err}
	}
	return errors.Join(c.replay(ctx, image, db, m), db.Close())
}

// unpack writes the data file of an image.
func (c *Catalog) unpack(ctx context.Context, image entry, data string, m *Restored) (*Header, error) {
	o, err := openObject(ctx, c.Target, image.name(c.ID))
	if err != nil {
		return nil, c.named(image, err)
	}
	defer o.close()
	if err := cmp.Or(o.is(image), m.expansion.add(o.name, o.Size, o.stored)); err != nil {
		return nil, err
	}
	return &o.Header, o.read(c.Key, func(from io.Reader) error { return writeFile(data, from) })
}

func writeFile(path string, from io.Reader) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return outside(err)
	}
	if _, err = io.Copy(&toDisk{f}, from); err == nil {
		err = outside(f.Sync())
	}
	return errors.Join(err, outside(f.Close()))
}

// toDisk marks the errors of a file that is written.
type toDisk struct{ to io.Writer }

func (d *toDisk) Write(b []byte) (int, error) {
	n, err := d.to.Write(b)
	return n, outside(err)
}

// replay commits what was committed after an image, up to the moment.
func (c *Catalog) replay(ctx context.Context, image entry, db *store.DB, m *Restored) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	w := walk{catalog: c, last: m.Commit, until: m.Wanted.UnixMilli(), expansion: &m.expansion}
	var commits []store.Recorded
	bytes := 0
	flush := func() error {
		err := db.Replay(commits)
		commits, bytes = commits[:0], 0
		return err
	}
	err := w.run(ctx, image, func(r store.Recorded) error {
		commits = append(commits, r)
		for _, o := range r.Ops {
			bytes += o.Size() + opBytes
		}
		m.Commits++
		m.At, m.Commit = time.UnixMilli(max(r.Time, m.Image.UnixMilli())).UTC(), r.CommitID
		if bytes < mostReplayed {
			return nil
		}
		return flush()
	})
	damaged := errors.As(err, new(*DamageError))
	switch next := c.next(image); {
	case damaged && m.At.UnixMilli() < w.until:
		return &BrokenError{err, m.At}
	case err != nil && !damaged:
		return err
	case w.ended && next.letter != 0:
		m.Gap = moment(next.time())
	case w.ended && c.until > 0:
		m.Gap = moment(c.resumed)
	}
	return flush()
}

// restoreFiles writes the uploads that the records in a data file name.
func (c *Catalog) restoreFiles(ctx context.Context, data, folder string, names func(*store.Tx) ([]string, error), m *Restored) error {
	if err := os.Mkdir(folder, 0o700); err != nil {
		return err
	}
	db, err := store.Open(data, store.Options{Existing: true, ReadOnly: true})
	if err != nil {
		return err
	}
	var named []string
	err = db.View(func(tx *store.Tx) (err error) {
		named, err = names(tx)
		return err
	})
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	for _, name := range named {
		switch err := c.restoreFile(ctx, name, filepath.Join(folder, name), m); {
		case errors.Is(err, errMissing):
			m.Missing = append(m.Missing, name)
			continue
		case err != nil:
			return err
		}
		m.Files = append(m.Files, name)
	}
	return nil
}

// restoreFile writes an upload. If this stream does not have it, one that it continues may.
func (c *Catalog) restoreFile(ctx context.Context, name, path string, m *Restored) error {
	e := entry{letter: fileLetter, file: c.Key.nameOf(name)}
	switch {
	case !c.Files[e.file] && c.Former != nil:
		return c.Former.restoreFile(ctx, name, path, m)
	case !c.Files[e.file] || !media.SafeName(name):
		return errMissing
	}
	o, err := openObject(ctx, c.Target, e.name(c.ID))
	if err != nil {
		return c.named(e, err)
	}
	defer o.close()
	if err := cmp.Or(o.is(e), m.expansion.add(o.name, o.Size, o.stored)); err != nil {
		return err
	}
	return o.read(c.Key, func(from io.Reader) error { return writeFile(path, from) })
}
