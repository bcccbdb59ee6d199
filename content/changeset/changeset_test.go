package changeset

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quire/content/verify"
	"quire/store"
)

var noon = time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)

func open(t *testing.T) *store.DB {
	t.Helper()
	db, err := store.Open(filepath.Join(t.TempDir(), "quire.db"), store.Options{Hasty: true})
	check(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func put(db *store.DB, s *ChangeSet, now time.Time) error {
	return db.Update(func(tx *store.Tx) error { return Put(tx, s, now) })
}

func aStep() []Step { return []Step{{Action: "delete", Type: "api::dish.dish", DocumentID: "soup"}} }

func list(t *testing.T, db *store.DB, now time.Time) (all []*ChangeSet) {
	t.Helper()
	err := db.View(func(tx *store.Tx) (err error) {
		all, err = List(tx, now)
		return err
	})
	check(t, err)
	return all
}

func TestPutRefusesWhatIsTooMuch(t *testing.T) {
	db := open(t)
	full := new(*LimitError)
	large := aStep()
	large[0].Data = json.RawMessage(`"` + strings.Repeat("x", MostBytes) + `"`)
	for name, s := range map[string]*ChangeSet{
		"nothing":    {},
		"many steps": {Steps: make([]Step, MostSteps+1)},
		"many bytes": {Steps: large},
		"long title": {Steps: aStep(), Title: strings.Repeat("ä", MostTitle+1)},
	} {
		if err := put(db, s, noon); !errors.As(err, full) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for i := range MostWaiting {
		check(t, put(db, &ChangeSet{Steps: aStep(), By: store.ActorOf(store.ByToken, fmt.Sprint(i/MostOfOne))}, noon))
	}
	if err := put(db, &ChangeSet{Steps: aStep()}, noon); !errors.As(err, full) {
		t.Errorf("one more: %v", err)
	}
	if err := put(db, &ChangeSet{Steps: aStep()}, noon.Add(KeptFor+time.Hour)); err != nil {
		t.Errorf("when the others have expired: %v", err)
	}
}

// One account leaves space for others, however many assistants it has.
func TestOneAccountFillsNothing(t *testing.T) {
	db := open(t)
	full := new(*LimitError)
	of := func(account string, i int) store.Actor {
		return store.ActorOf(store.ByAssistant, fmt.Sprintf("%s.%d", account, i))
	}
	for i := range MostOfOne {
		check(t, put(db, &ChangeSet{Steps: aStep(), By: of("ada", i)}, noon))
	}
	if err := put(db, &ChangeSet{Steps: aStep(), By: of("ada", MostOfOne)}, noon); !errors.As(err, full) {
		t.Errorf("another assistant of the account: %v", err)
	}
	if err := put(db, &ChangeSet{Steps: aStep(), By: store.ActorOf(store.ByAdmin, "ada")}, noon); !errors.As(err, full) {
		t.Errorf("the account itself: %v", err)
	}
	large := aStep()
	large[0].Data = json.RawMessage(`"` + strings.Repeat("x", MostBytes/2) + `"`)
	n := 0
	for ; n < MostOfOne && put(db, &ChangeSet{Steps: large, By: of("bob", n)}, noon) == nil; n++ {
	}
	if n == 0 || n*MostBytes/2 > MostBytesOne {
		t.Errorf("%d large sets of one account wait", n)
	}
	if err := put(db, &ChangeSet{Steps: large, By: of("cyd", 0)}, noon); err != nil {
		t.Errorf("a third account: %v", err)
	}
}

// A set that nobody decides expires, and is removed some time later.
func TestAChangeSetExpires(t *testing.T) {
	db := open(t)
	s := &ChangeSet{Steps: aStep()}
	check(t, put(db, s, noon))
	later := noon.Add(KeptFor + time.Minute)
	if all := list(t, db, later); len(all) != 1 || all[0].State != Expired {
		t.Errorf("%+v", all)
	}
	err := db.Update(func(tx *store.Tx) error { return Decide(tx, s.ID, Approved, "admin:ada", later) })
	if !errors.Is(err, ErrDecided) {
		t.Errorf("decided too late: %v", err)
	}
	check(t, put(db, &ChangeSet{Steps: aStep()}, noon.Add(3*KeptFor)))
	if all := list(t, db, noon.Add(3*KeptFor)); len(all) != 1 || all[0].ID == s.ID {
		t.Errorf("%+v", all)
	}
}

// Who proposes a lot leaves space for others.
func TestOneAuthorFillsAPart(t *testing.T) {
	db := open(t)
	for range MostOfOne {
		check(t, put(db, &ChangeSet{Steps: aStep(), By: "token:robot"}, noon))
	}
	if err := put(db, &ChangeSet{Steps: aStep(), By: "token:robot"}, noon); !errors.As(err, new(*LimitError)) || !strings.Contains(err.Error(), "of yours") {
		t.Errorf("one more: %v", err)
	}
	if err := put(db, &ChangeSet{Steps: aStep(), By: "token:other"}, noon); err != nil {
		t.Errorf("another author: %v", err)
	}
}

// The bound is on what is stored: no text takes more than it has bytes, and names count, too.
func TestStoredBytesAreBounded(t *testing.T) {
	db := open(t)
	s := &ChangeSet{Steps: aStep()}
	s.Steps[0].Data = json.RawMessage(`"` + strings.Repeat("<", MostBytes/2) + `"`)
	if err := put(db, s, noon); err != nil || s.Bytes > MostBytes/2+1000 {
		t.Errorf("%d bytes, %v", s.Bytes, err)
	}
	s = &ChangeSet{Steps: aStep()}
	s.Steps[0].Locale = strings.Repeat("en,", MostBytes/3)
	if err := put(db, s, noon); !errors.As(err, new(*LimitError)) {
		t.Errorf("a long list of locales: %v", err)
	}
	for i := range 20 {
		s := &ChangeSet{Steps: aStep(), By: store.ActorOf(store.ByToken, fmt.Sprint(i))}
		s.Steps[0].Data = json.RawMessage(`"` + strings.Repeat("<", MostBytes/2) + `"`)
		if err := put(db, s, noon); (err != nil) != (i >= 2*MostTogether/MostBytes-2) {
			t.Errorf("set %d: %v", i+2, err)
		}
	}
}

func TestRepairRemovesChangeSetsThatCannotBeRead(t *testing.T) {
	db := open(t)
	good, torn, empty, lost, decided := &ChangeSet{Steps: aStep()}, &ChangeSet{Steps: aStep()}, &ChangeSet{Steps: aStep()}, &ChangeSet{Steps: aStep()}, &ChangeSet{Steps: aStep()}
	for _, s := range []*ChangeSet{good, torn, empty, lost, decided} {
		check(t, put(db, s, noon))
	}
	err := db.Update(func(tx *store.Tx) error {
		return errors.Join(
			tx.PutRecord(stepsBucket, torn.ID, []byte("[{")), tx.PutRecord(stepsBucket, empty.ID, []byte("null")), tx.PutRecord(stepsBucket, "orphan", []byte("[]")),
			tx.DeleteRecord(stepsBucket, lost.ID), Decide(tx, decided.ID, Approved, "admin:ada", noon), tx.PutRecord(stepsBucket, decided.ID, []byte("[]")),
			tx.PutRecord(bucket, "other", []byte("?")), tx.PutRecord(bucket, "null", []byte("null")))
	})
	check(t, err)
	var removed []verify.Fault
	err = db.Update(func(tx *store.Tx) (err error) { removed, err = Repair(tx); return err })
	if err != nil || len(removed) != 7 {
		t.Errorf("removed %v, %v", removed, err)
	}
	if all := list(t, db, noon); len(all) != 2 || all[0].ID != good.ID || all[1].ID != decided.ID {
		t.Errorf("%+v", all)
	}
	err = db.View(func(tx *store.Tx) error {
		if left, err := Check(tx); err != nil || len(left) != 0 {
			t.Errorf("after the repair: %v, %v", left, err)
		}
		n, err := tx.CountRecords(stepsBucket, "")
		if n != 1 {
			t.Errorf("%d sets have steps", n)
		}
		return err
	})
	check(t, err)
}

// Of many decisions, the oldest are removed.
func TestDecisionsAreBounded(t *testing.T) {
	db := open(t)
	for i := range MostDecided + 2 {
		s, now := &ChangeSet{Steps: aStep()}, noon.Add(time.Duration(i)*time.Second)
		err := db.Update(func(tx *store.Tx) error {
			return errors.Join(Put(tx, s, now), Decide(tx, s.ID, Rejected, "admin:ada", now))
		})
		check(t, err)
	}
	if n := len(list(t, db, noon)); n > MostDecided+1 {
		t.Errorf("%d decisions are stored", n)
	}
}

func check(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}
