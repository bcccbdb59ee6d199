package store

import (
	"encoding/json"
	"testing"
	"time"
)

func TestOutbox(t *testing.T) {
	db := newDB(t)
	due := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	put := func(kind, key, body string) {
		t.Helper()
		update(t, db, func(tx *Tx) error {
			return tx.PutParcel(&Parcel{Kind: kind, Key: key, Body: json.RawMessage(body), Due: due})
		})
	}
	put("mail", "b", `1`)
	put("mail", "a", `2`)
	put("mail", "b", `3`)
	put("mails", "c", `4`)
	update(t, db, func(tx *Tx) error { return tx.PutRecord(OutboxBucket, "mail/x", []byte("nonsense")) })
	view(t, db, func(tx *Tx) error {
		parcels, err := tx.Parcels("mail")
		if err != nil || len(parcels) != 2 || parcels[0].Key != "a" || string(parcels[1].Body) != "3" || !parcels[1].Due.Equal(due) {
			t.Errorf("%+v, %v", parcels, err)
		}
		if parcels[0].Revision >= parcels[1].Revision {
			t.Errorf("what was put later is of revision %d, not past %d", parcels[1].Revision, parcels[0].Revision)
		}
		if p, err := tx.Parcel("mail", "x"); p != nil || err != nil {
			t.Errorf("one that cannot be read: %+v, %v", p, err)
		}
		if n, err := tx.CountParcels("mail"); n != 3 || err != nil {
			t.Errorf("%d parcels, %v", n, err)
		}
		return nil
	})
	update(t, db, func(tx *Tx) error { return tx.DeleteParcel("mail", "b") })
	view(t, db, func(tx *Tx) error {
		if p, err := tx.Parcel("mail", "b"); p != nil || err != nil {
			t.Errorf("one that was removed: %+v, %v", p, err)
		}
		if p, err := tx.Parcel("mails", "c"); p == nil || err != nil {
			t.Errorf("one of another kind: %+v, %v", p, err)
		}
		return nil
	})
}

func TestCheckParcel(t *testing.T) {
	for value, want := range map[string]string{
		`{"kind": "mail", "key": "a", "body": {}}`: "",
		`{"kind": "mail", "key": "b"}`:             `it says that it is "b" of the kind "mail"`,
		`{"kind": 1}`:                              "it cannot be read: json: cannot unmarshal number into Go struct field Parcel.kind of type string",
	} {
		got := ""
		if err := CheckParcel("mail/a", []byte(value)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
}
