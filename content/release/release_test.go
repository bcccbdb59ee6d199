package release_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"quire/content"
	"quire/content/body"
	"quire/content/contenttest"
	"quire/content/release"
	"quire/content/verify"
	"quire/schema"
	"quire/store"
)

// site is the guide with a calendar whose clock the test sets.
type site struct {
	*contenttest.Fixture
	*release.Calendar
	now  time.Time
	runs []release.Outcome // of run, all of them
}

var noon = time.Date(2026, 12, 24, 12, 0, 0, 0, time.UTC)

func newSite(t *testing.T) *site {
	t.Helper()
	return on(contenttest.New(t, contenttest.Guide(t)))
}

func on(f *contenttest.Fixture) *site {
	s := &site{Fixture: f, now: noon}
	s.Calendar = release.New(f.DB, f.Site, f.Writer, func() time.Time { return s.now })
	return s
}

// everything may be done.
type everything struct{ schema.Unlimited }

func (everything) Allows(*schema.Type, schema.Action) bool { return true }

func ctx() context.Context { return content.By(context.Background(), "user:ada") }

// draft makes a restaurant that was never published.
func (s *site) draft(name string) (documentID string) {
	s.Helper()
	return s.Fixture.Create("restaurant", `{"name": "`+name+`"}`, contenttest.AsDraft)
}

func (s *site) step(documentID string, action schema.Action, locales ...string) release.Step {
	return release.Step{Type: s.Kind("restaurant").UID, DocumentID: documentID, Action: action, Locales: locales}
}

// schedule has a restaurant published or unpublished so long after noon.
func (s *site) schedule(documentID string, action schema.Action, after time.Duration, locales ...string) *release.Release {
	s.Helper()
	r, err := s.Schedule(ctx(), release.Release{By: "user:ada", At: noon.Add(after), Steps: []release.Step{s.step(documentID, action, locales...)}})
	check(s, err)
	return r
}

// release makes a release of the steps, to be done so long after noon; never for 0.
func (s *site) release(name string, after time.Duration, steps ...release.Step) *release.Release {
	s.Helper()
	r := release.Release{Name: name, By: "user:ada", Steps: steps}
	if after != 0 {
		r.At = noon.Add(after)
	}
	made, err := s.Calendar.Create(ctx(), r)
	check(s, err)
	return made
}

// run sets the clock to so long after noon and does what is due.
func (s *site) run(after time.Duration) (done []release.Outcome) {
	s.Helper()
	s.now = noon.Add(after)
	check(s, s.Run(context.Background(), s.now, func(o release.Outcome) { done = append(done, o) }))
	s.runs = append(s.runs, done...)
	return done
}

// isPublished reports whether a restaurant has a published version, in English or the
// locale given.
func (s *site) isPublished(documentID string, locale ...string) bool {
	return s.Stored("restaurant", store.Key{DocumentID: documentID, Locale: append(locale, "en")[0], Status: store.Published}) != nil
}

func (s *site) next() time.Duration {
	s.Helper()
	next, err := s.Next()
	check(s, err)
	if next.IsZero() {
		return 0
	}
	return next.Sub(noon)
}

// A document is published when it is time, once, by the schedule.
func TestScheduleIsDoneAtItsTime(t *testing.T) {
	s := newSite(t)
	one := s.draft("One")
	first := s.schedule(one, schema.Publish, time.Hour)
	s.schedule(one, schema.Unpublish, 2*time.Hour)
	if s.next() != time.Hour {
		t.Errorf("the next moment is %v after noon", s.next())
	}
	all, _, err := s.OfDocument(s.Kind("restaurant"), one)
	if err != nil || len(all) != 2 || all[0].ID != first.ID || all[0].By != "user:ada" {
		t.Fatalf("%v, %v", all, err)
	}
	if done := s.run(time.Hour - time.Millisecond); done != nil || s.isPublished(one) {
		t.Fatal("it was published too early")
	}
	done := s.run(time.Hour)
	if len(done) != 1 || done[0].Err != nil || done[0].Release.By != "user:ada" || !s.isPublished(one) {
		t.Fatalf("%+v", done)
	}
	e := s.Stored("restaurant", store.Key{DocumentID: one, Locale: "en", Status: store.Published})
	if e.Stamp.UpdatedBy != store.Actor("schedule:"+first.ID) || e.Stamp.Action != store.ActionPublish {
		t.Errorf("the stamp is %+v", e.Stamp)
	}
	if all, _, _ := s.OfDocument(s.Kind("restaurant"), one); len(all) != 1 {
		t.Errorf("%d schedules are left", len(all))
	}
	if done := s.run(0); done != nil {
		t.Errorf("when the clock went back, %+v was done", done)
	}
	if done := s.run(time.Hour); done != nil {
		t.Errorf("it was done twice: %+v", done)
	}
	if s.run(3 * time.Hour); s.isPublished(one) || s.next() != 0 {
		t.Error("it was not taken back")
	}
}

// Moments that were missed are made up for in their order.
func TestMissedMomentsAreDoneInOrder(t *testing.T) {
	s := newSite(t)
	one, two := s.draft("One"), s.draft("Two")
	s.schedule(one, schema.Unpublish, 3*time.Hour)
	s.schedule(one, schema.Publish, 2*time.Hour)
	s.schedule(two, schema.Publish, 3*time.Hour)
	s.schedule(two, schema.Unpublish, 2*time.Hour)
	again := on(s.Fixture) // as after a restart: nothing is kept in memory
	if done := again.run(24 * time.Hour); len(done) != 4 {
		t.Errorf("%+v", done)
	}
	if s.isPublished(one) || !s.isPublished(two) {
		t.Error("they were done in another order")
	}
}

// A document that was deleted or cannot be published is reported, and stays in the list.
func TestSchedulesThatFail(t *testing.T) {
	s := newSite(t)
	gone, bad := s.draft("Gone"), s.Fixture.Create("restaurant", `{"stars": 3}`, contenttest.AsDraft)
	s.schedule(gone, schema.Publish, time.Hour)
	s.schedule(bad, schema.Publish, time.Hour)
	s.schedule(bad, schema.Unpublish, time.Hour, "fr")
	s.Delete("restaurant", gone, content.AllLocales)
	done := s.run(time.Hour)
	if len(done) != 3 {
		t.Fatalf("%+v", done)
	}
	for _, o := range done {
		if !errors.As(o.Err, new(*release.FailedError)) {
			t.Errorf("%+v", o)
		}
	}
	for id, want := range map[string]string{gone: "no such document", bad: "name must be"} {
		all, _, err := s.OfDocument(s.Kind("restaurant"), id)
		if err != nil || len(all) == 0 || !slices.ContainsFunc(all, func(r *release.Release) bool {
			return r.State == release.Failed && strings.Contains(r.Failures[0].Reason, want)
		}) {
			t.Errorf("%v, %v", all, err)
		}
		for _, r := range all {
			if err := s.Remove(ctx(), r); err != nil {
				t.Error(err)
			}
		}
	}
	if done := s.run(5 * time.Hour); done != nil || s.next() != 0 {
		t.Errorf("they were tried again: %+v", done)
	}
}

// A schedule that was cancelled is not done, and cannot be cancelled again.
func TestCancel(t *testing.T) {
	s := newSite(t)
	one := s.draft("One")
	r := s.schedule(one, schema.Publish, time.Hour)
	found, err := s.Scheduled(s.Kind("restaurant"), one, r.ID)
	if err != nil || s.Remove(ctx(), found) != nil {
		t.Fatal(err)
	}
	if _, err := s.Scheduled(s.Kind("restaurant"), one, r.ID); !errors.As(err, new(*release.NotFoundError)) {
		t.Error(err)
	}
	if err := s.Remove(ctx(), found); !errors.As(err, new(*release.ChangedError)) {
		t.Error(err)
	}
	if done := s.run(time.Hour); done != nil || s.isPublished(one) {
		t.Errorf("it was done: %+v", done)
	}
}

// A release is done as a whole or not at all. The check names all that is in its way, and
// so does the release once it has failed.
func TestReleaseIsDoneWholeOrNotAtAll(t *testing.T) {
	s := newSite(t)
	one, two := s.draft("One"), s.draft("Two")
	bad := s.Fixture.Create("restaurant", `{"stars": 3}`, contenttest.AsDraft)
	r := s.release("Winter", 0, s.step(one, schema.Publish), s.step(bad, schema.Publish), s.step(two, schema.Publish, "*"), s.step("gone", schema.Unpublish))
	failures, err := s.Check(ctx(), r)
	if err != nil || len(failures) != 2 || failures[0].Step != 1 || failures[1].Step != 3 || failures[0].Problems[0].Path[0] != "name" {
		t.Fatalf("%+v, %v", failures, err)
	}
	_, err = s.Publish(ctx(), r, "user:ada")
	var failed *release.FailedError
	if !errors.As(err, &failed) || len(failed.Failures) != 2 || s.isPublished(one) || s.isPublished(two) {
		t.Fatal(err)
	}
	r, err = s.Release(r.ID)
	if err != nil || r.State != release.Failed || len(r.Failures) != 2 || r.StepCount != 4 {
		t.Fatalf("%+v, %v", r, err)
	}
	in := release.Input{Steps: []release.Step{r.Steps[0], r.Steps[2]}}
	corrected, err := in.Of(*r)
	check(t, err)
	if r, err = s.Change(ctx(), r, corrected); err != nil || r.State != release.Planned || r.Failures != nil {
		t.Fatalf("%+v, %v", r, err)
	}
	before := s.Index.Snapshot().Revision()
	done, err := s.Publish(ctx(), r, "user:ada")
	if err != nil || done.State != release.Done || !s.isPublished(one) || !s.isPublished(two) {
		t.Fatalf("%+v, %v", done, err)
	}
	if after := s.Index.Snapshot().Revision(); after != before+1 {
		t.Errorf("it took %d commits", after-before)
	}
	if _, err := s.Publish(ctx(), r, "user:ada"); !errors.As(err, new(*release.ChangedError)) {
		t.Errorf("as it was before: %v", err)
	}
	if _, err := s.Publish(ctx(), done, "user:ada"); !errors.As(err, new(*release.RefusedError)) {
		t.Errorf("again: %v", err)
	}
	if _, err := s.Change(ctx(), done, *done); !errors.As(err, new(*release.RefusedError)) {
		t.Errorf("changed once done: %v", err)
	}
}

// A release at a time is done then, by itself; an attempt before that fails leaves it
// scheduled.
func TestReleaseAtATime(t *testing.T) {
	s := newSite(t)
	one := s.draft("One")
	r := s.release("Winter", time.Hour, s.step(one, schema.Publish), s.step("late", schema.Publish))
	if _, err := s.Publish(ctx(), r, "user:ada"); !errors.As(err, new(*release.FailedError)) {
		t.Fatal(err)
	}
	if r, err := s.Release(r.ID); err != nil || r.State != release.Scheduled {
		t.Fatalf("%+v, %v", r, err)
	}
	s.Fixture.Create("restaurant", `{"name": "Late"}`, contenttest.AsDraft, contenttest.Called("late"))
	if done := s.run(time.Hour); len(done) != 1 || done[0].Err != nil || !s.isPublished(one) || !s.isPublished("late") {
		t.Fatalf("%+v", done)
	}
	if r, _ := s.Release(r.ID); r.State != release.Done || !r.DoneAt.Equal(noon.Add(time.Hour)) {
		t.Errorf("%+v", r)
	}
	failing := s.release("Gone", 2*time.Hour, s.step("nothing", schema.Publish))
	if done := s.run(2 * time.Hour); len(done) != 1 || done[0].Err == nil {
		t.Fatalf("%+v", done)
	}
	failing, _ = s.Release(failing.ID)
	in, err := s.ReadInput(json.RawMessage(`{"name": "Gone again"}`), everything{})
	check(t, err)
	again, err := in.Of(*failing)
	if err != nil || again.State != release.Failed || !again.At.Equal(failing.At) || again.Failures == nil {
		t.Fatalf("with a new name it is %+v, %v", again, err)
	}
	in.Steps = failing.Steps
	if again, err = in.Of(*failing); err != nil || again.State != release.Planned || !again.At.IsZero() || again.Failures != nil {
		t.Fatalf("with steps it is %+v, %v", again, err)
	}
}

// A release that was changed since it was read is not done, changed or deleted as if it
// were what it was.
func TestReleaseThatSomebodyElseChanged(t *testing.T) {
	s := newSite(t)
	one := s.draft("One")
	was := s.release("Winter", time.Hour, s.step(one, schema.Publish))
	other := *was
	other.Steps = []release.Step{s.step("x", schema.Publish)}
	is, err := s.Change(ctx(), was, other)
	check(t, err)
	_, published := s.Publish(ctx(), was, "user:ada")
	_, changed := s.Change(ctx(), was, *was)
	for _, err := range []error{published, changed, s.Remove(ctx(), was)} {
		if !errors.As(err, new(*release.ChangedError)) {
			t.Error(err)
		}
	}
	if s.isPublished(one) || s.Remove(ctx(), is) != nil || s.next() != 0 {
		t.Error("something of it is left")
	}
	if _, err := s.Release(is.ID); !errors.As(err, new(*release.NotFoundError)) {
		t.Error(err)
	}
}

// The numbers are limited, and completed releases do not count.
func TestBounds(t *testing.T) {
	s := newSite(t)
	one := s.draft("One")
	for i := range release.MaxOfDocument {
		s.schedule(one, schema.Publish, time.Hour+time.Duration(i)*time.Second)
	}
	step := []release.Step{s.step(one, schema.Publish)}
	if _, err := s.Schedule(ctx(), release.Release{At: noon.Add(time.Hour), Steps: step}); !errors.As(err, new(*release.RefusedError)) {
		t.Errorf("one schedule too many: %v", err)
	}
	if done := s.run(2 * time.Hour); len(done) != release.MaxOfDocument {
		t.Errorf("%d were done", len(done))
	}
	s.schedule(one, schema.Publish, 3*time.Hour)
	for i := range release.MaxReleases {
		s.release(fmt.Sprint(i), 0)
	}
	if _, err := s.Calendar.Create(ctx(), release.Release{Name: "more"}); !errors.As(err, new(*release.RefusedError)) {
		t.Errorf("one release too many: %v", err)
	}
	if all, err := s.Calendar.List(); err != nil || len(all) != release.MaxReleases {
		t.Errorf("%d, %v", len(all), err)
	}
	var n release.Counts
	if err := s.DB.View(func(tx *store.Tx) (err error) { n, err = release.Count(tx); return err }); err != nil || n != (release.Counts{Scheduled: 1}) {
		t.Errorf("%+v, %v", n, err)
	}
}

// A release is done while the writer is closed as soon as there is another.
func TestRunWithoutAWriter(t *testing.T) {
	s := newSite(t)
	one := s.draft("One")
	s.schedule(one, schema.Publish, time.Hour)
	s.Writer.Close()
	if err := s.Run(ctx(), noon.Add(time.Hour), func(release.Outcome) { t.Error("something was done") }); !errors.Is(err, content.ErrClosed) {
		t.Fatal(err)
	}
	s.Writer = content.NewWriter(s.DB, s.Index, s.Site, content.WriterOptions{})
	if done := on(s.Fixture).run(time.Hour); len(done) != 1 || !s.isPublished(one) {
		t.Errorf("%+v", done)
	}
}

// Schemas and locales may have changed by the time.
func TestSitesThatChange(t *testing.T) {
	s := newSite(t)
	one := s.draft("One")
	r := s.release("Winter", 0,
		release.Step{Type: "api::gone.gone", DocumentID: one, Action: schema.Publish},
		release.Step{Type: s.Kind("category").UID, DocumentID: one, Action: schema.Publish},
		s.step(one, schema.Publish, "xx"),
		s.step(one, schema.Publish, "en"))
	failures, err := s.Check(ctx(), r)
	if err != nil || len(failures) != 3 {
		t.Fatalf("%+v, %v", failures, err)
	}
	for i, f := range failures {
		if f.Step != i || strings.Contains(f.Reason, "error of the server") {
			t.Errorf("%+v", f)
		}
	}
}

// A repair removes what cannot be read, and has what is scheduled done.
func TestRepair(t *testing.T) {
	s := newSite(t)
	one := s.draft("One")
	s.schedule(one, schema.Publish, time.Hour)
	lost := s.release("Winter", time.Hour, s.step(one, schema.Publish, "*"))
	requireFaults := func(want int) {
		t.Helper()
		var faults []verify.Fault
		if err := s.DB.View(func(tx *store.Tx) (err error) { faults, err = release.Check(tx); return err }); err != nil || len(faults) != want {
			t.Errorf("%+v, %v", faults, err)
		}
	}
	requireFaults(0)
	err := s.DB.Update(func(tx *store.Tx) error {
		text, err := tx.Record("releases", "release/"+lost.ID)
		return errors.Join(err,
			tx.PutRecord("releases", "release/torn", []byte("{")),
			tx.PutRecord("releases", "release/other", text),
			tx.PutRecord("releases", "schedule/x", []byte("{}")),
			tx.PutRecord(release.Moments, "soon", nil),
			tx.PutRecord(release.Moments, "2026-12-24T12:00:00.000Z release/torn", nil),
			tx.DeleteRecord(release.Moments, "2026-12-24T13:00:00.000Z release/"+lost.ID))
	})
	check(t, err)
	requireFaults(6)
	var changed []verify.Fault
	err = s.DB.Update(func(tx *store.Tx) (err error) { changed, err = release.Repair(tx); return err })
	if err != nil || len(changed) != 6 {
		t.Errorf("%+v, %v", changed, err)
	}
	requireFaults(0)
	if done := s.run(time.Hour); len(done) != 2 {
		t.Errorf("%+v", done)
	}
}

// A record that cannot be read is reported when it is due, and does not keep others from
// being done.
func TestRecordThatCannotBeRead(t *testing.T) {
	s := newSite(t)
	one := s.draft("One")
	s.schedule(one, schema.Publish, time.Hour)
	err := s.DB.Update(func(tx *store.Tx) error {
		return errors.Join(tx.PutRecord("releases", "release/torn", []byte("{")), tx.PutRecord(release.Moments, "2026-12-24T12:00:00.000Z release/torn", nil))
	})
	check(t, err)
	done := s.run(time.Hour)
	if len(done) != 2 || done[0].Err == nil || done[0].Key != "release/torn" || !s.isPublished(one) || s.next() != 0 {
		t.Errorf("%+v", done)
	}
	if all, err := s.Calendar.List(); err != nil || len(all) != 0 {
		t.Errorf("%v, %v", all, err)
	}
}

// As many steps as a release may have are done at once.
func TestManySteps(t *testing.T) {
	s := newSite(t)
	var writes []content.Write
	var steps []release.Step
	for i := range release.MaxSteps {
		id := fmt.Sprintf("r%d", i)
		in, err := body.Decode(s.Site, s.Kind("restaurant"), json.RawMessage(`{"name": "One"}`), nil)
		check(t, err)
		writes = append(writes, content.ToCreate(content.Request{Type: s.Kind("restaurant"), DocumentID: id, Status: store.Draft, Input: in}))
		steps = append(steps, s.step(id, schema.Publish))
	}
	if _, err := s.Writer.Together(ctx(), writes); err != nil {
		t.Fatal(err)
	}
	r := s.release("All", time.Hour, steps...)
	if failures, err := s.Check(ctx(), r); err != nil || failures != nil {
		t.Errorf("%+v, %v", failures, err)
	}
	if done := s.run(time.Hour); len(done) != 1 || done[0].Err != nil || !s.isPublished("r0") || !s.isPublished("r999") {
		t.Errorf("%+v", done)
	}
}

func check(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}
