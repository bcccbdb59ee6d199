package documents

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"quire/store"
)

func TestFormsAreDropped(t *testing.T) {
	now := time.Date(2026, time.May, 4, 9, 0, 0, 0, time.UTC)
	s := NewForms(func() time.Time { return now })
	put := func(owner, id string, bytes int) {
		s.put(Form{ID: id, owner: store.Actor(owner), data: make(json.RawMessage, bytes)})
	}
	gone := func(ids ...string) {
		t.Helper()
		for _, id := range ids {
			if s.find(id) != nil {
				t.Errorf("%s is still there", id)
			}
		}
	}
	for i := range MostOwnForms {
		put("ana", fmt.Sprint("ana", i), 1)
	}
	put("ben", "ben", 1)
	put("ana", "ana0", 2) // the oldest, changed
	put("ana", "more", 1)
	gone("ana1")
	if s.find("ana0") == nil || s.find("ben") == nil || s.find("more") == nil {
		t.Error("others than the oldest of the account were dropped")
	}
	for i := range MostFormsBytes / MostFormBytes {
		put(fmt.Sprint("many", i), fmt.Sprint("many", i), MostFormBytes)
	}
	gone("ben", "ana0", "more")
	for i := range MostForms {
		put(fmt.Sprint("small", i), fmt.Sprint("small", i), 1)
	}
	gone("many0", fmt.Sprint("many", MostFormsBytes/MostFormBytes-1))
	now = now.Add(LongestForm)
	if s.find("small0") == nil {
		t.Error("a form is dropped before its time")
	}
	now = now.Add(time.Second)
	gone("small0", fmt.Sprint("small", MostForms-1))
	if len(s.all) != 0 {
		t.Errorf("%d forms are still kept", len(s.all))
	}
}
