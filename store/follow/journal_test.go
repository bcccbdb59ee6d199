package follow

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"quire/store"
)

// A follower that has not reached the leader yet does not know more than that it had everything
// at its last commit. Before, it counted from its own start.
func TestCurrentBeforeTheLeaderIsReached(t *testing.T) {
	t.Parallel()
	leader, err := NewLeader("http://127.0.0.1:1", "token")
	if err != nil {
		t.Fatal(err)
	}
	last := time.Now().Add(-time.Hour)
	for name, c := range map[string]struct{ time, want time.Time }{
		"of a copy":             {last, last},
		"of a clock that is on": {time.Now().Add(time.Hour), time.Now()},
		"of no copy":            {},
	} {
		j := NewFeed(leader, Options{Lineage: 5, Time: c.time})
		if got := j.Current(5).Sub(c.want).Abs(); got > time.Minute {
			t.Errorf("%s: it had everything at %v, not at %v", name, j.Current(5), c.want)
		}
	}
}

// While an image is loaded and read, the follower shows its former content, and what the leader
// sends meanwhile does not make that newer. Before, the lag counted as that of the image.
func TestCurrentOfFormerContent(t *testing.T) {
	t.Parallel()
	leader, err := NewLeader("http://127.0.0.1:1", "token")
	if err != nil {
		t.Fatal(err)
	}
	at := store.CommitID{Lineage: 7, Revision: 3}
	j := NewFeed(leader, Options{Lineage: 5, At: at})
	take := func(uptime int64) {
		t.Helper()
		c := &connection{journal: j, at: at, lineage: 5, begun: time.Now()}
		if err := c.take(nil, &State{Lineage: at.Lineage, Revision: at.Revision, Uptime: uptime}); err != nil {
			t.Fatal(err)
		}
	}
	take(1)
	former := j.Current(5)
	if time.Since(former) > time.Minute {
		t.Fatalf("it had everything at %v", former)
	}
	_ = j.gone()
	lineage, _ := j.Lineage(t.Context())
	if !j.Current(lineage).IsZero() {
		t.Errorf("an image that is not loaded has everything from %v", j.Current(lineage))
	}
	take(2)
	if j.Current(5) != former || j.Current(lineage).IsZero() {
		t.Errorf("former content has everything from %v, not %v; that of the image from %v", j.Current(5), former, j.Current(lineage))
	}
}

// A former leader does not know the last commit of a follower of the new one, and says that only
// an image helps. The follower does not load the image. Before, it showed what the former leader
// had, and went back.
func TestNoImageOfAFormerLeader(t *testing.T) {
	t.Parallel()
	former := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case StatePath:
			_, _ = io.WriteString(w, `{"lineage": "3", "revision": "9", "epoch": "1"}`)
		case BatchesPath:
			w.WriteHeader(http.StatusGone)
		default:
			t.Errorf("the follower requests %s", r.URL.Path)
		}
	}))
	defer former.Close()
	leader, err := NewLeader(former.URL, "token")
	if err != nil {
		t.Fatal(err)
	}
	j := NewFeed(leader, Options{Lineage: 5, At: store.CommitID{Lineage: 7, Revision: 3}, Epoch: 2})
	if err := j.Follow(t.Context(), 3, nil); !errors.Is(err, store.ErrCompacted) {
		t.Errorf("following it ends with %v", err)
	}
	if _, err := j.Image(t.Context(), t.TempDir()+"/quire.db"); !errors.As(err, new(*SupersededError)) {
		t.Errorf("its image: %v", err)
	}
}
