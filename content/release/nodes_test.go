package release_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"quire/content"
	"quire/content/contenttest"
	"quire/content/release"
	"quire/schema"
	"quire/store"
	"quire/store/storetest"
)

// nodes are several calendars of one site, each with a data file of its own.
func nodes(t *testing.T, n int) (all []*site) {
	t.Helper()
	return nodesOf(t, storetest.NewMemory(), n)
}

// nodesOf are those of a journal.
func nodesOf(t *testing.T, journal store.Journal, n int) (all []*site) {
	t.Helper()
	guide := contenttest.Guide(t)
	for i := range n {
		db, err := store.Open(filepath.Join(t.TempDir(), fmt.Sprint(i)), store.Options{Journal: journal})
		check(t, err)
		f := &contenttest.Fixture{TB: t, Site: guide, DB: db, Index: contenttest.Build(t, guide, db)}
		f.Writer = content.NewWriter(db, f.Index, guide, content.WriterOptions{})
		t.Cleanup(func() { f.Writer.Close(); db.Close() })
		all = append(all, on(f))
	}
	return all
}

// Of several nodes that all do what is due, one does each release.
func TestOneNodeDoesIt(t *testing.T) {
	all := nodes(t, 3)
	first := all[0]
	const documents = 20
	for i := range documents {
		id := fmt.Sprintf("r%d", i)
		first.Fixture.Create("restaurant", `{"name": "One"}`, contenttest.AsDraft, contenttest.Called(id))
		first.schedule(id, schema.Publish, time.Hour+time.Duration(i%3)*time.Minute)
	}
	winter := first.release("Winter", time.Hour, first.step("r0", schema.Publish, "*"), first.step("r1", schema.Publish))
	first.release("Gone", time.Hour, first.step("gone", schema.Publish))
	var running sync.WaitGroup
	outcomes := make([][]release.Outcome, len(all))
	for i, s := range all {
		check(t, s.DB.Fresh(t.Context()))
		running.Go(func() {
			if err := s.Run(context.Background(), noon.Add(2*time.Hour), func(o release.Outcome) { outcomes[i] = append(outcomes[i], o) }); err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	times, failed := map[string]int{}, 0
	for _, each := range outcomes {
		for _, o := range each {
			times[o.Key]++
			if errors.As(o.Err, new(*release.FailedError)) {
				failed++
			}
		}
	}
	if len(times) != documents+2 || failed != 1 {
		t.Errorf("%d were done, %d failed", len(times), failed)
	}
	for key, n := range times {
		if n != 1 {
			t.Errorf("%s was done by %d nodes", key, n)
		}
	}
	for _, s := range all {
		check(t, s.DB.Fresh(t.Context()))
		if r, err := s.Release(winter.ID); err != nil || r.State != release.Done || s.next() != 0 {
			t.Errorf("%+v, %v", r, err)
		}
	}
}

// A schedule that is cancelled on one node is not done on another.
func TestCancelledOnAnotherNode(t *testing.T) {
	all := nodes(t, 2)
	one, other := all[0], all[1]
	id := one.draft("One")
	made := one.schedule(id, schema.Publish, time.Hour)
	check(t, other.DB.Fresh(t.Context()))
	seen, err := other.Scheduled(other.Kind("restaurant"), id, made.ID)
	if err != nil || other.Remove(ctx(), seen) != nil {
		t.Fatal(err)
	}
	if done := one.run(time.Hour); done != nil || one.isPublished(id) {
		t.Errorf("%+v", done)
	}
}

// refusing is a journal that takes no content for a while, but all else.
type refusing struct {
	store.Journal
	with error // nil to take it
}

func (j *refusing) Propose(ctx context.Context, b store.Batch) (uint64, error) {
	for _, o := range b.Ops {
		if j.with != nil && o.Path[0] == "content" {
			return 0, j.with
		}
	}
	return j.Journal.Propose(ctx, b)
}

// What the journal refuses for a while has not failed: it is done later, or by a node whose
// writes are taken.
func TestARefusalPasses(t *testing.T) {
	refused := &store.RefusedError{Err: errors.New("the content is for other schemas")}
	for _, with := range []error{refused, store.ErrBehind, store.ErrFrozen} {
		journal := &refusing{Journal: storetest.NewMemory()}
		s := nodesOf(t, journal, 1)[0]
		id := s.draft("One")
		winter := s.release("Winter", time.Hour, s.step(id, schema.Publish))
		alone := s.schedule(s.draft("Two"), schema.Publish, time.Hour)
		journal.with = with
		if err := s.Run(ctx(), noon.Add(time.Hour), func(o release.Outcome) { t.Errorf("%v is the end of %+v", with, o) }); err == nil {
			t.Errorf("%v does not show", with)
		}
		journal.with = nil
		if done := s.run(time.Hour); len(done) != 2 || done[0].Err != nil || done[1].Err != nil {
			t.Errorf("after %v: %+v", with, done)
		}
		if r, err := s.Release(winter.ID); err != nil || r.State != release.Done || !s.isPublished(id) || !s.isPublished(alone.Steps[0].DocumentID) {
			t.Errorf("after %v: %+v, %v", with, r, err)
		}
	}
}

// What the nodes cannot do at once is found by the check, with the first step past what
// they can; what passes the check can be done.
func TestReleaseLargerThanAJournalTakes(t *testing.T) {
	s := nodes(t, 1)[0]
	text := strings.Repeat("x", 3<<20)
	var steps []release.Step
	for range 6 {
		id := s.Fixture.Create("restaurant", `{"name": "Large", "story": "`+text+`"}`, contenttest.AsDraft)
		steps = append(steps, s.step(id, schema.Publish))
	}
	large := s.release("Large", 0, steps...)
	failures, err := s.Check(ctx(), large)
	if err != nil || len(failures) != 1 || failures[0].Step == 0 || !strings.Contains(failures[0].Reason, "12 MiB") {
		t.Fatalf("the check says %+v, %v", failures, err)
	}
	first := failures[0].Step
	var failed *release.FailedError
	if _, err := s.Publish(ctx(), large, "user:ada"); !errors.As(err, &failed) || len(failed.Failures) != 1 || failed.Failures[0].Step != first || s.isPublished(steps[0].DocumentID) {
		t.Errorf("it is refused with %v", err)
	}
	some := s.release("Some", 0, steps[:first]...)
	if failures, err := s.Check(ctx(), some); err != nil || len(failures) != 0 {
		t.Errorf("the check of what is within the bound says %+v, %v", failures, err)
	}
	if _, err := s.Publish(ctx(), some, "user:ada"); err != nil || !s.isPublished(steps[first-1].DocumentID) {
		t.Errorf("what is within the bound: %v", err)
	}
}

// Schedules of one moment share commits, and are done where they are too much for one.
func TestSchedulesLargerThanAJournalTakes(t *testing.T) {
	s := nodes(t, 1)[0]
	text := strings.Repeat("x", 3<<20)
	for range 6 {
		s.schedule(s.Fixture.Create("restaurant", `{"name": "Large", "story": "`+text+`"}`, contenttest.AsDraft), schema.Publish, time.Hour)
	}
	for _, o := range s.run(time.Hour) {
		if o.Err != nil {
			t.Error(o.Err)
		}
	}
}
