package server_test

import (
	"os"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"quire/auth"
	"quire/schema/settings"
	"quire/server"
)

// A follower counts the requests of each of its clients. At the leader, they are not all those
// of one address: who sends as much as one may through a follower would stop all others there.
func TestTheLeaderDoesNotCountWhatAFollowerForwards(t *testing.T) {
	t.Parallel()
	h := openAccountSite(t, os.DirFS("../testdata/site"), options{
		Leading:  &server.Leading{},
		Settings: func(s *settings.Settings) { s.Rate = settings.RequestRate{Max: 3, Interval: time.Hour, Burst: 3} },
	})
	token, err := h.auth.CreateToken(t.Context(), auth.TokenSpec{Name: "follower", Kind: auth.Custom, Permissions: []string{auth.ReadFollow.String()}})
	check(t, err)
	forwarded := func(token, client string) int {
		return h.send("full", "POST", "/api/dishes", `{"data": {}}`, "From", "192.0.2.9:1", "Quire-Follower", token, "Quire-Client", client, "Quire-Client-Host", "x").status
	}
	for range 10 {
		if status := forwarded(token, "198.51.100.1:1"); status != 400 {
			t.Fatalf("forwarded: %d", status)
		}
	}
	for i, want := range []int{401, 401, 401, 429} {
		if status := forwarded("guessed", "198.51.100.1:1"); status != want {
			t.Errorf("guess %d: %d", i, status)
		}
	}
	if status := forwarded(token, "198.51.100.2:1"); status != 400 {
		t.Errorf("forwarded after guesses: %d", status)
	}
}

// A follower learns that the leader has no such file. Before, the leader answered 500, and the
// follower took it for a leader that cannot be reached.
func TestFilesThatTheLeaderDoesNotHave(t *testing.T) {
	t.Parallel()
	h := openAccountSite(t, os.DirFS("../testdata/site"), options{Leading: &server.Leading{}})
	token, err := h.auth.CreateToken(t.Context(), auth.TokenSpec{Name: "follower", Kind: auth.Custom, Permissions: []string{auth.ReadFollow.String()}})
	check(t, err)
	for _, name := range []string{"deleted.png", "%2e%2e", ".hidden", "a%00b"} {
		if a := h.send("", "GET", "/api/_follow/files/"+name, "", "Authorization", "Bearer "+token); a.status != 404 {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
}

// follows is what the server of a follower knows about its leader.
type follows struct {
	others
	current        func() time.Time
	tooFar, passes atomic.Bool
}

func (f *follows) Current(uint64) time.Time  { return f.current() }
func (f *follows) TooFar(time.Duration) bool { return f.tooFar.Load() }
func (f *follows) Passes() bool              { return f.passes.Load() }
func (f *follows) Unready() string           { return "" }

// A stream of a follower ends where a read would not be answered from what the follower has: if
// it is too far behind, and if the leader has other schemas, by which something may be private.
// Before, the stream went on.
func TestStreamsOfAFollowerEnd(t *testing.T) {
	t.Parallel()
	leader := &follows{current: time.Now}
	h := openAccountSite(t, os.DirFS("../testdata/site"), options{Nodes: leader})
	s := h.listenTo(t, false)
	for _, why := range []*atomic.Bool{&leader.tooFar, &leader.passes} {
		l := h.hear(t, s, "full", "?types=dishes")
		why.Store(true)
		l.wants("")
		why.Store(false)
	}
}

// The lag of a response is that of what was read for it, although the follower has more when it
// is sent.
func TestTheLagIsThatOfWhatWasRead(t *testing.T) {
	t.Parallel()
	begun := time.Now()
	var calls atomic.Int64
	leader := &follows{current: func() time.Time {
		if calls.Add(1) > 1 {
			return time.Now()
		}
		return begun.Add(-time.Minute)
	}}
	h := openAccountSite(t, os.DirFS("../testdata/site"), options{Nodes: leader})
	calls.Store(0)
	a := h.send("full", "GET", "/api/dishes", "")
	if lag, err := strconv.ParseFloat(a.header.Get("Quire-Lag"), 64); err != nil || a.status != 200 || lag < 60 || a.header.Get("Quire-Stale") != "true" {
		t.Errorf("%d, Quire-Lag: %v, Quire-Stale: %v", a.status, a.header.Get("Quire-Lag"), a.header.Get("Quire-Stale"))
	}
}
