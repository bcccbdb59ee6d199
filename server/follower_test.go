package server_test

import (
	"os"
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
