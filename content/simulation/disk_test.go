package simulation

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"reflect"
	"syscall"
	"unsafe"

	"go.etcd.io/bbolt"

	"quire/store"
	"quire/test/power"
)

// The errors of every call after the power was cut, or the process was killed.
var (
	errPower = errors.New("the power is off")
	errKill  = errors.New("the process is killed")
)

// disk is the one under a data file. Each call of bbolt goes through it, and may fail.
//
// bbolt writes the pages of a commit, syncs, writes a head page, and syncs. The disk does
// the same unless the store has told bbolt to leave out the syncs, so that what is not
// synced is lost here too. The file below it has what the system would show: also what was
// not synced.
type disk struct {
	path   string
	plans  *rand.Rand // decides which calls fail
	chance *rand.Rand // decides what is left then
	rate   int        // commits for each that fails
	leaves call       // the sync that it forgets to do

	bolt  *bbolt.DB
	write func([]byte, int64) (int, error) // of the file
	syncs bool
	file  power.File
	size  int64

	end  error  // errPower or errKill
	full int    // commits that still find no space
	lied bool   // a sync was confirmed and not done
	lost []byte // what the file has once the cache of the system is dropped; nil for what it shows

	writing bool // a commit is in progress
	fault   fault
	trace   uint64 // of all calls except those for single pages
	fired   map[string]int
}

// call is one of the calls of a commit.
type call string

const (
	onePage    call = "write of a page"
	syncPages  call = "sync of the pages"
	oneHead    call = "write of a head"
	syncHead   call = "sync of the head"
	afterwards call = "end of a commit"
)

// fault is what happens during a commit. It is decided when the commit begins, and does not
// depend on the number of its pages: bbolt places them in the order of a Go map, which is
// another one in each run.
type fault struct {
	at   call
	page int // number of the page, for onePage
	how  int
}

// plan decides about the faults of the commit that begins.
func (d *disk) plan() {
	d.writing, d.fault = true, fault{}
	if d.plans.IntN(d.rate) == 0 {
		calls := []call{onePage, onePage, onePage, syncPages, syncPages, oneHead, syncHead, syncHead, syncHead, afterwards}
		d.fault = fault{calls[d.plans.IntN(len(calls))], d.plans.IntN(4), d.plans.IntN(4)}
	}
}

// strikes reports whether a call is the one that fails.
func (d *disk) strikes(at call) bool {
	if at != onePage {
		d.note(string(at))
	}
	if d.fault.at != at {
		return false
	}
	d.fault.page--
	return at != onePage || d.fault.page < 0
}

// seam returns a field of a package that tests cannot reach otherwise.
func seam[T any](owner any, field ...string) *T {
	f := reflect.ValueOf(owner).Elem()
	for _, name := range field {
		f = f.FieldByName(name)
	}
	if !f.IsValid() || f.Type() != reflect.TypeFor[T]() {
		panic(fmt.Sprintf("%T has no %s that is a %v", owner, field, reflect.TypeFor[T]()))
	}
	return (*T)(unsafe.Pointer(f.UnsafeAddr()))
}

// attach puts the disk below the file that a store has open, and does nothing if it is
// there already. The store has synced the file when it opened it. What a lie has kept from
// the disk is still not there, as the system takes it for written.
func (d *disk) attach(db *store.DB) {
	bolt := *seam[*bbolt.DB](db, "bolt")
	if bolt == nil || bolt == d.bolt {
		return
	}
	content, err := os.ReadFile(d.path)
	must(err)
	d.bolt, d.syncs, bolt.NoSync = bolt, !bolt.NoSync, true
	if d.lied = d.lied && bytes.Equal(d.file.Content(), content); !d.lied {
		d.file = power.NewFile(content)
	}
	d.size, d.lost = int64(len(content)), nil
	write := seam[func([]byte, int64) (int, error)](bolt, "ops", "writeAt")
	d.write, *write = *write, d.writeAt
}

// note adds to the trace.
func (d *disk) note(what string) {
	h := fnv.New64a()
	fmt.Fprint(h, d.trace, what)
	d.trace = h.Sum64()
}

// fail ends a commit by a fault.
func (d *disk) fail(name string, err error) error {
	d.fired[name]++
	d.note(name)
	if d.writing = false; err == errPower || err == errKill {
		d.end = err
	}
	return err
}

// stop cuts the power, or kills the process: then the system has all that was written.
func (d *disk) stop(when string) error {
	if d.fault.how%2 == 0 {
		return d.fail("power "+when, errPower)
	}
	return d.fail("kill "+when, errKill)
}

// writeAt is what bbolt writes a page with.
func (d *disk) writeAt(data []byte, at int64) (int, error) {
	if d.end != nil {
		return 0, d.end
	}
	if !d.writing {
		d.plan()
	}
	d.grow()
	if at >= int64(2*os.Getpagesize()) {
		return d.put(onePage, data, at)
	}
	err := d.sync(syncPages)
	if err == nil {
		_, err = d.put(oneHead, data, at)
	}
	if err == nil {
		err = d.sync(syncHead)
	}
	if err == nil && d.strikes(afterwards) {
		err = d.stop("after a commit")
	}
	d.writing = false
	return len(data), err
}

// put writes to the file. If it fails, nothing or a part is written.
func (d *disk) put(which call, data []byte, at int64) (int, error) {
	strikes := d.strikes(which)
	switch part := data[:d.chance.IntN(len(data)+1)]; {
	case strikes && d.fault.how == 0:
		d.full = d.plans.IntN(8)
		return 0, d.fail("no space", syscall.ENOSPC)
	case d.full > 0:
		d.full--
		return 0, d.fail("no space", syscall.ENOSPC)
	case strikes:
		d.file.Write(at, bytes.Clone(part))
		n, err := d.write(part, at)
		must(err)
		if d.fault.how == 1 {
			return n, d.fail("torn write", syscall.EIO)
		}
		return n, d.stop("during a write")
	}
	d.file.Write(at, bytes.Clone(data))
	return d.write(data, at)
}

// grow follows the size of the file, which bbolt syncs when it grows.
func (d *disk) grow() {
	info, err := os.Stat(d.path)
	must(err)
	if info.Size() != d.size {
		d.size = info.Size()
		d.file.Resize(d.size)
		if !d.bolt.NoGrowSync {
			d.file.Sync()
		}
	}
}

// sync does a sync, unless it fails or lies.
func (d *disk) sync(which call) error {
	if !d.syncs || d.leaves == which {
		return nil
	}
	switch strikes := d.strikes(which); {
	case !strikes:
		d.file.Sync()
		d.lied = false
	case d.fault.how == 0: // and the system forgets what it has not written
		d.lost = d.file.Cut(d.chance)
		return d.fail("failed sync", syscall.EIO)
	case d.fault.how == 1:
		d.fired["sync that lies"]++
		d.lied = true
	default:
		return d.stop("during a sync")
	}
	return nil
}

// forget drops the cache of the system, as the store does before it opens a file again after
// a failed sync.
func (d *disk) forget() {
	if d.lost == nil {
		return
	}
	f, err := os.OpenFile(d.path, os.O_RDWR, 0)
	must(err)
	_, err = f.WriteAt(d.lost, 0)
	must(errors.Join(err, f.Truncate(int64(len(d.lost))), f.Close()))
	d.lost = nil
}

// left returns what the disk has after a cut of the power. Writes that were confirmed by a lie
// are lost in order: a disk that also reorders them leaves no file that anybody can trust.
func (d *disk) left() []byte {
	if d.lied {
		return d.file.CutInOrder(d.chance)
	}
	return d.file.Cut(d.chance)
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
