package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// OutboxBucket holds what must reach somebody outside, by kind and key.
const OutboxBucket = "outbox"

// Parcel is something that must reach somebody outside, such as a mail. It is put
// into the outbox in the transaction of what causes it, and stays there until
// whoever delivers its kind removes it. So it is delivered at least once.
type Parcel struct {
	Kind string          `json:"kind"` // who delivers it: "mail"
	Key  string          `json:"key"`  // its name among those of its kind, without a meaning here
	Body json.RawMessage `json:"body"` // what its kind has to know; no secrets

	Created time.Time `json:"created"`
	Due     time.Time `json:"due"`              // when it is to be tried next
	Expires time.Time `json:"expires,omitzero"` // when it is of no use any more; zero for never
	Tries   int       `json:"tries"`            // that have been begun

	// Revision is that of the commit that stored it: another one says that the
	// parcel was put anew meanwhile.
	Revision uint64 `json:"revision"`
}

// PutParcel stores a parcel, in the place of the one of its kind and key. It sets
// the Revision.
func (tx *Tx) PutParcel(p *Parcel) error {
	p.Revision = tx.Revision()
	value, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return tx.PutRecord(OutboxBucket, parcelKey(p.Kind, p.Key), value)
}

// Parcel returns the parcel of that kind and key, nil when there is none that can
// be read.
func (tx *Tx) Parcel(kind, key string) (*Parcel, error) {
	value, err := tx.Record(OutboxBucket, parcelKey(kind, key))
	if err != nil || value == nil {
		return nil, err
	}
	p, unreadable := parseParcel(value)
	if unreadable != nil {
		return nil, nil
	}
	return p, nil
}

// DeleteParcel removes a parcel; none of that name is no error.
func (tx *Tx) DeleteParcel(kind, key string) error {
	return tx.DeleteRecord(OutboxBucket, parcelKey(kind, key))
}

// Parcels returns the parcels of a kind, ordered by key. What cannot be read is
// left out; CheckParcel finds it.
func (tx *Tx) Parcels(kind string) (parcels []Parcel, err error) {
	err = tx.eachOfKind(kind, func(_, value []byte) {
		if p, err := parseParcel(value); err == nil {
			parcels = append(parcels, *p)
		}
	})
	return parcels, err
}

// CountParcels is how many parcels of a kind there are.
func (tx *Tx) CountParcels(kind string) (n int, err error) {
	err = tx.eachOfKind(kind, func(_, _ []byte) { n++ })
	return n, err
}

// eachOfKind calls fn with what is stored of each parcel of a kind. It must be
// read at once.
func (tx *Tx) eachOfKind(kind string, fn func(key, value []byte)) error {
	return tx.guard(recordBucket(OutboxBucket), func() error {
		b := tx.bucket(recordsBucket, OutboxBucket)
		if b == nil {
			return nil
		}
		c, prefix := b.Cursor(), []byte(parcelKey(kind, ""))
		for k, v := c.Seek(prefix); bytes.HasPrefix(k, prefix); k, v = c.Next() {
			fn(k, v)
		}
		return nil
	})
}

// CheckParcel reports what is wrong with a record of the outbox.
func CheckParcel(name string, value []byte) error {
	p, err := parseParcel(value)
	if err == nil && parcelKey(p.Kind, p.Key) != name {
		err = fmt.Errorf("it says that it is %q of the kind %q", p.Key, p.Kind)
	}
	return err
}

// parcelKey is the key of a record of the outbox. A kind has no slash.
func parcelKey(kind, key string) string { return kind + "/" + key }

func parseParcel(value []byte) (*Parcel, error) {
	p := new(Parcel)
	if err := json.Unmarshal(value, p); err != nil {
		return nil, fmt.Errorf("it cannot be read: %w", err)
	}
	return p, nil
}
