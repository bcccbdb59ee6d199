package outbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"quire/store"
)

const (
	firstPause, longestPause = 10 * time.Second, 6 * time.Hour
	// storeRetry is the pause after the data file has refused a change.
	storeRetry = 10 * time.Second
	// closingGrace is the time for attempts in progress when the server stops.
	closingGrace = 5 * time.Second
	// readAgain is when parcels are read again if nothing is due before: nothing notifies
	// of a data file that was restored or exchanged.
	readAgain = time.Hour
)

// Box delivers the parcels of one kind whose keys begin with a prefix. Only one Run may
// deliver them at a time.
type Box struct {
	DB     *store.DB
	Kind   string
	Prefix string // of the keys, empty for all of the kind

	// Lane returns the lane of a key. Parcels of one lane are delivered one after the
	// other, in the order of their keys: a parcel that cannot be delivered holds up those
	// behind it. Without Lane, each parcel has its own lane.
	Lane   func(key string) string
	AtOnce int // number of lanes in parallel, at least 1

	// Deliver makes one attempt. It calls Claim, and stores what that returns, before it
	// sends anything. Its error is nil if the parcel has been delivered or is useless, so
	// that it is removed; an *UndeliveredError if it stays; ErrWithdrawn if it was removed
	// meanwhile; anything else is an error of the store.
	Deliver func(ctx context.Context, p *store.Parcel) error

	// Expire, unless nil, is called for a parcel that has expired after at least one
	// attempt, and removes it. Without it, expired parcels are removed without an attempt.
	Expire func(ctx context.Context, p *store.Parcel) error

	// Record changes records of the data file, see content.Writer.
	Record func(ctx context.Context, fn func(tx *store.Tx) error) error

	Now func() time.Time
	Log *slog.Logger

	once  sync.Once
	woken chan struct{} // holds a token if parcels were put into the outbox

	mu   sync.Mutex
	next time.Time // when Run reads the outbox again; zero while it reads
}

// UndeliveredError: an attempt was made and failed. The parcel is tried again.
type UndeliveredError struct{ Err error }

func (e *UndeliveredError) Error() string { return "not delivered yet: " + e.Err.Error() }

func (e *UndeliveredError) Unwrap() error { return e.Err }

// ErrWithdrawn: the parcel was removed before it was delivered.
var ErrWithdrawn = errors.New("outbox: the parcel was removed before it was delivered")

// Claim begins an attempt: it counts it in p and returns the part of a transaction that
// stores when the next one is due. That fails with ErrWithdrawn if the parcel no longer
// exists.
func Claim(p *store.Parcel, now time.Time) func(tx *store.Tx) error {
	p.Tries++
	p.Due = now.UTC().Add(PauseAfter(p.Tries))
	return func(tx *store.Tx) error {
		waiting, err := tx.Parcel(p.Kind, p.Key)
		switch {
		case err != nil:
			return err
		case waiting == nil:
			return ErrWithdrawn
		}
		return tx.PutParcel(p)
	}
}

// PauseAfter returns the pause after a number of attempts.
func PauseAfter(tries int) time.Duration {
	pause := firstPause
	for range tries - 1 {
		if pause *= 3; pause >= longestPause {
			return longestPause
		}
	}
	return pause
}

// Wake makes Run read the outbox.
func (b *Box) Wake() {
	select {
	case b.wakeup() <- struct{}{}:
	default: // it will read anyway
	}
}

func (b *Box) wakeup() chan struct{} {
	b.once.Do(func() { b.woken = make(chan struct{}, 1) })
	return b.woken
}

// Run delivers until ctx is done. At the end, attempts in progress have a few seconds; the
// other parcels wait in the data file for the next server.
func (b *Box) Run(ctx context.Context) {
	sending, giveUp := WithGrace(ctx)
	defer giveUp()
	for ctx.Err() == nil {
		timer := time.NewTimer(b.Round(ctx, sending))
		select {
		case <-ctx.Done():
		case <-b.wakeup():
		case <-timer.C:
		}
		timer.Stop()
	}
}

// WithGrace returns a context that ends a few seconds after ctx does.
func WithGrace(ctx context.Context) (longer context.Context, end context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(closingGrace, cancel) })
	return longer, func() { stop(); cancel() }
}

// Round delivers what is due, unless ctx is done, and returns the time until more is due.
// Attempts end when sending does.
func (b *Box) Round(ctx, sending context.Context) time.Duration {
	b.setNext(time.Time{})
	var least time.Duration
	var mu sync.Mutex
	var serving sync.WaitGroup
	places := make(chan struct{}, max(b.AtOnce, 1))
	for _, lane := range b.lanes() {
		places <- struct{}{}
		if ctx.Err() != nil || lane[0].Due.After(b.Now()) {
			break
		}
		serving.Go(func() {
			defer func() { <-places }()
			if err := b.serve(ctx, sending, lane); err != nil {
				b.Log.Error("cannot change the outbox; its contents are retried", "kind", b.Kind, "error", err)
				mu.Lock()
				defer mu.Unlock()
				least = storeRetry
			}
		})
	}
	serving.Wait()
	pause := readAgain
	if rest := b.lanes(); len(rest) > 0 {
		pause = max(least, rest[0][0].Due.Sub(b.Now()))
	}
	b.setNext(b.Now().Add(pause))
	return pause
}

// serve delivers the parcels of a lane, up to the first that stays.
func (b *Box) serve(ctx, sending context.Context, lane []store.Parcel) error {
	for i := range lane {
		if p := &lane[i]; ctx.Err() != nil || p.Due.After(b.Now()) {
			return nil
		}
		stays, err := b.attempt(sending, &lane[i])
		if stays || err != nil {
			return err
		}
	}
	return nil
}

// lanes returns the waiting parcels by lane, first the lane whose first parcel is due
// first.
func (b *Box) lanes() [][]store.Parcel {
	var waiting []store.Parcel
	err := b.DB.View(func(tx *store.Tx) (err error) {
		waiting, err = tx.ParcelsBelow(b.Kind, b.Prefix)
		return err
	})
	if err != nil {
		b.Log.Error("cannot read the outbox", "kind", b.Kind, "error", err)
	}
	var lanes [][]store.Parcel
	for i, p := range waiting {
		if b.isEarly(&p) {
			p.Due = b.Now()
		}
		if i > 0 && b.lane(p.Key) == b.lane(waiting[i-1].Key) {
			last := len(lanes) - 1
			lanes[last] = append(lanes[last], p)
		} else {
			lanes = append(lanes, []store.Parcel{p})
		}
	}
	slices.SortStableFunc(lanes, func(a, b []store.Parcel) int { return a[0].Due.Compare(b[0].Due) })
	return lanes
}

// isEarly reports whether a parcel is due now although it has a later time: one that was
// never tried, because the parcels before it in its lane are gone; and one from when the
// clock was ahead.
func (b *Box) isEarly(p *store.Parcel) bool {
	later := p.Due.Sub(b.Now())
	return p.Due.Before(p.Expires) && (later > 0 && p.Tries == 0 || later > longestPause)
}

func (b *Box) lane(key string) string {
	if b.Lane == nil {
		return key
	}
	return b.Lane(key)
}

// attempt tries one parcel and removes it if it has been delivered. It reports whether it
// stays. The error is the store's.
func (b *Box) attempt(ctx context.Context, p *store.Parcel) (stays bool, err error) {
	switch expired := !p.Expires.IsZero() && !b.Now().Before(p.Expires); {
	case expired && b.Expire == nil:
		return false, b.discard(ctx, p)
	case expired && p.Tries > 0:
		return false, Guarded(func() error { return b.Expire(ctx, p) })
	}
	err = Guarded(func() error { return b.Deliver(ctx, p) })
	switch {
	case err == nil:
		return false, b.discard(ctx, p)
	case errors.Is(err, ErrWithdrawn):
		return false, nil
	case errors.As(err, new(*UndeliveredError)):
		return true, nil
	}
	return true, err
}

// Guarded calls fn and turns a panic of it into an error.
func Guarded(fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // content may be in a file that cannot be read
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("panic: %v", fault)
		}
	}()
	return fn()
}

// discard removes a parcel, unless it has been put again meanwhile.
func (b *Box) discard(ctx context.Context, p *store.Parcel) error {
	return b.Record(ctx, func(tx *store.Tx) error {
		waiting, err := tx.Parcel(p.Kind, p.Key)
		if err != nil || waiting == nil || waiting.Revision != p.Revision {
			return err
		}
		return tx.DeleteParcel(p.Kind, p.Key)
	})
}

// Notice wakes Run if a commit has put parcels of the box into the outbox that are due
// before Run would read it again. If Run should have read it already, the clock was set
// forward or the machine has slept, and Run is woken too.
func (b *Box) Notice(c store.Commit) {
	for _, r := range c.RecordsOf(store.OutboxBucket) {
		if r.After == nil || !strings.HasPrefix(r.Key, b.Kind+"/"+b.Prefix) {
			continue
		}
		if p, err := store.ParseParcel(r.After); err == nil && b.isBeforeNext(p.Due) {
			b.Wake()
			return
		}
	}
}

func (b *Box) isBeforeNext(due time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.next.IsZero() || due.Before(b.next) || !b.Now().Before(b.next)
}

// setNext sets when Run reads the outbox again; the zero time while it reads.
func (b *Box) setNext(t time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.next = t
}

// ByFolder is a Lane: the key up to its last slash.
func ByFolder(key string) string { return key[:max(strings.LastIndexByte(key, '/'), 0)] }
