package app

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"go.etcd.io/bbolt"

	"quire/index/indextest"
	"quire/store"
	"quire/test/ledger"
	outside "quire/test/program"
)

// fault makes a step fail from its n-th occurrence on, for a number of times.
type fault struct {
	mu    sync.Mutex
	err   error
	until int // occurrences before the first failure
	times int // number of failures
	fired int
}

// arm makes the step fail from the n-th occurrence on.
func (f *fault) arm(err error, n, times int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err, f.until, f.times = err, n-1, times
}

// strike is called at each occurrence of the step.
func (f *fault) strike() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.until > 0:
		f.until--
	case f.times > 0:
		f.times--
		f.fired++
		return f.err
	}
	return nil
}

// faulty is a site that this process serves, with steps that can fail.
type faulty struct {
	*App
	before, after, settled fault // before and after a commit is in the file; before an uploaded file gets its record
}

// serveFaulty serves a peer's site with steps that can fail.
func serveFaulty(t *testing.T, p *ledger.Peer) *faulty {
	t.Helper()
	f := &faulty{App: openHere(t, p)}
	makeHasty(t, f.App)
	*seam[func(*bbolt.Tx) error](t, f.db, "commit") = func(tx *bbolt.Tx) error {
		if err := f.before.strike(); err != nil {
			return err
		}
		return errors.Join(tx.Commit(), f.after.strike())
	}
	*seam[func() error](t, f.files, "flushed") = f.settled.strike
	serveHere(t, p, f.App)
	return f
}

// Each step of a write fails at each occurrence, with a full or broken disk, once or several
// times in a row. Meanwhile reads are answered. Acknowledged writes are stored, failed ones
// are not, and writes succeed afterwards.
func TestStepsOfAWriteFail(t *testing.T) {
	seed, rounds := outside.Chance(t, 2, 40)
	tr := ledger.New(t, seed, 4)
	f := serveFaulty(t, tr.Main)
	tr.Share()
	for n := 1; n <= rounds; n++ {
		for _, step := range []*fault{&f.before, &f.after, &f.settled} {
			for _, err := range []error{syscall.EIO, syscall.ENOSPC} {
				step.arm(err, n, 1+n%3)
				tr.Endure(4 + n)
				step.arm(nil, 0, 0)
				tr.Recover()
				requireFreshIndex(t, f.App)
				requireNothingStaged(t, f.App)
			}
		}
	}
	t.Logf("failed: %d before the commit, %d after it, %d with files and no record", f.before.fired, f.after.fired, f.settled.fired)
	if f.before.fired < rounds || f.after.fired < rounds || f.settled.fired == 0 {
		t.Error("which is too few")
	}
	tr.Finish()
}

// A data file at its maximum size behaves like one on a full disk: reads are answered,
// writes that need space are refused with 507, and content can be deleted. Without the
// maximum, everything works again.
func TestFullDataFile(t *testing.T) {
	seed, rounds := outside.Chance(t, 1, 15)
	tr := ledger.New(t, seed, 4)
	tr.Grow(50)
	a := openHere(t, tr.Main)
	makeHasty(t, a)
	resize := func(to int64) {
		seam[store.Options](t, a.db, "options").MaxSize = to
		check(t, a.db.Reopen())
	}
	resize(6 << 20)
	serveHere(t, tr.Main, a)
	tr.Share()
	for range rounds {
		tr.Fill()
		tr.Clear()
	}
	requireFreshIndex(t, a)
	requireNothingStaged(t, a)
	resize(0)
	t.Logf("writes were taken again after %v", tr.Recover())
	tr.Endure(5)
	tr.Compare()
	tr.Finish()
}

// requireFreshIndex requires that the index equals a new one.
func requireFreshIndex(t *testing.T, a *App) {
	t.Helper()
	fresh, err := buildOf(a.db, a.site)
	check(t, err)
	if d := indextest.Diff(a.index.Snapshot(), fresh.Snapshot()); d != "" {
		t.Errorf("the index that followed writes and a fresh one: %s", d)
	}
}

// requireNothingStaged requires that no upload has left a temporary file.
func requireNothingStaged(t *testing.T, a *App) {
	t.Helper()
	if left, _ := filepath.Glob(filepath.Join(a.at.UploadsFolder(), ".upload-*")); left != nil {
		t.Errorf("uploads have left %v", left)
	}
}

// The response distinguishes a write that failed from one with an unknown outcome.
func TestAFailedWriteIsAnswered(t *testing.T) {
	p := ledger.NewPeer(t)
	p.Rewrite(t, `"api::cook.cook": [`, `"api::cook.cook": ["create",`)
	p.Token = "" // the use of a token is stored too, at some time
	f := serveFaulty(t, p)
	create := func(name string) (int, []byte) {
		status, answer, err := p.Send(ledger.Op{Method: "POST", Path: "/api/cooks", Body: fmt.Sprintf(`{"data": {"name": %q}}`, name), Makes: name})
		check(t, err)
		return status, answer
	}
	for _, test := range []struct {
		name    string
		step    *fault
		err     error
		status  int
		message string
		stored  bool
	}{
		{"full", &f.before, syscall.ENOSPC, 507, "no space", false},
		{"quota", &f.before, syscall.EDQUOT, 507, "no space", false},
		{"broken", &f.before, syscall.EIO, 503, "unknown whether", false},
		{"full-after", &f.after, syscall.ENOSPC, 503, "unknown whether", true},
		{"broken-after", &f.after, syscall.EIO, 503, "unknown whether", true},
	} {
		test.step.arm(test.err, 1, 1)
		status, answer := create(test.name)
		if status != test.status || !bytes.Contains(answer, []byte(test.message)) {
			t.Errorf("%s: answered %d %s, want %d and %q", test.name, status, answer, test.status, test.message)
		}
		if err := f.db.View(func(*store.Tx) error { return nil }); err != nil {
			t.Errorf("%s: reads stopped: %v", test.name, err)
		}
		for status = 503; status == 503; { // until the file was reopened
			status, _ = create("next " + test.name)
		}
		_, list, _ := p.Ask("GET", "/api/cooks?filters[name]="+test.name, "", nil)
		if status != 201 || bytes.Contains(list, []byte(test.name)) != test.stored {
			t.Errorf("%s: afterwards %d, and the write that failed is %s", test.name, status, list)
		}
	}
}

// A write that was stored although its commit failed counts as soon as writes are accepted
// again: nobody can store a unique value a second time in between.
func TestNothingIsWrittenBehindAnUncertainWrite(t *testing.T) {
	p := ledger.NewPeer(t)
	p.Rewrite(t, `"api::cuisine.cuisine": [`, `"api::cuisine.cuisine": ["create",`)
	p.Token = ""
	f := serveFaulty(t, p)
	for n := range 10 {
		o := ledger.Op{Method: "POST", Path: "/api/cuisines", Body: fmt.Sprintf(`{"data": {"name": "Cuisine %d"}}`, n)}
		f.after.arm(syscall.EIO, 1, 1)
		if status, answer, _ := p.Send(o); status != 503 {
			t.Fatalf("answered %d %s, want 503", status, answer)
		}
		var again sync.WaitGroup
		for range 8 {
			again.Go(func() {
				for status := 503; status == 503; {
					var answer []byte
					if status, answer, _ = p.Send(o); status != 503 && status != 400 {
						t.Errorf("the same again is answered %d %s, want 400", status, answer)
					}
				}
			})
		}
		again.Wait()
	}
	requireFreshIndex(t, f.App)
}

// Each write of a change of content types fails in turn. The schema files, site.json and the
// content are all unchanged or all changed, and the next attempt succeeds.
func TestStepsOfAMigrationFail(t *testing.T) {
	a, _ := startGuide(t)
	raw, err := a.do(t.Context(), "token create", []byte(`{"name": "full", "kind": "full-access"}`))
	check(t, err)
	f := &faulty{App: a}
	*seam[func(*bbolt.Tx) error](t, a.db, "commit") = func(tx *bbolt.Tx) error {
		if err := f.before.strike(); err != nil {
			return err
		}
		return errors.Join(tx.Commit(), f.after.strike())
	}
	changes := map[bool]string{ // by whether it is done already
		false: `{"types": [{"was": "api::cook.cook", "name": "chef", "pluralName": "chefs", "attributes": [{"name": "name", "was": "name"}, {"name": "life", "was": "bio", "set": {"type": "blocks"}}, {"name": "born", "was": "born"}, {"name": "restaurants", "was": "restaurants"}]}]}`,
		true:  `{"types": [{"was": "api::chef.chef", "name": "cook", "pluralName": "cooks", "attributes": [{"name": "name", "was": "name"}, {"name": "bio", "was": "life", "set": {"type": "richtext"}}, {"name": "born", "was": "born"}, {"name": "restaurants", "was": "restaurants"}]}]}`,
	}
	done, failed := false, 0
	want := map[bool]string{false: migrated(t, a, fmt.Sprint(raw), false)}
	for _, step := range []*fault{&f.before, &f.after} {
		for _, fails := range []error{syscall.EIO, syscall.ENOSPC} {
			for n, fired := 1, -1; step.fired > fired; n++ {
				fired = step.fired
				c := changeOf(t, changes[done])
				draft, _ := planned(t, a, c)
				step.arm(fails, n, 1)
				_, err := a.Types().Apply(t.Context(), c, draft.Fingerprint)
				step.arm(nil, 0, 0)
				if a.db.Suspended() {
					a.reopen()
				}
				if err == nil {
					done = !done
				} else {
					failed++
				}
				is := migrated(t, a, fmt.Sprint(raw), done)
				if want[done] == "" {
					want[done] = is
				}
				if is != want[done] {
					t.Fatalf("write %d: done %t, %v, and it is\n%s\nand not\n%s", n, done, err, is, want[done])
				}
			}
		}
	}
	t.Logf("%d failed", failed)
	if failed < 8 {
		t.Error("which is too few")
	}
}

// migrated returns what the files and the API contain about cooks, or about chefs.
func migrated(t *testing.T, a *App, token string, done bool) string {
	t.Helper()
	plural, here, gone := "cooks", "cook", "chef"
	if done {
		plural, here, gone = "chefs", gone, here
	}
	name := func(one string) string { return "src/api/" + one + "/content-types/" + one + "/schema.json" }
	if _, err := os.Stat(filepath.Join(a.at.Site, name(gone))); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is there: %v", name(gone), err)
	}
	list := call(t, a, token, "GET", "/api/"+plural+"?sort=name&populate=restaurants", "")["data"]
	return fmt.Sprint(planFile(t, a, name(here)), planFile(t, a, "site.json"), list)
}
