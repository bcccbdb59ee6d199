package command

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"quire/app"
)

// An assistant on this machine writes drafts without a server, and the audit log says so.
func TestAnAssistantOnThisMachine(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	succeed(t, "new", site)
	succeed(t, "token", "create", "--name", "a", "--type", "read-only", site)
	call := func(tool, arguments string) string {
		return `{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "` + tool + `", "arguments": ` + arguments + `}}`
	}
	messages := strings.Join([]string{
		`{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}}`,
		`{"jsonrpc": "2.0", "method": "notifications/initialized"}`,
		"", "no JSON",
		`{"jsonrpc": "2.0", "id": 3, "method": "no/method"}`,
		call("write", `{"items": [{"type": "api::restaurant.restaurant", "data": {"name": "Roma"}}]}`),
		call("write", `{"items": [{"type": "api::cuisine.cuisine", "data": {"name": "Soup"}}]}`),
		call("find", `{"type": "api::restaurant.restaurant"}`),
	}, "\n")
	var out bytes.Buffer
	requireNil(t, converse(t.Context(), app.Location{Site: site}, "", strings.NewReader(messages), &out))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	wants := []string{`"protocolVersion":"2025-06-18"`, `"code":-32700`, `"id":3`, "Written as drafts", "needs a person", "Roma"}
	if len(lines) != len(wants) {
		t.Fatalf("%d answers: %s", len(lines), &out)
	}
	for i, want := range wants {
		if !strings.Contains(lines[i], want) {
			t.Errorf("answer %d is %s, want %s", i, lines[i], want)
		}
	}
	if log := succeed(t, "audit", "--json", site); !strings.Contains(log, `"command"`) || !strings.Contains(log, "mcp") {
		t.Errorf("the audit log is %s", log)
	}
	if code, _, stderr := command(t, "mcp", "--as", "nobody", site); code != 0 {
		t.Errorf("without a message, nobody has to be found: %s", stderr)
	}
}
