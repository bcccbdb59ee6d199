package release_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"quire/content"
	"quire/content/contenttest"
	"quire/content/release"
	"quire/schema"
)

// answering is a hook for all types that answers with an error.
type answering struct {
	err       error
	about     string // the event that it fails for; empty for all
	requested atomic.Int64

	documents []string // that it fails for; none for all
}

func (a *answering) About(*schema.Type) []content.Hook { return []content.Hook{a} }
func (a *answering) Name() string                      { return "prices" }
func (a *answering) Ask(_ context.Context, p *content.Proposal) (json.RawMessage, error) {
	if a.requested.Add(1); a.about != "" && a.about != p.Events[0] || a.documents != nil && !slices.Contains(a.documents, p.DocumentID) {
		return nil, nil
	}
	return nil, a.err
}

// withHook is the guide with a hook that answers as the test says.
func withHook(t *testing.T) (*site, *answering) {
	t.Helper()
	hook := &answering{}
	return on(contenttest.NewWith(t, contenttest.Guide(t), content.WriterOptions{Now: contenttest.Clock(), Asker: hook})), hook
}

// down is what a hook that is down comes to.
var down = &content.UnaskedError{Hook: "prices", Err: errors.New("marker")}

// What a hook refuses at its time is not done, and the record of it says why.
func TestAHookRefusesWhatIsScheduled(t *testing.T) {
	s, hook := withHook(t)
	one := s.draft("one")
	s.schedule(one, schema.Publish, time.Hour)
	hook.err = &content.RefusedError{Hook: "prices", Status: 409, Message: "Sold out"}
	done := s.run(time.Hour)
	var failed *release.FailedError
	if len(done) != 1 || !errors.As(done[0].Err, &failed) || failed.Failures[0].Reason != `The hook "prices" refuses it: Sold out` {
		t.Fatalf("%+v", done)
	}
	hook.err = nil
	if s.next() != 0 || s.isPublished(one) {
		t.Error("what was refused is tried again")
	}
}

// What is due while a hook is down is tried again until the hook is back, and does not
// delay what no hook is about. Its record says why it waits.
func TestWhatAHookCannotBeAskedAboutIsTriedAgain(t *testing.T) {
	s, hook := withHook(t)
	one, two := s.draft("one"), s.draft("two")
	r := s.release("both", time.Hour, s.step(one, schema.Publish), s.step(two, schema.Publish))
	hook.err = down
	at := time.Hour
	for _, wait := range []time.Duration{5 * time.Second, 5 * time.Second, 10 * time.Second, 20 * time.Second} {
		done := s.run(at)
		var postponed *release.PostponedError
		if len(done) != 1 || !errors.As(done[0].Err, &postponed) || !postponed.Until.Equal(s.now.Add(wait)) {
			t.Fatalf("after %v: %+v, want it tried again in %v", at, done, wait)
		}
		kept, err := s.Release(r.ID)
		if err != nil || kept.State != release.Scheduled || len(kept.Failures) != 1 || kept.Failures[0].Reason != `The hook "prices" could not be asked` {
			t.Fatalf("on record is %+v, %v", kept, err)
		}
		if at += wait; s.next() != at {
			t.Fatalf("next at %v, want %v", s.next(), at)
		}
	}
	hook.err = nil
	if done := s.run(at); len(done) != 1 || done[0].Err != nil || !s.isPublished(one) || !s.isPublished(two) {
		t.Errorf("when the hook is back: %+v", done)
	}
	if kept, err := s.Release(r.ID); err != nil || kept.State != release.Done || len(kept.Failures) != 0 || !kept.RetryAt.IsZero() {
		t.Errorf("on record is %+v, %v", kept, err)
	}
}

// A hook that is down is asked once for all that is due, and is given up after a day.
func TestAHookThatStaysDown(t *testing.T) {
	s, hook := withHook(t)
	one := s.draft("one")
	s.schedule(one, schema.Publish, time.Hour)
	s.schedule(s.draft("two"), schema.Publish, 2*time.Hour)
	hook.err = down
	hook.requested.Store(0)
	if done := s.run(3 * time.Hour); len(done) != 2 || hook.requested.Load() != 1 {
		t.Fatalf("asked %d times about %d", hook.requested.Load(), len(done))
	}
	var failed *release.FailedError
	for at := s.next(); at != 0; at = s.next() {
		failed = nil
		if done := s.run(at); len(done) == 0 || errors.As(done[0].Err, &failed) && at < 27*time.Hour-5*time.Minute {
			t.Fatalf("after %v: %+v", at, done)
		}
	}
	if failed == nil || s.now.Sub(noon) > 27*time.Hour {
		t.Errorf("given up after %v: %v", s.now.Sub(noon), failed)
	}
}

// writingBack is a hook that writes to one document whenever it is asked about publishing
// it.
type writingBack struct {
	answering
	s        *site
	document string
}

func (w *writingBack) About(*schema.Type) []content.Hook { return []content.Hook{w} }
func (w *writingBack) Ask(_ context.Context, p *content.Proposal) (json.RawMessage, error) {
	if p.DocumentID == w.document && p.Events[0] == "publish" {
		w.s.Fixture.Update("restaurant", w.document, `{"name": "again"}`, contenttest.AsDraft)
	}
	return nil, nil
}

// A document that changes whenever a hook is asked about it delays no other one: the hook
// answers.
func TestADocumentThatAlwaysChangesDelaysNoOther(t *testing.T) {
	hook := &writingBack{}
	s := on(contenttest.NewWith(t, contenttest.Guide(t), content.WriterOptions{Now: contenttest.Clock(), Asker: hook}))
	one, two := s.draft("one"), s.draft("two")
	hook.s, hook.document = s, one
	s.schedule(one, schema.Publish, time.Hour)
	s.schedule(two, schema.Publish, 2*time.Hour)
	done := s.run(3 * time.Hour)
	if len(done) != 2 || !errors.As(done[0].Err, new(*release.PostponedError)) || done[1].Err != nil {
		t.Errorf("%+v", done)
	}
	if s.isPublished(one) || !s.isPublished(two) {
		t.Error("the one that changes is published, or the other one is not")
	}
}

// A hook that fails for one document does not hold up the others that were due with it.
func TestAHookThatFailsForOneDocument(t *testing.T) {
	s, hook := withHook(t)
	one, two, three := s.draft("one"), s.draft("two"), s.draft("three")
	for i, id := range []string{one, two, three} {
		s.schedule(id, schema.Publish, time.Duration(1+i)*time.Hour)
	}
	var passed atomic.Int64 // milliseconds: time passes with each look at the clock
	s.Calendar = release.New(s.DB, s.Site, s.Writer, func() time.Time { return s.now.Add(time.Duration(passed.Add(1)) * time.Millisecond) })
	hook.err, hook.documents = down, []string{one, two}
	for at := 4 * time.Hour; at < 5*time.Hour; at = s.next() + 10*time.Millisecond {
		s.run(at)
	}
	if !s.isPublished(three) || s.isPublished(one) || s.isPublished(two) {
		t.Error("the third one is not published after an hour, or one of the others is")
	}
}

// A hook that is down for one action delays no other action of the type.
func TestAHookThatIsDownForOneAction(t *testing.T) {
	s, hook := withHook(t)
	one := s.Fixture.Create("restaurant", `{"name": "one"}`)
	s.schedule(s.draft("two"), schema.Publish, time.Hour)
	s.schedule(one, schema.Unpublish, 2*time.Hour)
	hook.err, hook.about = down, "publish"
	if done := s.run(2 * time.Hour); len(done) != 2 || done[1].Err != nil || s.isPublished(one) {
		t.Errorf("%+v", done)
	}
}

// What waits for a hook is not done once something later was done to the document, or is
// due: it would undo that.
func TestWhatWaitsForAHookIsNotDoneOutOfTurn(t *testing.T) {
	for name, later := range map[string]func(*site, string){
		"a schedule": func(s *site, id string) { s.schedule(id, schema.Unpublish, time.Hour+8*time.Second) },
		"a release": func(s *site, id string) {
			s.release("later", time.Hour+8*time.Second, s.step(id, schema.Unpublish), s.step(s.draft("two"), schema.Publish))
		},
		"in all locales": func(s *site, id string) { s.schedule(id, schema.Unpublish, time.Hour+8*time.Second, "*") },
		"":               func(s *site, _ string) { s.schedule(s.draft("two"), schema.Unpublish, time.Hour+8*time.Second) },
		"-":              func(s *site, id string) { s.schedule(id, schema.Unpublish, time.Hour+8*time.Second, "fr") },
	} {
		s, hook := withHook(t)
		one := s.draft("one")
		s.schedule(one, schema.Publish, time.Hour)
		later(s, one)
		hook.err = down
		s.run(time.Hour)
		done := s.run(time.Hour + 5*time.Second)
		var failed *release.FailedError
		if got, want := len(done) == 1 && errors.As(done[0].Err, &failed), len(name) > 1; got != want {
			t.Errorf("%q later: %+v", name, done)
		}
	}
}

// What was done by hand while a hook was down stays so.
func TestWhatWaitsForAHookDoesNotUndoAReleaseByHand(t *testing.T) {
	s, hook := withHook(t)
	one := s.Fixture.Create("restaurant", `{"name": "one"}`)
	s.schedule(one, schema.Publish, time.Hour)
	by := s.release("by hand", 0, s.step(one, schema.Unpublish))
	hook.err = down
	s.run(time.Hour)
	hook.err = nil
	s.now = s.now.Add(time.Second)
	if _, err := s.Publish(ctx(), by, "user:ada"); err != nil {
		t.Fatal(err)
	}
	var failed *release.FailedError
	if done := s.run(time.Hour + 5*time.Second); len(done) != 1 || !errors.As(done[0].Err, &failed) || s.isPublished(one) {
		t.Errorf("%+v", done)
	}
}

// Publishing a release now, while a hook is down, leaves it as it is.
func TestPublishWhileAHookIsDown(t *testing.T) {
	s, hook := withHook(t)
	r := s.release("now", 0, s.step(s.draft("one"), schema.Publish))
	hook.err = down
	if _, err := s.Publish(ctx(), r, "user:ada"); !errors.As(err, new(*content.UnaskedError)) {
		t.Errorf("got %v", err)
	}
	if kept, err := s.Release(r.ID); err != nil || kept.State != release.Planned || len(kept.Failures) != 0 {
		t.Errorf("on record is %+v, %v", kept, err)
	}
}
