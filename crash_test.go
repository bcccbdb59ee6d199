package main

import (
	"log/slog"
	"math"
	"math/rand/v2"
	"net/http/httptest"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"quire/index"
)

// A program that is killed at any moment, also while it starts or stops, has every
// write that it acknowledged and no half of one that it did not.
func TestKilledDuringWrites(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the program")
	}
	seed, rounds := chance(t, 4, 120)
	tr := newTrial(t, seed, 6)
	random := rand.New(rand.NewPCG(seed, 1<<32))
	p := tr.start()
	tr.share()
	for range rounds {
		told := tr.begin(math.MaxInt)
		for range 20 + random.IntN(100) {
			<-told
		}
		if random.IntN(3) == 0 {
			p.Process.Signal(syscall.SIGTERM)
		}
		timer := time.AfterFunc(time.Duration(random.IntN(5000))*time.Microsecond, func() { p.Process.Kill() })
		for range told { // until nobody writes any more
		}
		timer.Stop()
		p.kill()
		tr.killWhileStarting(random)
		tr.strays += repairStrays(t, tr.binary, tr.main.site)
		tr.checkIndex()
		p = tr.start()
		checkFilesWhole(t, &uploader{p.url, tr.main.token})
		tr.compare()
	}
	p.kill()
	tr.tell()
}

// killWhileStarting starts the program and kills it before it listens, or soon after.
func (tr *trial) killWhileStarting(random *rand.Rand) {
	tr.t.Helper()
	for range random.IntN(3) {
		c := exec.Command(tr.binary, "serve", "--listen", "127.0.0.1:0", tr.main.site)
		if err := c.Start(); err != nil {
			tr.t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(random.IntN(60))*time.Millisecond, func() { c.Process.Kill() })
		c.Wait()
		timer.Stop()
	}
}

// checkIndex opens the site as it was left, writes a little to it, and demands
// that the index, which followed, is the one that the file gives.
func (tr *trial) checkIndex() {
	tr.t.Helper()
	a, err := openApp(place{site: tr.main.site}, slog.New(slog.DiscardHandler))
	if err != nil {
		tr.t.Fatal(err)
	}
	defer func() {
		if err := a.close(); err != nil {
			tr.t.Error(err)
		}
	}()
	if err := a.start(); err != nil {
		tr.t.Fatal(err)
	}
	for _, body := range []string{`{"data": {"name": "Probe"}}`, `{"data": {"name": "Probe", "seats": 4, "opening": []}}`} {
		path := "/api/cooks"
		if strings.Contains(body, "seats") {
			path = "/api/restaurants"
		}
		tr.probe(a, path, body)
	}
	requireFreshIndex(tr.t, a)
}

// probe makes a document and deletes it again.
func (tr *trial) probe(a *app, path, body string) {
	tr.t.Helper()
	send := func(method, path, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+tr.main.token)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		a.server.Handler().ServeHTTP(w, r)
		return w
	}
	made := send("POST", path, body)
	_, id, _ := strings.Cut(made.Body.String(), `"documentId":"`)
	id, _, _ = strings.Cut(id, `"`)
	if w := send("DELETE", path+"/"+id, ""); made.Code != 201 || w.Code != 204 {
		tr.t.Errorf("%s: %d %s, deleting it: %d %s", path, made.Code, made.Body, w.Code, w.Body)
	}
}

// requireFreshIndex demands that the index is what one is that is built now.
func requireFreshIndex(t *testing.T, a *app) {
	t.Helper()
	fresh, err := a.build(a.site)
	if err != nil {
		t.Fatal(err)
	}
	if d := index.Diff(a.index.Snapshot(), fresh.Snapshot()); d != "" {
		t.Errorf("the index that followed writes and a fresh one: %s", d)
	}
}
