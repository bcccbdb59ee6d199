package endurance

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"quire/test/program"
)

// releaseTrial plans releases and schedules on a program that is killed.
type releaseTrial struct {
	t                *testing.T
	site, url, token string
	round            int
	whole            map[string][]string // the documents of each release, by its name
	states           map[string]string   // of the releases, by name, as they were last seen
}

// plan is what one round plans.
const (
	together = "together" // a release at a time
	now      = "now"      // a release that is published at once, while the program is killed
	failing  = "failing"  // a release at a time whose document is gone
	alone    = "alone"    // a schedule
)

func (r *releaseTrial) start() *program.Server {
	r.t.Helper()
	p := program.Serve(r.t, r.site)
	r.url = p.URL
	return p
}

// send sends JSON and reads the answer into to, unless that is nil.
func (r *releaseTrial) send(method, path, body string, to any) (http.Header, error) {
	request, err := http.NewRequest(method, r.url+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+r.token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
	case response.StatusCode >= 300:
		err = &refusal{fmt.Sprintf("%s %s %s: %d %s", method, path, body, response.StatusCode, answer)}
	case to != nil:
		err = json.Unmarshal(answer, to)
	}
	return response.Header, err
}

func (r *releaseTrial) must(method, path, body string, to any) http.Header {
	r.t.Helper()
	header, err := r.send(method, path, body, to)
	if err != nil {
		r.t.Fatalf("round %d: %v", r.round, err)
	}
	return header
}

// writes is how many numbers writes have taken: each that changes something takes one, so
// one that is done twice or not at all shows.
func (r *releaseTrial) writes() int {
	r.t.Helper()
	header := r.must("POST", "/api/stories?status=draft", `{"data": {"title": "probe"}}`, nil)
	n, err := strconv.Atoi(header.Get("Quire-Version"))
	requireNil(r.t, err)
	return n
}

// draft makes a story that is not published.
func (r *releaseTrial) draft(of string) (id string) {
	r.t.Helper()
	var made struct{ Data struct{ DocumentID string } }
	r.must("POST", "/api/stories?status=draft", fmt.Sprintf(`{"data": {"title": "%s %d"}}`, of, r.round), &made)
	r.whole[of] = append(r.whole[of], made.Data.DocumentID)
	return made.Data.DocumentID
}

// release plans a release of new documents. The error is a refusal.
func (r *releaseTrial) release(name, at string, documents int) (id string, err error) {
	r.t.Helper()
	var steps []string
	for range documents {
		steps = append(steps, fmt.Sprintf(`{"type": "api::story.story", "documentId": %q, "action": "publish"}`, r.draft(name)))
	}
	var made struct{ Data struct{ ID string } }
	_, err = r.send("POST", "/api/_releases", fmt.Sprintf(`{"data": {"name": %q, "at": %s, "steps": [%s]}}`, name, at, strings.Join(steps, ",")), &made)
	return made.Data.ID, err
}

// published are the documents of a release that are published at one moment.
func (r *releaseTrial) published(of string) (n int) {
	r.t.Helper()
	var filters []string
	for i, id := range r.whole[of] {
		filters = append(filters, fmt.Sprintf("filters[documentId][$in][%d]=%s", i, id))
	}
	var list struct{ Data []struct{ DocumentID string } }
	r.must("GET", "/api/stories?fields=id&"+strings.Join(filters, "&"), "", &list)
	return len(list.Data)
}

// wait waits until nothing is scheduled any more, and demands all the while that each
// release is done as a whole or not at all.
func (r *releaseTrial) wait() {
	r.t.Helper()
	for end := time.Now().Add(3 * time.Minute); ; {
		for of, documents := range r.whole {
			if n := r.published(of); n != 0 && n != len(documents) {
				r.t.Fatalf("round %d: %d of the %d documents of %s are published", r.round, n, len(documents), of)
			}
		}
		var list struct {
			Data []struct{ Name, State string }
		}
		r.must("GET", "/api/_releases", "", &list)
		waits := false
		for _, one := range list.Data {
			r.states[one.Name] = one.State
			waits = waits || one.State == "scheduled"
		}
		var schedule struct{ Data []struct{ State string } }
		r.must("GET", "/api/stories/"+r.whole[alone][0]+"/schedule", "", &schedule)
		if !waits && len(schedule.Data) == 0 && r.published(alone) == 1 {
			return
		}
		if time.Now().After(end) {
			r.t.Fatalf("round %d: still scheduled: %+v, %+v", r.round, list, schedule)
		}
	}
}

// clear deletes what the round has left.
func (r *releaseTrial) clear() {
	r.t.Helper()
	var list struct{ Data []struct{ ID string } }
	r.must("GET", "/api/_releases", "", &list)
	for _, one := range list.Data {
		r.must("DELETE", "/api/_releases/"+one.ID, "", nil)
	}
}

// A program that is killed at any moment around that of a release does it as a whole,
// once, then or when it starts again, and a schedule as well.
func TestKilledDuringReleases(t *testing.T) {
	t.Parallel()
	seed, rounds := program.Chance(t, 2, 200)
	random := rand.New(rand.NewPCG(seed, 1))
	site := program.NewSite(t)
	r := &releaseTrial{t: t, site: site, token: program.NewToken(t, site, "planner", "full-access")}
	p := r.start()
	for r.round = range rounds {
		before, soon, publish := r.planSoon(time.Second + time.Duration(random.IntN(300))*time.Millisecond)
		delay := time.Duration(random.IntN(20_000)) * time.Microsecond // during the request
		if random.IntN(2) == 0 {
			delay = time.Until(soon) - 100*time.Millisecond + time.Duration(random.IntN(500))*time.Millisecond
		}
		time.AfterFunc(delay, func() { p.Process.Kill() })
		_, answered := r.send("POST", "/api/_releases/"+publish+"/publish", "", nil)
		if errors.As(answered, new(*refusal)) {
			t.Fatal(answered)
		}
		p.Wait()
		if random.IntN(3) == 0 {
			killIn(t, random, 80*time.Millisecond, program.ServeCommand(t, site))
		}
		p = r.start()
		r.wait()
		r.requireDone(answered == nil)
		wrote := planned + 5 + 1
		if r.states[now] == "done" {
			wrote += 4
		}
		if after := r.writes(); after != before+wrote+1 {
			t.Errorf("round %d: there were %d writes, want %d", r.round, after-before-1, wrote)
		}
		r.clear()
	}
	p.Kill()
}

// planned is how many writes plan does.
const planned = 5 + 2 + 1 + 1 + 4

// planSoon plans what is to be done so much later. Where the machine is so busy that the
// moment comes before all is planned, it begins anew and takes more time. before is how
// many writes there were.
func (r *releaseTrial) planSoon(later time.Duration) (before int, soon time.Time, publish string) {
	r.t.Helper()
	for ; ; later *= 2 {
		r.whole, r.states = map[string][]string{}, map[string]string{}
		before, soon = r.writes(), time.Now().Add(later)
		publish, err := r.plan(soon)
		if err == nil {
			return before, soon, publish
		}
		if !errors.As(err, new(*refusal)) || !strings.Contains(err.Error(), "must be in the future") {
			r.t.Fatalf("round %d: %v", r.round, err)
		}
		r.clear()
	}
}

// plan makes drafts, and plans what is to be done to them soon. It returns the release that
// is to be published at once.
func (r *releaseTrial) plan(soon time.Time) (publish string, err error) {
	r.t.Helper()
	at := fmt.Sprintf("%q", soon.UTC().Format("2006-01-02T15:04:05.000Z07:00"))
	if _, err := r.release(together, at, 5); err != nil {
		return "", err
	}
	if _, err := r.release(failing, at, 2); err != nil {
		return "", err
	}
	r.must("DELETE", "/api/stories/"+r.whole[failing][1], "", nil)
	if _, err := r.send("POST", "/api/stories/"+r.draft(alone)+"/actions/publish", `{"at": `+at+`}`, nil); err != nil {
		return "", err
	}
	return r.release(now, "null", 4)
}

// requireDone demands that the releases are in their states, and that what is done is
// published and nothing else. answered says that the one to be published at once was.
func (r *releaseTrial) requireDone(answered bool) {
	r.t.Helper()
	if r.states[together] != "done" || r.states[failing] != "failed" || r.states[now] != "done" && (answered || r.states[now] != "planned") {
		r.t.Errorf("round %d: the releases are %v", r.round, r.states)
	}
	for of, documents := range r.whole {
		want := 0
		if r.states[of] == "done" || of == alone {
			want = len(documents)
		}
		if n := r.published(of); n != want {
			r.t.Errorf("round %d: %d documents of %s are published, want %d", r.round, n, of, want)
		}
	}
}
