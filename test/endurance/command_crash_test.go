package endurance

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"quire/test/program"
)

// crash runs rounds of a command that is killed at a random moment of the time that
// it takes, and calls check after each.
func crash(t *testing.T, rounds int, random *rand.Rand, args []string, check func(killed bool)) {
	t.Helper()
	begun := time.Now()
	if code, out, message := program.Run(t, args...); code != 0 {
		t.Fatalf("quire %s: exit %d %s%s", strings.Join(args, " "), code, out, message)
	}
	took, kills := time.Since(begun), 0
	check(false)
	for range rounds {
		killed := killIn(t, random, took, program.New(t, args...))
		if killed {
			kills++
		}
		check(killed)
	}
	t.Logf("killed %d times in %d rounds of %v", kills, rounds, took)
}

// crashRounds is how often a command is killed, and at which moments.
func crashRounds(t *testing.T) (random *rand.Rand, rounds int) {
	t.Helper()
	seed, rounds := program.Chance(t, 3, 100)
	return rand.New(rand.NewPCG(seed, 0)), rounds
}

// startUploading begins a site with a server that is busy with uploads, but for
// while pause is full.
func startUploading(t *testing.T, seed uint64, pause chan struct{}) (site string, stop func()) {
	t.Helper()
	site = program.NewSite(t)
	token := program.NewToken(t, site, "test", "full-access")
	p := program.Serve(t, site)
	u := &uploader{p.URL, token}
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
			pause <- struct{}{}
			<-pause
		}
		close(gone)
	}()
	return site, func() {
		p.Kill()
		<-gone
	}
}

// A backup is whole and of one moment while uploads come, change and go, and one
// that is killed leaves the one before.
func TestKilledDuringBackup(t *testing.T) {
	t.Parallel()
	random, rounds := crashRounds(t)
	pause := make(chan struct{}, 1)
	site, stop := startUploading(t, random.Uint64(), pause)
	defer stop()
	file := filepath.Join(t.TempDir(), "b.tar.zst")
	crash(t, rounds, random, []string{"backup", "--force", site, file}, func(bool) {
		pause <- struct{}{}
		requireGood(t, file, site)
		<-pause
	})
}

// requireGood demands that a backup is whole, has every upload that it names, and
// is a site without a fault when it is restored.
func requireGood(t *testing.T, file, schemas string) {
	t.Helper()
	if message := program.Succeed(t, "restore", "--verify", file); !strings.Contains(message, file+": whole\n") || strings.Contains(message, "was missing") {
		t.Errorf("the backup: %s", message)
		return
	}
	data := filepath.Join(t.TempDir(), "data")
	program.Succeed(t, "restore", "--data", data, file, schemas)
	if code, stdout, _ := program.Run(t, "check", "--data", data, schemas); code != 0 || stdout != "no problems\n" {
		t.Errorf("check of what was restored complains: %s", stdout)
	}
}

// A restore that is killed leaves what was, or what is to be: never some of both,
// and no record without its file.
func TestKilledDuringRestore(t *testing.T) {
	t.Parallel()
	random, rounds := crashRounds(t)
	first, second := filepath.Join(t.TempDir(), "first"), filepath.Join(t.TempDir(), "second")
	site := program.NewGuide(t)
	was := program.Export(t, site)
	program.Succeed(t, "backup", site, first)
	program.Succeed(t, "import", "--replace", site, cuisines(t, 3000))
	is := program.Export(t, site)
	program.Succeed(t, "backup", site, second)
	restored := 0
	for _, file := range []string{first, second} {
		crash(t, rounds, random, []string{"restore", "--replace", file, site}, func(killed bool) {
			switch got := program.Export(t, site); {
			case got != was && got != is:
				t.Fatalf("killed %v, the site holds\n%.500s", killed, got)
			case file == first && got == was, file == second && got == is:
				restored++
			case !killed:
				t.Error("it ended well, and the site holds what it held")
			}
			repairStrays(t, site)
			removeKept(t, site)
			program.Succeed(t, "restore", "--replace", map[string]string{first: second, second: first}[file], site)
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
			requireNil(t, os.RemoveAll(name))
		}
	}
}

// A compaction that is killed, or whose server is, leaves the content as it is.
func TestKilledDuringCompaction(t *testing.T) {
	t.Parallel()
	random, rounds := crashRounds(t)
	site := program.NewSite(t)
	program.Succeed(t, "import", site, cuisines(t, 20000))
	was := program.Export(t, site)
	check := func(bool) {
		if program.Export(t, site) != was {
			t.Fatal("the content has changed")
		}
		if got := program.Succeed(t, "check", site); got != "no problems\n" {
			t.Error(got)
		}
	}
	crash(t, rounds, random, []string{"compact", site}, check)
	for range rounds {
		p := program.Serve(t, site)
		compacting := program.New(t, "compact", site)
		requireNil(t, compacting.Start())
		timer := time.AfterFunc(time.Duration(random.IntN(300))*time.Millisecond, func() { _ = p.Process.Kill() })
		_ = compacting.Wait() // which finds the server gone, or has been answered
		timer.Stop()
		p.Kill()
		check(true)
	}
}

// An import that is killed at any moment leaves the site as it was, or as it is
// to be.
func TestImportIsKilled(t *testing.T) {
	t.Parallel()
	seed, rounds := program.Chance(t, 3, 100)
	site := program.NewSite(t)
	program.Succeed(t, "import", site, write(t, `{"type":"api::cuisine.cuisine","documentId":"was","data":{"name":"Was here"}}`))
	lines := cuisines(t, 20000)
	was := program.Export(t, site)
	random := rand.New(rand.NewPCG(seed, 0))
	kills := 0
	for range rounds {
		killed := killIn(t, random, 600*time.Millisecond, program.New(t, "import", "--replace", site, lines))
		is := program.Export(t, site)
		switch {
		case killed && is == was:
			kills++
		case strings.Count(is, "\n") == 20000 && !strings.Contains(is, "Was here"):
			return // it was done; nothing more can be seen
		default:
			t.Fatalf("killed %v, and the site holds\n%.500s", killed, is)
		}
	}
	t.Logf("killed %d times", kills)
}

// A server that was killed leaves its socket behind. Neither commands nor the
// next server mind.
func TestAfterAServerWasKilled(t *testing.T) {
	t.Parallel()
	site := program.NewSite(t)
	first := program.Serve(t, site)
	if by := program.DoneBy(t, "token", "list", site); by != program.ByServer {
		t.Errorf("while the server runs: done by %s", by)
	}
	first.Kill()
	if _, err := os.Lstat(filepath.Join(site, "data", "quire.sock")); err != nil {
		t.Error("the killed server has left no socket behind; this test shows nothing")
	}
	if by := program.DoneBy(t, "token", "list", site); by != program.ByCommand {
		t.Errorf("after the server was killed: done by %s", by)
	}
	program.Serve(t, site)
	if by := program.DoneBy(t, "token", "list", site); by != program.ByServer {
		t.Errorf("on the next server: done by %s", by)
	}
}

// A conversion that is killed leaves all values as they were or all as they are to be, and
// so does that back again.
func TestKilledDuringConversion(t *testing.T) {
	t.Parallel()
	random, rounds := crashRounds(t)
	asText := program.NewGuide(t)
	program.Succeed(t, "import", "--replace", asText, cuisines(t, 3000))
	asJSON := filepath.Join(t.TempDir(), "json")
	requireNil(t, os.CopyFS(asJSON, os.DirFS(asText)))
	schema := filepath.Join(asJSON, "src/api/cuisine/content-types/cuisine/schema.json")
	text, err := os.ReadFile(schema)
	if err == nil {
		err = os.WriteFile(schema, []byte(strings.Replace(string(text), `"type": "string"`, `"type": "json"`, 1)), 0o600)
	}
	requireNil(t, err)
	data := filepath.Join(asText, "data")
	const none = "all content is stored as the schemas have it; there is nothing to do\n"
	converted := 0
	crash(t, rounds, random, []string{"migrate", "convert", "--data", data, asJSON}, func(killed bool) {
		left := program.Succeed(t, "migrate", "convert", "--dry-run", "--data", data, asJSON)
		back := program.Succeed(t, "migrate", "convert", "--dry-run", "--data", data, asText)
		all := "api::cuisine.cuisine.name: 3000 values in 3000 documents converted, "
		switch {
		case left == none && strings.HasPrefix(back, all):
			converted++
			program.Succeed(t, "migrate", "convert", "--data", data, asText)
		case !killed || back != none || !strings.HasPrefix(left, all):
			t.Fatalf("killed: %t; what is left is\n%sand back\n%s", killed, left, back)
		}
		if message := program.Succeed(t, "check", asText); message != "no problems\n" && !strings.HasPrefix(message, "note: ") {
			t.Fatalf("check complains: %s", message)
		}
	})
	t.Logf("converted in %d of %d rounds", converted, rounds+1)
}
