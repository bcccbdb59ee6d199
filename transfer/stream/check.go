package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"quire/store"
)

// Checked is the result of a check.
type Checked struct {
	At       time.Time     `json:"at"`
	Images   int           `json:"images"`
	Segments int           `json:"segments"`
	Files    int           `json:"files"`
	Bytes    int64         `json:"bytes"`    // of all objects
	Problems []string      `json:"problems"` // damaged and missing objects
	Whole    []Whole       `json:"whole"`    // what can be restored
	Restored time.Time     `json:"restored"` // the moment that was restored
	Took     time.Duration `json:"-"`
	Seconds  float64       `json:"seconds"`
}

// Whole is a time in which every moment that the stream has can be restored.
type Whole struct {
	From time.Time `json:"from"`
	To   time.Time `json:"to"`
}

// Check reads every object of the stream, and restores the last moment that is whole into a
// folder, which is empty. What is wrong with the stream is in the result; the error is of a
// key, the target, the disk or the context.
func (c *Catalog) Check(ctx context.Context, folder string, names func(*store.Tx) ([]string, error)) (*Checked, error) {
	begin := time.Now()
	r := &Checked{At: begin.UTC(), Images: len(c.images), Segments: len(c.segments), Files: len(c.Files), Bytes: c.bytes, Problems: []string{}, Whole: []Whole{}}
	if len(c.images) == 0 {
		return nil, c.nothing()
	}
	end := uint64(0) // of the segments that are whole so far
	for i, image := range c.images {
		whole, err := c.checkObject(ctx, image, r)
		if err != nil {
			return nil, err
		}
		if beyond, err := c.isBeyond(ctx, image); beyond || err != nil {
			if err != nil {
				return nil, err
			}
			continue
		}
		if !whole || i > 0 && image.letter == imageLetter && image.from <= end+1 && len(r.Whole) > 0 {
			continue // an earlier image leads here
		}
		if end, err = c.checkSegments(ctx, image, r); err != nil {
			return nil, err
		}
	}
	others := slices.Clone(c.names)
	for hash := range c.Files {
		others = append(others, entry{letter: fileLetter, file: hash})
	}
	for _, e := range others {
		if _, err := c.checkObject(ctx, e, r); err != nil {
			return nil, err
		}
	}
	if n := len(r.Whole); n > 0 {
		if err := c.checkRestore(ctx, r.Whole[n-1].To, folder, names, r); err != nil {
			return nil, err
		}
	}
	r.Took = time.Since(begin)
	r.Seconds = r.Took.Seconds()
	return r, nil
}

// note adds damage to the problems, and returns other errors.
func (r *Checked) note(err error) error {
	damage := new(DamageError)
	if !errors.As(err, &damage) {
		return err
	}
	r.Problems = append(r.Problems, damage.Error())
	return nil
}

// checkObject reads an object and compares its checksum. One that is missing was removed by a
// thinning since the stream was listed; what misses it reports it.
func (c *Catalog) checkObject(ctx context.Context, e entry, r *Checked) (whole bool, err error) {
	o, err := openObject(ctx, c.Target, e.name(c.ID))
	if err == nil {
		err = errors.Join(o.is(e), o.read(c.Key, func(from io.Reader) error { _, err := io.Copy(io.Discard, from); return err }), o.close())
	}
	if err = c.named(e, err); errors.Is(err, errMissing) {
		return false, nil
	}
	return err == nil, r.note(err)
}

// checkSegments reads the segments after an image that is whole. It returns the number of the
// last one.
func (c *Catalog) checkSegments(ctx context.Context, image entry, r *Checked) (end uint64, err error) {
	head, err := c.head(ctx, image)
	if err != nil {
		return 0, err
	}
	last := head.To
	w := walk{catalog: c, last: head.Last, until: Latest.UnixMilli(), seen: func(e entry) { end = e.to }}
	err = w.run(ctx, image, func(commit store.Recorded) error {
		last = max(last, commit.Time)
		return nil
	})
	r.Whole = append(r.Whole, Whole{time.UnixMilli(head.To).UTC(), time.UnixMilli(last).UTC()})
	return max(end, image.from-1), r.note(err)
}

// checkRestore restores a moment, and checks the result as `quire check` does a data file.
func (c *Catalog) checkRestore(ctx context.Context, at time.Time, folder string, names func(*store.Tx) ([]string, error), r *Checked) error {
	m, err := c.Restore(ctx, at, folder, names)
	if err != nil {
		return r.note(err)
	}
	for _, name := range m.Missing {
		r.Problems = append(r.Problems, fmt.Sprintf("the upload %s, which a record names, is not in the stream", name))
	}
	damage, err := store.CheckFile(ctx, filepath.Join(folder, dataName))
	if err != nil {
		return err
	}
	for _, d := range damage {
		r.Problems = append(r.Problems, fmt.Sprintf("the restored data file: %v", d.Err))
	}
	r.Restored = m.At
	return nil
}

// CheckIn calls Check with a new folder in another one, which it removes.
func (c *Catalog) CheckIn(ctx context.Context, parent string, names func(*store.Tx) ([]string, error)) (r *Checked, err error) {
	folder, err := os.MkdirTemp(parent, ".restore-") // which backup.Sweep removes after a crash
	if err != nil {
		return nil, err
	}
	r, err = c.Check(ctx, folder, names)
	return r, errors.Join(err, os.RemoveAll(folder))
}
