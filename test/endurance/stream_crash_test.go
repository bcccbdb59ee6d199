package endurance

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"quire/test/program"
)

// streamTrial writes to a site with a stream, and notes what it has at each moment.
type streamTrial struct {
	t       *testing.T
	site    string
	token   string
	names   []string // what is there, in the order of the writes
	moments []streamMoment
	slowest time.Duration // age of the oldest acknowledged write that a kill left unsent
}

// streamMoment is a moment at which the site has the first names.
type streamMoment struct {
	at    time.Time
	names int
}

// write sends a write, and notes it when it is acknowledged.
func (tr *streamTrial) write(url string) error {
	name := fmt.Sprintf("n%d", len(tr.names))
	request, err := http.NewRequest("POST", url+"/api/cuisines", strings.NewReader(`{"data": {"name": "`+name+`"}}`))
	requireNil(tr.t, err)
	request.Header.Set("Authorization", "Bearer "+tr.token)
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	answer.Body.Close()
	if answer.StatusCode != http.StatusCreated && answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s", answer.Status)
	}
	tr.names = append(tr.names, name)
	at := time.Now()
	for time.Now().UnixMilli() <= at.UnixMilli() { // the next write has a later time
	}
	tr.moments = append(tr.moments, streamMoment{at, len(tr.names)})
	return nil
}

// have lists the names in a site that no server uses.
func (tr *streamTrial) have(site string) (names []string) {
	tr.t.Helper()
	lines := bufio.NewScanner(strings.NewReader(program.Succeed(tr.t, "export", "--ndjson", "-", site)))
	for lines.Scan() {
		var line struct {
			Type string
			Data struct{ Name string }
		}
		requireNil(tr.t, json.Unmarshal(lines.Bytes(), &line))
		if line.Type == "api::cuisine.cuisine" && !slices.Contains(names, line.Data.Name) {
			names = append(names, line.Data.Name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return slices.Index(tr.names, a) - slices.Index(tr.names, b) })
	return names
}

// restored restores a moment in another place, and lists what is there.
func (tr *streamTrial) restored(at string) []string {
	tr.t.Helper()
	other := filepath.Join(tr.t.TempDir(), "other")
	requireNil(tr.t, os.Mkdir(other, 0o700))
	requireNil(tr.t, os.CopyFS(filepath.Join(other, "src"), os.DirFS(filepath.Join(tr.site, "src"))))
	settings, err := os.ReadFile(filepath.Join(tr.site, "site.json"))
	requireNil(tr.t, err)
	requireNil(tr.t, os.WriteFile(filepath.Join(other, "site.json"), settings, 0o600))
	program.Succeed(tr.t, "restore", "--at", at, other)
	return tr.have(other)
}

// afterKill demands that the stream alone has a beginning of what was written, and notes what
// the unsent write is that was made in doubt.
func (tr *streamTrial) afterKill(killed time.Time) {
	tr.t.Helper()
	there := tr.restored("latest")
	acknowledged := len(tr.names)
	tr.names = append(tr.names, fmt.Sprintf("n%d", acknowledged)) // it may have been committed
	if !slices.Equal(there, tr.names[:min(len(there), len(tr.names))]) {
		tr.t.Fatalf("the stream has %v of %v", there, tr.names)
	}
	for _, m := range tr.moments {
		if m.names > len(there) {
			tr.slowest = max(tr.slowest, killed.Sub(m.at))
			break
		}
	}
	tr.names = tr.have(tr.site)
	if len(tr.names) < acknowledged {
		tr.t.Fatalf("the site has lost %d writes", acknowledged-len(tr.names))
	}
}

// A program with a stream is killed at any moment while it writes. Then every moment is
// restored from the stream, and has exactly what had been acknowledged.
func TestKilledWhileStreaming(t *testing.T) {
	t.Parallel()
	seed, rounds := program.Chance(t, 2, 200)
	random := rand.New(rand.NewPCG(seed, 1<<32))
	site, target := program.NewSite(t), filepath.Join(t.TempDir(), "target")
	text, err := os.ReadFile(filepath.Join(site, "site.json"))
	requireNil(t, err)
	var settings map[string]any
	requireNil(t, json.Unmarshal(text, &settings))
	settings["backup"] = map[string]any{"stream": map[string]any{"folder": target}}
	text, err = json.Marshal(settings)
	requireNil(t, err)
	requireNil(t, os.WriteFile(filepath.Join(site, "site.json"), text, 0o600))
	tr := &streamTrial{t: t, site: site, token: program.NewToken(t, site, "writer", "full-access")}
	for range rounds {
		p := program.Serve(t, site)
		if len(tr.moments) == 0 {
			tr.awaitImage()
		}
		timer := time.AfterFunc(time.Duration(300+random.IntN(2000))*time.Millisecond, func() { p.Process.Kill() })
		for tr.write(p.URL) == nil {
		}
		timer.Stop()
		killed := time.Now()
		p.Kill()
		tr.afterKill(killed)
	}
	p := program.Serve(t, site)
	requireNil(t, tr.write(p.URL))
	p.Signal(os.Interrupt)
	requireNil(t, p.Wait())
	program.Succeed(t, "restore", "--check", site)
	step := max(1, len(tr.moments)/(10*rounds))
	for i := 0; i < len(tr.moments); i += step {
		m := tr.moments[i]
		if got := tr.restored(m.at.UTC().Format(time.RFC3339Nano)); !slices.Equal(got, tr.names[:m.names]) {
			t.Errorf("at %v there are %d names instead of %d", m.at, len(got), m.names)
		}
	}
	t.Logf("%d kills, %d writes; the oldest write that a kill left unsent was %v old", rounds, len(tr.names), tr.slowest)
}

// awaitImage waits until the stream has begun.
func (tr *streamTrial) awaitImage() {
	tr.t.Helper()
	for limit := time.Now().Add(3 * time.Minute); ; time.Sleep(10 * time.Millisecond) {
		var status struct{ Stream struct{ Image *time.Time } }
		requireNil(tr.t, json.Unmarshal([]byte(program.Succeed(tr.t, "status", "--json", tr.site)), &status))
		if status.Stream.Image != nil {
			return
		}
		if time.Now().After(limit) {
			tr.t.Fatal("the stream does not begin")
		}
	}
}
