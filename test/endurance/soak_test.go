package endurance

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"quire/test/program"
)

// How long TestSoak goes on, and what repeats the choices of its clients:
//
//	go test ./test/endurance -run TestSoak -soak 15m -timeout 30m -v
var (
	soak     = flag.Duration("soak", 3*time.Second, "how long TestSoak loads the program")
	soakSeed = flag.Uint64("soak-seed", 0, "seed of TestSoak, 0 for a new one")
)

// What may be left when all clients have gone. Goroutines, open files and content
// have to be exactly what they were.
const (
	heapLeft     = 4 << 20 // bytes more that live
	ownLeft      = 64 << 20
	patienceLeft = 5 * time.Minute // for connections to be noticed as closed: no more than an end to hanging
)

var soakRoles = []soakRole{
	{"reader", 6, readMuch},
	{"again", 2, readAgain},
	{"writer", 8, writeMuch},
	{"person", 2, signIn},
	{"uploader", 2, uploadMuch},
	{"aborter", 1, abortUploads},
	{"slow", 12, beSlow},
	{"dawdler", 2, dawdle},
	{"hanger", 1, hangUp},
	{"garbage", 1, sendGarbage},
	{"hostile", 2, beHostile},
}

// A program under a mixed load, with clients among it that are slow, hang up or
// send garbage, answers everybody as it must, and when they have gone it is as it
// was before they came.
func TestSoak(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("memory and open files of a program are read from /proc")
	}
	seed := *soakSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d", seed)
	site, token := newSoakSite(t)
	p := &soakedProgram{program.Serve(t, site, "--metrics", "127.0.0.1:0")}
	l := &soakLoad{url: p.URL, token: token, tally: newSoakTally(),
		queries: corpus(t, "FuzzParse", "FuzzCompile"), bodies: corpus(t, "FuzzReadData", "FuzzDecode")}

	// What the first clients make lasts: indexes, pools, pages of the data file.
	warm := *soak/10 + time.Second
	l.runFor(warm, seed+1, soakRoles)
	before, counts := p.settled(t, l, nil), l.counts(t)
	warmed := l.tally
	l.tally = newSoakTally()
	watch := watchSoak(p)
	l.runFor(*soak, seed, soakRoles)
	watch.end()
	after := p.settled(t, l, &before)
	p.checkLeft(t, before, after, l.tally.times("write: delete", "upload: delete", "sign-in: delete"))
	if now := l.counts(t); !maps.Equal(now, counts) {
		t.Errorf("there is %v, and was %v", now, counts)
	}
	stop(t, p.Server)
	t.Logf("%v after %v of warming up\n\n%s\n%s\n%s", *soak, warm, l.tally.table(*soak), watch.table(before, after), saidTable(p.Log))
	for _, wrong := range append(warmed.wrong, l.tally.wrong...) {
		t.Error(wrong)
	}
	if said := p.Log.String(); said != "" {
		t.Errorf("the log complains, first of all:\n%s", said)
	}
	if found := withoutDeadLinks(program.Succeed(t, "check", site)); found != "no problems\n" {
		t.Errorf("check finds %s", found)
	}
}

func (l *soakLoad) runFor(d time.Duration, seed uint64, roles []soakRole) {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	l.run(ctx, seed, roles)
}

// counts is how much there is of everything.
func (l *soakLoad) counts(t *testing.T) map[string]int {
	t.Helper()
	c := &soakClient{soakLoad: l, http: noKeepAlive()}
	counts := map[string]int{}
	for _, path := range []string{"/api/restaurants?status=draft", "/api/restaurants?status=published", "/api/restaurants?locale=fr&status=draft", "/api/chefs?status=draft", "/api/reviews?", "/api/categories?"} {
		a, err := c.try(soakRequest{path: path + "&pagination[pageSize]=1"})
		requireNil(t, err)
		counts[path] = a.Meta.Pagination.Total
	}
	for _, path := range []string{"/api/users/count", "/api/upload/files?fields=id"} {
		a, err := c.try(soakRequest{path: path})
		requireNil(t, err)
		counts[path+" "+string(a.text)] = 1
	}
	return counts
}

// soakState is all that is measured of the program.
type soakState struct {
	inside
	outside
}

func (p *soakedProgram) state() (s soakState, err error) {
	if s.inside, err = p.counted(); err == nil {
		s.outside, err = p.measured()
	}
	return s, err
}

// settled is the state when the program has noticed that everybody has gone, and
// has collected its garbage.
func (p *soakedProgram) settled(t *testing.T, l *soakLoad, before *soakState) soakState {
	t.Helper()
	p.quiet(t, before)
	p.collect(t, l)
	return p.quiet(t, before)
}

// quiet waits until there are no more goroutines and open files than there were
// before, or if there is no before, until their number does not change any more.
func (p *soakedProgram) quiet(t *testing.T, before *soakState) soakState {
	t.Helper()
	end := time.Now().Add(patienceLeft)
	last, err := p.state()
	for same := 0; err == nil && same < 5 && time.Now().Before(end); same++ {
		<-time.After(100 * time.Millisecond)
		model := last
		if before != nil {
			model = *before
		}
		last, err = p.state()
		if last.Goroutines > model.Goroutines || last.Files > model.Files {
			same = -1
		}
	}
	requireNil(t, err)
	return last
}

// collections are as many as garbage takes to be gone: pools of buffers lose half
// of what is not used in each of two.
const collections = 4

// collect reads until garbage was collected often enough since.
func (p *soakedProgram) collect(t *testing.T, l *soakLoad) {
	t.Helper()
	reader := &soakClient{soakLoad: l, http: noKeepAlive()}
	first, err := p.counted()
	for now := first; err == nil && now.Collections < first.Collections+collections; {
		if _, err = reader.try(soakRequest{path: "/api/restaurants?populate=*&pagination[pageSize]=100"}); err == nil {
			now, err = p.counted()
		}
	}
	requireNil(t, err)
}

// checkLeft compares two states between which so many documents were deleted.
func (p *soakedProgram) checkLeft(t *testing.T, before, after soakState, deleted int) {
	t.Helper()
	if after.Files > before.Files {
		t.Errorf("%d files are left open of %d", after.Files, before.Files)
	}
	if after.Heap > before.Heap+heapLeft {
		t.Errorf("%d bytes live, %d before; %d documents were deleted", after.Heap, before.Heap, deleted)
	}
	if after.Own > before.Own+ownLeft {
		t.Errorf("%d bytes are in use, %d before", after.Own, before.Own)
	}
	if after.Goroutines > before.Goroutines {
		p.Signal(syscall.SIGQUIT) // has it show them all
		p.Wait()
		t.Fatalf("%d goroutines are left of %d:\n%s", after.Goroutines, before.Goroutines, p.Log)
	}
}

// soakWatch looks at the program once a second.
type soakWatch struct {
	stop   chan struct{}
	ended  sync.WaitGroup
	states []soakState
}

func watchSoak(p *soakedProgram) *soakWatch {
	w := &soakWatch{stop: make(chan struct{})}
	w.ended.Go(func() {
		ticks := time.NewTicker(time.Second)
		defer ticks.Stop()
		for {
			select {
			case <-w.stop:
				return
			case <-ticks.C:
			}
			if now, err := p.state(); err == nil {
				w.states = append(w.states, now)
			}
		}
	})
	return w
}

func (w *soakWatch) end() {
	close(w.stop)
	w.ended.Wait()
}

// table shows what the program was like before, meanwhile and after.
func (w *soakWatch) table(before, after soakState) string {
	var b strings.Builder
	b.WriteString("| when | goroutines | open files | live heap | in use | resident | with pages of files |\n|---|---|---|---|---|---|---|\n")
	line := func(when string, s soakState) {
		fmt.Fprintf(&b, "| %s | %d | %d | %.1f MiB | %.1f MiB | %.1f MiB | %.1f MiB |\n", when, s.Goroutines, s.Files, mebibytes(s.Heap), mebibytes(s.Own), mebibytes(s.Resident), mebibytes(s.WithFiles))
	}
	line("before the load", before)
	for quarter := range 4 {
		if n := len(w.states); n >= 4 {
			line(fmt.Sprintf("after %d/4 of it", quarter+1), w.states[(quarter+1)*n/4-1])
		}
	}
	most := before
	for _, s := range w.states {
		most.Goroutines, most.Files = max(most.Goroutines, s.Goroutines), max(most.Files, s.Files)
		most.Resident, most.WithFiles = max(most.Resident, s.Resident), max(most.WithFiles, s.WithFiles)
		most.Heap, most.Own = max(most.Heap, s.Heap), max(most.Own, s.Own)
	}
	line("at most", most)
	line("when all had gone", after)
	return b.String()
}

func mebibytes(n int64) float64 { return float64(n) / (1 << 20) }

// saidTable counts what a log said beside requests.
func saidTable(l *program.Log) string {
	var b strings.Builder
	b.WriteString("| in the log | times |\n|---|---|\n")
	for _, what := range slices.Sorted(maps.Keys(l.Said())) {
		fmt.Fprintf(&b, "| %s | %d |\n", what, l.Said()[what])
	}
	return b.String()
}
