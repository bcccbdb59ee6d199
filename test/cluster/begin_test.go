//go:build cluster

package cluster

import (
	"strings"
	"sync"
	"testing"

	"quire/test/program"
)

// Machines that start for the first time together may all begin the site: one of them does,
// the others wait for it, and each of them becomes a node.
func TestMachinesThatBeginASiteTogether(t *testing.T) {
	t.Parallel()
	to := addressOf([]string{startMembers(t, 1)[0].address}, "guide")
	folders, message := make([]string, 3), make([]string, 3)
	for i := range folders {
		folders[i] = newFolder(t, layout{})
	}
	program.Path(t)
	var all sync.WaitGroup
	for i, folder := range folders {
		all.Go(func() {
			out, err := program.New(t, "cluster", "init", to, "--empty", "--if-missing", folder).CombinedOutput()
			if message[i] = string(out); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	all.Wait()
	if n := strings.Count(strings.Join(message, ""), "it stays as it is"); n != 2 {
		t.Errorf("%d of them find the site there:\n%s", n, strings.Join(message, ""))
	}
	for _, folder := range folders {
		if out := program.Succeed(t, "cluster", "join", to, folder); !strings.Contains(out, "has the content of") {
			t.Error(out)
		}
	}
}
