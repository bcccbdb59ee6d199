package server_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"quire/content/event"
	"quire/store"
)

// A client that was interrupted anywhere, also in the middle of a commit, continues with
// the next event.
func TestStreamsResume(t *testing.T) {
	t.Parallel()
	h := openAccountSite(t, os.DirFS("../testdata/site"), options{})
	s := h.listenTo(t, false)
	h.tokens["reader"] = h.customToken(t, "reader", dishUID+".find")
	for as, wanted := range map[string]int{"full": 12, "reader": 6} {
		begun := h.hear(t, s, as, "?types=dishes").id
		for i := range 2 {
			batch := []string{}
			for j := range 3 {
				batch = append(batch, fmt.Sprintf(`{"method": "POST", "url": "/api/dishes", "body": {"data": {"name": "%s %d %d"}}}`, as, i, j))
			}
			if a := h.send("full", "POST", "/api/_batch", `{"requests": [`+strings.Join(batch, ",")+`]}`); a.status != 200 {
				t.Fatal(a.body)
			}
		}
		var all []message
		for l := h.hear(t, s, as, "?types=dishes&since="+begun); len(all) < wanted; {
			all = append(all, l.next())
		}
		if all[wanted/2-1].id != all[0].field("revision") {
			t.Errorf("%s: the last event of a commit has the id %s", as, all[wanted/2-1].id)
		}
		for i, from := range all[:wanted-1] {
			for _, how := range []*listener{
				h.hear(t, s, as, "?types=dishes&since="+from.id),
				h.hear(t, s, as, "?types=dishes&since="+begun, "Last-Event-ID", from.id),
			} {
				for _, want := range all[i+1:] {
					if got := how.next(); got != want {
						t.Fatalf("%s after %s: got %+v, want %+v", as, from.id, got, want)
					}
				}
				how.leave()
			}
		}
	}
}

// An event contains the entry in its state at the time of sending, with the requested
// fields.
func TestEventsWithEntries(t *testing.T) {
	t.Parallel()
	h := openAccountSite(t, os.DirFS("../testdata/site"), options{})
	s := h.listenTo(t, false)
	begun := h.hear(t, s, "full", "").id
	l := h.hear(t, s, "full", "?types=restaurants,dishes&status=published&include=entry&fields=name&populate=*")
	chef := h.send("full", "POST", "/api/chefs", `{"data": {"name": "Ada"}}`).documentID(t)
	id := h.send("full", "POST", "/api/restaurants", `{"data": {"name": "Rest\nline", "secret_note": "hidden", "chef": "`+chef+`"}}`).documentID(t)
	m := l.next()
	var data struct {
		Entry struct {
			DocumentID, Name string
			Chef             struct{ Name string }
		}
	}
	check(t, json.Unmarshal([]byte(m.data), &data))
	if e := data.Entry; m.String() != "publish restaurant published en" && m.String() != "publish restaurant published" || e.DocumentID != id || e.Name != "Rest\nline" || e.Chef.Name != "Ada" || strings.Contains(m.data, "hidden") {
		t.Errorf("%s %s", m.String(), m.data)
	}
	h.send("full", "DELETE", "/api/restaurants/"+id, "")
	if m := l.next(); m.field("action") != "delete" || m.field("entry") != "" {
		t.Error(m.data)
	}
	late := h.hear(t, s, "full", "?types=restaurants&status=published&include=entry&since="+begun)
	if m := late.next(); m.field("action") != "publish" || m.field("entry") != "null" {
		t.Error("what is gone by now shows:", m.data)
	}
}

// When the log begins anew, streams say so and end. Earlier positions cannot be resumed.
func TestStreamsBeginAnew(t *testing.T) {
	t.Parallel()
	h := openAccountSite(t, os.DirFS("../testdata/site"), options{})
	s := h.listenTo(t, false)
	l := h.hear(t, s, "full", "")
	before := l.id
	check(t, h.db.Update(func(tx *store.Tx) error { return tx.ResetLog() }))
	l.wants("reset", "")
	if l.id == before {
		t.Error("the reset has no position to go on from")
	}
	if a := h.tryHear(t, s, "full", "?since="+before).answer; a.StatusCode != 410 {
		t.Errorf("%s", a.Status)
	}
	again := h.hear(t, s, "full", "", "Last-Event-ID", l.id)
	h.send("full", "POST", "/api/chefs?status=draft", `{"data": {"name": "Ada"}}`)
	again.wants("create chef draft")
	if _, err := event.ParsePosition(again.id); err != nil {
		t.Error(err)
	}
}
