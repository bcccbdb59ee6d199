package release_test

import (
	"testing"
	"time"

	"quire/content"
	"quire/content/release"
	"quire/schema"
)

// What was done or has failed is on record for 90 days, and what is to come for good.
func TestForget(t *testing.T) {
	s := newSite(t)
	gone, one := s.draft("Gone"), s.draft("One")
	s.Delete("restaurant", gone, content.AllLocales)
	s.schedule(gone, schema.Publish, time.Hour)
	s.schedule(one, schema.Publish, time.Hour)
	s.schedule(one, schema.Publish, 9000*time.Hour)
	s.release("Winter", time.Hour, s.step(one, schema.Unpublish))
	s.run(24 * time.Hour) // the server was down
	total := func() int {
		_, n, _, err := s.Schedules(release.Page{Shows: func(*release.Release) bool { return true }})
		check(t, err)
		return n
	}
	for _, step := range []struct {
		after time.Duration
		want  int
	}{{release.KeptFor, 3}, {release.KeptFor + time.Millisecond, 1}} {
		s.now = noon.Add(24*time.Hour + step.after)
		if err := s.Forget(ctx()); err != nil || total() != step.want {
			t.Errorf("after %v, %d are on record and not %d (%v)", step.after, total(), step.want, err)
		}
	}
	if all, err := s.Calendar.List(); err != nil || len(all) != 1 {
		t.Errorf("the release: %+v, %v", all, err)
	}
	if s.next() != 9000*time.Hour {
		t.Error("what is to come was forgotten")
	}
}
