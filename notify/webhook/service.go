package webhook

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"quire/content/event"
	"quire/notify/outbox"
	"quire/store"
)

// Outcome is the outcome of a delivery.
type Outcome int

// The outcomes of deliveries.
const (
	Delivered Outcome = iota // the receiver has accepted it
	Failed                   // an attempt failed; it is tried again
	GivenUp                  // it was set aside after three days
	Lost                     // it was dropped: too many are set aside
)

// String returns the name of the outcome in metrics.
func (o Outcome) String() string {
	return [...]string{"delivered", "failed", "set_aside", "lost"}[o]
}

// Service sends changes to the hooks of the site that is served.
type Service struct {
	db      *store.DB
	options Options
	current atomic.Pointer[Webhooks]
	changed chan struct{} // holds a token if hooks may have changed
	aside   *outbox.Box   // expiry of what was set aside
	tried   attempts      // that are not stored yet

	mu      sync.Mutex
	runners map[string]*runner // of enabled hooks, by id
}

// NewService returns a Service that sends nothing until Run.
func NewService(db *store.DB, o Options) *Service {
	s := &Service{db: db, options: o.orDefaults(), changed: make(chan struct{}, 1), runners: map[string]*runner{}}
	s.aside = &outbox.Box{
		DB: db, Kind: asideKind, Now: s.options.Now, Log: s.options.Log, Record: s.record,
		Deliver: func(context.Context, *store.Parcel) error { return nil }, // each is due when it expires
	}
	return s
}

// Serve continues with another version of the site. Hooks that are new in site.json receive
// changes that are committed from now on.
func (s *Service) Serve(b *Webhooks) {
	if err := b.ensure(context.Background()); err != nil {
		s.options.Log.Warn("cannot start the webhooks of site.json yet", "error", err) // Run tries again
	}
	if former := s.current.Swap(b); former != nil {
		former.Close()
	}
	s.reconsider()
}

// reconsider makes Run read the hooks again.
func (s *Service) reconsider() {
	select {
	case s.changed <- struct{}{}:
	default: // it will read them anyway
	}
}

// record changes records of the data file.
func (s *Service) record(ctx context.Context, fn func(*store.Tx) error) error {
	return s.current.Load().writer.Record(ctx, fn)
}

// saveInterval is how often positions are stored.
const saveInterval = time.Second

// Run sends until ctx is done. At the end, attempts in progress have a few seconds; the
// next server, or the next Run, sends the rest. Only one Run may be active at a time.
func (s *Service) Run(ctx context.Context) {
	defer s.db.Subscribe(s.hear)()
	ticker := time.NewTicker(saveInterval)
	defer ticker.Stop()
	defer s.end(ctx)
	var expiring sync.WaitGroup
	defer expiring.Wait()
	expiring.Go(func() { s.aside.Run(ctx) })
	due := true
	for {
		if due {
			due = s.retry(ctx, "the webhooks cannot be read", s.reconcile)
		}
		s.retry(ctx, "how far webhooks have been sent cannot be stored", s.save)
		select {
		case <-ctx.Done():
			return
		case <-s.changed:
			due = true
		case <-ticker.C:
		}
	}
}

// retry calls a step and reports whether it must be called again. A panic is an error.
func (s *Service) retry(ctx context.Context, what string, step func(context.Context) error) (again bool) {
	err := outbox.Guarded(func() error { return step(ctx) })
	if err != nil && ctx.Err() == nil {
		s.options.Log.Warn(what+"; it is tried again", "error", err)
	}
	return err != nil
}

// hear notifies the parts that a commit concerns.
func (s *Service) hear(c store.Commit) {
	if len(c.RecordsOf(hooksBucket)) > 0 {
		s.reconsider()
	}
	s.aside.Notice(c)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.runners {
		r.box.Notice(c)
		if len(c.Changes) > 0 {
			r.wake()
		}
	}
}

// reconcile starts and ends runners, so that each enabled hook has one.
func (s *Service) reconcile(ctx context.Context) error {
	b := s.current.Load()
	if err := b.ensure(ctx); err != nil {
		return err
	}
	hooks, err := b.List()
	if err != nil {
		return err
	}
	wanted := map[string]*Hook{}
	for _, h := range hooks {
		if h.Enabled {
			wanted[h.ID] = h
		}
	}
	s.stopAllBut(wanted)
	for _, h := range wanted {
		if err := s.start(ctx, h); err != nil {
			return err
		}
	}
	for more := true; more && err == nil; {
		more, err = b.removeOrphans(ctx, hooks)
	}
	return err
}

// start starts a runner for a hook, or updates the hook of the existing runner.
func (s *Service) start(ctx context.Context, h *Hook) error {
	if r := s.runner(h.ID); r != nil {
		r.hook.Store(h)
		r.box.Wake()
		r.wake()
		return nil
	}
	at, err := s.position(h)
	if err != nil {
		return err
	}
	r := newRunner(s, h, at)
	s.mu.Lock()
	s.runners[h.ID] = r
	s.mu.Unlock()
	r.start(ctx)
	return nil
}

func (s *Service) runner(id string) *runner {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.runners[id]
}

// position returns the position of a hook. If its record is damaged, the hook continues
// from now.
func (s *Service) position(h *Hook) (at event.Position, err error) {
	err = s.db.View(func(tx *store.Tx) error {
		value, err := tx.Record(positionsBucket, h.ID)
		if err != nil {
			return err
		}
		if at, err = event.ParsePosition(string(value)); err != nil {
			s.options.Log.Error("cannot read the position of a webhook; it continues with new changes", "webhook", h.Name, "error", err)
			at = event.Last(tx)
		}
		return nil
	})
	return at, err
}

// stopAllBut ends the runners of hooks that are no longer wanted.
func (s *Service) stopAllBut(wanted map[string]*Hook) {
	s.mu.Lock()
	var ended []*runner
	for id, r := range s.runners {
		if wanted[id] == nil {
			ended = append(ended, r)
			delete(s.runners, id)
		}
	}
	s.mu.Unlock()
	for _, r := range ended {
		r.cancel()
	}
	for _, r := range ended {
		r.ended.Wait()
	}
}

// save stores the changed positions and the attempts in one write.
func (s *Service) save(ctx context.Context) error {
	moved := map[*runner]event.Position{}
	s.mu.Lock()
	for _, r := range s.runners {
		if at, changed := r.position(); changed {
			moved[r] = at
		}
	}
	s.mu.Unlock()
	tried := s.tried.take()
	if len(moved) == 0 && len(tried) == 0 {
		return nil
	}
	err := s.record(ctx, func(tx *store.Tx) error {
		for hook, list := range tried {
			if err := putTried(tx, hook, list); err != nil {
				return err
			}
		}
		for r, at := range moved {
			id := r.hook.Load().ID
			stored, following, err := storedPosition(tx, id)
			if err == nil && following && stored.Before(at) {
				err = tx.PutRecord(positionsBucket, id, []byte(at.String()))
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		s.tried.putBack(tried)
		return err
	}
	for r, at := range moved {
		r.saved.Store(&at)
	}
	return nil
}

// endTime is the maximum time for storing the positions at the end.
const endTime = 5 * time.Second

// end waits for all runners, stores their positions, and forgets them: another server may
// have advanced them when Run is called again.
func (s *Service) end(ctx context.Context) {
	for _, r := range s.runners { // nobody else changes the map
		r.ended.Wait()
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), endTime)
	defer cancel()
	s.retry(last, "how far webhooks have been sent cannot be stored", s.save)
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.runners)
}

// Count counts the deliveries of all hooks. Deliveries of a disabled hook do not count as
// waiting.
func (s *Service) Count() (n Counts, err error) {
	b := s.current.Load()
	err = s.db.View(func(tx *store.Tx) error {
		if n.Waiting, err = tx.CountParcels(kind); err != nil {
			return err
		}
		if n.SetAside, err = tx.CountParcels(asideKind); err != nil || b == nil {
			return err
		}
		hooks, err := readHooks(tx, &b.site.Settings)
		for _, h := range hooks {
			if err != nil || h.Enabled {
				continue
			}
			var idle int
			idle, err = tx.CountParcelsBelow(kind, h.ID+"/")
			n.Waiting -= idle
		}
		return err
	})
	return n, err
}

// Lag returns the age of the oldest change that a hook has not been offered yet; 0 for
// none.
func (s *Service) Lag() (oldest time.Duration) {
	now := s.options.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.runners {
		if since := r.since.Load(); since != 0 {
			oldest = max(oldest, now.Sub(time.UnixMilli(since)))
		}
	}
	return oldest
}
