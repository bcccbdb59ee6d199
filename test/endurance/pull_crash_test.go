package endurance

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"quire/test/program"
)

// offerBackup serves a site that has a backup. It returns the server, and the file with a
// token that downloads the backup.
func offerBackup(t *testing.T, site string) (p *program.Server, token string) {
	t.Helper()
	addOwner(t, site)
	token = filepath.Join(t.TempDir(), "token")
	text := program.Succeed(t, "token", "create", "--name", "edge", "--type", "custom", "--permission", "plugin::quire.backups.read", site)
	requireNil(t, os.WriteFile(token, []byte(text), 0o600))
	p = program.Serve(t, site)
	o := signInAdmin(t, p.URL)
	o.must("POST", "/backups", "", nil)
	var list []struct{ Name string }
	for len(list) == 0 {
		o.must("GET", "/backups", "", &list)
	}
	return p, token
}

// A pull that is killed leaves what was, or what is to be: never some of both, and no record
// without its file. The next one goes on.
func TestKilledDuringPull(t *testing.T) {
	t.Parallel()
	random, rounds := crashRounds(t)
	origin, site := program.NewGuide(t), program.NewGuide(t)
	program.Succeed(t, "import", origin, cuisines(t, 3000))
	was, is := program.Export(t, site), program.Export(t, origin)
	first := filepath.Join(t.TempDir(), "first")
	program.Succeed(t, "backup", site, first)
	p, token := offerBackup(t, origin)
	pull := []string{"restore", "--replace", "--from", p.URL, "--token-file", token, site}
	restored := 0
	crash(t, rounds, random, pull, func(killed bool) {
		switch got := program.Export(t, site); {
		case got == is:
			restored++
		case got != was || !killed:
			t.Fatalf("killed %v, the site holds\n%.500s", killed, got)
		}
		repairStrays(t, site)
		removeKept(t, site)
		program.Succeed(t, "restore", "--replace", first, site) // so that there is something to pull
		removeKept(t, site)
	})
	program.Succeed(t, pull...)
	if program.Export(t, site) != is {
		t.Error("the last one has not restored the backup")
	}
	t.Logf("restored in %d of %d rounds", restored, rounds+1)
}

// A pull that is killed in the middle of the download has changed nothing, and the next one
// does not download that part again.
func TestKilledInTheMiddleOfADownload(t *testing.T) {
	t.Parallel()
	const half = 1000 // bytes
	origin, site := program.NewGuide(t), program.NewSite(t)
	program.Succeed(t, "import", site, cuisines(t, 3))
	was := program.Export(t, site)
	p, token := offerBackup(t, origin)
	to, err := url.Parse(p.URL)
	requireNil(t, err)
	var goesOn atomic.Bool
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.FlushInterval = -1
	proxy.ModifyResponse = func(r *http.Response) error {
		if !goesOn.Load() && r.Request.Method == http.MethodGet {
			r.Body = io.NopCloser(io.MultiReader(io.LimitReader(r.Body, half), untilGone{r.Request}))
		}
		return nil
	}
	between := httptest.NewServer(proxy)
	defer between.Close()
	pull := []string{"restore", "--replace", "--from", between.URL, "--token-file", token, site}
	c := program.New(t, pull...)
	requireNil(t, c.Start())
	arrived := func() (size int64) {
		found, _ := filepath.Glob(filepath.Join(site, "data", ".pull-*"))
		for _, name := range found {
			if info, err := os.Stat(name); err == nil {
				size = info.Size()
			}
		}
		return size
	}
	for arrived() < half {
	}
	requireNil(t, c.Process.Kill())
	_ = c.Wait()
	if program.Export(t, site) != was {
		t.Error("killed, the site has changed")
	}
	goesOn.Store(true)
	whole, err := filepath.Glob(filepath.Join(origin, "data", "backups", "*"))
	requireNil(t, err)
	info, err := os.Stat(whole[0])
	requireNil(t, err)
	shown := program.Succeed(t, append(pull, "--json")...)
	if !strings.Contains(shown, fmt.Sprintf(`"downloadedBytes": %d,`, info.Size()-half)) {
		t.Errorf("of %d bytes: %s", info.Size(), shown)
	}
	if program.Export(t, site) != program.Export(t, origin) {
		t.Error("the site has not what the origin has")
	}
}

// untilGone is a connection on which nothing more arrives until the client is gone.
type untilGone struct{ request *http.Request }

func (u untilGone) Read([]byte) (int, error) {
	<-u.request.Context().Done()
	return 0, u.request.Context().Err()
}
