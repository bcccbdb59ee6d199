package release_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"quire/content"
	"quire/content/contenttest"
	"quire/release"
	"quire/schema"
)

// answering is a hook for all types that answers with an error.
type answering struct{ err error }

func (a *answering) About(*schema.Type) []content.Hook { return []content.Hook{a} }
func (a *answering) Name() string                      { return "prices" }
func (a *answering) Ask(context.Context, *content.Proposal) (json.RawMessage, error) {
	return nil, a.err
}

// What a hook refuses at its time is not done, and the record of it says why; where too
// many are being asked, it is tried again.
func TestHooksAreAskedAboutWhatIsScheduled(t *testing.T) {
	hook := &answering{}
	s := on(contenttest.NewWith(t, contenttest.Guide(t), content.WriterOptions{Now: contenttest.Clock(), Asker: hook}))
	one, two := s.draft("one"), s.draft("two")
	s.schedule(one, schema.Publish, time.Hour)
	s.release("both", 2*time.Hour, s.step(one, schema.Publish), s.step(two, schema.Publish))
	s.schedule(two, schema.Publish, 3*time.Hour)

	hook.err = &content.UnaskedError{Hook: "prices", Busy: true, Err: errors.New("many")}
	s.now = noon.Add(time.Hour)
	if err := s.Run(context.Background(), s.now, func(release.Outcome) {}); !errors.As(err, new(*content.UnaskedError)) {
		t.Errorf("while many are asked: %v, want it tried again", err)
	}
	for _, test := range []struct {
		after time.Duration
		err   error
		want  string
	}{
		{time.Hour, &content.RefusedError{Hook: "prices", Status: 409, Message: "Sold out"}, `The hook "prices" refuses it: Sold out`},
		{2 * time.Hour, &content.UnaskedError{Hook: "prices", Err: errors.New("marker")}, `The hook "prices" could not be asked`},
		{3 * time.Hour, nil, ""},
	} {
		hook.err = test.err
		done := s.run(test.after)
		var failed *release.FailedError
		switch {
		case len(done) != 1 || (test.err == nil) != (done[0].Err == nil):
			t.Fatalf("after %v: %+v", test.after, done)
		case test.err == nil:
		case !errors.As(done[0].Err, &failed) || !strings.Contains(failed.Failures[0].Reason, test.want):
			t.Errorf("after %v: %v, want %q", test.after, done[0].Err, test.want)
		}
	}
	if s.isPublished(one) || !s.isPublished(two) {
		t.Error("what was refused is published, or what was not is not")
	}
}
