package webhook

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"

	"quire/content/event"
	"quire/notify/outbox"
	"quire/store"
)

// The kinds of parcels, and the maximum of each for a hook: while more are waiting, the log
// is not read for it.
const (
	kind        = "webhook"
	asideKind   = "webhook-aside" // given up, until they are resent on request
	mostWaiting = 10_000
	mostAside   = 10_000

	triedFor  = 3 * 24 * time.Hour
	asideFor  = 30 * 24 * time.Hour
	mostCause = 300 // maximum bytes of the reason why an attempt failed
)

// change is one event of the log in a parcel.
type change struct {
	At    time.Time // of its commit
	Event event.Event
	Cause string    `json:",omitempty"` // why the last attempt failed
	Aside time.Time `json:",omitzero"`  // when it was set aside
}

// lane returns the part of the key that all changes of a document have in common.
func (c *change) lane() string {
	sum := sha256.Sum256([]byte(c.Event.Type + "/" + c.Event.DocumentID))
	return hex.EncodeToString(sum[:16])
}

// key returns the key of the parcel of a change: the changes of a document are in the order
// of the log.
func (c *change) key(hook string) string {
	p := c.Event.Position
	if p.Index == 0 { // the last event of its commit
		p.Index = math.MaxUint32
	}
	return fmt.Sprintf("%s/%s/%016x-%08x", hook, c.lane(), p.Revision, p.Index)
}

// hookOf returns the id of the hook in the key of a parcel.
func hookOf(key string) string { hook, _, _ := strings.Cut(key, "/"); return hook }

// deliveryID returns the id of a delivery; it is the same for each attempt, and no other
// delivery of any site has it. Hooks with the same name in site.json have the same id on
// every site, so the id includes the time at which this one got its secret. It has no full
// stop, as Standard Webhooks requires.
func (h *Hook) deliveryID(c *change) string {
	id := h.ID
	if h.Managed {
		id = managedID(h.Name + " " + h.CreatedAt.Format(time.RFC3339Nano))
	}
	return "msg_" + id + "_" + strings.ReplaceAll(c.Event.Position.String(), ".", "_")
}

// parcel returns the parcel of a change after a number of attempts.
func (c *change) parcel(hook string, tries int, now time.Time) (*store.Parcel, error) {
	p := &store.Parcel{Kind: kind, Key: c.key(hook), Tries: tries, Created: now.UTC(), Due: now.UTC(), Expires: now.UTC().Add(triedFor)}
	if tries > 0 {
		p.Due = p.Due.Add(outbox.PauseAfter(tries))
	}
	return p, c.putIn(p)
}

// cut shortens the reason why an attempt failed to one line: it may be a text of the
// receiver.
func (c *change) cut() {
	c.Cause = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(c.Cause[:min(len(c.Cause), mostCause)], ""))
}

// putIn makes the change the body of a parcel.
func (c *change) putIn(p *store.Parcel) (err error) {
	c.cut()
	p.Body, err = json.Marshal(c)
	return err
}

func changeIn(p *store.Parcel) (*change, error) {
	c := new(change)
	if err := json.Unmarshal(p.Body, c); err != nil {
		return nil, fmt.Errorf("the change in the outbox cannot be read: %w", err)
	}
	return c, nil
}

// Delivery is a change that has not arrived.
type Delivery struct {
	ID         string    `json:"id"`
	State      State     `json:"state"`
	Event      string    `json:"event"`
	Type       string    `json:"type"`
	DocumentID string    `json:"documentId"`
	Locale     string    `json:"locale,omitempty"`
	Status     string    `json:"status"`
	Tries      int       `json:"tries"`
	Error      string    `json:"error,omitempty"` // of the last attempt
	At         time.Time `json:"at"`              // of the change
	NextAt     time.Time `json:"nextAt,omitzero"` // when it is tried again, unless another change of the document comes first
	SetAsideAt time.Time `json:"setAsideAt,omitzero"`

	Change event.Event `json:"-"` // what it is about
}

// State is the state of a delivery.
type State string

// The states of deliveries.
const (
	Waiting  State = "waiting"
	SetAside State = "setAside"
)

// delivery describes a parcel of the hook; nil if it cannot be read.
func (h *Hook) delivery(p *store.Parcel) *Delivery {
	c, err := changeIn(p)
	if err != nil {
		return nil
	}
	e := &c.Event
	d := &Delivery{
		ID: h.deliveryID(c), State: Waiting, Event: eventName(e.Type, e.Action), Type: e.Type, DocumentID: e.DocumentID,
		Locale: e.Locale, Status: e.Status.String(), Tries: p.Tries, Error: c.Cause, At: c.At, NextAt: p.Due, Change: *e,
	}
	if p.Kind == asideKind {
		d.State, d.NextAt, d.SetAsideAt = SetAside, time.Time{}, c.Aside
	}
	return d
}

// deliveries lists the deliveries that have not arrived at a hook, oldest first.
func deliveries(tx *store.Tx, h *Hook) (all []Delivery, err error) {
	for _, k := range []string{kind, asideKind} {
		parcels, err := tx.ParcelsBelow(k, h.ID+"/")
		if err != nil {
			return nil, err
		}
		for i := range parcels {
			if d := h.delivery(&parcels[i]); d != nil {
				all = append(all, *d)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Delivery) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	return all, nil
}

// setAside gives a parcel up: it is not tried again, except on request. It reports whether
// there was space for it.
func setAside(tx *store.Tx, p *store.Parcel, now time.Time) (stored bool, err error) {
	c, err := changeIn(p)
	if err != nil {
		return false, tx.DeleteParcel(p.Kind, p.Key)
	}
	if err := tx.DeleteParcel(kind, p.Key); err != nil {
		return false, err
	}
	n, err := tx.CountParcelsBelow(asideKind, hookOf(p.Key)+"/")
	if err != nil || n >= mostAside {
		return false, err
	}
	c.Aside = now.UTC()
	aside := *p
	aside.Kind, aside.Due, aside.Expires = asideKind, c.Aside.Add(asideFor), c.Aside.Add(asideFor)
	if err := c.putIn(&aside); err != nil {
		return false, err
	}
	return true, tx.PutParcel(&aside)
}

// sendAgain makes a parcel due now, also one that was set aside.
func sendAgain(tx *store.Tx, p *store.Parcel, now time.Time) error {
	c, err := changeIn(p)
	if err != nil {
		return err
	}
	if err := tx.DeleteParcel(p.Kind, p.Key); err != nil {
		return err
	}
	c.Aside = time.Time{}
	again := *p
	again.Kind, again.Due, again.Expires, again.Tries = kind, now.UTC(), now.UTC().Add(triedFor), 0
	if err := c.putIn(&again); err != nil {
		return err
	}
	return tx.PutParcel(&again)
}
