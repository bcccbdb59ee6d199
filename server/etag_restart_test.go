package server_test

import (
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quire/auth"
	"quire/schema"
	"quire/server"
	"quire/store/storetest"
)

// tagNow returns the tag of the dishes for the public caller.
func tagNow(t *testing.T, s *server.Server) string {
	t.Helper()
	answer := httptest.NewRecorder()
	s.Handler().ServeHTTP(answer, httptest.NewRequest("GET", "/api/dishes", nil))
	if answer.Code != 200 || answer.Header().Get("ETag") == "" {
		t.Fatalf("%d %v", answer.Code, answer.Header())
	}
	return answer.Header().Get("ETag")
}

// tagAfterStart starts a server, and returns the tag.
func tagAfterStart(t *testing.T, folder string, site *schema.Site) string {
	t.Helper()
	s, _, stop := open(t, folder, site, slog.New(slog.DiscardHandler))
	defer stop()
	return tagNow(t, s)
}

func TestTagsOutliveARestart(t *testing.T) {
	t.Parallel()
	folder, log := t.TempDir(), slog.New(slog.DiscardHandler)
	c, stop := newClientOf(t, folder, sampleSite(t), log)
	c.send("full", "POST", "/api/dishes", `{"data": {"name": "Soup"}}`)
	tag := c.send("", "GET", "/api/dishes", "", plain...).header.Get("ETag")
	write := func(path, body string) {
		if got := c.send("full", "POST", path, body); got.status != 201 {
			t.Fatal(got.status, got.body)
		}
	}
	write("/api/chefs", `{"data": {"name": "Ada"}}`)
	write("/api/restaurants?status=draft", `{"data": {"name": "Biscotte"}}`)
	stop()
	for range 2 {
		if again := tagAfterStart(t, folder, sampleSite(t)); again != tag {
			t.Errorf("no dish was written, and the tag was %s and is %s", tag, again)
		}
	}
	c, stop = newClientOf(t, folder, sampleSite(t), log) // creates the tokens
	write("/api/chefs", `{"data": {"name": "Eve"}}`)
	if got := c.send("", "GET", "/api/dishes", "", held(tag)...); got.status != 304 {
		t.Errorf("a tag of two runs before: %d", got.status)
	}
	stop()
	changed := sampleSite(t)
	changed.Fingerprint[0]++
	if other := tagAfterStart(t, folder, changed); other == tag {
		t.Error("another version of the site has the same tag")
	}
	c, stop = newClientOf(t, folder, sampleSite(t), log)
	write("/api/dishes", `{"data": {"name": "Bread"}}`)
	stop()
	if after := tagAfterStart(t, folder, sampleSite(t)); after == tag {
		t.Error("a dish was written, and the tag is the same")
	}
}

// A killed process leaves the file in the state of its last commit.
func TestTagsOutliveAKill(t *testing.T) {
	t.Parallel()
	folder, left := t.TempDir(), t.TempDir()
	c, _ := newClientOf(t, folder, sampleSite(t), slog.New(slog.DiscardHandler))
	c.send("full", "POST", "/api/dishes", `{"data": {"name": "Soup"}}`)
	tag := c.send("", "GET", "/api/dishes", "", plain...).header.Get("ETag")
	c.send("full", "POST", "/api/chefs", `{"data": {"name": "Ada"}}`)
	file, err := os.ReadFile(filepath.Join(folder, "quire.db")) // it stays open
	check(t, err)
	check(t, os.WriteFile(filepath.Join(left, "quire.db"), file, 0o600))
	if again := tagAfterStart(t, left, sampleSite(t)); again != tag {
		t.Errorf("no dish was written, and the tag was %s and is %s", tag, again)
	}
}

// If another data file takes the place of a data file, no tag of the former content is
// confirmed, even if both have had the same number of writes.
func TestTagsOfWhatABackupReplaces(t *testing.T) {
	t.Parallel()
	folder, log := t.TempDir(), slog.New(slog.DiscardHandler)
	file := filepath.Join(folder, "quire.db")
	c, stop := newClientOf(t, folder, sampleSite(t), log)
	write := func(name string) (tag string) {
		c.send("full", "POST", "/api/dishes", `{"data": {"name": "`+name+`"}}`)
		return c.send("", "GET", "/api/dishes", "", plain...).header.Get("ETag")
	}
	saved := write("Soup")
	stop()
	backup, err := os.ReadFile(file)
	check(t, err)

	c, stop = newClientOf(t, folder, sampleSite(t), log)
	lost := write("Bread")
	stop()
	check(t, os.WriteFile(file, backup, 0o600))

	c, stop = newClientOf(t, folder, sampleSite(t), log)
	defer stop()
	for tag, want := range map[string]int{saved: 304, lost: 200} {
		if got := c.send("", "GET", "/api/dishes", "", held(tag)...); got.status != want {
			t.Errorf("%s after the backup came back: %d, want %d", tag, got.status, want)
		}
	}
	write("Cake")
	for _, tag := range []string{saved, lost} {
		if got := c.send("", "GET", "/api/dishes", "", held(tag)...); got.status != 200 {
			t.Errorf("%s after another write: %d", tag, got.status)
		}
	}
}

// A client may send the tag of one node to another one.
func TestNodesAgreeOnTags(t *testing.T) {
	t.Parallel()
	journal, log := storetest.NewMemory(), slog.New(slog.DiscardHandler)
	first, second := t.TempDir(), t.TempDir()
	one, keys, _ := openNode(t, first, sampleSite(t), log, journal)
	token := createToken(t, keys, "full", auth.FullAccess) // before the second node opens, which knows it from its first request on
	two, _, stop := openNode(t, second, sampleSite(t), log, journal)
	write := func(s *server.Server, method, path, body string) {
		t.Helper()
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("Content-Type", "application/json")
		answer := httptest.NewRecorder()
		if s.Handler().ServeHTTP(answer, r); answer.Code >= 300 {
			t.Fatal(answer.Code, answer.Body)
		}
	}
	agree := func() string {
		t.Helper()
		a, b := tagNow(t, one), tagNow(t, two)
		if a != b {
			t.Errorf("one node says %s, the other %s", a, b)
		}
		return a
	}
	write(one, "POST", "/api/dishes", `{"data": {"name": "Soup"}}`)
	write(two, "POST", "/api/chefs", `{"data": {"name": "Ada"}}`) // after the earlier writes
	write(one, "POST", "/api/chefs", `{"data": {"name": "Eve"}}`)
	was := agree()
	stop()
	two, _, stop = openNode(t, second, sampleSite(t), log, journal)
	if now := agree(); now != was {
		t.Errorf("the tag was %s, and is %s after one node was restarted", was, now)
	}
	stop()
	journal.Compact()
	two, _, _ = openNode(t, t.TempDir(), sampleSite(t), log, journal)
	if now := agree(); now != was {
		t.Errorf("the tag was %s, and is %s where all was loaded", was, now)
	}
}
