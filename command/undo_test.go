package command

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"quire/app"
)

// What a token has done is taken back: with a server, and without one.
func TestUndo(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	succeed(t, "new", site)
	token := strings.TrimSpace(succeed(t, "token", "create", "--name", "robot", "--type", "full-access", site))
	p := begin(t, "serve", "--listen", "127.0.0.1:0", site)
	send := func(method, path, body string) (made struct{ Data struct{ DocumentID string } }) {
		t.Helper()
		if status := p.send(token, method, "/api/"+path, body, &made); status >= 300 {
			t.Fatalf("%s %s: %d", method, path, status)
		}
		return made
	}
	first := send("POST", "cuisines", `{"data": {"name": "French"}}`)
	send("POST", "cuisines", `{"data": {"name": "Thai"}}`)
	undo := func(args ...string) (out app.Undone) {
		t.Helper()
		text := succeed(t, append([]string{"undo", "--json", "--by", "token:robot", "--since", "1h", site}, args...)...)
		if err := json.Unmarshal([]byte(text), &out); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		return out
	}
	if out := undo("--dry-run"); out.Done || len(out.Entries) != 2 || out.Entries[0].Action != "delete" {
		t.Errorf("dry run: %+v", out)
	}
	if got := names(t, "cuisines?sort=name", site); got != "French Thai" {
		t.Errorf("after a dry run: %s", got)
	}
	if out := undo(); !out.Done || len(out.Entries) != 2 {
		t.Errorf("%+v", out)
	}
	if got := names(t, "cuisines", site); got != "" {
		t.Errorf("after the undo: %s", got)
	}
	send("POST", "cuisines", `{"data": {"name": "Greek"}}`)
	p.end()
	if out := undo(); len(out.Entries) != 1 || len(out.Left) != 2 {
		t.Errorf("without a server: %+v; %s was taken back before", out, first.Data.DocumentID)
	}
	for args, want := range map[string]string{
		"--by robot --since 1h":          "--by takes an author",
		"--by token:robot":               "--since takes a moment",
		"--by token:robot --since never": "--since takes a moment",
	} {
		code, _, stderr := command(t, append(append([]string{"undo"}, strings.Fields(args)...), site)...)
		if !refused(code, stderr) || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, %s", args, code, stderr)
		}
	}
}
