package main

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"quire/backup"
)

// crash runs rounds of a command that is killed at a random moment of the time that
// it takes, and calls look after each.
func crash(t *testing.T, rounds int, binary string, args []string, look func(killed bool)) {
	t.Helper()
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	begin := time.Now()
	if out, err := quire(binary, args...); err != nil {
		t.Fatalf("quire %s: %v %s", strings.Join(args, " "), err, out)
	}
	took, kills := time.Since(begin), 0
	look(false)
	for range rounds {
		var stderr strings.Builder
		c := exec.Command(binary, args...)
		c.Stderr = &stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(random.Int64N(int64(took))), func() { _ = c.Process.Kill() })
		_ = c.Wait()
		timer.Stop()
		killed := c.ProcessState.ExitCode() < 0
		switch {
		case killed:
			kills++
		case !c.ProcessState.Success():
			t.Errorf("quire %s: %s", strings.Join(args, " "), stderr.String())
		}
		look(killed)
	}
	t.Logf("killed %d times in %d rounds of %v", kills, rounds, took)
}

func crashRounds(t *testing.T) int {
	t.Helper()
	if testing.Short() {
		t.Skip("it builds the program")
	}
	if *long {
		return 100
	}
	return 5
}

// startUploading begins a site with a server that is busy with uploads.
func startUploading(t *testing.T, binary string) (site string, stop func()) {
	t.Helper()
	site = filepath.Join(t.TempDir(), "site")
	succeed(t, "new", site)
	token, err := quire(binary, "token", "create", "--name", "test", "--type", "full-access", site)
	if err != nil {
		t.Fatal(err)
	}
	seed := rand.Uint64()
	t.Logf("seed of the uploads %d", seed)
	p := spawn(t, binary, site)
	u := &uploader{p.url, token}
	var busy sync.WaitGroup
	done := make(chan struct{})
	for n := range 4 {
		busy.Go(func() { u.keepBusy(t, rand.New(rand.NewPCG(seed, uint64(n))), done) })
	}
	go func() { busy.Wait(); close(done) }()
	gone := make(chan struct{})
	for range 20 {
		<-done
	}
	go func() {
		for range done { // until nobody is busy any more
		}
		close(gone)
	}()
	return site, func() {
		p.kill()
		<-gone
	}
}

// A backup is whole and of one moment while uploads come, change and go, and one
// that is killed leaves the one before.
func TestKilledDuringBackup(t *testing.T) {
	rounds := crashRounds(t)
	binary := buildQuire(t)
	site, stop := startUploading(t, binary)
	defer stop()
	file := filepath.Join(t.TempDir(), "b.tar.zst")
	crash(t, rounds, binary, []string{"backup", "--force", site, file}, func(bool) { requireGood(t, file, site) })
}

// requireGood demands that a backup is whole, has every upload that it names, and
// is a site without a fault when it is restored.
func requireGood(t *testing.T, file, schemas string) {
	t.Helper()
	m, err := backup.Verify(t.Context(), file)
	if err != nil || m.Missing != nil {
		t.Errorf("%v; missing are %v", err, m)
		return
	}
	data := filepath.Join(t.TempDir(), "data")
	succeed(t, "restore", "--data", data, file, schemas)
	if code, stdout, _ := command(t, "check", "--data", data, schemas); code != 0 || stdout != "no problems\n" {
		t.Errorf("check of what was restored complains: %s", stdout)
	}
}

// A restore that is killed leaves what was, or what is to be: never some of both,
// and no record without its file.
func TestKilledDuringRestore(t *testing.T) {
	rounds := crashRounds(t)
	binary := buildQuire(t)
	first, second := filepath.Join(t.TempDir(), "first"), filepath.Join(t.TempDir(), "second")
	site := filepath.Join(t.TempDir(), "site")
	sowSite(t, site)
	was := export(t, site)
	succeed(t, "backup", site, first)
	succeed(t, "import", "--replace", site, write(t, guideLines(3000)))
	is := export(t, site)
	succeed(t, "backup", site, second)
	restored := 0
	for _, file := range []string{first, second} {
		crash(t, rounds, binary, []string{"restore", "--replace", file, site}, func(killed bool) {
			switch got := export(t, site); {
			case got != was && got != is:
				t.Fatalf("killed %v, the site holds\n%.500s", killed, got)
			case file == first && got == was, file == second && got == is:
				restored++
			case !killed:
				t.Error("it ended well, and the site holds what it held")
			}
			repairStrays(t, binary, site)
			removeKept(t, site)
			succeed(t, "restore", "--replace", map[string]string{first: second, second: first}[file], site)
			removeKept(t, site)
		})
	}
	t.Logf("restored in %d of %d rounds", restored, 2*rounds+2)
}

// removeKept removes what restores have kept and left.
func removeKept(t *testing.T, site string) {
	t.Helper()
	for _, pattern := range []string{"replaced-*", ".restore-*"} {
		names, _ := filepath.Glob(filepath.Join(site, "data", pattern))
		for _, name := range names {
			if err := os.RemoveAll(name); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A compaction that is killed, or whose server is, leaves the content as it is.
func TestKilledDuringCompaction(t *testing.T) {
	rounds := crashRounds(t)
	binary := buildQuire(t)
	site := newSite(t, `{}`)
	succeed(t, "import", site, write(t, guideLines(20000)))
	was := export(t, site)
	look := func(bool) {
		if export(t, site) != was {
			t.Fatal("the content has changed")
		}
		if got := succeed(t, "check", site); got != "no problems\n" {
			t.Error(got)
		}
	}
	crash(t, rounds, binary, []string{"compact", site}, look)
	seed := rand.Uint64()
	t.Logf("seed of the server's end %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range rounds {
		p := spawn(t, binary, site)
		compacting := exec.Command(binary, "compact", site)
		if err := compacting.Start(); err != nil {
			t.Fatal(err)
		}
		timer := time.AfterFunc(time.Duration(random.IntN(300))*time.Millisecond, func() { _ = p.Process.Kill() })
		_ = compacting.Wait() // which finds the server gone, or has been answered
		timer.Stop()
		p.kill()
		look(true)
	}
}
