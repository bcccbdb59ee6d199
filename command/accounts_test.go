package command

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quire/app"
)

// newSite writes a starter site, and adds members to its site.json.
func newSite(t *testing.T, auth string) string {
	t.Helper()
	site := filepath.Join(t.TempDir(), "site")
	succeed(t, "new", site)
	name := filepath.Join(site, "site.json")
	text, err := os.ReadFile(name)
	requireNil(t, err)
	requireNil(t, os.WriteFile(name, []byte(strings.Replace(string(text), "{", `{"auth": `+auth+`,`, 1)), 0o600))
	return site
}

// who runs a command. It returns the output and who did the work.
func who(t *testing.T, args ...string) (stdout, by string) {
	t.Helper()
	code, stdout, stderr := command(t, args...)
	by, ok := strings.CutPrefix(stderr, "quire: done by ")
	if code != 0 || !ok || strings.Count(stderr, "\n") != 1 {
		t.Fatalf("quire %s: exit %d\n%s%s", strings.Join(args, " "), code, stdout, stderr)
	}
	return strings.TrimSuffix(stdout, "\n"), strings.TrimSuffix(by, "\n")
}

// post sends JSON to the program, and decodes the response into v.
func (p *program) post(path, body string, v any) int {
	p.t.Helper()
	response, err := http.Post(p.url+path, "application/json", strings.NewReader(body))
	requireNil(p.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil {
		err = json.Unmarshal(text, v)
	}
	if err != nil {
		p.t.Fatalf("POST %s: %s, %v", path, text, err)
	}
	return response.StatusCode
}

// operateAll takes an account through its life with commands alone. At the end a user is
// blocked and a token is revoked.
func operateAll(t *testing.T, site, want string) {
	t.Helper()
	run := func(args ...string) string {
		t.Helper()
		stdout, by := who(t, append(args, site)...)
		if by != want {
			t.Errorf("quire %s: done by %s, want %s", strings.Join(args, " "), by, want)
		}
		return stdout
	}
	if token := run("token", "create", "--name", "deploy", "--type", "custom", "--permission", "plugin::upload.content-api.upload"); len(token) != 256 {
		t.Errorf("the token: %q", token)
	}
	if list := run("token", "list"); !strings.Contains(list, "deploy") || !strings.Contains(list, "plugin::upload.content-api.upload") {
		t.Errorf("the tokens: %s", list)
	}
	run("token", "revoke", "deploy")
	if list := run("token", "list", "--json"); strings.Contains(list, "deploy") {
		t.Errorf("the tokens: %s", list)
	}
	if id := run("user", "create", "--username", "ana", "--email", "ana@example.org"); id != "1" {
		t.Errorf("the id: %q", id)
	}
	if link := run("user", "reset-link", "ana"); !strings.HasPrefix(link, "https://example.org/reset?code=") {
		t.Errorf("the link: %s", link)
	}
	run("user", "set-role", "ana", "public")
	run("user", "sign-out", "ana")
	run("user", "sign-out", "--all")
	run("user", "unblock", "ana")
	run("user", "block", "ana@example.org")
	if list := run("user", "list"); !strings.Contains(list, "ana@example.org  public  true       true") {
		t.Errorf("the users: %s", list)
	}
	run("user", "create", "--username", "bob", "--email", "bob@example.org")
	run("user", "delete", "2")
	if list := run("user", "list", "--json"); strings.Count(list, `"documentId"`) != 1 {
		t.Errorf("the users: %s", list)
	}
	if list := run("role", "list"); !strings.Contains(list, "public         Public         site.json  1") {
		t.Errorf("the roles: %s", list)
	}
	if actions := run("role", "show", "authenticated"); !strings.Contains(actions, "plugin::users-permissions.user.me") {
		t.Errorf("the role: %s", actions)
	}
}

const resetAt = `{"reset": {"url": "https://example.org/reset"}, "rateLimit": {"enabled": false}}`

func TestCommandsWithoutAServer(t *testing.T) {
	operateAll(t, newSite(t, resetAt), app.ByProcess)
}

func TestCommandsOnARunningServer(t *testing.T) {
	site := newSite(t, resetAt)
	p := begin(t, "serve", "--listen", "127.0.0.1:0", site)
	operateAll(t, site, app.ByServer)

	// The next request sees what a command has changed.
	token, _ := who(t, "token", "create", "--name", "late", "--type", "full-access", site)
	var users []map[string]any
	if status := p.get("/api/users", token, &users); status != 200 || len(users) != 1 {
		t.Errorf("with a new token: %d %v", status, users)
	}
	who(t, "token", "revoke", "late", site)
	var refused map[string]any
	if status := p.get("/api/users", token, &refused); status != 401 {
		t.Errorf("with a revoked token: %d", status)
	}
	who(t, "user", "unblock", "ana", site)
	who(t, "user", "set-role", "ana", "authenticated", site)
	link, _ := who(t, "user", "reset-link", "ana", site)
	_, code, _ := strings.Cut(link, "code=")
	var session struct{ JWT string }
	if status := p.post("/api/auth/reset-password", `{"code": "`+code+`", "password": "secret-1", "passwordConfirmation": "secret-1"}`, &session); status != 200 {
		t.Fatalf("with the link: %d", status)
	}
	if status := p.get("/api/users/me", session.JWT, &refused); status != 200 {
		t.Errorf("signed in: %d", status)
	}
	who(t, "user", "block", "ana", site)
	if status := p.get("/api/users/me", session.JWT, &refused); status != 401 {
		t.Errorf("blocked: %d", status)
	}
	if code, stdout, stderr := command(t, "user", "block", "nobody", site); code != 1 || stdout != "" || stderr != "quire: there is no user \"nobody\"\n" {
		t.Errorf("a command that fails: exit %d, %q, %q", code, stdout, stderr)
	}
	p.end()
	if _, err := os.Lstat(filepath.Join(site, "data", "quire.sock")); err == nil {
		t.Error("the socket stays behind")
	}
}

func TestPasswordFromStandardInput(t *testing.T) {
	site := newSite(t, resetAt)
	root := newRoot()
	root.SetArgs([]string{"user", "create", "--username", "ana", "--email", "ana@example.org", "--password-stdin", site})
	root.SetIn(strings.NewReader("secret-1\r\n"))
	root.SetOut(io.Discard)
	root.SetErr(io.Discard)
	requireNil(t, root.ExecuteContext(t.Context()))
	p := begin(t, "serve", "--listen", "127.0.0.1:0", site)
	defer p.end()
	var session struct{ JWT string }
	if status := p.post("/api/auth/local", `{"identifier": "ana", "password": "secret-1"}`, &session); status != 200 || session.JWT == "" {
		t.Errorf("signing in: %d", status)
	}
	root = newRoot()
	root.SetArgs([]string{"user", "create", "--username", "bob", "--email", "bob@example.org", "--password-stdin", site})
	root.SetIn(strings.NewReader(""))
	if err := root.ExecuteContext(t.Context()); err == nil || !strings.Contains(err.Error(), "no password") {
		t.Errorf("without a password: %v", err)
	}
}

func TestSecretsFromTheEnvironment(t *testing.T) {
	site := newSite(t, resetAt)
	succeed(t, "hook", "secret", site) // creates the data file
	t.Setenv("JWT_SECRET", "short")
	if code, _, stderr := command(t, "user", "list", site); code != 1 || !strings.Contains(stderr, "JWT_SECRET has 5 bytes") {
		t.Errorf("a short secret: exit %d, %s", code, stderr)
	}
	t.Setenv("JWT_SECRET_FILE", filepath.Join(site, "none"))
	if code, _, stderr := command(t, "user", "list", site); code != 1 || !strings.Contains(stderr, "both JWT_SECRET and JWT_SECRET_FILE") {
		t.Errorf("two secrets: exit %d, %s", code, stderr)
	}
	t.Setenv("JWT_SECRET", "")
	if code, _, stderr := command(t, "user", "list", site); code != 1 || !strings.Contains(stderr, "JWT_SECRET_FILE: open ") {
		t.Errorf("a secret in a file that is not there: exit %d, %s", code, stderr)
	}
	t.Setenv("JWT_SECRET_FILE", "")
	t.Setenv("JWT_SECRET", "long enough to be one")
	if code, _, stderr := command(t, "user", "sign-out", "--all", site); code != 1 || !strings.Contains(stderr, "JWT_SECRET") {
		t.Errorf("another secret: exit %d, %s", code, stderr)
	}
	t.Setenv("SMTP_URL", "ftp://me:hidden@mail.example.org")
	if code, _, stderr := command(t, "user", "list", site); code != 1 || !strings.Contains(stderr, "SMTP_URL") || strings.Contains(stderr, "hidden") {
		t.Errorf("no mail server: exit %d, %s", code, stderr)
	}
}

// A command that lists or changes something creates no data file if --data is mistyped. A
// command that makes something creates the data file, because it may run before the first
// start, and reports it.
func TestMistypedDataFolders(t *testing.T) {
	site := newGuide(t)
	data := filepath.Join(t.TempDir(), "dtaa")
	for _, args := range [][]string{
		{"token", "list"}, {"token", "revoke", "x"}, {"user", "list"}, {"user", "reset-link", "x"}, {"user", "sign-out", "--all"},
		{"role", "list"}, {"role", "show", "public"}, {"admin", "list"}, {"admin", "reset", "x"}, {"admin", "remove", "x"},
		{"webhook", "list"}, {"webhook", "deliveries", "x"}, {"status"}, {"query", "/api/chefs"}, {"compact"}, {"export", "x.tar.gz"},
	} {
		code, stdout, stderr := command(t, append(args, "--data", data, site)...)
		if code != 1 || stdout != "" || stderr != "quire: there is no data file "+filepath.Join(data, "quire.db")+"; `quire serve` makes it\n" {
			t.Errorf("quire %v: exit %d, %s%s", args, code, stdout, stderr)
		}
		if _, err := os.Stat(data); err == nil {
			t.Fatalf("quire %v has made the folder", args)
		}
	}
	for _, want := range []string{"quire: there was no data file " + filepath.Join(data, "quire.db") + "; it was made\n", ""} {
		code, _, stderr := command(t, "token", "create", "--name", "t"+want[:min(1, len(want))], "--type", "full-access", "--data", data, site)
		if code != 0 || stderr != "quire: done by "+app.ByProcess+"\n"+want {
			t.Errorf("exit %d, %s", code, stderr)
		}
	}
}
