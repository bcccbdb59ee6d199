package store

import (
	"encoding/json"
	"fmt"
	"time"
)

// OutboxBucket holds what must be delivered to the outside, by kind and key.
const OutboxBucket = "outbox"

// Parcel is something that must be delivered to the outside, for example a mail. It is put
// into the outbox in the transaction of its cause, and stays there until the code that
// delivers its kind removes it. So it is delivered at least once.
type Parcel struct {
	Kind string          `json:"kind"` // decides who delivers it: "mail"
	Key  string          `json:"key"`  // its name among those of its kind, without a meaning here
	Body json.RawMessage `json:"body"` // what the delivery needs; no secrets

	Created time.Time `json:"created"`
	Due     time.Time `json:"due"`              // time of the next attempt
	Expires time.Time `json:"expires,omitzero"` // when it becomes useless; zero for never
	Tries   int       `json:"tries"`            // that have been begun

	// Revision is the commit that stored it: if it changes, the parcel was replaced
	// meanwhile.
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

// Parcel returns the parcel of that kind and key, nil if there is none that can be read.
func (tx *Tx) Parcel(kind, key string) (*Parcel, error) {
	value, err := tx.Record(OutboxBucket, parcelKey(kind, key))
	if err != nil || value == nil {
		return nil, err
	}
	p, unreadable := ParseParcel(value)
	if unreadable != nil {
		return nil, nil
	}
	return p, nil
}

// DeleteParcel removes a parcel. A missing one is not an error.
func (tx *Tx) DeleteParcel(kind, key string) error {
	return tx.DeleteRecord(OutboxBucket, parcelKey(kind, key))
}

// Parcels returns the parcels of a kind, ordered by key. It leaves out those that cannot be
// read; CheckParcel reports them.
func (tx *Tx) Parcels(kind string) ([]Parcel, error) { return tx.ParcelsBelow(kind, "") }

// ParcelsBelow returns the parcels of a kind whose keys begin with prefix, as Parcels does.
func (tx *Tx) ParcelsBelow(kind, prefix string) (parcels []Parcel, err error) {
	err = tx.RecordsFrom(OutboxBucket, parcelKey(kind, prefix), "", func(_ string, value []byte) bool {
		if p, err := ParseParcel(value); err == nil {
			parcels = append(parcels, *p)
		}
		return true
	})
	return parcels, err
}

// CountParcels returns the number of parcels of a kind.
func (tx *Tx) CountParcels(kind string) (int, error) { return tx.CountParcelsBelow(kind, "") }

// CountParcelsBelow returns the number of parcels of a kind whose keys begin with prefix.
func (tx *Tx) CountParcelsBelow(kind, prefix string) (int, error) {
	return tx.CountRecords(OutboxBucket, parcelKey(kind, prefix))
}

// CheckParcel reports what is wrong with a record of the outbox.
func CheckParcel(name string, value []byte) error {
	p, err := ParseParcel(value)
	if err == nil && parcelKey(p.Kind, p.Key) != name {
		err = fmt.Errorf("it says that it is %q of the kind %q", p.Key, p.Kind)
	}
	return err
}

// parcelKey returns the key of a record of the outbox. A kind has no slash.
func parcelKey(kind, key string) string { return kind + "/" + key }

// ParseParcel reads the value of a record of the outbox.
func ParseParcel(value []byte) (*Parcel, error) {
	p := new(Parcel)
	if err := json.Unmarshal(value, p); err != nil {
		return nil, fmt.Errorf("it cannot be read: %w", err)
	}
	return p, nil
}
