package endurance

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quire/test/program"
)

func TestMain(m *testing.M) { program.Main(m) }

// killIn starts a command and kills it at a random moment before so long has
// passed. It reports whether the command was killed before its end.
func killIn(t *testing.T, random *rand.Rand, most time.Duration, c *exec.Cmd) (killed bool) {
	t.Helper()
	var stderr strings.Builder
	c.Stderr = &stderr
	requireNil(t, c.Start())
	timer := time.AfterFunc(time.Duration(random.Int64N(int64(most))), func() { c.Process.Kill() })
	c.Wait()
	timer.Stop()
	killed = c.ProcessState.ExitCode() < 0
	if !killed && !c.ProcessState.Success() {
		t.Errorf("%v: %s", c, stderr.String())
	}
	return killed
}

// cuisines are lines of n documents, which have no rules that could be in the way.
func cuisines(t *testing.T, n int) (name string) {
	t.Helper()
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, `{"type":"api::cuisine.cuisine","documentId":"c%d","data":{"name":"Cuisine %d"}}`+"\n", i, i)
	}
	return write(t, out.String())
}

func write(t *testing.T, text string) (name string) {
	t.Helper()
	name = filepath.Join(t.TempDir(), "lines.ndjson")
	requireNil(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

func requireNil(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}
