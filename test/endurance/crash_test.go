package endurance

import (
	"math"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"quire/test/ledger"
	"quire/test/program"
)

// trial is a ledger's, of a program that is killed.
type trial struct {
	*ledger.Trial
	t      *testing.T
	strays int // files without a record that were removed
}

func newTrial(t *testing.T, seed uint64, writers int) *trial {
	t.Helper()
	return &trial{Trial: ledger.New(t, seed, writers), t: t}
}

// start starts the program under test.
func (tr *trial) start() *program.Server {
	tr.t.Helper()
	p := program.Serve(tr.t, tr.Main.Site)
	tr.Main.URL = p.URL
	return p
}

// restart starts the program once what a killed one has left is repaired. All
// files have to be whole, writes have to be taken, and what was acknowledged has
// to be there: in the content, and in the indexes that are built from it.
func (tr *trial) restart() *program.Server {
	tr.t.Helper()
	tr.strays += repairStrays(tr.t, tr.Main.Site)
	p := tr.start()
	checkFilesWhole(tr.t, &uploader{p.URL, tr.Main.Token})
	tr.Recover()
	return p
}

// end kills the program, and demands that what it leaves is whole.
func (tr *trial) end(p *program.Server) {
	tr.t.Helper()
	p.Kill()
	if tr.t.Failed() {
		return
	}
	tr.restart().Kill()
	tr.Finish()
	tr.t.Logf("%d strays removed", tr.strays)
}

// A program that is killed at any moment, also while it starts or stops, has every
// write that it acknowledged and no half of one that it did not.
func TestKilledDuringWrites(t *testing.T) {
	t.Parallel()
	seed, rounds := program.Chance(t, 2, 120)
	tr := newTrial(t, seed, 6)
	random := rand.New(rand.NewPCG(seed, 1<<32))
	p := tr.start()
	tr.Share()
	for range rounds {
		written := tr.Begin(math.MaxInt)
		for range 20 + random.IntN(100) {
			<-written
		}
		if random.IntN(3) == 0 {
			p.Signal(syscall.SIGTERM)
		}
		timer := time.AfterFunc(time.Duration(random.IntN(5000))*time.Microsecond, func() { p.Process.Kill() })
		for range written { // until nobody writes any more
		}
		timer.Stop()
		p.Kill()
		for range random.IntN(3) { // before it listens, or soon after
			killIn(t, random, 60*time.Millisecond, program.ServeCommand(t, tr.Main.Site))
		}
		p = tr.restart()
	}
	tr.end(p)
}
