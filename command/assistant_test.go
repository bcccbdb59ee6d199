//go:build !noadmin

package command

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// The command line makes an assistant of an account, whose token opens /mcp until it is ended, and
// says so if assistants are off.
func TestAssistantsOfTheCommandLine(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	succeed(t, "new", site)
	for _, name := range []string{"Ana", "Bob"} {
		succeed(t, "admin", "create", "--name", name, "--email", strings.ToLower(name)+"@example.org", site)
	}
	code, stdout, stderr := command(t, "assistant", "create", "--account", "ana@example.org", "--name", "Claude", "--publish", "ask", "--expires", "36h", site)
	token := strings.TrimSpace(stdout)
	if code != 0 || !strings.HasPrefix(token, "qra_") || strings.Contains(token, "\n") || !strings.Contains(stderr, "assistants are off here") {
		t.Fatalf("exit %d: %s, %s", code, stdout, stderr)
	}
	edit(t, site, "site.json", "{", `{"mcp": {"enabled": true},`)
	p := begin(t, "serve", "--listen", "127.0.0.1:0", site)
	lists := func() int {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), "POST", p.url+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		requireNil(t, err)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+token)
		response, err := http.DefaultClient.Do(r)
		requireNil(t, err)
		requireNil(t, response.Body.Close())
		return response.StatusCode
	}
	if status := lists(); status != 200 {
		t.Errorf("its token: %d", status)
	}
	if code, _, stderr := command(t, "assistant", "create", "--account", "bob@example.org", "--name", "Claude", site); code != 0 || strings.Contains(stderr, "off") {
		t.Errorf("one of another account: exit %d: %s", code, stderr)
	}
	var all []struct {
		ID, Account string
		Limits      struct{ Publish, Delete string }
	}
	requireNil(t, json.Unmarshal([]byte(succeed(t, "assistant", "list", "--json", site)), &all))
	if len(all) != 2 || all[0].Account != "ana@example.org" || all[0].Limits.Publish != "ask" || all[0].Limits.Delete != "no" {
		t.Errorf("the list is %+v", all)
	}
	if list := succeed(t, "assistant", "list", site); strings.Contains(list, token) || !strings.Contains(list, "bob@example.org") {
		t.Errorf("the list is %s", list)
	}
	for args, want := range map[string]string{
		"end Claude": "2 assistants have this name", "end nobody": `no assistant "nobody"`, "end ana@example.org": `no assistant`,
		"create --account nobody --name A":                          `no account of the admin "nobody"`,
		"create --account ana@example.org --name Claude":            "has an assistant with this name already",
		"create --account ana@example.org --name A --publish all":   "--publish takes no, ask or yes",
		"create --account ana@example.org --name A --expires 2y":    `not "2y"`,
		"create --account ana@example.org --name A --expires 366d":  "a number of days between 1 and 365",
		"create --account ana@example.org --name A --type api::x.x": `no content type "api::x.x"`,
		"create --account ana@example.org --name A --most -1":       "a number between 0 and",
		"create --account ana@example.org":                          "--name must be given",
	} {
		code, stdout, stderr := command(t, append(strings.Fields("assistant "+args), site)...)
		if code == 0 || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d: %s, want %q", args, code, stderr, want)
		}
	}
	succeed(t, "assistant", "end", all[0].ID, site)
	if status := lists(); status != 401 {
		t.Errorf("the token of one that has ended: %d", status)
	}
	p.end()
	succeed(t, "assistant", "end", "Claude", site)
	if list := succeed(t, "assistant", "list", "--json", site); strings.TrimSpace(list) != "[]" {
		t.Errorf("all have ended: %s", list)
	}
}
