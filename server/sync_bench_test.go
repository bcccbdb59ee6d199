package server_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quire/content/event"
	"quire/store"
)

// copied is the number of dishes, and logged the number of their changes in the log.
const (
	copied = 100_000
	logged = 1_000_000
)

// fillLog creates a data file with dishes and a long log of their changes.
func fillLog(t testing.TB, folder string) {
	t.Helper()
	db, err := store.Open(filepath.Join(folder, "quire.db"), store.Options{})
	check(t, err)
	const uid, atOnce = "api::dish.dish", 1000
	at := time.Date(2026, time.January, 1, 9, 0, 0, 0, time.UTC)
	name := func(n int) string { return fmt.Sprintf("%024d", n) }
	for first := 0; first < logged; first += atOnce {
		check(t, db.Update(func(tx *store.Tx) error {
			var events []event.Event
			for n := first; n < first+atOnce; n++ {
				events = append(events, event.Event{Type: uid, DocumentID: name(n % copied), Status: store.Published, ID: uint64(n%copied + 1), Action: store.ActionUpdate, By: "token:1", Version: uint64(n + 1)})
				if n < logged-copied {
					continue // of a deleted entry
				}
				e := &store.Entry{ID: uint64(n%copied + 1), DocumentID: name(n % copied), Status: store.Published, CreatedAt: at.UnixMilli(), UpdatedAt: at.UnixMilli(), PublishedAt: at.UnixMilli(),
					Fields: store.Fields{{Name: "name", Value: store.TextValue(fmt.Sprintf("dish %d", n%copied))}}}
				check(t, tx.Apply(store.Change{Type: uid, After: e}))
			}
			return errors.Join(tx.SetSequence("id:"+uid, copied), event.Append(tx, at, events))
		}))
	}
	check(t, db.Close())
}

// copySite serves the dishes of fillLog.
type copySite struct {
	testing.TB
	handler http.Handler
	token   string
}

func (s *copySite) send(method, path, body string) []byte {
	s.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+s.token)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, r)
	if w.Code >= 300 {
		s.Fatal(method, path, w.Code, w.Body)
	}
	return w.Body.Bytes()
}

func (s *copySite) page(query string) (p page) {
	s.Helper()
	check(s, json.Unmarshal(s.send("GET", "/api/_changes?types=dishes&limit=1000"+query, ""), &p))
	return p
}

// BenchmarkCopy measures a copy: the walk over 100,000 documents, and the changes after
// it, with a log of a million changes.
func BenchmarkCopy(b *testing.B) {
	folder := b.TempDir()
	fillLog(b, folder)
	server, keys, _ := open(b, folder, sampleSite(b), slog.New(slog.NewJSONHandler(io.Discard, nil)))
	s := &copySite{b, server.Handler(), createToken(b, keys, "bench", "full-access")}
	since := ""
	b.Run("Walk", func(b *testing.B) {
		for b.Loop() {
			n, p := 0, page{}
			for p.Meta.More = true; p.Meta.More; n += len(p.Data) {
				if since = p.Meta.Since; since != "" {
					since = "&since=" + since
				}
				p = s.page(since)
			}
			if since = "&since=" + p.Meta.Since; n != copied {
				b.Fatalf("%d entries", n)
			}
		}
	})
	b.Run("NothingChanged", func(b *testing.B) { s.follow(b, since, 0) })
	id := "/api/dishes/" + fmt.Sprintf("%024d", 7)
	s.send("PUT", id, `{"data": {"price": 3}}`)
	b.Run("OneChanged", func(b *testing.B) { s.follow(b, since, 1) })
	b.Run("ManyChangedLongAgo", func(b *testing.B) { s.follow(b, "&since=500", 1000) })
}

// follow requests the changes repeatedly.
func (s *copySite) follow(b *testing.B, since string, want int) {
	for b.Loop() {
		if p := s.page(since); len(p.Data) != want {
			b.Fatalf("%d changes, want %d", len(p.Data), want)
		}
	}
}
