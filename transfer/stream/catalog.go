package stream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"quire/media"
	"quire/store"
)

// Catalog is what a target has of one data folder.
type Catalog struct {
	Target media.Storage
	ID     string
	Key    *Key
	Files  map[string]bool // uploaded files, by the hash of their name
	Former *Catalog        // of the stream that this one continues, see Trace; nil for none

	until   uint64 // the last revision that the stream that continues this one contains; 0 for no limit
	resumed int64  // the time of the first image of that stream
	ended   bool   // nothing more is sent

	images   []entry              // by number and time
	names    []entry              // lists of the files that images name
	files    map[string]time.Time // when each uploaded file was put
	segments []entry              // by number, none within another
	covered  []entry              // segments that others contain
	bytes    int64
}

// IDs lists the data folders that have a stream in a target.
func IDs(ctx context.Context, target media.Storage) (ids []string, err error) {
	found := map[string]bool{}
	err = target.List(ctx, func(o media.Object) error {
		if id, e, ok := parseName(o.Name); ok && e.letter != fileLetter && e.letter != namesLetter && !found[id] {
			found[id] = true
			ids = append(ids, id)
		}
		return nil
	})
	slices.Sort(ids)
	return ids, err
}

// Load lists what a target has of a data folder.
func Load(ctx context.Context, target media.Storage, id string) (*Catalog, error) {
	c := &Catalog{Target: target, ID: id, Files: map[string]bool{}, files: map[string]time.Time{}}
	var segments []entry
	err := target.List(ctx, func(o media.Object) error {
		of, e, ok := parseName(o.Name)
		switch {
		case !ok || of != id:
			return nil
		case e.letter == fileLetter:
			c.Files[e.file], c.files[e.file] = true, o.Modified
		case e.letter == namesLetter:
			c.names = append(c.names, e)
		case e.isImage():
			c.images = append(c.images, e)
		default:
			segments = append(segments, e)
		}
		c.bytes += o.Size
		return nil
	})
	slices.SortFunc(c.images, func(a, b entry) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	slices.SortFunc(segments, func(a, b entry) int { return cmp.Or(cmp.Compare(a.from, b.from), -cmp.Compare(a.to, b.to)) })
	for _, e := range segments {
		if n := len(c.segments); n > 0 && e.to <= c.segments[n-1].to {
			c.covered = append(c.covered, e)
			continue
		}
		c.segments = append(c.segments, e)
	}
	return c, err
}

// last returns the last segment.
func (c *Catalog) last() (e entry) {
	if n := len(c.segments); n > 0 {
		e = c.segments[n-1]
	}
	return e
}

// time returns the time of an image.
func (e entry) time() int64 { return int64(e.to) }

// head reads the head of an object, which is not checked.
func (c *Catalog) head(ctx context.Context, e entry) (*Header, error) {
	o, err := openObject(ctx, c.Target, e.name(c.ID))
	if err != nil {
		return nil, c.named(e, err)
	}
	return &o.Header, o.close()
}

func (c *Catalog) named(e entry, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &DamageError{e.name(c.ID), fmt.Errorf("it is %w", errMissing)}
	}
	return err
}

// errMissing: an object is not there, that was listed or should have been.
var errMissing = errors.New("missing")

// mostListings is how often a stream is listed again because something is missing.
const mostListings = 5

// relisting calls do, and again with a new listing if it finds something missing: a thinning
// may have merged or removed it since the stream was listed, or while it was.
func (c *Catalog) relisting(ctx context.Context, do func(*Catalog) error) error {
	for tries := 0; ; tries++ {
		err := do(c)
		if !errors.Is(err, errMissing) || tries == mostListings {
			return err
		}
		now, failed := Load(ctx, c.Target, c.ID)
		switch {
		case failed != nil:
			return errors.Join(err, failed)
		case slices.Equal(now.segments, c.segments) && slices.Equal(now.images, c.images):
			return err
		}
		now.Key, now.Former, now.until, now.resumed = c.Key, c.Former, c.until, c.resumed
		c = now
	}
}

// next returns the image after an image with which the stream begins anew, if there is one.
func (c *Catalog) next(image entry) entry {
	for _, e := range c.images {
		if e.letter == anewLetter && (e.from > image.from || e.from == image.from && e.to > image.to) {
			return e
		}
	}
	return entry{}
}

// from returns the segments after an image, up to where the stream begins anew.
func (c *Catalog) from(image entry) (list []entry) {
	next := c.next(image)
	for _, e := range c.segments {
		if e.to >= image.from && (next.letter == 0 || e.from < next.from) {
			list = append(list, e)
		}
	}
	return list
}

// Range is a time of which moments can be restored.
type Range struct {
	Of       string    `json:"of"`   // id of the data folder
	From     time.Time `json:"from"` // that of an image
	To       time.Time `json:"to"`   // that of the last commit
	Images   int       `json:"images"`
	Segments int       `json:"segments"`
	Every    []Detail  `json:"every"` // what can be restored since when, the finest last
}

// Detail says how finely a part of a Range can be restored.
type Detail struct {
	Every string    `json:"every"` // "commit", "minute" or "day"
	From  time.Time `json:"from"`
}

// details are the words for the letters of segments.
var details = map[byte]string{eachLetter: "commit", packedLetter: "commit", minuteLetter: "minute", dayLetter: "day"}

// Ranges lists what can be restored, the oldest first, from the names and heads of objects.
func (c *Catalog) Ranges(ctx context.Context) (list []Range, err error) {
	err = c.relisting(ctx, func(now *Catalog) (err error) {
		list, err = now.ranges(ctx)
		return err
	})
	return list, err
}

func (c *Catalog) ranges(ctx context.Context) (list []Range, err error) {
	former := 0
	if c.Former != nil {
		if list, err = c.Former.Ranges(ctx); err != nil {
			return nil, err
		}
		former = len(list)
	}
	for _, image := range c.images {
		if beyond, err := c.isBeyond(ctx, image); beyond || err != nil {
			if err != nil {
				return nil, err
			}
			continue
		}
		if len(list) > former && image.letter != anewLetter {
			list[len(list)-1].Images++
			continue
		}
		r := Range{Of: c.ID, From: time.UnixMilli(image.time()).UTC(), To: time.UnixMilli(image.time()).UTC(), Images: 1}
		segments := c.from(image)
		r.Segments = len(segments)
		var letter byte
		for _, e := range segments {
			if details[e.letter] == details[letter] {
				continue
			}
			letter = e.letter
			h, err := c.head(ctx, e)
			if err != nil {
				return nil, err
			}
			r.Every = append(r.Every, Detail{details[letter], time.UnixMilli(h.From).UTC()})
		}
		to, err := c.lastTime(ctx, segments)
		if err != nil {
			return nil, err
		}
		r.To = time.UnixMilli(max(to, image.time())).UTC()
		list = append(list, r)
	}
	return list, nil
}

// lastTime returns the time of the last commit in segments that this stream is restored up to.
func (c *Catalog) lastTime(ctx context.Context, segments []entry) (int64, error) {
	for _, e := range slices.Backward(segments) {
		h, err := c.head(ctx, e)
		switch {
		case err != nil:
			return 0, err
		case h.Kind == endKind, c.until > 0 && h.Before.Revision >= c.until:
			continue
		case c.until > 0 && h.Last.Revision > c.until:
			f := c.segment(ctx, e)
			if f.err != nil {
				return 0, f.err
			}
			return c.timeWithin(f.content)
		}
		return h.To, nil
	}
	return 0, nil
}

// timeWithin returns the time of the last commit in a segment that this stream is restored up
// to.
func (c *Catalog) timeWithin(content []byte) (last int64, err error) {
	err = records(content, func(r store.Recorded) error {
		if r.Revision <= c.until {
			last = r.Time
		}
		return nil
	})
	return last, err
}

// isBeyond reports whether an image shows what the stream that continues this one does not
// contain.
func (c *Catalog) isBeyond(ctx context.Context, image entry) (bool, error) {
	if c.until == 0 {
		return false, nil
	}
	h, err := c.head(ctx, image)
	if errors.As(err, new(*DamageError)) {
		return false, nil
	}
	return err == nil && h.Last.Revision > c.until, err
}

// Bytes returns the size of all objects.
func (c *Catalog) Bytes() int64 { return c.bytes }
