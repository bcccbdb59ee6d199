package outbox_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"quire/notify/outbox"
	"quire/store"
)

// post is an outbox with its data file, its clock, and a carrier that fails for given
// keys.
type post struct {
	testing.TB
	*outbox.Box
	db *store.DB

	mu        sync.Mutex
	now       time.Time
	bad       func(key string) error // nil for keys that can be delivered
	tried     []string
	under     int // attempts under way
	mostUnder int
}

func openPost(t testing.TB) *post {
	db, err := store.Open(filepath.Join(t.TempDir(), "quire.db"), store.Options{Hasty: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	p := &post{TB: t, db: db, now: time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC), bad: func(string) error { return nil }}
	p.Box = &outbox.Box{
		DB: db, Kind: "note", Deliver: p.deliver, Now: p.clock, Log: slog.New(slog.DiscardHandler),
		Record: func(_ context.Context, fn func(*store.Tx) error) error { return db.Update(fn) },
	}
	return p
}

func (p *post) clock() time.Time { p.mu.Lock(); defer p.mu.Unlock(); return p.now }

func (p *post) advance(d time.Duration) { p.mu.Lock(); defer p.mu.Unlock(); p.now = p.now.Add(d) }

func (p *post) deliver(_ context.Context, parcel *store.Parcel) error {
	if err := p.db.Update(outbox.Claim(parcel, p.clock())); err != nil {
		return err
	}
	p.mu.Lock()
	p.tried = append(p.tried, parcel.Key)
	p.under++
	p.mostUnder = max(p.mostUnder, p.under)
	bad := p.bad
	p.mu.Unlock()
	defer func() { p.mu.Lock(); p.under--; p.mu.Unlock() }()
	if err := bad(parcel.Key); err != nil {
		return &outbox.UndeliveredError{Err: err}
	}
	return nil
}

// put puts parcels into the outbox that are due now.
func (p *post) put(expires time.Time, keys ...string) {
	p.Helper()
	p.check(p.db.Update(func(tx *store.Tx) error {
		for _, key := range keys {
			parcel := store.Parcel{Kind: "note", Key: key, Body: []byte("{}"), Created: p.now, Due: p.now, Expires: expires}
			if err := tx.PutParcel(&parcel); err != nil {
				return err
			}
		}
		return nil
	}))
}

func (p *post) check(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

// What was put off for longer than any pause is tried: the clock was ahead when it was
// tried last. So is what was never tried.
func TestDueTooLate(t *testing.T) {
	p := openPost(t)
	now := p.clock()
	p.check(p.db.Update(func(tx *store.Tx) error {
		for key, parcel := range map[string]store.Parcel{
			"ahead": {Tries: 3, Due: now.AddDate(1, 0, 0)}, "untried": {Due: now.Add(time.Hour)}, "paused": {Tries: 3, Due: now.Add(time.Hour)},
		} {
			parcel.Kind, parcel.Key, parcel.Body, parcel.Expires = "note", key, []byte("{}"), now.AddDate(2, 0, 0)
			if err := tx.PutParcel(&parcel); err != nil {
				return err
			}
		}
		return nil
	}))
	p.Round(t.Context(), t.Context())
	if slices.Sort(p.tried); !slices.Equal(p.tried, []string{"ahead", "untried"}) {
		t.Errorf("tried %v", p.tried)
	}
}

// waiting is the keys of what is in the outbox.
func (p *post) waiting() string {
	p.Helper()
	var keys []string
	p.check(p.db.View(func(tx *store.Tx) error {
		parcels, err := tx.Parcels("note")
		for _, parcel := range parcels {
			keys = append(keys, parcel.Key)
		}
		return err
	}))
	return strings.Join(keys, " ")
}

// round delivers what is due and returns what was tried, and when more is due.
func (p *post) round() (tried string, pause time.Duration) {
	p.tried = nil
	pause = p.Round(p.Context(), p.Context())
	slices.Sort(p.tried)
	return strings.Join(p.tried, " "), pause
}

// One lane is delivered in order, and what is behind a parcel that cannot be delivered
// waits for it; other lanes go on.
func TestLanes(t *testing.T) {
	p := openPost(t)
	p.Lane, p.AtOnce = outbox.ByFolder, 2
	p.put(time.Time{}, "a/1", "a/2", "b/1", "b/2", "c/1")
	p.bad = func(key string) error {
		if key == "a/1" {
			return errors.New("away")
		}
		return nil
	}
	tried, pause := p.round()
	if tried != "a/1 b/1 b/2 c/1" || p.waiting() != "a/1 a/2" || pause != 10*time.Second {
		t.Errorf("tried %s; %s wait for %v", tried, p.waiting(), pause)
	}
	if p.mostUnder > 2 {
		t.Errorf("%d at once", p.mostUnder)
	}
	p.bad = func(string) error { return nil }
	if tried, _ := p.round(); tried != "" {
		t.Errorf("before it is due: %s", tried)
	}
	p.advance(pause)
	if tried, _ := p.round(); tried != "a/1 a/2" || p.waiting() != "" {
		t.Errorf("then %s; %s wait", tried, p.waiting())
	}
}

// A box leaves alone what is not its own.
func TestPrefix(t *testing.T) {
	p := openPost(t)
	p.Prefix = "a/"
	p.put(time.Time{}, "a/1", "ab/1", "b/1")
	if tried, _ := p.round(); tried != "a/1" || p.waiting() != "ab/1 b/1" {
		t.Errorf("tried %s; %s wait", tried, p.waiting())
	}
}

// The pauses grow up to six hours, and a parcel that has expired is removed, or given to
// whoever wants to know.
func TestPauses(t *testing.T) {
	p := openPost(t)
	p.bad = func(string) error { return errors.New("away") }
	p.put(p.now.Add(72*time.Hour), "a")
	var pauses []string
	began := p.now
	for p.waiting() != "" {
		_, pause := p.round()
		p.advance(pause)
		if p.waiting() != "" {
			pauses = append(pauses, pause.String())
		}
	}
	first := strings.Join(pauses[:8], " ")
	if first != "10s 30s 1m30s 4m30s 13m30s 40m30s 2h1m30s 6h0m0s" {
		t.Errorf("pauses: %v", pauses)
	}
	if after := p.now.Sub(began); after < 72*time.Hour || after > 79*time.Hour {
		t.Errorf("it was given up after %v", after)
	}
	var expired string
	p.Expire = func(_ context.Context, parcel *store.Parcel) error {
		expired = parcel.Key
		return p.db.Update(func(tx *store.Tx) error { return tx.DeleteParcel("note", parcel.Key) })
	}
	p.put(p.now, "b")
	if tried, pause := p.round(); tried != "b" || expired != "" {
		t.Errorf("tried %q, expired %q", tried, expired)
	} else {
		p.advance(pause)
	}
	if tried, _ := p.round(); tried != "" || expired != "b" {
		t.Errorf("tried %q, expired %q", tried, expired)
	}
}

// Neither a panic nor a data file that refuses changes ends the delivery.
func TestFaults(t *testing.T) {
	p := openPost(t)
	p.bad = func(key string) error {
		if key == "a" {
			panic("a defect")
		}
		return nil
	}
	p.put(time.Time{}, "a", "b")
	if tried, pause := p.round(); tried != "a b" || p.waiting() != "a" || pause != 10*time.Second {
		t.Errorf("tried %s; %s wait for %v", tried, p.waiting(), pause)
	}
	p.bad = func(string) error { return nil }
	p.advance(10 * time.Second)
	record := p.Record
	p.Record = func(context.Context, func(*store.Tx) error) error { return errors.New("full") }
	if tried, pause := p.round(); tried != "a" || p.waiting() != "a" || pause < 10*time.Second {
		t.Errorf("tried %s; %s wait for %v", tried, p.waiting(), pause)
	}
	p.Record = record
	p.advance(time.Minute)
	if tried, _ := p.round(); tried != "a" || p.waiting() != "" {
		t.Errorf("tried %s; %s wait", tried, p.waiting())
	}
}

// What is put anew during an attempt stays, and what is removed is not claimed.
func TestChangedMeanwhile(t *testing.T) {
	p := openPost(t)
	again := true
	p.bad = func(key string) error {
		if again {
			again = false
			p.put(time.Time{}, key)
		}
		return nil
	}
	p.put(time.Time{}, "a")
	p.round()
	if p.waiting() != "a" {
		t.Errorf("%q wait", p.waiting())
	}
	p.check(p.db.Update(func(tx *store.Tx) error { return tx.DeleteParcel("note", "a") }))
	gone := &store.Parcel{Kind: "note", Key: "a"}
	if err := p.db.Update(outbox.Claim(gone, p.now)); !errors.Is(err, outbox.ErrWithdrawn) {
		t.Errorf("a claim of what is gone: %v", err)
	}
}

// What comes after the clock was set forward, or after the machine has slept, does not wait
// for the time at which the outbox would have been read. What is due later does.
func TestClockSetForward(t *testing.T) {
	p := openPost(t)
	defer p.db.Subscribe(p.Notice)()
	for i, forward := range []time.Duration{0, time.Minute, time.Hour, 24 * time.Hour} {
		_, pause := p.round()
		if pause != time.Hour || p.Woken() {
			t.Fatalf("it is read again in %v", pause)
		}
		p.advance(forward)
		p.put(p.clock().Add(time.Hour), fmt.Sprint("note/", i))
		if !p.Woken() {
			t.Errorf("%v forward: it is not read", forward)
		}
		if tried, _ := p.round(); tried != fmt.Sprint("note/", i) {
			t.Errorf("%v forward: tried %q", forward, tried)
		}
		p.Woken()
	}
	later := store.Parcel{Kind: "note", Key: "later", Body: []byte("{}"), Due: p.clock().Add(2 * time.Hour)}
	p.check(p.db.Update(func(tx *store.Tx) error { return tx.PutParcel(&later) }))
	if p.Woken() {
		t.Error("it is read for what is due later")
	}
}

// Run delivers what is put while it waits, and lets attempts under way end when it stops.
func TestRun(t *testing.T) {
	p := openPost(t)
	defer p.db.Subscribe(p.Notice)()
	arrived, release := make(chan string, 10), make(chan struct{})
	p.bad = func(key string) error {
		arrived <- key
		if key == "slow" {
			<-release
		}
		return nil
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); p.Run(ctx) }()
	for i := range 3 {
		p.put(time.Time{}, fmt.Sprint(i))
		if key := <-arrived; key != fmt.Sprint(i) {
			t.Errorf("%s has arrived", key)
		}
	}
	p.put(time.Time{}, "slow", "slower")
	if key := <-arrived; key != "slow" {
		t.Errorf("%s has arrived", key)
	}
	stop()
	close(release)
	<-ended
	if p.waiting() != "slower" {
		t.Errorf("%q wait", p.waiting())
	}
}
