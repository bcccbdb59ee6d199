package webhook

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"quire/content/event"
	"quire/notify/outbox"
	"quire/store"
)

const (
	documentsAtOnce = 8   // of a hook, to which changes are sent at the same time
	changesAtOnce   = 128 // read from the log in a step
	scannedAtOnce   = 4096

	rereadInterval = 10 * time.Second // nothing notifies of a restored file
	refusedPause   = time.Second      // after the data file has refused a change, doubled each time
)

// runner sends to one hook.
type runner struct {
	service *Service
	hook    atomic.Pointer[Hook] // as it is now
	box     *outbox.Box          // of what has not arrived at the first attempt
	places  chan struct{}        // one for each attempt in progress
	woken   chan struct{}        // holds a token if something was committed

	at, saved atomic.Pointer[event.Position] // how far the log has been read, and how much of that is stored
	failing   atomic.Bool                    // the last attempt failed; a change of this is logged
	since     atomic.Int64                   // when the oldest change that was not offered yet was committed; 0 for none

	// dealt are the changes after at that need not be sent again, because others before
	// them could not be stored. Only follow uses it.
	dealt map[event.Position]bool

	cancel context.CancelFunc
	ended  sync.WaitGroup
}

func newRunner(s *Service, h *Hook, at event.Position) *runner {
	r := &runner{service: s, dealt: map[event.Position]bool{}, places: make(chan struct{}, documentsAtOnce), woken: make(chan struct{}, 1)}
	r.hook.Store(h)
	r.at.Store(&at)
	r.saved.Store(&at)
	r.box = &outbox.Box{
		DB: s.db, Kind: kind, Prefix: h.ID + "/", Lane: outbox.ByFolder, AtOnce: documentsAtOnce,
		Now: s.options.Now, Log: s.options.Log, Record: s.record, Deliver: r.again, Expire: r.giveUp,
	}
	return r
}

// start runs until ctx is done or cancel is called.
func (r *runner) start(ctx context.Context) {
	ctx, r.cancel = context.WithCancel(ctx)
	r.ended.Go(func() { r.box.Run(ctx) })
	r.ended.Go(func() { r.follow(ctx) })
}

func (r *runner) wake() {
	select {
	case r.woken <- struct{}{}:
	default: // it will read the log anyway
	}
}

// position returns how far the log has been read, and whether that must be stored.
func (r *runner) position() (at event.Position, changed bool) {
	at = *r.at.Load()
	return at, at != *r.saved.Load()
}

// follow reads the log until ctx is done.
func (r *runner) follow(ctx context.Context) {
	sending, end := outbox.WithGrace(ctx)
	defer end()
	refused := 0 // times in a row
	for ctx.Err() == nil {
		more := false
		err := outbox.Guarded(func() (err error) { more, err = r.step(ctx, sending); return err })
		pause := rereadInterval
		if refused++; err == nil {
			refused = 0
		}
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			r.service.options.Log.Warn("a webhook cannot continue; retrying", "webhook", r.hook.Load().Name, "error", err)
			pause = min(refusedPause<<min(refused-1, 8), rereadInterval)
		case more:
			continue
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-r.wakeUnless(err):
		}
		timer.Stop()
	}
}

// wakeUnless returns the channel for new commits, nil after an error.
func (r *runner) wakeUnless(err error) <-chan struct{} {
	if err != nil {
		return nil
	}
	return r.woken
}

// step sends some changes, and reports whether there may be more. Its error is the store's.
func (r *runner) step(ctx, sending context.Context) (more bool, err error) {
	if full, err := r.isFull(); full || err != nil {
		return false, err
	}
	changes, next, err := r.read()
	if gone := (*event.GoneError)(nil); errors.As(err, &gone) {
		return true, r.skip(ctx, gone)
	}
	if err != nil {
		return false, err
	}
	if len(changes) == 0 {
		r.since.Store(0)
		more = next != *r.at.Load()
		r.at.Store(&next)
		clear(r.dealt)
		return more, nil
	}
	r.since.Store(changes[0].At.UnixMilli())
	dealt, err := r.sendAll(ctx, sending, changes)
	r.moveOn(changes, dealt, next)
	return true, err
}

// moveOn advances the hook past the first changes that have been dealt with, and remembers
// the others: while the data file refuses one, the rest is not sent again and again.
func (r *runner) moveOn(changes []*change, dealt []bool, next event.Position) {
	done := slices.Index(dealt, false)
	switch {
	case done < 0:
		r.at.Store(&next)
		clear(r.dealt)
		return
	case done > 0:
		r.at.Store(&changes[done-1].Event.Position)
	}
	for i, c := range changes {
		if dealt[i] {
			r.dealt[c.Event.Position] = true
		}
	}
	maps.DeleteFunc(r.dealt, func(p event.Position, _ bool) bool { return !r.at.Load().Before(p) })
}

// isFull reports whether too many deliveries wait for the hook to read more.
func (r *runner) isFull() (full bool, err error) {
	err = r.service.db.View(func(tx *store.Tx) error {
		n, err := tx.CountParcelsBelow(kind, r.box.Prefix)
		full = n >= mostWaiting
		return err
	})
	return full, err
}

// read returns the next changes that the hook wants, among those that reads of the content
// already show, and the position after them. It takes the hook as it is by now: what is
// committed after a change of the hook goes where the hook leads then.
func (r *runner) read() (changes []*change, next event.Position, err error) {
	next = *r.at.Load()
	last, scanned, wanted := r.service.current.Load().index.Snapshot().Revision(), 0, 0
	err = r.service.db.View(func(tx *store.Tx) error {
		site := r.service.current.Load().site // no older than what is read
		h, err := readHook(tx, &site.Settings, r.hook.Load().ID)
		if err != nil || h == nil {
			return err
		}
		r.hook.Store(h)
		begin, following, err := storedPosition(tx, h.ID)
		if err != nil || !following {
			return err
		}
		if next.Before(begin) {
			next = begin // it was disabled meanwhile
		}
		return event.Read(tx, next, func(c event.Commit) bool {
			if c.Revision > last {
				return false
			}
			for _, e := range c.Events {
				if wanted == changesAtOnce {
					return false
				}
				if h.wants(site, &e) {
					if wanted++; !r.dealt[e.Position] {
						changes = append(changes, &change{At: c.At, Event: e})
					}
				}
				next = e.Position
			}
			scanned += len(c.Events)
			return scanned < scannedAtOnce
		})
	})
	if errors.As(err, new(*event.GoneError)) && next != *r.at.Load() {
		err = nil // what cannot be read comes after these
	}
	return changes, next, err
}

// storedPosition returns the stored position of a hook, the beginning if it cannot be read.
// following is false if the hook was disabled or removed.
func storedPosition(tx *store.Tx, hook string) (at event.Position, following bool, err error) {
	value, err := tx.Record(positionsBucket, hook)
	if err != nil || value == nil {
		return at, false, err
	}
	at, _ = event.ParsePosition(string(value))
	return at, true, nil
}

// skip continues at the beginning or the end of the log if the log does not have the
// position of the hook: content was changed as a whole, or so much that the log could not
// hold it until the receiver accepted it.
func (r *runner) skip(ctx context.Context, gone *event.GoneError) error {
	h, at := r.hook.Load(), gone.Floor
	err := r.service.record(ctx, func(tx *store.Tx) error {
		if !gone.Position.Before(gone.Floor) {
			at = event.Position{Revision: tx.Revision()}
		}
		if _, following, err := storedPosition(tx, h.ID); err == nil && !following {
			return nil
		}
		return tx.PutRecord(positionsBucket, h.ID, []byte(at.String()))
	})
	if err != nil {
		return err
	}
	r.service.options.Log.Warn("a webhook continues with a later change; the changes in between are not sent",
		"webhook", h.Name, "from", gone.Position.String(), "to", at.String(), "reason", gone)
	r.at.Store(&at)
	return nil
}

// sendAll sends changes, those of a document in order, and returns which have been dealt
// with. Its error is the store's.
func (r *runner) sendAll(ctx, sending context.Context, changes []*change) (dealt []bool, err error) {
	var order []string
	lanes := map[string][]int{}
	for i, c := range changes {
		lane := c.lane()
		if lanes[lane] == nil {
			order = append(order, lane)
		}
		lanes[lane] = append(lanes[lane], i)
	}
	failed := make(chan error, len(order))
	dealt = make([]bool, len(changes))
	var sent sync.WaitGroup
	places := make(chan struct{}, documentsAtOnce)
	for _, lane := range order {
		places <- struct{}{}
		sent.Go(func() {
			defer func() { <-places }()
			for _, i := range lanes[lane] {
				if ctx.Err() != nil {
					return
				}
				if err := r.first(sending, changes[i]); err != nil {
					failed <- err
					return
				}
				dealt[i] = true
			}
		})
	}
	sent.Wait()
	select {
	case err = <-failed:
	default:
	}
	return dealt, err
}

// first makes the first attempt for a change, unless others of its document wait. A change
// that does not arrive becomes a parcel. The error is the store's.
func (r *runner) first(ctx context.Context, c *change) error {
	h, tries, behind := r.hook.Load(), 0, false
	err := r.service.db.View(func(tx *store.Tx) error {
		n, err := tx.CountParcelsBelow(kind, h.ID+"/"+c.lane()+"/")
		behind = n > 0
		return err
	})
	if err != nil {
		return err
	}
	if !behind {
		failed := r.attempt(ctx, h, c, 1, time.Time{})
		if failed == nil || errors.Is(failed, errUnwanted) {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err() // the server stops, which is not the receiver's fault
		}
		tries, c.Cause = 1, failed.Error()
	}
	p, err := c.parcel(h.ID, tries, r.service.options.Now())
	if err != nil {
		return err
	}
	return r.service.record(ctx, func(tx *store.Tx) error { return putBehind(tx, p) })
}

// putBehind stores a new parcel. If others of its document wait, it is due when they are,
// and the outbox need not be read for it.
func putBehind(tx *store.Tx, p *store.Parcel) error {
	var first *store.Parcel
	err := tx.RecordsFrom(store.OutboxBucket, p.Kind+"/"+outbox.ByFolder(p.Key)+"/", "", func(_ string, value []byte) bool {
		first, _ = store.ParseParcel(value)
		return false
	})
	if err != nil {
		return err
	}
	if first != nil && first.Key < p.Key && p.Due.Before(first.Due) {
		p.Due = first.Due
	}
	return tx.PutParcel(p)
}

// attempt makes one attempt, with the number try, within the number of parallel attempts of
// the hook. If it fails, the next one is at next. The first failure is logged; recent
// attempts are kept. It uses the version of the site that is served now: it may no longer
// allow the address, or show the type.
func (r *runner) attempt(ctx context.Context, h *Hook, c *change, try int, next time.Time) error {
	r.places <- struct{}{}
	defer func() { <-r.places }()
	now := r.service.options.Now
	t := &tried{Change: change{At: c.At, Event: c.Event}, Began: now().UTC(), Try: try}
	began := time.Now()
	err := outbox.Guarded(func() (err error) {
		t.Answer, err = r.service.current.Load().attempt(ctx, h, c)
		return err
	})
	t.Took = time.Since(began)
	log := r.service.options.Log.With("webhook", h.Name)
	switch {
	case err == nil:
		r.service.options.Observe(Delivered)
		if r.failing.CompareAndSwap(true, false) {
			log.Info("a webhook delivers again")
		}
	case ctx.Err() != nil || errors.Is(err, errUnwanted):
		return err
	default:
		r.service.options.Observe(Failed)
		if t.Change.Cause, t.Next = err.Error(), next.UTC(); next.IsZero() {
			t.Next = now().UTC().Add(outbox.PauseAfter(try))
		}
		if r.failing.CompareAndSwap(false, true) {
			log.Warn("a webhook delivery failed; it will be retried", "delivery", h.deliveryID(c), "error", err)
		}
	}
	r.service.tried.add(h.ID, t)
	return err
}

// again makes another attempt for a parcel, for outbox.Box.
func (r *runner) again(ctx context.Context, p *store.Parcel) error {
	c, err := changeIn(p)
	if err != nil {
		return nil // nobody can use it
	}
	claim := outbox.Claim(p, r.service.options.Now())
	if err := r.service.record(ctx, claim); err != nil {
		return err
	}
	failed := r.attempt(ctx, r.hook.Load(), c, p.Tries, p.Due)
	if failed == nil || errors.Is(failed, errUnwanted) {
		return nil
	}
	if c.Cause = failed.Error(); ctx.Err() == nil {
		err = c.putIn(p)
		if err == nil {
			err = r.service.record(ctx, func(tx *store.Tx) error { return putIfThere(tx, p) })
		}
		if err != nil {
			return err
		}
	}
	return &outbox.UndeliveredError{Err: failed}
}

// putIfThere stores a parcel unless it was removed or replaced meanwhile.
func putIfThere(tx *store.Tx, p *store.Parcel) error {
	stored, err := tx.Parcel(p.Kind, p.Key)
	if err != nil || stored == nil || stored.Revision != p.Revision {
		return err
	}
	return tx.PutParcel(p)
}

// giveUp sets aside a parcel that was tried for long enough.
func (r *runner) giveUp(ctx context.Context, p *store.Parcel) error {
	stored := false
	err := r.service.record(ctx, func(tx *store.Tx) (err error) {
		stored, err = setAside(tx, p, r.service.options.Now())
		return err
	})
	if err != nil {
		return err
	}
	h := r.hook.Load()
	about := []any{"webhook", h.Name, "tries", p.Tries}
	if d := h.delivery(p); d != nil {
		about = append(about, "delivery", d.ID, "error", d.Error)
	}
	if !stored {
		r.service.options.Observe(Lost)
		r.service.options.Log.Error("a delivery was dropped: too many are set aside", about...)
		return nil
	}
	r.service.options.Observe(GivenUp)
	r.service.options.Log.Error("a delivery was set aside after three days", about...)
	return nil
}
