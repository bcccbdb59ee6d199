package follow

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"quire/test/ledger"
	"quire/test/program"
)

// A follower starts from the leader's data file, gets what is written from then on, and says
// how far behind it is. After a restart it goes on where it was.
func TestAFollowerHasWhatTheLeaderHas(t *testing.T) {
	t.Parallel()
	p := newPair(t, nil)
	before := p.newCook(p.address, "before")
	p.startFollower()
	if !p.has(p.at, before) {
		t.Error("a new follower does not have what was there")
	}
	p.awaitDocument(p.at, p.newCook(p.address, "after"))
	p.follower.Kill()
	meanwhile := p.newCook(p.address, "meanwhile")
	p.startFollower()
	p.awaitDocument(p.at, meanwhile)
	if log := program.Succeed(t, "audit", "--action", "data.image", p.site); strings.Count(log, "data.image") != 1 {
		t.Errorf("after a restart, the follower has loaded everything again:\n%s", log)
	}
	await(t, "the lag is below a second", func() bool {
		a, err := p.ask("GET", p.at, "/_ready", "", "")
		return err == nil && a.status == 204 && a.lag() >= 0 && a.lag() < 1 && a.header.Get("Quire-Stale") == ""
	})
	p.follower.Signal(syscall.SIGTERM)
	check(t, p.follower.Wait())
}

// A client that writes through a follower reads there what it wrote, at once.
func TestAFollowerShowsWhatWasWrittenThroughIt(t *testing.T) {
	t.Parallel()
	p := newPair(t, nil)
	p.startFollower()
	var clients sync.WaitGroup
	for n := range 4 {
		clients.Go(func() {
			for i := range 25 {
				if id := p.newCook(p.at, fmt.Sprintf("cook %d of %d", i, n)); !p.has(p.at, id) {
					t.Errorf("the follower does not show %s, which it has just stored", id)
				}
			}
		})
	}
	clients.Wait()
	if a := p.must(400, "POST", p.at, "/api/cooks", `{"data": {"name": 5}}`); !strings.Contains(a.body, `"name"`) {
		t.Errorf("an error of the leader arrives as %s", a.body)
	}
}

// While a follower loads the leader's data file, because the leader no longer has what comes
// next, it shows the former content. The response to a write waits for the new one.
func TestAWriteWaitsForTheImage(t *testing.T) {
	t.Parallel()
	p := newPair(t, nil)
	p.startFollower()
	p.line.setCut(true)
	missed := p.newCook(p.address, "missed")
	p.leader.Kill()
	p.startLeader()
	p.line.setCut(false)
	for !p.has(p.at, missed) {
		sent := time.Now()
		a := p.must(201, "POST", p.at, "/api/cooks", `{"data": {"name": "while it loads"}}`)
		if took := time.Since(sent); a.header.Get("Quire-Stale") != "" && took < 3*time.Second {
			t.Errorf("after %v, a write is answered before this server shows it", took)
		}
	}
}

// Drafts, private attributes and closed types are as secret at a follower as at the leader,
// and a token that is revoked there is refused here.
func TestAFollowerKeepsSecrets(t *testing.T) {
	t.Parallel()
	p := newPair(t, nil)
	reader := strings.TrimSpace(program.Succeed(t, "token", "create", "--name", "reader", "--type", "read-only", p.site))
	p.startFollower()
	p.must(201, "POST", p.address, "/api/restaurants?status=draft", `{"data": {"name": "A hidden place", "slug": "hidden"}}`)
	p.awaitDocument(p.at, p.newCook(p.address, "afterwards"))
	for path, token := range map[string]string{"/api/restaurants?status=draft": "", "/api/restaurants": reader, "/api/users": ""} {
		here, err := p.ask("GET", p.at, path, token, "")
		check(t, err)
		there, err := p.ask("GET", p.address, path, token, "")
		check(t, err)
		if here.status != there.status || here.body != there.body || strings.Contains(here.body, "hidden") {
			t.Errorf("%s: %d %s, and at the leader %d %s", path, here.status, here.body, there.status, there.body)
		}
	}
	program.Succeed(t, "token", "revoke", "reader", p.site)
	await(t, "the follower refuses a revoked token", func() bool {
		a, err := p.ask("GET", p.at, "/api/cooks", reader, "")
		return err == nil && a.status == 401
	})
}

// Only a token that names the right can follow, fence, or say for whom it asks.
func TestWhoMayFollow(t *testing.T) {
	t.Parallel()
	p := newPair(t, nil)
	only := p.newToken("only-reads", "plugin::quire.follow.read")
	for _, path := range []string{"/api/_follow", "/api/_follow/image", "/api/_follow/batches?lineage=1&revision=1", "/api/_follow/files/a.png"} {
		for token, want := range map[string]int{"": 403, "nonsense": 401, p.token: 403} {
			if a, err := p.ask("GET", p.address, path, token, ""); err != nil || a.status != want {
				t.Errorf("GET %s: %d %s, %v; want %d", path, a.status, a.body, err, want)
			}
		}
	}
	if a, err := p.ask("POST", p.address, "/api/_follow/fence", only, `{"epoch": "9"}`); err != nil || a.status != 403 {
		t.Errorf("a token that may only follow fences: %d %s, %v", a.status, a.body, err)
	}
	if a, err := p.ask("POST", p.address, "/api/_follow/fence", p.follow, `{"epoch": "1"}`); err != nil || a.status != 409 {
		t.Errorf("a leader is fenced for its own epoch: %d %s, %v", a.status, a.body, err)
	}
	if a, err := p.ask("POST", p.address, "/api/_follow/fence", p.follow, `{"epoch": 9}`); err != nil || a.status != 400 {
		t.Errorf("nonsense fences: %d %s, %v", a.status, a.body, err)
	}
	p.newCook(p.address, "it still writes")
	for token, want := range map[string]string{"nonsense": "401", p.token: "403"} {
		p.follow = token
		s, listens := program.Try(t, p.followCommand())
		if said := s.Log.String(); listens || !strings.Contains(said, want) || strings.Contains(said, token) {
			t.Errorf("a follower with a token that may not follow: %v\n%s", listens, said)
		}
	}
}

// A server with content of its own does not become a follower, and the data folder of a
// follower takes no writes.
func TestAFollowerNeverReplacesContent(t *testing.T) {
	t.Parallel()
	p := newPair(t, nil)
	own := program.NewSite(t)
	program.NewToken(t, own, "some", "full-access")
	copied := p.copy
	p.copy = own
	s, listens := program.Try(t, p.followCommand())
	if said := s.Log.String(); listens || !strings.Contains(said, "content of a site by itself") {
		t.Errorf("a site with content follows: %v\n%s", listens, said)
	}
	p.copy = copied
	p.startFollower()
	for _, running := range []bool{true, false} {
		code, _, stderr := program.Run(t, "token", "create", "--name", "x", "--type", "full-access", p.copy)
		if code == 0 || !strings.Contains(stderr, "belongs to a follower of") {
			t.Errorf("a token is made at a follower (running: %v): %d %s", running, code, stderr)
		}
		if running {
			program.Succeed(t, "backup", filepath.Join(t.TempDir(), "follower.tar.zst"), p.copy)
		}
		p.follower.Kill()
	}
	code, _, stderr := program.Run(t, "serve", "--listen", "127.0.0.1:0", p.copy)
	if code == 0 || !strings.Contains(stderr, "belongs to a follower of") {
		t.Errorf("a follower is served as a site by itself: %d %s", code, stderr)
	}
}

// If the leader cannot be reached, a follower answers reads, says how old they may be, and
// refuses writes. It starts without the leader, too. Both go on when the leader is back.
func TestALeaderThatIsAway(t *testing.T) {
	t.Parallel()
	p := newPair(t, nil)
	p.startFollower()
	id := p.newCook(p.at, "before")
	p.line.setCut(true)
	if !p.has(p.at, id) {
		t.Error("without the leader, a follower answers no reads")
	}
	p.must(503, "POST", p.at, "/api/cooks", `{"data": {"name": "lost"}}`)
	await(t, "responses say that they may be old", func() bool {
		return p.must(200, "GET", p.at, "/api/cooks", "").header.Get("Quire-Stale") == "true"
	})
	p.follower.Kill()
	later, stored := p.newCook(p.address, "later"), time.Now()
	p.startFollower("--max-lag", "6s")
	begun := time.Now()
	a, err := p.ask("GET", p.at, "/api/cooks", p.token, "") // from a copy that lacks what was stored
	check(t, err)
	if a.lag() < begun.Sub(stored).Seconds() {
		t.Errorf("without the leader, a follower that was started says that it is %.3f s behind, and is so for %v", a.lag(), begun.Sub(stored))
	}
	await(t, "a follower that is too far behind refuses reads", func() bool {
		a, err := p.ask("GET", p.at, "/api/cooks", p.token, "")
		ready, err2 := p.ask("GET", p.at, "/_ready", "", "")
		return err == nil && err2 == nil && a.status == 503 && ready.status == 503 && ready.lag() > 6
	})
	p.line.setCut(false)
	p.awaitDocument(p.at, later)
	await(t, "the follower is ready again", func() bool {
		a, err := p.ask("GET", p.at, "/_ready", "", "")
		return err == nil && a.status == 204
	})
	p.newCook(p.at, "written through it again")
}

// The lag that a follower shows is never less than the truth, also where what the leader
// sends arrives late.
func TestTheLagOfASlowLine(t *testing.T) {
	t.Parallel()
	p := newPair(t, nil)
	p.startFollower()
	p.awaitDocument(p.at, p.newCook(p.address, "first"))
	const late = 1500 * time.Millisecond
	p.line.delay.Store(int64(late))
	await(t, "the lag shows that the line is slow", func() bool {
		return p.must(200, "GET", p.at, "/api/cooks", "").lag() >= late.Seconds()
	})
	id := p.newCook(p.address, "late")
	for stored := time.Now(); ; {
		begun := time.Now()
		a := p.must(200, "GET", p.at, "/api/cooks?sort=id:desc", "")
		if strings.Contains(a.body, id) {
			return
		}
		if truth := begun.Sub(stored).Seconds(); a.lag() < truth {
			t.Fatalf("a read misses what was stored %.3f s ago, and says that the lag is %.3f s", truth, a.lag())
		}
	}
}

// Uploads arrive at a follower with their bytes, and stay there without the leader. Those that
// are deleted at the leader are removed here, also those that went while the follower was down.
func TestAFollowerHasTheFiles(t *testing.T) {
	t.Parallel()
	p := newPair(t, nil)
	file := []byte(strings.Repeat("the text of a file ", 5000))
	kind, body := ledger.Form(file, []byte(`{"name": "notes.txt"}`))
	peer := &ledger.Peer{Token: p.token, URL: "http://" + p.address}
	ids := map[string]int{}
	upload := func() string {
		status, text, err := peer.Ask("POST", "/api/upload", kind, bytes.NewReader(body))
		if err != nil || status != 201 {
			t.Fatalf("%d %s, %v", status, text, err)
		}
		var files []struct {
			ID  int
			URL string
		}
		check(t, json.Unmarshal(text, &files))
		ids[files[0].URL] = files[0].ID
		return files[0].URL
	}
	remove := func(url string) {
		p.must(200, "DELETE", p.address, fmt.Sprint("/api/upload/files/", ids[url]), "")
	}
	requireFiles := func(urls ...string) {
		t.Helper()
		await(t, "the files are in the folder, and no others", func() bool {
			entries, err := os.ReadDir(p.copy + "/data/uploads")
			there := 0
			for _, e := range entries {
				switch {
				case strings.HasPrefix(e.Name(), "."):
				case slices.Contains(urls, "/uploads/"+e.Name()):
					there++
				default:
					return false
				}
			}
			return err == nil && there == len(urls)
		})
	}
	before, missed := upload(), upload()
	p.startFollower()
	urls := []string{before, upload()}
	gone := upload()
	requireFiles(append(urls, missed, gone)...)
	remove(gone)
	requireFiles(append(urls, missed)...)
	p.follower.Kill()
	remove(missed)
	old := time.Now().Add(-2 * time.Hour)
	check(t, os.Chtimes(filepath.Join(p.copy, "data", filepath.FromSlash(missed)), old, old))
	p.startFollower()
	requireFiles(urls...)
	p.leader.Kill()
	for _, url := range urls {
		if a := p.must(200, "GET", p.at, url, ""); a.body != string(file) {
			t.Errorf("%s has %d bytes", url, len(a.body))
		}
	}
}

// While the site folder of a follower is not that of the leader, the leader answers for it,
// so that no attribute that is private there is shown here.
func TestAChangedSiteFolder(t *testing.T) {
	t.Parallel()
	p := newPair(t, nil)
	p.startFollower("--watch")
	id := p.newCook(p.at, "a cook")
	p.leader.Signal(syscall.SIGTERM)
	check(t, p.leader.Wait())
	schema := "/src/api/cook/content-types/cook/schema.json"
	edit(t, p.site+schema, `"name": {`, `"nick": {"type": "string", "private": true}, "name": {`)
	p.startLeader()
	await(t, "the follower says that its site folder is another one", func() bool {
		a, err := p.ask("GET", p.at, "/_ready", "", "")
		return err == nil && a.status == 503 && strings.Contains(a.body, "site folder")
	})
	p.must(200, "PUT", p.at, "/api/cooks/"+id, `{"data": {"nick": "secret"}}`)
	a := p.must(200, "GET", p.at, "/api/cooks/"+id, "")
	if strings.Contains(a.body, "secret") || a.header.Get("Quire-Lag") != "" {
		t.Errorf("the follower answers itself: %s", a.body)
	}
	edit(t, p.copy+schema, `"name": {`, `"nick": {"type": "string", "private": true}, "name": {`)
	await(t, "the follower answers itself again", func() bool {
		a, err := p.ask("GET", p.at, "/api/cooks/"+id, p.token, "")
		return err == nil && a.status == 200 && a.lag() >= 0
	})
}

// A leader has a bounded number of followers.
func TestTooManyFollowers(t *testing.T) {
	t.Parallel()
	p := newPair(t, nil)
	a, err := p.ask("GET", p.address, "/api/_follow", p.follow, "")
	check(t, err)
	var state struct{ Lineage, Revision string }
	check(t, json.Unmarshal([]byte(a.body), &state))
	follow := func() (*http.Response, error) {
		r, err := http.NewRequest("GET", "http://"+p.address+"/api/_follow/batches?lineage="+state.Lineage+"&revision="+state.Revision, nil)
		check(t, err)
		r.Header.Set("Authorization", "Bearer "+p.follow)
		return http.DefaultTransport.RoundTrip(r)
	}
	var open []*http.Response
	for n := range 9 {
		response, err := follow()
		check(t, err)
		if want := map[bool]int{true: 200, false: 429}[n < 8]; response.StatusCode != want {
			t.Errorf("the follower %d gets %d, want %d", n+1, response.StatusCode, want)
		}
		open = append(open, response)
	}
	for _, response := range open {
		response.Body.Close()
	}
	await(t, "there is a place again", func() bool {
		response, err := follow()
		check(t, err)
		defer response.Body.Close()
		return response.StatusCode == 200
	})
	if a, err := p.ask("GET", p.address, "/api/_follow/batches?lineage=1&revision="+state.Revision, p.follow, ""); err != nil || a.status != 410 {
		t.Errorf("a commit of another history: %d %s, %v", a.status, a.body, err)
	}
}
