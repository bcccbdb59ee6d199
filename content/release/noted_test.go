package release_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"quire/content/audit"
	"quire/content/release"
	"quire/schema"
	"quire/store"
)

// noted are the lines of the audit log, each as its actor, action, target and details.
func (s *site) noted() (lines []string) {
	s.Helper()
	page, err := audit.NewLog(s.DB).Back(audit.Query{}, 0, 100)
	check(s, err)
	for _, e := range slices.Backward(page.Events) {
		lines = append(lines, fmt.Sprintf("%s %s: %s %s %v %s", e.Way, e.By, e.Action, e.Target, e.Details, e.Outcome))
	}
	return lines
}

// What is carried out at its time is in the audit log once, with who scheduled it. What
// fails, waits for a hook or is only checked is not.
func TestWhatIsScheduledIsInTheAuditLog(t *testing.T) {
	s, hook := withHook(t)
	s.Names = func(a store.Actor) string {
		if a != "user:ada" {
			t.Errorf("the name of %s", a)
		}
		return "Ada"
	}
	one, two := s.draft("one"), s.draft("two")
	first := s.schedule(one, schema.Publish, time.Hour, "en")
	second := s.schedule(one, schema.Unpublish, 2*time.Hour)
	both := s.release("Both", 3*time.Hour, s.step(one, schema.Publish), s.step(two, schema.Publish))
	failing := s.release("Gone", 3*time.Hour, s.step("gone", schema.Publish))
	for _, r := range []*release.Release{both, failing} {
		if _, err := s.Check(ctx(), r); err != nil {
			t.Fatal(err)
		}
	}
	hook.err = down
	s.run(time.Hour)
	if got := s.noted(); got != nil {
		t.Fatalf("before anything is done: %q", got)
	}
	hook.err = nil
	s.run(time.Hour + 5*time.Second)
	s.run(24 * time.Hour)
	uid, by := s.Kind("restaurant").UID, "map[scheduled by:user Ada"
	want := []string{
		fmt.Sprintf("server schedule %s: content.publish %s %s en %s] done", first.ID, uid, one, by),
		fmt.Sprintf("server schedule %s: content.unpublish %s %s %s] done", second.ID, uid, one, by),
		fmt.Sprintf("server schedule %s: content.release release Both %s steps:2] done", both.ID, by),
	}
	if got := s.noted(); !slices.Equal(got, want) {
		t.Errorf("noted\n%q\nwant\n%q", got, want)
	}
}
