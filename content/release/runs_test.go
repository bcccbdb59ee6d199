package release_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"quire/content"
	"quire/content/contenttest"
	"quire/content/release"
	"quire/schema"
	"quire/store"
)

// hanging is the guide with a hook for publishing restaurants that answers when the test
// says, and with a chef, about which no hook is asked.
type hanging struct {
	*site
	runs      release.Runs
	chef      string
	requested chan string // the document of each call
	answer    chan error
	done      chan release.Outcome
}

func (h *hanging) About(t *schema.Type) []content.Hook {
	if t.UID == "api::restaurant.restaurant" {
		return []content.Hook{h}
	}
	return nil
}
func (h *hanging) Name() string { return "prices" }
func (h *hanging) Ask(ctx context.Context, p *content.Proposal) (json.RawMessage, error) {
	if p.Events[0] != "publish" {
		return nil, nil
	}
	h.requested <- p.DocumentID
	select {
	case err := <-h.answer:
		return nil, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func withHanging(t *testing.T) *hanging {
	t.Helper()
	h := &hanging{requested: make(chan string), answer: make(chan error), done: make(chan release.Outcome, 100)}
	h.site = on(contenttest.NewWith(t, contenttest.Guide(t), content.WriterOptions{Now: contenttest.Clock(), Asker: h}))
	h.chef = h.Fixture.Create("chef", `{"name": "Chef"}`, contenttest.AsDraft)
	return h
}

// begin begins what is due so long after noon.
func (h *hanging) begin(after time.Duration) {
	h.Helper()
	h.now = noon.Add(after)
	check(h, h.runs.Begin(context.Background(), h.Calendar, h.now, func(o release.Outcome) { h.done <- o }))
}

func (h *hanging) ofChef(action schema.Action) release.Step {
	return release.Step{Type: h.Kind("chef").UID, DocumentID: h.chef, Action: action}
}

// scheduleChef has the chef published or unpublished so long after noon.
func (h *hanging) scheduleChef(action schema.Action, after time.Duration) (id string) {
	h.Helper()
	r, err := h.Schedule(ctx(), release.Release{By: "user:ada", At: noon.Add(after), Steps: []release.Step{h.ofChef(action)}})
	check(h, err)
	return r.ID
}

// shows begins what is due so long after noon, and requires that these have ended since.
func (h *hanging) shows(after time.Duration, want ...string) {
	h.Helper()
	h.begin(after)
	h.ended(want...)
}

func (h *hanging) ended(want ...string) {
	h.Helper()
	var got []string
	for len(h.done) > 0 {
		got = append(got, (<-h.done).Release.ID)
	}
	if !slices.Equal(got, want) {
		h.Errorf("%q ended, want %q", got, want)
	}
}

func (h *hanging) isChefPublished() bool {
	return h.Stored("chef", store.Key{DocumentID: h.chef, Status: store.Published}) != nil
}

// While a hook hangs, what it is not about is done at its time, and what has a type in
// common with what waits stays in its order. Nothing is done twice.
func TestAHookThatHangsDelaysNoOtherTypes(t *testing.T) {
	h := withHanging(t)
	one := h.draft("one")
	waits := h.schedule(one, schema.Publish, time.Hour)
	first := h.scheduleChef(schema.Publish, time.Hour+time.Second)
	later := h.schedule(one, schema.Unpublish, 2*time.Hour)
	second := h.scheduleChef(schema.Unpublish, 2*time.Hour)
	h.shows(time.Hour+time.Second, first) // although the hook was not even called yet
	if got := <-h.requested; got != one {
		t.Errorf("asked about %s", got)
	}
	if !h.isChefPublished() {
		t.Error("the chef is not published")
	}
	h.shows(2*time.Hour, second)
	h.shows(3 * time.Hour)
	h.answer <- nil
	h.runs.Wait()
	if !h.isPublished(one) {
		t.Error("it was not published when the hook had answered")
	}
	h.ended(waits.ID)
	h.begin(3 * time.Hour)
	h.runs.Wait()
	h.ended(later.ID)
	if h.isPublished(one) || h.next() != 0 {
		t.Errorf("it stays published, or something is due %v after noon", h.next())
	}
}

// A release with a step of a type that waits for a hook waits too, and so does what comes
// after it.
func TestWhatHasATypeInCommonWithWhatWaits(t *testing.T) {
	h := withHanging(t)
	one, two := h.draft("one"), h.draft("two")
	waits := h.schedule(one, schema.Publish, time.Hour)
	h.begin(time.Hour)
	<-h.requested
	both := h.release("Both", 2*time.Hour, h.step(two, schema.Unpublish), h.ofChef(schema.Publish))
	after := h.scheduleChef(schema.Unpublish, 3*time.Hour)
	h.shows(3 * time.Hour)
	h.answer <- nil
	h.runs.Wait()
	h.ended(waits.ID)
	h.begin(3 * time.Hour)
	h.runs.Wait()
	h.ended(both.ID, after)
	if h.isChefPublished() {
		t.Error("the chef is published, although that was taken back later")
	}
}

// What is waited for ends with the server, and is begun again by the next.
func TestRunsEndWithTheServer(t *testing.T) {
	h := withHanging(t)
	one := h.draft("one")
	h.schedule(one, schema.Publish, time.Hour)
	h.now = noon.Add(time.Hour)
	server, stop := context.WithCancel(t.Context())
	check(t, h.runs.Begin(server, h.Calendar, h.now, func(o release.Outcome) { t.Errorf("%+v", o) }))
	<-h.requested
	stop()
	h.runs.Wait()
	if err := h.runs.Begin(t.Context(), h.Calendar, h.now, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("what had ended: %v", err)
	}
	h.begin(time.Hour)
	<-h.requested
	h.answer <- nil
	h.runs.Wait()
	if !h.isPublished(one) {
		t.Error("it is not published")
	}
}
