package stream

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/semaphore"

	"quire/store"
)

// readAhead is how many segments are fetched while one is used.
const readAhead = 8

// walk goes through the commits after an image, and checks that each follows the one before.
type walk struct {
	catalog *Catalog
	last    store.CommitID // the last commit so far
	until   int64          // the walk ends before the first commit that is later
	seen    func(entry)    // called for each segment that is whole; may be nil
	ended   bool           // there was nothing later

	expansion *expansion // of the restore; nil if nothing is written

	former  *Header // the last segment that was read
	rejoins bool    // the next segment may contain some of what was read, see run
}

// errEnough ends a walk at its moment.
var errEnough = errors.New("the moment has been reached")

// fetched is a segment that was read.
type fetched struct {
	entry
	head    *Header
	content []byte
	stored  int64
	err     error
}

// run calls fn for each commit after an image. A segment that a thinning has merged since the
// stream was listed is looked for in a new listing.
func (w *walk) run(ctx context.Context, image entry, fn func(store.Recorded) error) error {
	err := w.catalog.relisting(ctx, func(c *Catalog) error {
		w.catalog, w.rejoins = c, w.former != nil
		return w.once(ctx, image, fn)
	})
	if errors.Is(err, errShort) { // the target has lost the end, and so the stream began anew
		w.ended = true
		return nil
	}
	return err
}

// errShort: there is nothing just before the place where the stream begins anew.
var errShort = fmt.Errorf("the last segments are %w", errMissing)

// once goes on after the last segment that was read.
func (w *walk) once(ctx context.Context, image entry, fn func(store.Recorded) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	list := w.catalog.from(image)
	if w.former != nil {
		list = slices.DeleteFunc(list, func(e entry) bool { return e.to <= w.former.Through })
	}
	for f := range w.catalog.fetch(ctx, list) {
		if f.err != nil {
			return f.err
		}
		if err := w.follows(f, image); err != nil {
			return &DamageError{f.name(w.catalog.ID), err}
		}
		if f.head.Kind == endKind {
			break
		}
		if f.head.From > w.until {
			return nil
		}
		if w.expansion != nil {
			if err := w.expansion.add(f.name(w.catalog.ID), f.head.Size, f.stored); err != nil {
				return err
			}
		}
		err := records(f.content, func(c store.Recorded) error { return w.commit(c, f.entry, fn) })
		switch {
		case errors.Is(err, errEnough):
			return nil
		case errors.Is(err, errRecord):
			return &DamageError{f.name(w.catalog.ID), err}
		case err != nil:
			return err
		}
		if w.seen != nil {
			w.seen(f.entry)
		}
		w.former, w.rejoins = f.head, false
	}
	through := image.from - 1
	if w.former != nil {
		through = w.former.Through
	}
	if next := w.catalog.next(image); next.letter != 0 && through+1 < next.from {
		return errShort
	}
	w.ended = true
	return ctx.Err()
}

// follows checks that a segment is the next one.
func (w *walk) follows(f fetched, image entry) error {
	former := w.former
	switch {
	case f.head.Kind != segmentKind && f.head.Kind != endKind || f.head.Number != f.from || f.head.Through != f.to:
		return errors.New("it is another object")
	case former == nil && f.from > image.from:
		return fmt.Errorf("segment %d, which should be before it, is %w", image.from, errMissing)
	case former != nil && w.rejoins && f.from <= former.Through:
		return nil // merged from segments of which some were read; its commits are compared
	case former != nil && f.from != former.Through+1:
		return fmt.Errorf("segment %d, which should be before it, is %w", former.Through+1, errMissing)
	case former != nil && f.head.Kind == segmentKind && f.head.Follows != former.link():
		return errors.New("it does not continue the segment before it")
	}
	return nil
}

// commit passes a commit on if it is later than what is known already. In segments of a
// minute or a day it may contain some of that.
func (w *walk) commit(c store.Recorded, of entry, fn func(store.Recorded) error) error {
	if c.Revision <= w.last.Revision {
		return nil
	}
	each := of.letter == eachLetter || of.letter == packedLetter
	if c.Before != w.last && (each || c.Before.Revision > w.last.Revision) {
		return &DamageError{of.name(w.catalog.ID), fmt.Errorf("its commit %d does not follow the one before it", c.Revision)}
	}
	if c.Time > w.until {
		return errEnough
	}
	if most := w.catalog.until; most > 0 && c.Revision > most { // only the former leader has it
		w.ended = true
		return errEnough
	}
	w.last = c.CommitID
	return fn(c)
}

// fetch reads segments in their order, several at a time: as many as have together the size of
// the largest one.
func (c *Catalog) fetch(ctx context.Context, list []entry) func(yield func(fetched) bool) {
	return func(yield func(fetched) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		coming, memory := make(chan chan fetched, readAhead), semaphore.NewWeighted(mostSegment)
		go func() {
			defer close(coming)
			before := make(chan struct{}) // is closed when the segment before has its memory
			close(before)
			for _, e := range list {
				one, turn, next := make(chan fetched, 1), before, make(chan struct{})
				select {
				case <-ctx.Done():
					return
				case coming <- one:
				}
				before = next
				go func() {
					defer close(next)
					f, read := c.open(ctx, e)
					<-turn
					if f.err == nil {
						f.err = memory.Acquire(ctx, f.head.Size)
					}
					go func() { one <- read(f) }()
				}()
			}
		}()
		for one := range coming {
			f := <-one
			more := yield(f)
			if f.head != nil {
				memory.Release(f.head.Size)
			}
			if !more {
				return
			}
		}
	}
}

// segment reads a segment.
func (c *Catalog) segment(ctx context.Context, e entry) fetched {
	f, read := c.open(ctx, e)
	return read(f)
}

// open reads the head of a segment. read reads the rest, unless f has an error. The head is nil if
// there was one.
func (c *Catalog) open(ctx context.Context, e entry) (f fetched, read func(fetched) fetched) {
	o, err := openObject(ctx, c.Target, e.name(c.ID))
	if err != nil {
		return fetched{entry: e, err: c.named(e, err)}, func(f fetched) fetched { return f }
	}
	if err := o.fits(); err != nil {
		return fetched{entry: e, err: errors.Join(err, o.close())}, func(f fetched) fetched { return f }
	}
	return fetched{entry: e, head: &o.Header, stored: o.stored}, func(f fetched) fetched {
		defer o.close()
		if f.err != nil {
			f.head = nil
			return f
		}
		f.content, f.err = o.readAll(c.Key)
		return f
	}
}
