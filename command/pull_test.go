package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	outside "quire/test/program"
)

// origin is a served site from which others pull backups.
type origin struct {
	*program
	site   string
	offers int
}

// openOrigin serves a site with content and a backup. The environment has a token that can
// download the backup.
func openOrigin(t *testing.T) *origin {
	o := &origin{site: filepath.Join(t.TempDir(), "origin")}
	sowSite(t, o.site)
	t.Setenv(tokenVariable, o.token(t, "edge", "--type", "custom", "--permission", "plugin::quire.backups.read"))
	o.program = begin(t, "serve", "--listen", "127.0.0.1:0", o.site)
	o.offer(t)
	return o
}

func (o *origin) token(t *testing.T, name string, more ...string) string {
	return strings.TrimSpace(succeed(t, append([]string{"token", "create", "--name", name, o.site}, more...)...))
}

// offer makes a backup the newest one of the origin, as if it had been made in the admin.
func (o *origin) offer(t *testing.T) {
	t.Helper()
	o.offers++
	file := filepath.Join(t.TempDir(), "b.tar.zst")
	succeed(t, "backup", file, o.site)
	var own struct{ ID string }
	text, err := os.ReadFile(filepath.Join(o.site, "data", "folder-id.json"))
	if err = errors.Join(err, json.Unmarshal(text, &own)); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(o.site, "data", "backups")
	name := fmt.Sprintf("origin-%s-by-hand-20261123-%06d.000.tar.zst", own.ID, o.offers)
	requireNil(t, errors.Join(os.MkdirAll(folder, 0o700), os.Rename(file, filepath.Join(folder, name))))
}

// behind serves the origin, and lets change modify the body of each download, counted from 0.
func (o *origin) behind(t *testing.T, change func(n int, body io.Reader) io.Reader) (address string) {
	t.Helper()
	to, err := url.Parse(o.url)
	requireNil(t, err)
	n := 0
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.ErrorLog = nil
	proxy.ModifyResponse = func(r *http.Response) error {
		if r.Request.Method == http.MethodGet {
			r.Body = io.NopCloser(change(n, r.Body))
			n++
		}
		return nil
	}
	s := httptest.NewServer(proxy)
	s.Config.ErrorLog = nil
	t.Cleanup(s.Close)
	return s.URL
}

// edgeSite creates a site with content that the origin does not have.
func edgeSite(t *testing.T) (site string) {
	t.Helper()
	site = filepath.Join(t.TempDir(), "edge")
	succeed(t, "new", site)
	succeed(t, "import", site, write(t, guideLines(3)))
	return site
}

// requireUntouched requires that a command fails, and leaves the site and its folder
// unchanged.
func requireUntouched(t *testing.T, site string, was map[string]string, args ...string) (stderr string) {
	t.Helper()
	code, stdout, stderr := command(t, args...)
	if !refused(code, stderr) || stdout != "" || strings.Contains(stderr, os.Getenv(tokenVariable)) {
		t.Errorf("quire %s: exit %d, %s%s", strings.Join(args, " "), code, stdout, stderr)
	}
	if is := contentOf(t, site); !maps.Equal(is, was) {
		t.Errorf("quire %s: the site is not as it was", strings.Join(args, " "))
	}
	if left, _ := filepath.Glob(filepath.Join(site, "data", ".*")); len(left) > 0 {
		t.Errorf("quire %s leaves %v", strings.Join(args, " "), left)
	}
	return stderr
}

// A site pulls the newest backup of another site once. The replaced data is kept.
func TestPull(t *testing.T) {
	o := openOrigin(t)
	defer o.end()
	edge := edgeSite(t)
	was := contentOf(t, edge)
	if got := requireUntouched(t, edge, was, "restore", "--from", o.url, edge); !strings.Contains(got, "--replace puts the backup into its place") {
		t.Errorf("without --replace: %s", got)
	}
	out := succeed(t, "restore", "--replace", "--from", o.url, edge)
	if !strings.HasPrefix(out, "downloaded ") || !strings.Contains(out, "restored the backup of 2") || !strings.Contains(out, "is kept in "+filepath.Join(edge, "data", "replaced-")) {
		t.Errorf("it says %s", out)
	}
	requireSame(t, contentOf(t, edge), contentOf(t, o.site))
	want := "nothing was downloaded: the content comes from the newest backup of " + o.url + " already\n"
	for _, args := range [][]string{{"--replace"}, {}, {"--download"}} {
		if got := succeed(t, append([]string{"restore", "--from", o.url, edge}, args...)...); got != want {
			t.Errorf("again with %v, it says %s", args, got)
		}
	}
	if got := succeed(t, "check", edge); got != "no problems\n" {
		t.Error(got)
	}
	if n := strings.Count(succeed(t, "audit", "--action", "data.download", o.site), `"edge"`); n != 1 {
		t.Errorf("the origin has noted %d downloads", n)
	}
	if log := succeed(t, "audit", "--action", "data.pull", edge); strings.Count(log, o.url+"/api/_backup") != 1 {
		t.Errorf("the site has noted %s", log)
	}
	succeed(t, "import", o.site, write(t, `{"type":"api::cuisine.cuisine","documentId":"later","data":{"name":"Later"}}`))
	o.offer(t)
	var shown struct {
		From, ETag, Kept, File string
		Unchanged, Restored    bool
		DownloadedBytes        int64
		PackedBytes            int64
	}
	requireNil(t, json.Unmarshal([]byte(succeed(t, "restore", "--json", "--replace", "--from", o.url, edge)), &shown))
	if shown.From != o.url || shown.ETag == "" || shown.Kept == "" || shown.Unchanged || !shown.Restored || shown.DownloadedBytes != shown.PackedBytes || shown.DownloadedBytes == 0 {
		t.Errorf("in JSON: %+v", shown)
	}
	requireSame(t, contentOf(t, edge), contentOf(t, o.site))
	if kept := replacedIn(t, edge); len(kept) != 2 {
		t.Errorf("what was replaced is in %v", kept)
	}
	o.offer(t)
	succeed(t, "restore", "--keep", "1", "--replace", "--from", o.url, edge)
	if kept := replacedIn(t, edge); len(kept) != 1 || kept[0] <= shown.Kept {
		t.Errorf("of what was replaced it keeps %v", kept)
	}
	if got := succeed(t, "restore", "--quiet", "--replace", "--from", o.url, edge); got != "" {
		t.Errorf("quietly, it says %s", got)
	}
}

// replacedIn lists the folders with replaced data, oldest first.
func replacedIn(t *testing.T, site string) []string {
	t.Helper()
	kept, err := filepath.Glob(filepath.Join(site, "data", "replaced-*"))
	requireNil(t, err)
	return kept
}

// After another restore, a pull restores again, because the content comes from elsewhere. A
// pull also replaces a damaged data file.
func TestPullAfterSomethingElse(t *testing.T) {
	o := openOrigin(t)
	defer o.end()
	edge := edgeSite(t)
	before := filepath.Join(t.TempDir(), "before.tar.zst")
	succeed(t, "backup", before, edge)
	succeed(t, "restore", "--replace", "--from", o.url, edge)
	for name, change := range map[string]func(){
		"another restore": func() { succeed(t, "restore", "--replace", before, edge) },
		"damage": func() {
			writeFile(t, filepath.Join(edge, "data", "quire.db"), "nothing")
		},
	} {
		change()
		if out := succeed(t, "restore", "--replace", "--from", o.url, edge); !strings.Contains(out, "restored the backup of 2") {
			t.Errorf("after %s: %s", name, out)
		}
		requireSame(t, contentOf(t, edge), contentOf(t, o.site))
	}
}

// While a server uses the data, a pull can only download. The later restore needs no second
// download.
func TestPullBesideAServer(t *testing.T) {
	o := openOrigin(t)
	defer o.end()
	edge := edgeSite(t)
	was := contentOf(t, edge)
	p := begin(t, "serve", "--listen", "127.0.0.1:0", edge)
	code, _, stderr := command(t, "restore", "--replace", "--from", o.url, edge)
	if code != 1 || !strings.Contains(stderr, "a server or another command is using the data; stop it first") {
		t.Errorf("beside a server: exit %d, %s", code, stderr)
	}
	if out := succeed(t, "restore", "--download", "--from", o.url, edge); !strings.Contains(out, ": whole\n") {
		t.Errorf("downloading, it says %s", out)
	}
	p.end()
	requireSame(t, contentOf(t, edge), was)
	if out := succeed(t, "restore", "--replace", "--from", o.url, edge); !strings.HasPrefix(out, "downloaded 0.0 KiB of ") {
		t.Errorf("restoring, it says %s", out)
	}
	requireSame(t, contentOf(t, edge), contentOf(t, o.site))
	p = begin(t, "serve", "--listen", "127.0.0.1:0", edge)
	defer p.end()
	if out := succeed(t, "restore", "--download", "--from", o.url, edge); !strings.HasPrefix(out, "nothing was downloaded") {
		t.Errorf("the server is asked where the content comes from: %s", out)
	}
}

// An interrupted download continues, with the bytes of the backup that the server has then.
func TestPullThatIsCut(t *testing.T) {
	for name, meanwhile := range map[string]func(*origin){
		"the same backup": func(*origin) {},
		"another backup": func(o *origin) {
			succeed(t, "import", o.site, write(t, `{"type":"api::cuisine.cuisine","documentId":"later","data":{"name":"Later"}}`))
			o.offer(t)
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := openOrigin(t)
			defer o.end()
			edge := edgeSite(t)
			cuts := 0
			from := o.behind(t, func(n int, body io.Reader) io.Reader {
				if n > 0 {
					return body
				}
				cuts++
				meanwhile(o)
				return io.MultiReader(io.LimitReader(body, 3000), brokenReader{})
			})
			succeed(t, "restore", "--replace", "--from", from, edge)
			requireSame(t, contentOf(t, edge), contentOf(t, o.site))
			if log := succeed(t, "audit", "--action", "data.download", o.site); cuts != 1 || !strings.Contains(log, `"range":"bytes=3000-"`) {
				t.Errorf("%d cuts, %s", cuts, log)
			}
		})
	}
}

// brokenReader is an interrupted connection.
type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("cut") }

// A backup that differs from what was sent replaces nothing. If a part of it was downloaded
// before, all of it is downloaded once more.
func TestPullOfDamage(t *testing.T) {
	o := openOrigin(t)
	defer o.end()
	edge := edgeSite(t)
	was := contentOf(t, edge)
	damaged := o.behind(t, func(_ int, body io.Reader) io.Reader {
		text, _ := io.ReadAll(body)
		text[len(text)/2] ^= 1
		return bytes.NewReader(text)
	})
	for _, args := range [][]string{{"--replace"}, {"--download"}} {
		if got := requireUntouched(t, edge, was, append([]string{"restore", "--from", damaged, edge}, args...)...); !strings.Contains(got, "the backup that the server sent cannot be used, and was removed here: it is damaged") {
			t.Errorf("with %v: %s", args, got)
		}
	}
	succeed(t, "restore", "--download", "--from", o.url, edge)
	found, err := filepath.Glob(filepath.Join(edge, "data", ".pull-*"))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	text, err := os.ReadFile(found[0])
	requireNil(t, err)
	text[len(text)/2] ^= 1
	writeFile(t, found[0], string(text[:len(text)-100]))
	if out := succeed(t, "restore", "--replace", "--from", o.url, edge); !strings.Contains(out, "restored the backup of 2") {
		t.Errorf("it says %s", out)
	}
	requireSame(t, contentOf(t, edge), contentOf(t, o.site))
}

// A caller without the right to download, or a server that is not Quire, changes nothing. No
// error contains the token.
func TestPullRefused(t *testing.T) {
	o := openOrigin(t)
	defer o.end()
	edge := edgeSite(t)
	was := contentOf(t, edge)
	full, other := o.token(t, "full", "--type", "full-access"), o.token(t, "other", "--type", "read-only")
	elsewhere := httptest.NewServer(http.RedirectHandler(o.url+"/api/_backup", http.StatusFound))
	defer elsewhere.Close()
	empty := filepath.Join(t.TempDir(), "empty")
	writeFile(t, empty, "\n")
	for _, test := range []struct {
		token, want string
		args        []string
	}{
		{"nonsense", "it does not know the token", []string{"--from", o.url}},
		{full, "may not download backups (403)", []string{"--from", o.url}},
		{other, "may not download backups (403)", []string{"--from", o.url}},
		{full, "the token goes nowhere else", []string{"--from", elsewhere.URL}},
		{full, "the token is empty, too long", []string{"--from", o.url, "--token-file", writeToken(t, "two words")}},
		{full, "holds no token in its first line", []string{"--from", o.url, "--token-file", empty}},
		{full, "no such file", []string{"--from", o.url, "--token-file", empty + "2"}},
		{"", "--from needs a token", []string{"--from", o.url}},
		{full, "--insecure in a network that you trust", []string{"--from", "http://cms.example.org"}},
		{full, "it contains a name or a password", []string{"--from", "https://me:mine@cms.example.org"}},
		{full, "--from and --verify exclude each other", []string{"--from", o.url, "--verify"}},
		{full, "--download and --replace exclude each other", []string{"--from", o.url, "--download", "--replace"}},
		{full, "--keep must be -1 or more", []string{"--from", o.url, "--keep", "-2"}},
		{full, "must be 1 or more", []string{"--from", o.url, "--max-bytes", "0"}},
		{full, "--token-file goes with --from", []string{"--token-file", empty}},
		{full, "--download goes with --from", []string{"--download", "b.tar.zst"}},
	} {
		t.Setenv(tokenVariable, test.token)
		args := append([]string{"restore"}, test.args...)
		if len(test.args) == 2 || test.args[1] == o.url {
			args = append(args, edge)
		}
		code, stdout, stderr := command(t, args...)
		if !refused(code, stderr) || stdout != "" || !strings.Contains(stderr, test.want) || test.token != "" && strings.Contains(stderr, test.token) || strings.Contains(stderr, "me:mine") {
			t.Errorf("quire %s: exit %d, %s%s", strings.Join(args, " "), code, stdout, stderr)
		}
	}
	requireSame(t, contentOf(t, edge), was)
	t.Setenv(tokenVariable, "nonsense")
	file := writeToken(t, o.token(t, "second", "--type", "custom", "--permission", "plugin::quire.backups.read"))
	if got := requireUntouched(t, edge, was, "restore", "--replace", "--max-bytes", "10", "--token-file", file, "--from", o.url, edge); !strings.Contains(got, "more than 10; --max-bytes raises the limit") {
		t.Errorf("one that is too large: %s", got)
	}
	succeed(t, "restore", "--replace", "--token-file", file, "--from", o.url, edge)
}

func writeToken(t *testing.T, token string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "token")
	writeFile(t, path, token+"\n")
	return path
}

// If the other server has no backup, the error says how to make one.
func TestPullOfNothing(t *testing.T) {
	o := openOrigin(t)
	defer o.end()
	edge := edgeSite(t)
	requireNil(t, os.RemoveAll(filepath.Join(o.site, "data", "backups")))
	if got := requireUntouched(t, edge, contentOf(t, edge), "restore", "--replace", "--from", o.url, edge); !strings.Contains(got, "it has no backup (404)") {
		t.Error(got)
	}
}

// The service that pulls each night works: the test runs its commands in other folders, with a
// substitute for systemctl. The service stops the server only to restore, and starts it only
// if it ran before.
func TestServiceThatPulls(t *testing.T) {
	o := openOrigin(t)
	defer o.end()
	u := pullUnit{shell: outside.Find(t, "sh"), edge: edgeSite(t), folder: t.TempDir()}
	token := writeToken(t, os.Getenv(tokenVariable))
	t.Setenv(tokenVariable, "")
	t.Setenv("PATH", u.folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	u.place = strings.NewReplacer("${FROM}", o.url, "${CREDENTIALS_DIRECTORY}/token", token, "/var/lib/quire", filepath.Join(u.edge, "data"), "/srv/quire", u.edge, "/run/", u.folder+"/")
	own := filepath.Join(u.folder, "own")
	succeed(t, "backup", u.edge, own)
	again := "\nstop quire.service\n--no-block start quire.service\n"
	for _, run := range []struct{ state, message, does string }{
		{"active", "restored the backup of 2", "is-active quire.service" + again},
		{"active", "nothing was downloaded", ""},
		{"activating", "restored the backup of 2", "is-active quire.service" + again},
		{"inactive", "restored the backup of 2", "is-active quire.service\nstop quire.service\n"},
		{"failed", "nothing was downloaded", ""},
	} {
		if run.does != "" {
			succeed(t, "restore", "--replace", own, u.edge)
		}
		message, does := u.run(t, run.state)
		if !strings.Contains(message, run.message) || does != run.does {
			t.Errorf("%s: the last command says %s, and systemctl gets %q, want %q", run.state, message, does, run.does)
		}
	}
	requireSame(t, contentOf(t, u.edge), contentOf(t, o.site))
}

// pullUnit runs the commands of the service.
type pullUnit struct {
	shell, edge string
	folder      string            // with the substitute for systemctl
	place       *strings.Replacer // replaces the paths in the unit
}

// run runs the service while the server is in a state. It returns the last output of Quire,
// and the calls of systemctl.
func (u *pullUnit) run(t *testing.T, state string) (message, does string) {
	t.Helper()
	requested := filepath.Join(u.folder, "asked")
	script := "#!" + u.shell + "\necho \"$@\" >> " + requested + "\nif [ $1 = is-active ]; then echo " + state + "; [ $1 = active ]; fi\n"
	requireNil(t, os.WriteFile(filepath.Join(u.folder, "systemctl"), []byte(script), 0o700))
	unit, err := os.ReadFile(filepath.Join("..", "deploy", "quire-pull.service"))
	requireNil(t, err)
	var p *program
	if state == "active" {
		p = begin(t, "serve", "--listen", "127.0.0.1:0", u.edge)
	}
	for line := range strings.Lines(u.place.Replace(string(unit))) {
		line = strings.TrimSpace(line)
		if args, ok := strings.CutPrefix(line, "ExecStart=/usr/local/bin/quire "); ok {
			message = succeed(t, strings.Fields(args)...)
		}
		_, line, ok := strings.Cut(line, "=+/bin/sh -c '")
		if !ok {
			continue
		}
		if out, err := exec.Command(u.shell, "-c", strings.TrimSuffix(line, "'")).CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
		if text, _ := os.ReadFile(requested); p != nil && strings.Contains(string(text), "stop quire.service") {
			p.end()
			p = nil
		}
	}
	if p != nil {
		p.end()
	}
	text, _ := os.ReadFile(requested)
	_ = os.Remove(requested)
	return message, string(text)
}
