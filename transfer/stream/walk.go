package stream

import (
	"context"
	"errors"
	"fmt"

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
}

// errEnough ends a walk at its moment.
var errEnough = errors.New("the moment has been reached")

// fetched is a segment that was read.
type fetched struct {
	entry
	head    *Header
	content []byte
	err     error
}

// run calls fn for each commit after an image.
func (w *walk) run(ctx context.Context, image entry, fn func(store.Recorded) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	list := w.catalog.from(image)
	var former *Header
	for f := range w.catalog.fetch(ctx, list) {
		if f.err != nil {
			return f.err
		}
		if err := w.follows(former, f, image); err != nil {
			return &DamageError{f.name(w.catalog.ID), err}
		}
		if f.head.From > w.until {
			return nil
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
		former = f.head
	}
	w.ended = true
	return ctx.Err()
}

// follows checks that a segment is the next one.
func (w *walk) follows(former *Header, f fetched, image entry) error {
	switch {
	case f.head.Kind != segmentKind || f.head.Number != f.from || f.head.Through != f.to:
		return errors.New("it is another object")
	case former == nil && f.from > image.from:
		return fmt.Errorf("segment %d, which should be before it, is missing", image.from)
	case former != nil && f.from != former.Through+1:
		return fmt.Errorf("segment %d, which should be before it, is missing", former.Through+1)
	case former != nil && f.head.Follows != former.link():
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
	w.last = c.CommitID
	return fn(c)
}

// fetch reads segments in their order, several at a time.
func (c *Catalog) fetch(ctx context.Context, list []entry) func(yield func(fetched) bool) {
	return func(yield func(fetched) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		coming := make(chan chan fetched, readAhead)
		go func() {
			defer close(coming)
			for _, e := range list {
				one := make(chan fetched, 1)
				select {
				case <-ctx.Done():
					return
				case coming <- one:
				}
				go func() { one <- c.segment(ctx, e) }()
			}
		}()
		for one := range coming {
			if !yield(<-one) {
				return
			}
		}
	}
}

// segment reads a segment.
func (c *Catalog) segment(ctx context.Context, e entry) fetched {
	o, err := openObject(ctx, c.Target, e.name(c.ID))
	if err != nil {
		return fetched{entry: e, err: c.named(e, err)}
	}
	defer o.close()
	content, err := o.readAll(c.Key)
	return fetched{e, &o.Header, content, err}
}
