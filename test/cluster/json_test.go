//go:build cluster

package cluster

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"quire/test/program"
)

// With --json each command on a cluster prints one document with these keys; one that fails
// prints nothing on standard output.
func TestClusterCommandsPrintJSON(t *testing.T) {
	t.Parallel()
	to := addressOf([]string{startMembers(t, 1)[0].address}, "guide")
	first, second := newFolder(t, layout{}), newFolder(t, layout{})
	for _, test := range []struct{ args, keys string }{
		{"cluster init --empty " + to + " " + first, "before bytes cluster values"},
		{"cluster init --empty --if-missing " + to + " " + second, "before bytes cluster values"},
		{"cluster join " + to + " " + second, "cluster dataFile node"},
		{"cluster activate " + to + " " + first, "cluster schemas"},
		{"check --cluster " + to + " " + second, "code ignored notes problems"},
		{"cluster drop --generation 9 " + to, "generation"}, // what is not there is gone
		{"cluster leave " + to + " " + second, "dataFolder"},
	} {
		stdout := program.Succeed(t, append(strings.Fields(test.args), "--json")...)
		var printed map[string]any
		if err := json.Unmarshal([]byte(stdout), &printed); err != nil {
			t.Errorf("quire %s: %v\n%s", test.args, err, stdout)
		}
		if keys := strings.Join(slices.Sorted(maps.Keys(printed)), " "); keys != test.keys {
			t.Errorf("quire %s prints %s", test.args, keys)
		}
	}
	var status struct {
		Schema  string
		Members []struct{ Endpoint string }
	}
	check(t, json.Unmarshal([]byte(program.Succeed(t, "cluster", "status", "--json", to)), &status))
	if status.Schema == "" || len(status.Members) != 1 || !strings.Contains(to, status.Members[0].Endpoint) {
		t.Errorf("status: %+v", status)
	}
	for args, want := range map[string]int{
		"cluster status " + to + "x": 1, "cluster drop " + to: 2,
		"cluster remove --member m9 " + to: 1, "cluster remove " + to: 2, "cluster leave " + to + " " + second: 1,
	} {
		code, stdout, stderr := program.Run(t, append(strings.Fields(args), "--json")...)
		if code != want || stdout != "" || stderr == "" {
			t.Errorf("quire %s: exit %d, stdout %q, stderr %q", args, code, stdout, stderr)
		}
	}
}
