package server_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"quire/auth"
	"quire/schema/settings"
	"quire/server"
	"quire/store/storetest"
)

// limitedNodes opens two nodes with limits. The first one writes, and the other one forwards
// to it.
func limitedNodes(t *testing.T, change func(*settings.Settings)) (one, two http.Handler, token string) {
	t.Helper()
	site, journal := sampleSite(t), storetest.NewMemory()
	change(&site.Settings)
	open := func(o *others) (*server.Server, *auth.Auth) {
		s, keys, _ := openAmong(t, t.TempDir(), site, slog.New(slog.DiscardHandler), journal, o)
		return s, keys
	}
	first, keys := open(&others{live: 2})
	second, _ := open(&others{to: first.Handler(), live: 2})
	return first.Handler(), second.Handler(), createToken(t, keys, "full", auth.FullAccess)
}

// The number of attempts at passwords is the same on all nodes together as on one, whichever
// of them gets the attempts.
func TestNodesCountTriesTogether(t *testing.T) {
	t.Parallel()
	one, two, _ := limitedNodes(t, func(s *settings.Settings) {
		s.RateLimit = settings.RateLimit{Enabled: true, Max: 4, Interval: time.Hour}
	})
	codes := ""
	for i := range 6 {
		w := ask([]http.Handler{one, two}[i%2], http.MethodPost, "/api/auth/local", "", `{"identifier": "ana", "password": "a wrong one"}`)
		codes += fmt.Sprint(w.Code, " ")
	}
	if codes != "400 400 400 400 429 429 " {
		t.Errorf("six tries are answered %s", codes)
	}
}

// A rate is divided among the nodes. A request counts at the node that receives it, and not
// again at the node that writes.
func TestNodesShareARate(t *testing.T) {
	t.Parallel()
	one, two, token := limitedNodes(t, func(s *settings.Settings) {
		s.Rate = settings.RequestRate{Max: 8, Interval: 8 * time.Hour, Burst: 8}
	})
	count := func(n http.Handler, method string, i int) int {
		body := ""
		if method == http.MethodPost {
			body = strings.ReplaceAll(createCategory, "Soup", fmt.Sprint("Soup ", i))
		}
		return ask(n, method, "/api/categories", token, body).Code
	}
	for i := range 4 {
		if code := count(two, http.MethodPost, i); code != http.StatusCreated {
			t.Fatalf("write %d of 4 is answered %d", i, code)
		}
	}
	if code := count(two, http.MethodPost, 5); code != http.StatusTooManyRequests {
		t.Errorf("a fifth one at the same node is answered %d", code)
	}
	for i := range 4 {
		if code := count(one, http.MethodGet, i); code != http.StatusOK {
			t.Fatalf("read %d of 4 at the node that writes is answered %d", i, code)
		}
	}
	if code := count(one, http.MethodGet, 5); code != http.StatusTooManyRequests {
		t.Errorf("a fifth one there is answered %d", code)
	}
}

// No write uses a right that another node has removed before.
func TestNodesAgreeOnWhoMayWrite(t *testing.T) {
	t.Parallel()
	journal := storetest.NewMemory()
	open := func() (*server.Server, *auth.Auth) {
		s, keys, _ := openAmong(t, t.TempDir(), sampleSite(t), slog.New(slog.DiscardHandler), journal, &others{live: 2})
		return s, keys
	}
	_, keys := open()
	two, _ := open()
	for i := range 50 {
		name := fmt.Sprint("token ", i)
		token := createToken(t, keys, name, auth.FullAccess)
		body := strings.ReplaceAll(createCategory, "Soup", fmt.Sprint("Soup ", i))
		if w := ask(two.Handler(), http.MethodPost, "/api/categories", token, body); w.Code != http.StatusCreated {
			t.Fatalf("a token that another node has made: %d %s", w.Code, w.Body)
		}
		check(t, keys.RevokeToken(t.Context(), name))
		if w := ask(two.Handler(), http.MethodPost, "/api/categories", token, strings.ReplaceAll(body, "Soup", "Stew")); w.Code != http.StatusUnauthorized {
			t.Fatalf("a token that another node has revoked: %d %s", w.Code, w.Body)
		}
	}
}

// However many nodes share a small rate, requests are accepted.
func TestASmallRateAmongNodes(t *testing.T) {
	t.Parallel()
	one, _, token := limitedNodes(t, func(s *settings.Settings) {
		s.Rate = settings.RequestRate{Max: 1, Interval: time.Hour, Burst: 1}
	})
	if w := ask(one, http.MethodGet, "/api/categories", token, ""); w.Code != http.StatusOK {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// A client that names a commit that does not exist is refused at once, and takes no place of
// others. So is a client that waits for nodes that have not responded for a long time.
func TestNobodyWaitsForACommitThatThereIsNot(t *testing.T) {
	t.Parallel()
	_, two, _, _, others2, _ := twoNodes(t)
	for _, stale := range []bool{false, true} {
		others2.stale = stale
		w := ask(two, http.MethodGet, "/api/categories", "", "", "Quire-Min-Revision", "18446744073709551615")
		if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "a commit that there is not") {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
}

// A node answers methods without a route itself, and does not forward them.
func TestForeignMethodsAreNotForwarded(t *testing.T) {
	t.Parallel()
	_, two, _, _, others2, _ := twoNodes(t)
	for _, method := range []string{http.MethodConnect, http.MethodTrace, "PROPFIND", "post"} {
		if w := ask(two, method, "/api/categories", "", ""); w.Code < 400 || w.Code >= 500 {
			t.Errorf("%s: %d %s", method, w.Code, w.Body)
		}
	}
	if n := others2.calls.Load(); n != 0 {
		t.Errorf("%d were forwarded", n)
	}
}

// The node that writes answers reads that sign somebody in, or that are about uploads in
// pieces, and no others.
func TestReadsOfTheNodeThatWrites(t *testing.T) {
	t.Parallel()
	_, two, _, _, others2, token := twoNodes(t)
	for path, forwarded := range map[string]int64{
		"/api/auth/github/callback": 1, "/api/auth/email-confirmation?confirmation=x": 1, "/api/connect/github": 1, "/api/upload/_parts/x": 1,
		"/api/categories": 0, "/api/upload/files": 0, "/api/users/me": 0, "/api/authors": 0,
	} {
		others2.calls.Store(0)
		ask(two, http.MethodGet, path, token, "")
		if n := others2.calls.Load(); n != forwarded {
			t.Errorf("%s is forwarded %d times", path, n)
		}
	}
}

// If a body breaks off on its way to the node that writes, the error is the client's, and
// nothing was stored.
func TestAForwardedBodyThatBreaksOff(t *testing.T) {
	t.Parallel()
	node := &others{to: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) })}
	two, _, _ := openAmong(t, t.TempDir(), sampleSite(t), slog.New(slog.DiscardHandler), storetest.NewMemory(), node)
	node.read = true
	r := httptest.NewRequest(http.MethodPost, "/api/categories", io.MultiReader(strings.NewReader(`{"data"`), broken{}))
	w := httptest.NewRecorder()
	two.Handler().ServeHTTP(w, r)
	if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "could not be read to its end") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("malformed chunked encoding") }

// If nothing of a request was sent to the other node, the response does not say that it may
// have been stored.
func TestARequestThatIsNotForwarded(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	node := &others{failed: fmt.Errorf("%w: its header", server.ErrNotForwarded)}
	two, _, _ := openAmong(t, t.TempDir(), sampleSite(t), slog.New(slog.NewTextHandler(&log, nil)), storetest.NewMemory(), node)
	w := ask(two.Handler(), http.MethodPost, "/api/categories", "", createCategory)
	if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "nothing was stored") || strings.Contains(w.Body.String(), "header") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
