package program

import (
	"runtime"
	"testing"
)

// ending is a test that notes how it ends.
type ending struct {
	testing.TB
	how string
}

func (e *ending) Helper()              {}
func (e *ending) Fatal(...any)         { e.how = "it fails"; runtime.Goexit() }
func (e *ending) Skipf(string, ...any) { e.how = "it is skipped"; runtime.Goexit() }

// On the machine of a developer a test is skipped if another program is missing; in .ci it
// fails, so that nothing is left out in silence.
func TestAMissingProgramFailsInCI(t *testing.T) {
	for ci, want := range map[string]string{"": "it is skipped", "true": "it fails"} {
		t.Setenv("QUIRE_CI", ci)
		e := &ending{TB: t}
		done := make(chan struct{})
		go func() {
			defer close(done)
			Find(e, "no-such-program")
		}()
		<-done
		if e.how != want {
			t.Errorf("QUIRE_CI=%q: a test without its program: %q, want %q", ci, e.how, want)
		}
	}
	if path := Find(t, "go"); path == "" {
		t.Error("go is not found")
	}
}
