package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// How long TestSoak goes on, and what repeats the choices of its clients:
//
//	go test . -run TestSoak -soak 15m -timeout 30m -v
var (
	soak     = flag.Duration("soak", 3*time.Second, "how long TestSoak loads the program")
	soakSeed = flag.Uint64("soak-seed", 0, "seed of TestSoak, 0 for a new one")
)

// What may be left when all clients have gone. Goroutines, open files and content
// have to be exactly what they were.
const (
	heapLeft     = 4 << 20 // bytes more that live
	deletedLeft  = 512     // and for each deleted document, whose numbers are kept until the next start
	residentLeft = 64 << 20
	patienceLeft = 30 * time.Second // for connections to be noticed as closed
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
	p := startSoaked(t, site)
	l := &soakLoad{url: p.url, token: token, tally: newSoakTally(),
		queries: corpus(t, "query/testdata/fuzz/FuzzParse", "query/testdata/fuzz/FuzzCompile"),
		bodies:  corpus(t, "server/testdata/fuzz/FuzzReadData", "content/testdata/fuzz/FuzzDecode")}

	// What the first clients make lasts: indexes, pools, pages of the data file.
	warm := *soak/10 + time.Second
	l.runFor(warm, seed+1, soakRoles)
	before, counts := p.settled(t, nil), l.counts(t)
	warmed := l.tally
	l.tally = newSoakTally()
	watch := watchSoak(p)
	l.runFor(*soak, seed, soakRoles)
	watch.end()
	after := p.settled(t, &before)
	checkLeft(t, before, after, l.tally.times("write: delete", "upload: delete", "sign-in: delete"))
	if now := l.counts(t); !maps.Equal(now, counts) {
		t.Errorf("there is %v, and was %v", now, counts)
	}
	p.end(t)
	t.Logf("%v after %v of warming up\n\n%s\n%s\n%s", *soak, warm, l.tally.table(*soak), watch.table(before, after), p.log.table())
	for _, wrong := range append(warmed.wrong, l.tally.wrong...) {
		t.Error(wrong)
	}
	if len(p.log.lines) > 0 {
		t.Errorf("the log complains, first of all:\n%s", strings.Join(p.log.lines[:min(20, len(p.log.lines))], "\n"))
	}
	if found := withoutDeadLinks(succeed(t, "check", site)); found != "no problems\n" {
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
		if err != nil {
			t.Fatal(err)
		}
		counts[path] = a.Meta.Pagination.Total
	}
	for _, path := range []string{"/api/users/count", "/api/upload/files?fields=id"} {
		a, err := c.try(soakRequest{path: path})
		if err != nil {
			t.Fatal(err)
		}
		counts[path+" "+string(a.text)] = 1
	}
	return counts
}

// soakState is all that is measured of the program.
type soakState struct {
	inside
	outside
}

func (p *soakedProgram) state(t *testing.T, question string) (s soakState) {
	t.Helper()
	var err error
	if s.inside, err = p.ask(question); err == nil {
		s.outside, err = p.look()
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// settled waits until the program has noticed that everybody has gone: until it is
// as it was before, or no longer than that can take.
func (p *soakedProgram) settled(t *testing.T, before *soakState) soakState {
	t.Helper()
	end := time.Now().Add(patienceLeft)
	last := p.state(t, "settle")
	for same := 0; same < 5 && time.Now().Before(end); {
		<-time.After(100 * time.Millisecond)
		now := p.state(t, "settle")
		quiet := now.Goroutines == last.Goroutines && now.Files == last.Files
		if before != nil {
			quiet = now.Goroutines <= before.Goroutines && now.Files <= before.Files
		}
		if same++; !quiet {
			same = 0
		}
		last = now
	}
	return last
}

// checkLeft compares two states between which so many documents were deleted.
func checkLeft(t *testing.T, before, after soakState, deleted int) {
	t.Helper()
	if after.Goroutines > before.Goroutines {
		t.Errorf("%d goroutines are left of %d:\n%s", after.Goroutines, before.Goroutines, after.Stacks)
	}
	if after.Files > before.Files {
		t.Errorf("%d files are left open of %d", after.Files, before.Files)
	}
	if after.Heap > before.Heap+heapLeft+uint64(deleted*deletedLeft) {
		t.Errorf("%d bytes live, %d before; %d documents were deleted", after.Heap, before.Heap, deleted)
	}
	if !raceDetector() && after.Resident > before.Resident+residentLeft {
		t.Errorf("%d bytes are resident, %d before", after.Resident, before.Resident)
	}
}

// raceDetector reports whether it runs: it keeps memory of its own for long.
func raceDetector() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
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
			in, err := p.ask("now")
			out, err2 := p.look()
			if err == nil && err2 == nil {
				w.states = append(w.states, soakState{in, out})
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
	b.WriteString("| when | goroutines | open files | live heap | resident | with pages of files |\n|---|---|---|---|---|---|\n")
	line := func(when string, s soakState) {
		heap := "–"
		if s.Heap > 0 {
			heap = fmt.Sprintf("%.1f MiB", mebibytes(int64(s.Heap)))
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %s | %.1f MiB | %.1f MiB |\n", when, s.Goroutines, s.Files, heap, mebibytes(s.Resident), mebibytes(s.WithFiles))
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
	}
	most.Heap = 0
	line("at most", most)
	line("when all had gone", after)
	return b.String()
}

// table counts what the log said beside requests.
func (l *soakLog) table() string {
	var b strings.Builder
	b.WriteString("| in the log | times |\n|---|---|\n")
	for _, what := range slices.Sorted(maps.Keys(l.said)) {
		fmt.Fprintf(&b, "| %s | %d |\n", what, l.said[what])
	}
	return b.String()
}
