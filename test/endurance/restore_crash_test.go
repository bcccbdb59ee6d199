package endurance

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quire/test/program"
)

// adminSession is the admin of a program that serves, as its owner uses it.
type adminSession struct {
	t           *testing.T
	url, cookie string
}

const (
	ownerEmail    = "ada@example.org"
	ownerPassword = "difference engine"
)

// addOwner makes an account that may do everything, while no server runs.
func addOwner(t *testing.T, site string) {
	t.Helper()
	c := program.New(t, "admin", "create", "--name", "Ada", "--email", ownerEmail, "--password-stdin", site)
	c.Stdin = strings.NewReader(ownerPassword + "\n")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("an account: %v %s", err, out)
	}
}

func signInAdmin(t *testing.T, url string) *adminSession {
	t.Helper()
	o := &adminSession{t: t, url: url}
	o.must("POST", "/session", fmt.Sprintf(`{"email":%q,"password":%q}`, ownerEmail, ownerPassword), nil)
	return o
}

// ask sends a request of the admin and reads what it answers into data, unless that is nil.
func (o *adminSession) ask(method, path, body string, data any) (status int, err error) {
	r, err := http.NewRequest(method, o.url+"/admin/api/v1"+path, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	r.Header.Set("X-Quire-Admin", "1")
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Cookie", o.cookie)
	response, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	for _, c := range response.Cookies() {
		o.cookie = c.Name + "=" + c.Value
	}
	answer, err := io.ReadAll(response.Body)
	if err == nil && data != nil && response.StatusCode < 300 {
		err = json.Unmarshal(answer, &struct{ Data any }{data})
	}
	return response.StatusCode, err
}

func (o *adminSession) must(method, path, body string, data any) {
	o.t.Helper()
	if status, err := o.ask(method, path, body, data); err != nil || status >= 300 {
		o.t.Fatalf("%s %s: %d, %v", method, path, status, err)
	}
}

// restore begins to restore a backup.
func (o *adminSession) restore(backup string) {
	o.t.Helper()
	var shown struct{ Site string }
	o.must("GET", "/transfer", "", &shown)
	o.must("POST", "/transfer/restore", fmt.Sprintf(`{"backup":%q,"site":%q,"password":%q}`, backup, shown.Site, ownerPassword), nil)
}

// restored waits until a restore has ended all sessions.
func (o *adminSession) restored() {
	o.t.Helper()
	for {
		var shown struct{ Job struct{ Problem string } }
		status, err := o.ask("GET", "/transfer", "", &shown)
		switch {
		case err != nil || shown.Job.Problem != "":
			o.t.Fatalf("the restore: %d %s, %v", status, shown.Job.Problem, err)
		case status == http.StatusUnauthorized:
			return
		}
	}
}

// A server that is killed while it restores a backup leaves what was, or what is to be:
// never some of both, and no record without its file.
func TestKilledDuringLiveRestore(t *testing.T) {
	t.Parallel()
	random, rounds := crashRounds(t)
	site := program.NewGuide(t)
	addOwner(t, site)
	first := program.Export(t, site)
	p := program.Serve(t, site)
	o := signInAdmin(t, p.URL)
	o.must("POST", "/backups", "", nil)
	var list []struct{ Name string }
	for len(list) == 0 {
		o.must("GET", "/backups", "", &list)
	}
	lines := cuisines(t, 3000)
	program.Succeed(t, "import", "--replace", site, lines)
	second := program.Export(t, site)
	begun := time.Now()
	o.restore(list[0].Name)
	o.restored()
	took, restored := time.Since(begun), 0
	if got := program.Export(t, site); got != first {
		t.Fatalf("restored, the site holds\n%.500s", got)
	}
	for range rounds {
		program.Succeed(t, "import", "--replace", site, lines)
		signInAdmin(t, p.URL).restore(list[0].Name)
		timer := time.AfterFunc(time.Duration(random.Int64N(int64(took))), func() { p.Process.Kill() })
		p.Wait()
		timer.Stop()
		switch got := program.Export(t, site); got {
		case first:
			restored++
		case second:
		default:
			t.Fatalf("killed, the site holds\n%.500s", got)
		}
		repairStrays(t, site)
		removeSaved(t, site, list[0].Name)
		p = program.Serve(t, site)
	}
	t.Logf("restored in %d of %d rounds of %v", restored, rounds, took)
}

// removeSaved removes the backups but one: there is a bound for them.
func removeSaved(t *testing.T, site, but string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(site, "data", "backups", "*"))
	requireNil(t, err)
	for _, name := range names {
		if filepath.Base(name) != but {
			requireNil(t, os.Remove(name))
		}
	}
}
