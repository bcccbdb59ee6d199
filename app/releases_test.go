package app

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"quire/content"
	"quire/content/body"
	"quire/content/release"
	"quire/schema"
	"quire/schema/settings"
	"quire/store"
)

// christmas is the time of scheduled work in tests.
var christmas = time.Now().AddDate(1, 0, 0).UTC().Truncate(time.Millisecond)

const story = "api::story.story"

// draftStory creates a story that was never published.
func draftStory(t *testing.T, a *App, id string) {
	t.Helper()
	in, err := body.Decode(a.site, a.site.Type(story), json.RawMessage(fmt.Sprintf(`{"title": %q}`, id)), nil)
	check(t, err)
	if _, err := a.writer.Create(t.Context(), content.Request{Type: a.site.Type(story), DocumentID: id, Status: store.Draft, Input: in}); err != nil {
		t.Fatal(err)
	}
}

// scheduleStory schedules the publication of a story.
func scheduleStory(t *testing.T, a *App, id string, at time.Time) {
	t.Helper()
	step := release.Step{Type: story, DocumentID: id, Action: schema.Publish}
	if _, err := a.calendar().Schedule(t.Context(), release.Release{At: at, By: "user:ada", Steps: []release.Step{step}}); err != nil {
		t.Fatal(err)
	}
}

// releasing runs schedules with a clock of the test. tick returns when everything due has
// been done.
func releasing(t *testing.T, a *App) (tick func(time.Time), stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ticks, changed, ended := make(chan time.Time), make(chan struct{}), make(chan struct{})
	go func() { a.runReleasesOn(ctx, ticks, changed); close(ended) }()
	stop = func() { cancel(); <-ended }
	t.Cleanup(stop)
	return func(now time.Time) {
		ticks <- now
		changed <- struct{}{} // received after the tick has been handled
	}, stop
}

func requireStory(t *testing.T, a *App, id string, published bool) {
	t.Helper()
	status, body := ask(a, "/api/stories/"+id)
	if (status == 200) != published {
		t.Errorf("the story %s: %d %s", id, status, body)
	}
}

// Schedules are carried out at their time, also after a reload, and missed ones at once.
func TestScheduledReleases(t *testing.T) {
	a, log := startGuide(t)
	for i, id := range []string{"one", "two", "three", "four"} {
		draftStory(t, a, id)
		scheduleStory(t, a, id, christmas.Add(time.Duration(i)*time.Hour))
	}
	tick, stop := releasing(t, a)
	tick(christmas.Add(-time.Millisecond))
	requireStory(t, a, "one", false)
	tick(christmas)
	requireStory(t, a, "one", true)
	requireStory(t, a, "two", false)
	check(t, a.reload())
	tick(christmas.Add(time.Hour))
	requireStory(t, a, "two", true)
	tick(christmas.Add(-time.Hour)) // the clock is set back
	requireStory(t, a, "three", false)
	stop()
	tick, _ = releasing(t, a) // as after a restart
	tick(christmas.Add(24 * time.Hour))
	requireStory(t, a, "three", true)
	requireStory(t, a, "four", true)
	if n := strings.Count(log.String(), "done as scheduled"); n != 4 || !strings.Contains(log.String(), "by=user:ada") {
		t.Errorf("the log:\n%s", log)
	}
	w := httptest.NewRecorder()
	a.metrics.Handler(a.log).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if !strings.Contains(w.Body.String(), "quire_releases_done_total 4\n") {
		t.Errorf("the metrics: %s", w.Body)
	}
}

// A failed schedule is in the log and in the status.
func TestScheduledReleaseThatFails(t *testing.T) {
	a, log := startGuide(t)
	scheduleStory(t, a, "gone", christmas)
	tick, _ := releasing(t, a)
	if s, err := a.statusLive(); err != nil || s.Releases != (release.Counts{Scheduled: 1}) {
		t.Errorf("%+v, %v", s.Releases, err)
	}
	tick(christmas)
	tick(christmas.Add(time.Hour))
	if strings.Count(log.String(), "a schedule or release failed") != 1 || !strings.Contains(log.String(), "no such document") {
		t.Errorf("the log:\n%s", log)
	}
	if s, err := a.statusLive(); err != nil || s.Releases != (release.Counts{Failed: 1}) {
		t.Errorf("%+v, %v", s.Releases, err)
	}
}

// While nothing can be written, due schedules wait.
func TestScheduledReleaseWhileNothingIsWritten(t *testing.T) {
	a, log := startGuide(t)
	draftStory(t, a, "one")
	scheduleStory(t, a, "one", christmas)
	tick, _ := releasing(t, a)
	a.db.Suspend(fmt.Errorf("a test"))
	tick(christmas)
	tick(christmas.Add(firstReleaseRetry / 2)) // too early for a retry
	if strings.Count(log.String(), "cannot carry out schedules now") != 1 || len(a.reopenRequests) != 1 {
		t.Errorf("the log:\n%s", log)
	}
	a.reopen()
	tick(christmas.Add(firstReleaseRetry))
	requireStory(t, a, "one", true)
}

// While nothing can be written, what a hook is asked about is tried ever more rarely too.
func TestScheduledReleaseWithAHookWhileNothingIsWritten(t *testing.T) {
	var requested atomic.Int64
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Quire-Event") == "publish" {
			requested.Add(1)
		}
	}))
	t.Cleanup(hook.Close)
	site := newGuide(t)
	edit(t, site, "site.json", `"roles"`, fmt.Sprintf(`"hooks": [{"name": "prices", "url": %q, "types": [%q]}], "roles"`, hook.URL, story))
	a := startApp(t, site, slog.New(slog.DiscardHandler))
	draftStory(t, a, "one")
	scheduleStory(t, a, "one", christmas)
	a.db.Suspend(fmt.Errorf("a test"))
	var g agenda
	var runs release.Runs
	now := christmas
	for _, wait := range []time.Duration{firstReleaseRetry, 2 * firstReleaseRetry, 4 * firstReleaseRetry} {
		for range 2 { // it is begun, and its error is known
			a.doReleases(t.Context(), &g, &runs, now)
			runs.Wait()
		}
		if !g.again.Equal(now.Add(wait)) {
			t.Errorf("again after %v, want %v", g.again.Sub(now), wait)
		}
		now = g.again
	}
	if requested.Load() != 3 {
		t.Errorf("asked %d times", requested.Load())
	}
	a.reopen()
	a.doReleases(t.Context(), &g, &runs, now)
	runs.Wait()
	requireStory(t, a, "one", true)
	if a.doReleases(t.Context(), &g, &runs, now); g.failures != 0 {
		t.Errorf("%d failures after it was done", g.failures)
	}
}

// A schedule that waits for a hook while the site is reloaded or its data file is reopened is
// carried out by the new version, once.
func TestReloadWhileAScheduleWaitsForAHook(t *testing.T) {
	requested, answer := make(chan struct{}), make(chan struct{})
	hook := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Quire-Event") == "publish" {
			requested <- struct{}{}
			select {
			case <-answer:
			case <-r.Context().Done():
			}
		}
	}))
	t.Cleanup(hook.Close)
	site := newGuide(t)
	edit(t, site, "site.json", `"roles"`, fmt.Sprintf(`"hooks": [{"name": "prices", "url": %q, "types": [%q], "timeout": 30}], "roles"`, hook.URL, story))
	var log bytes.Buffer
	a := startApp(t, site, slog.New(slog.NewTextHandler(&log, nil)))
	for i, replace := range []func() error{a.reload, func() error { a.reopen(); return nil }} {
		id := fmt.Sprint("story", i)
		draftStory(t, a, id)
		scheduleStory(t, a, id, christmas)
		var g agenda
		var runs release.Runs
		a.doReleases(t.Context(), &g, &runs, christmas)
		<-requested
		check(t, replace())
		answer <- struct{}{}
		runs.Wait()
		if a.doReleases(t.Context(), &g, &runs, christmas); g.failures != 1 {
			t.Errorf("%d failures of the former version", g.failures)
		}
		go func() { <-requested; answer <- struct{}{} }()
		a.doReleases(t.Context(), &g, &runs, g.again)
		runs.Wait()
		requireStory(t, a, id, true)
	}
	if n := strings.Count(log.String(), "done as scheduled"); n != 2 {
		t.Errorf("%d were done:\n%s", n, log.String())
	}
}

// A schedule that is added while nothing is due is read at the next tick.
func TestScheduleThatIsAdded(t *testing.T) {
	a := startApp(t, newGuide(t), slog.New(slog.DiscardHandler))
	draftStory(t, a, "one")
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { a.runReleases(ctx); close(ended) }()
	published := make(chan struct{})
	defer a.db.Subscribe(func(c store.Commit) {
		for _, change := range c.Changes {
			if change.After != nil && change.After.Status == store.Published {
				close(published)
			}
		}
	})()
	scheduleStory(t, a, "one", time.Now().Add(time.Millisecond))
	<-published // otherwise the test times out
	stop()
	<-ended
	requireStory(t, a, "one", true)
}

// A site that is restored from a backup carries out its schedules, and so does one into
// which content was imported.
func TestScheduleThatIsRestored(t *testing.T) {
	a, _ := startGuide(t)
	draftStory(t, a, "one")
	scheduleStory(t, a, "one", christmas)
	backUpTimes(t, a, 1, settings.Backup{Schedule: "@daily", Keep: 1})
	restored := startApp(t, copyOf(t, a), slog.New(slog.DiscardHandler))
	if _, err := a.importLive(t.Context(), &Delivery{Files: []DeliveredFile{{"lines", cuisines(t, 3)}}}); err != nil {
		t.Fatal(err)
	}
	for _, site := range []*App{a, restored} {
		tick, _ := releasing(t, site)
		tick(christmas)
		requireStory(t, site, "one", true)
	}
}

// The data file is read when it may have changed, also after the clock was set.
func TestAgenda(t *testing.T) {
	in := christmas.Add
	for name, test := range map[string]struct {
		agenda agenda
		due    bool
	}{
		"never read":                    {agenda{}, true},
		"nothing to do":                 {agenda{read: in(-time.Second)}, false},
		"read long ago":                 {agenda{read: in(-releaseCheck)}, true},
		"too early":                     {agenda{read: in(-time.Second), next: in(time.Millisecond)}, false},
		"time":                          {agenda{read: in(-time.Second), next: christmas}, true},
		"a clock that was set back":     {agenda{read: in(time.Hour), next: in(2 * time.Hour)}, true},
		"failed just now":               {agenda{read: in(-time.Second), next: in(-time.Second), again: in(time.Second)}, false},
		"failed before":                 {agenda{read: in(-time.Second), next: in(-time.Second), again: christmas}, true},
		"failed by a clock that ran on": {agenda{again: in(time.Hour)}, true},
	} {
		if due := test.agenda.isDue(christmas); due != test.due {
			t.Errorf("%s: due is %t", name, due)
		}
	}
}
