package objects

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quire/test/program"
)

// streamStatus is the stream in the output of quire status.
type streamStatus struct {
	SentTo  *time.Time
	Image   *time.Time
	Queued  int64
	Problem string
}

// awaitStream waits until the stream of a site is as a test wants it.
func (s *site) awaitStream(what string, holds func(streamStatus) bool) {
	s.t.Helper()
	for limit := time.Now().Add(2 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		var status struct{ Stream streamStatus }
		check(s.t, json.Unmarshal([]byte(program.Succeed(s.t, "status", "--json", s.folder)), &status))
		if holds(status.Stream) {
			return
		}
		if time.Now().After(limit) {
			s.t.Fatalf("the stream %s: %+v", what, status.Stream)
		}
	}
}

// A stream in a bucket has what was written and uploaded, goes on when the store has been
// away, and brings the site back when its disk is lost.
func TestAStreamInABucket(t *testing.T) {
	o := startStore(t)
	key := filepath.Join(t.TempDir(), "key")
	check(t, os.WriteFile(key, []byte("a passphrase\n"), 0o600))
	s := newSite(t, "{}")
	s.set("backup", `{"stream": {"bucket": "s3://guide/stream", "endpoint": "`+o.URL+`", "pathStyle": true, "keyFile": "`+key+`"}}`)
	s.restart()
	s.awaitStream("has no image", func(now streamStatus) bool { return now.Image != nil })
	one := s.uploaded("one.txt", "the first")
	s.awaitStream("did not send", func(now streamStatus) bool {
		return now.SentTo != nil && now.SentTo.After(*now.Image) && now.Queued == 0
	})
	at := time.Now().UTC()
	between := at.Format(time.RFC3339Nano)
	for time.Now().UnixMilli() == at.UnixMilli() { // the times of commits are in milliseconds
	}
	o.set(cut)
	two := s.uploaded("two.txt", "the second")
	s.awaitStream("has no problem", func(now streamStatus) bool { return now.Problem != "" && now.Queued > 0 })
	o.set(passes)
	s.awaitStream("does not go on", func(now streamStatus) bool { return now.Problem == "" && now.Queued == 0 })
	if out := program.Succeed(t, "restore", "--check", s.folder); !strings.Contains(out, "restored the site as of") || strings.Contains(out, secret) {
		t.Errorf("%s", out)
	}
	s.server.Kill()
	check(t, os.RemoveAll(filepath.Join(s.folder, "data")))
	program.Succeed(t, "restore", "--at", between, s.folder)
	if here := s.here(); len(here) != 1 {
		t.Errorf("before the second there is %v", here)
	}
	program.Succeed(t, "restore", "--replace", "--at", "latest", s.folder)
	s.serve()
	s.holds(one.URL, "the first")
	s.holds(two.URL, "the second")
	s.sound()
}
