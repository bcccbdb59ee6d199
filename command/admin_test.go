//go:build !noadmin

package command

import (
	"bytes"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// setupLink returns the token of the printed link for the first account.
func (p *program) setupLink() string {
	p.t.Helper()
	for line := range p.stdout {
		if token, found := strings.CutPrefix(strings.TrimSpace(line), p.url+"/admin/setup#"); found {
			return token
		}
		if strings.HasPrefix(line, "Metrics") {
			break
		}
	}
	return ""
}

// admin sends a form to the API of the admin, and returns the status.
func (p *program) admin(path, body string) int {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), "POST", p.url+"/admin/api/v1"+path, strings.NewReader(body))
	requireNil(p.t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Quire-Admin", "1")
	response, err := http.DefaultClient.Do(r)
	requireNil(p.t, err)
	response.Body.Close()
	return response.StatusCode
}

// As long as there is no account, each start prints a link that creates the first one.
func TestServePrintsTheLinkForTheFirstAccount(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	succeed(t, "new", "--template", "blank", site)
	p := begin(t, "serve", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", site)
	former := p.setupLink()
	p.end()
	p = begin(t, "serve", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", site)
	token := p.setupLink()
	if former == "" || token == "" || token == former {
		t.Fatalf("the links are %q and %q", former, token)
	}
	form := `{"token":"` + former + `","name":"Ana","email":"ana@example.org","password":"correct horse"}`
	if status := p.admin("/setup", form); status != 200 {
		t.Errorf("the link of the start before: %d", status)
	}
	if status := p.admin("/setup", strings.Replace(form, former, token, 1)); status != 400 {
		t.Errorf("a link when there is an account: %d", status)
	}
	p.end()
	p = begin(t, "serve", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", site)
	defer p.end()
	if again := p.setupLink(); again != "" {
		t.Errorf("with an account a start prints %q", again)
	}
	if status := p.admin("/session", `{"email":"ana@example.org","password":"correct horse"}`); status != 200 {
		t.Errorf("signing in after a restart: %d", status)
	}
}

// The commands work with and without a running server.
func TestAdminCommands(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	succeed(t, "new", "--template", "blank", site)
	link := strings.TrimSpace(succeed(t, "admin", "create", "--name", "Ana", "--email", "Ana@example.org", site))
	token, found := strings.CutPrefix(link, "/admin/setup#")
	if !found {
		t.Fatalf("without a server the link is %q", link)
	}
	p := begin(t, "serve", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", site)
	defer p.end()
	if again := p.setupLink(); again != "" {
		t.Errorf("with an account a start prints %q", again)
	}
	if status := p.admin("/setup", `{"token":"`+token+`","password":"correct horse"}`); status != 200 {
		t.Errorf("the link: %d", status)
	}
	link = strings.TrimSpace(succeed(t, "admin", "create", "--name", "Bob", "--email", "bob@example.org", "--role", "editor", site))
	if !strings.HasPrefix(link, p.url+"/admin/setup#") {
		t.Errorf("with a server the link is %q", link)
	}
	list := succeed(t, "admin", "list", site)
	for _, line := range []string{`Ana +ana@example.org +owner +true +false +20\d\d-`, `Bob +bob@example.org +editor +false +false +never`} {
		if !regexp.MustCompile(line).MatchString(list) {
			t.Errorf("the list lacks %s:\n%s", line, list)
		}
	}
	if link := succeed(t, "admin", "reset", "ana@example.org", site); !strings.HasPrefix(link, p.url+"/admin/setup#") {
		t.Errorf("a reset prints %q", link)
	}
	if link := succeed(t, "admin", "reset", "--second-factor", "ana@example.org", site); !strings.HasPrefix(link, p.url+"/admin/setup#") {
		t.Errorf("a reset with the second factor prints %q", link)
	}
	succeed(t, "admin", "remove", "bob@example.org", site)
	for _, args := range [][]string{{"remove", "ana@example.org"}, {"remove", "bob@example.org"}, {"reset", "bob@example.org"}, {"create", "--name", "Cyd", "--email", "cyd", "--role", "owner"}} {
		if code, _, stderr := command(t, append(append([]string{"admin"}, args...), site)...); code != 1 || !strings.Contains(stderr, "quire: ") {
			t.Errorf("admin %s: exit %d, %s", strings.Join(args, " "), code, stderr)
		}
	}
}

func TestAdminPasswordFromStandardInput(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	succeed(t, "new", "--template", "blank", site)
	c := newRoot()
	var out strings.Builder
	c.SetArgs([]string{"admin", "create", "--name", "Ana", "--email", "ana@example.org", "--password-stdin", site})
	c.SetIn(strings.NewReader("correct horse\n"))
	c.SetOut(&out)
	c.SetErr(io.Discard)
	if err := c.ExecuteContext(t.Context()); err != nil || !regexp.MustCompile(`^[0-9a-f]{16}\n$`).MatchString(out.String()) {
		t.Fatalf("%q, %v", out.String(), err)
	}
	p := begin(t, "serve", "--listen", "127.0.0.1:0", site)
	defer p.end()
	if status := p.admin("/session", `{"email":"ana@example.org","password":"correct horse"}`); status != 200 {
		t.Errorf("signing in: %d", status)
	}
}

// Backups contain the accounts of the admin, and exports do not.
func TestAccountsGoWithTheDataFile(t *testing.T) {
	folder := t.TempDir()
	site, file := filepath.Join(folder, "site"), filepath.Join(folder, "site.backup")
	succeed(t, "new", "--template", "blank", site)
	succeed(t, "admin", "create", "--name", "Ana", "--email", "ana@example.org", site)
	for _, args := range [][]string{{site, filepath.Join(folder, "export.tar")}, {site, filepath.Join(folder, "export.ndjson"), "--ndjson"}} {
		succeed(t, append([]string{"export"}, args...)...)
		out, err := os.ReadFile(args[1])
		requireNil(t, err)
		if bytes.Contains(out, []byte("ana@example.org")) || bytes.Contains(out, []byte("admin.")) {
			t.Errorf("%v has accounts of the admin", args)
		}
	}
	succeed(t, "backup", site, file)
	succeed(t, "admin", "create", "--name", "Bob", "--email", "bob@example.org", site)
	succeed(t, "restore", "--replace", file, site)
	if list := succeed(t, "admin", "list", site); !strings.Contains(list, "ana@example.org") || strings.Contains(list, "bob@example.org") {
		t.Errorf("after a restore:\n%s", list)
	}
	if out := succeed(t, "check", site); strings.Contains(out, "admin") {
		t.Errorf("a check says: %s", out)
	}
}
