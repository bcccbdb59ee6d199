package release_test

import (
	"errors"
	"strings"
	"testing"

	"quire/content/contenttest"
	"quire/content/release"
	"quire/schema"
)

// A release is bounded by what its steps store together: it fails, and its check says so,
// with the first step past the bound.
func TestReleaseThatStoresTooMuch(t *testing.T) {
	s := newSite(t)
	text := strings.Repeat("x", 300<<10)
	s.Calendar.BoundTo(1 << 20)
	var steps []release.Step
	for range 6 {
		id := s.Fixture.Create("restaurant", `{"name": "Large", "story": "`+text+`"}`, contenttest.AsDraft)
		steps = append(steps, s.step(id, schema.Publish))
	}
	large := s.release("Large", 0, steps...)
	failures, err := s.Check(ctx(), large)
	if err != nil || len(failures) != 1 || failures[0].Step == 0 || !strings.Contains(failures[0].Reason, "1 MiB") {
		t.Fatalf("the check says %+v, %v", failures, err)
	}
	var failed *release.FailedError
	if _, err := s.Publish(ctx(), large, "user:ada"); !errors.As(err, &failed) || len(failed.Failures) != 1 {
		t.Errorf("it is refused with %v", err)
	}
	if s.isPublished(steps[0].DocumentID) {
		t.Error("half of it was done")
	}
	some := s.release("Some", 0, steps[:failures[0].Step]...)
	if _, err := s.Publish(ctx(), some, "user:ada"); err != nil {
		t.Errorf("what is within the bound: %v", err)
	}
}
