package webhook

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"quire/content/event"
	"quire/store"
)

// The last attempts of each hook are kept for display, in a ring of records. They wait in
// memory until the positions of the hooks are stored, once a second, and are stored with
// them: no delivery has a write of its own for that. If the process is killed, attempts
// that were not stored are not listed.

const (
	attemptsBucket = "webhook-attempts" // by the id of the hook and a place in its ring
	mostAttempts   = 100                // of a hook
)

// Attempt is one try to deliver a change.
type Attempt struct {
	Delivery     string    `json:"delivery"` // its id
	At           time.Time `json:"at"`       // when it began
	Delivered    bool      `json:"delivered"`
	Event        string    `json:"event"`
	Type         string    `json:"type"`
	DocumentID   string    `json:"documentId"`
	Locale       string    `json:"locale,omitempty"`
	Status       string    `json:"status"`
	Try          int       `json:"try"`              // 1 for the first
	Answer       int       `json:"answer,omitempty"` // the status of the response, if there was one
	Milliseconds int64     `json:"milliseconds"`
	Error        string    `json:"error,omitempty"`
	NextAt       time.Time `json:"nextAt,omitzero"` // when it is tried again, as planned then

	Change event.Event `json:"-"` // the change that was sent
}

// tried is the stored form of an attempt. Change has the reason why it failed.
type tried struct {
	Number uint64 // number of earlier attempts of the hook
	Change change
	Began  time.Time
	Took   time.Duration
	Try    int
	Answer int       `json:",omitempty"`
	Next   time.Time `json:",omitzero"`
}

// attempt returns the attempt for display.
func (h *Hook) attempt(t *tried) Attempt {
	e := &t.Change.Event
	return Attempt{
		Delivery: h.deliveryID(&t.Change), At: t.Began, Delivered: t.Change.Cause == "", Event: eventName(e.Type, e.Action), Type: e.Type,
		DocumentID: e.DocumentID, Locale: e.Locale, Status: e.Status.String(), Try: t.Try, Answer: t.Answer,
		Milliseconds: t.Took.Milliseconds(), Error: t.Change.Cause, NextAt: t.Next, Change: *e,
	}
}

// triedOf reads the attempts of a hook, the latest first. It leaves out those that cannot
// be read; Check reports them.
func triedOf(tx *store.Tx, hook string) (list []*tried, err error) {
	err = tx.RecordsFrom(attemptsBucket, hook+"/", "", func(_ string, value []byte) bool {
		if t := new(tried); json.Unmarshal(value, t) == nil {
			list = append(list, t)
		}
		return true
	})
	slices.SortFunc(list, func(a, b *tried) int { return cmp.Compare(b.Number, a.Number) })
	return list, err
}

// Attempts lists the last attempts of a hook, at most 100, the latest first.
func (b *Webhooks) Attempts(h *Hook) (all []Attempt, err error) {
	err = b.db.View(func(tx *store.Tx) error {
		list, err := triedOf(tx, h.ID)
		for _, t := range list {
			all = append(all, h.attempt(t))
		}
		return err
	})
	return all, err
}

// attempts has the attempts that are not stored yet.
type attempts struct {
	mu      sync.Mutex
	waiting map[string][]*tried // by the id of the hook, at most mostAttempts of each, oldest first
}

// add adds an attempt.
func (a *attempts) add(hook string, t *tried) {
	t.Change.cut()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.waiting == nil {
		a.waiting = map[string][]*tried{}
	}
	list := append(a.waiting[hook], t)
	a.waiting[hook] = list[max(0, len(list)-mostAttempts):]
}

// take removes and returns the waiting attempts.
func (a *attempts) take() map[string][]*tried {
	a.mu.Lock()
	defer a.mu.Unlock()
	waiting := a.waiting
	a.waiting = nil
	return waiting
}

// putBack adds attempts that could not be stored again, before newer ones.
func (a *attempts) putBack(former map[string][]*tried) {
	since := a.take()
	for _, some := range []map[string][]*tried{former, since} {
		for hook, list := range some {
			for _, t := range list {
				a.add(hook, t)
			}
		}
	}
}

// putTried stores attempts of a hook, in place of its oldest ones. It stores none of a
// removed hook.
func putTried(tx *store.Tx, hook string, list []*tried) error {
	there, err := tx.Record(hooksBucket, hook)
	if err != nil || there == nil {
		return err
	}
	former, err := triedOf(tx, hook)
	if err != nil {
		return err
	}
	var next uint64
	if len(former) > 0 {
		next = former[0].Number + 1
	}
	for i, t := range list {
		t.Number = next + uint64(i)
		value, err := json.Marshal(t)
		if err == nil {
			err = tx.PutRecord(attemptsBucket, fmt.Sprintf("%s/%02d", hook, t.Number%mostAttempts), value)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
