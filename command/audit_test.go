package command

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quire/content/audit"
)

// audited returns the actions in the audit log of a site, in order.
func audited(t *testing.T, site string, args ...string) (events []audit.Event, actions []string) {
	t.Helper()
	for line := range strings.Lines(succeed(t, append(append([]string{"audit"}, args...), site)...)) {
		var e audit.Event
		requireNil(t, json.Unmarshal([]byte(line), &e))
		events, actions = append(events, e), append(actions, e.Action)
	}
	return events, actions
}

// requireNoted runs a command, which must add one line with that action to the audit
// log, on behalf of a command on this machine.
func requireNoted(t *testing.T, site, action string, args ...string) {
	t.Helper()
	before, _ := audited(t, site)
	succeed(t, args...)
	after, _ := audited(t, site)
	for _, e := range after[min(len(before), len(after)):] {
		if e.Action == action && e.By.Kind == "command" && e.Way == audit.ByCommand && e.From == "" {
			return
		}
	}
	t.Errorf("quire %s: %+v, want %s", strings.Join(args, " "), after[len(before):], action)
}

// A restore keeps all lines of the audit log, and adds one.
func TestRestoreKeepsTheAuditLog(t *testing.T) {
	site := newSite(t, resetAt)
	file := filepath.Join(t.TempDir(), "b.tar.zst")
	succeed(t, "token", "create", "--name", "before", "--type", "full-access", site)
	succeed(t, "backup", site, file)
	succeed(t, "token", "create", "--name", "after", "--type", "full-access", site)
	was, _ := audited(t, site)
	requireNoted(t, site, "data.restore", "restore", "--replace", file, site)
	is, actions := audited(t, site)
	if len(is) != len(was)+1 || !slices.Contains(actions, "data.backup") {
		t.Errorf("the log has %q, and had %d lines", actions, len(was))
	}
	for i, e := range was {
		if is[i].Number != e.Number || is[i].Target != e.Target || !is[i].At.Equal(e.At) {
			t.Errorf("line %d was %+v and is %+v", i, e, is[i])
		}
	}
	if list := succeed(t, "token", "list", site); strings.Contains(list, "after") {
		t.Errorf("the tokens: %s", list)
	}
	other := newSite(t, resetAt)
	succeed(t, "restore", file, other)
	if _, actions := audited(t, other); actions[len(actions)-1] != "data.restore" || !slices.Contains(actions, "token.create") {
		t.Errorf("elsewhere the log has %q", actions)
	}
}

// Flags select lines. A flag with an invalid value is misuse.
func TestAuditFlags(t *testing.T) {
	site := newSite(t, resetAt)
	succeed(t, "token", "create", "--name", "one", "--type", "full-access", site)
	succeed(t, "user", "create", "--username", "ana", "--email", "ana@example.org", site)
	for _, test := range []struct {
		args string
		want string
	}{
		{"--action token", "token.create"}, {"--target ana", "user.create"}, {"--by token --since 1h", "token.create"}, {"--by nobody", ""},
	} {
		if _, actions := audited(t, site, strings.Fields(test.args)...); strings.Join(actions, " ") != test.want {
			t.Errorf("%s: %q", test.args, actions)
		}
	}
	if code, _, stderr := command(t, "audit", "--since", "tomorrow", site); code != 2 {
		t.Errorf("exit %d, %s", code, stderr)
	}
}
