package stream

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"quire/media"
	"quire/store"
)

// A stream is thinned by merging segments into one object, which gets its name when it is
// complete; then the merged ones are removed. Whoever reads in between finds both, and uses
// the one that contains the other. The newest segments are never touched.
//
//	age            objects                  what can be restored
//	up to an hour  one for each second      every commit
//	a day          one for each minute      every commit
//	a week         one for each minute      every minute
//	a year         one for each day         every day
//	older          none

// Ages after which segments are merged or removed.
const (
	packAfter   = time.Hour
	minuteAfter = 24 * time.Hour
	dayAfter    = 7 * 24 * time.Hour
	dropAfter   = 365 * 24 * time.Hour
	imagesAfter = 8 * 24 * time.Hour // images that are older: one for each month

	mostMerged = 64 << 20 // bytes of the segments in one object, before compression
)

// merging is one of the steps of the table.
type merging struct {
	from, to byte          // letters
	after    time.Duration // age of the newest commit
	period   time.Duration
	combine  bool // whether only the last state of each value stays
}

var mergings = []merging{
	{eachLetter, packedLetter, packAfter, time.Minute, false},
	{packedLetter, minuteLetter, minuteAfter, time.Minute, true},
	{minuteLetter, dayLetter, dayAfter, 24 * time.Hour, true},
}

// Thin merges and removes what is old at that time. It needs space for one object in a
// folder.
func (c *Catalog) Thin(ctx context.Context, folder string, now time.Time) error {
	if err := c.remove(ctx, c.covered...); err != nil { // of a merging that was interrupted
		return err
	}
	for _, m := range mergings {
		if err := c.merge(ctx, m, folder, now); err != nil {
			return err
		}
	}
	return c.dropOld(ctx, now)
}

func (c *Catalog) remove(ctx context.Context, list ...entry) error {
	for _, e := range list {
		if err := c.Target.Delete(ctx, e.name(c.ID)); err != nil {
			return err
		}
	}
	return nil
}

// group are segments that become one object.
type group struct {
	period   int64
	entries  []entry
	first    *Header
	last     *Header
	contents [][]byte
	size     int64
}

// merge merges the segments that have the age.
func (c *Catalog) merge(ctx context.Context, m merging, folder string, now time.Time) error {
	var g group
	for _, e := range c.segments {
		if e.letter != m.from || e.to == c.last().to {
			if err := c.putGroup(ctx, m, &g, folder); err != nil {
				return err
			}
			continue
		}
		f := c.segment(ctx, e)
		if errors.As(f.err, new(*DamageError)) { // a check reports it
			if err := c.putGroup(ctx, m, &g, folder); err != nil {
				return err
			}
			continue
		}
		if f.err != nil {
			return f.err
		}
		period := f.head.To / m.period.Milliseconds()
		if now.UnixMilli()-(period+1)*m.period.Milliseconds() < m.after.Milliseconds() {
			break // this one and all later ones are too new
		}
		if len(g.entries) > 0 && (period != g.period || g.size+f.head.Size > mostMerged || c.beginsAt(e.from)) {
			if err := c.putGroup(ctx, m, &g, folder); err != nil {
				return err
			}
		}
		if len(g.entries) == 0 {
			g.first, g.period = f.head, period
		}
		g.entries, g.contents, g.last = append(g.entries, e), append(g.contents, f.content), f.head
		g.size += f.head.Size
	}
	return c.putGroup(ctx, m, &g, folder)
}

// beginsAt reports whether the stream begins anew before a segment.
func (c *Catalog) beginsAt(number uint64) bool {
	for _, e := range c.images {
		if e.letter == anewLetter && e.from == number {
			return true
		}
	}
	return false
}

// putGroup puts the object of a group, checks it, and removes what it replaces.
func (c *Catalog) putGroup(ctx context.Context, m merging, g *group, folder string) error {
	defer func() { *g = group{} }()
	if len(g.entries) == 0 {
		return nil
	}
	content, err := g.merged(m.combine)
	if err != nil {
		return err
	}
	e := entry{letter: m.to, from: g.first.Number, to: g.last.Through}
	head := *g.first
	head.Nonce, head.Through, head.Ends, head.Size = "", g.last.Through, g.last.link(), int64(len(content))
	head.Last, head.To = g.last.Last, g.last.To
	path := filepath.Join(folder, "merged")
	err = writeObject(path, &head, c.Key, func(to io.Writer) error {
		_, err := to.Write(content)
		return err
	})
	if err != nil {
		return err
	}
	defer os.Remove(path)
	err = c.Target.Put(ctx, media.LocalFile{Path: path, Name: e.name(c.ID), Mime: "application/octet-stream"})
	if f := c.segment(ctx, e); f.err != nil || f.head.Ends != head.Ends { // an earlier attempt may have put it
		return errors.Join(err, f.err)
	}
	return c.remove(ctx, g.entries...)
}

// merged returns the records of the group.
func (g *group) merged(combined bool) (content []byte, err error) {
	if !combined {
		for _, one := range g.contents {
			content = append(content, one...)
		}
		return content, nil
	}
	var commits []store.Recorded
	for _, one := range g.contents {
		err := records(one, func(c store.Recorded) error {
			commits = append(commits, c)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	whole := combine(commits)
	return appendRecord(nil, &whole), nil
}

// dropOld removes images that are not needed any more, and everything from before the oldest
// image that is.
func (c *Catalog) dropOld(ctx context.Context, now time.Time) error {
	var month string
	first := uint64(0) // segment that is needed
	for i, e := range c.images {
		at := time.UnixMilli(e.time())
		age, this := now.Sub(at), at.UTC().Format("2006-01")
		next := i+1 < len(c.images) && now.Sub(time.UnixMilli(c.images[i+1].time())) > dropAfter
		switch {
		case age > dropAfter && next:
			if err := c.remove(ctx, e); err != nil {
				return err
			}
			continue
		case first == 0:
			first = e.from
		case e.letter == imageLetter && age > imagesAfter && this == month:
			if err := c.remove(ctx, e); err != nil {
				return err
			}
		}
		month = this
	}
	for _, e := range c.segments {
		if e.to < first {
			if err := c.remove(ctx, e); err != nil {
				return err
			}
		}
	}
	return nil
}
