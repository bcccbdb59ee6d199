package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"quire/test/power"
)

// powerStep is an update, a compaction and an update, an update of a copy that takes the
// place of the file, another text in a file beside it and an update, or an update by a process
// that was killed before it could sync.
type powerStep struct {
	kind    string // update, compact, rework, text or killed
	changes []Change
	after   map[string][]*Entry
	text    int // number of the step that has last replaced the text; 0 for none
}

// besideFile is a file with a text, which ReplaceFile writes.
const besideFile = "site.json"

// powerSteps are random steps. The same seed makes the same ones.
func powerSteps(seed uint64, n int) (steps []powerStep) {
	random := rand.New(rand.NewPCG(seed, 36))
	stored, replaced := map[int]*Entry{}, 0
	for i := range n {
		s := powerStep{kind: "update"}
		switch random.IntN(10) {
		case 0:
			s.kind = "compact"
		case 1:
			s.kind = "rework"
		case 2, 3:
			s.kind, replaced = "text", i+1
		case 4:
			s.kind = "killed"
		}
		s.text = replaced
		for range random.IntN(4) + 1 {
			if s.kind == "compact" {
				break
			}
			dog := random.IntN(12)
			before := stored[dog]
			after := text(uint64(dog+1), fmt.Sprintf("dog%02d", dog), "", Draft, strings.Repeat(string(rune('a'+i%26)), 1<<random.IntN(15)))
			if before != nil && random.IntN(4) == 0 {
				after = nil
				delete(stored, dog)
			} else {
				stored[dog] = after
			}
			s.changes = append(s.changes, Change{Type: dogs, Before: before, After: after})
		}
		s.after = map[string][]*Entry{}
		for dog := range 12 {
			if e := stored[dog]; e != nil {
				s.after[dogs] = append(s.after[dogs], e)
			}
		}
		steps = append(steps, s)
	}
	return steps
}

// takeSteps is the program whose power is cut.
func takeSteps(t *testing.T, folder string, steps []powerStep) {
	notes, err := os.Create(filepath.Join(folder, power.Notes))
	noError(t, err)
	defer notes.Close()
	db, err := Open(filepath.Join(folder, "quire.db"), Options{})
	noError(t, err)
	for i, s := range steps {
		fmt.Fprintln(notes, "begun", i+1)
		apply := func(tx *Tx) error {
			for _, c := range s.changes {
				if err := tx.Apply(c); err != nil {
					return err
				}
			}
			return tx.PutRecord("steps", "last", []byte(strconv.Itoa(i+1)))
		}
		switch s.kind {
		case "update":
			err = db.Update(apply)
		case "rework":
			err = db.Rework(func(work *DB) error { return work.Update(apply) })
		case "compact":
			_, err = db.Compact(context.Background())
			err = errors.Join(err, db.Update(apply))
		case "text":
			err = ReplaceFile(filepath.Join(folder, besideFile), textOf(i+1), 0o600)
			err = errors.Join(err, db.Update(apply))
		case "killed":
			noError(t, db.Close())
			db, err = openAfterKill(t, db.path, apply)
		}
		noError(t, err)
		fmt.Fprintln(notes, "done", i+1)
	}
	noError(t, db.Close())
}

// openAfterKill opens the file after a process that was killed between writing the head of a
// commit and the sync of it.
func openAfterKill(t *testing.T, path string, fn func(*Tx) error) (*DB, error) {
	before, err := os.ReadFile(path)
	noError(t, err)
	other := filepath.Join(t.TempDir(), "other")
	noError(t, os.WriteFile(other, before, 0o600))
	db, err := Open(other, Options{Hasty: true})
	noError(t, err)
	noError(t, errors.Join(db.Update(fn), db.Close()))
	after, err := os.ReadFile(other)
	noError(t, err)
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	noError(t, err)
	heads := 2 * os.Getpagesize()
	_, err = f.WriteAt(after[heads:], int64(heads))
	noError(t, errors.Join(err, f.Sync()))
	_, err = f.WriteAt(after[:heads], 0)
	noError(t, errors.Join(err, f.Close()))
	return Open(path, Options{})
}

// textOf is the text that the step writes, of more than one page; nil for none.
func textOf(step int) []byte {
	if step == 0 {
		return nil
	}
	return []byte(strings.Repeat(fmt.Sprintln("step", step), 1000))
}

// recordSteps has takeSteps done under strace.
func recordSteps(t *testing.T, seed uint64, n int) *power.Trace {
	t.Helper()
	return power.Record(t, fmt.Sprintf("%d,%d", seed, n))
}

// takeOrderedSteps does what recordSteps has ordered, if this is the process under strace.
func takeOrderedSteps(t *testing.T) bool {
	order, folder := power.Ordered()
	if folder == "" {
		return false
	}
	seed, n, _ := strings.Cut(order, ",")
	number, err := strconv.ParseUint(seed, 10, 64)
	steps, wrong := strconv.Atoi(n)
	if err = errors.Join(err, wrong); err != nil {
		t.Fatal(err)
	}
	takeSteps(t, folder, powerSteps(number, steps))
	return true
}

// cutPower cuts the power at random moments, and returns what was wrong after each cut.
func cutPower(t *testing.T, trace *power.Trace, steps []powerStep, seed uint64, cuts int, leaves func(string) bool) []error {
	t.Helper()
	wrong, notes := trace.Cut(t, seed, cuts, leaves, func(left, notes string) error {
		begun, done := lastOf(notes, "begun"), lastOf(notes, "done")
		if err := afterCut(left, steps, begun, done); err != nil {
			return fmt.Errorf("with step %d done and %d begun: %w", done, begun, err)
		}
		return nil
	})
	if lastOf(notes, "done") != len(steps) {
		t.Fatalf("the log ends with %q", notes)
	}
	return wrong
}

// lastOf returns the number of the last step that is noted with the word.
func lastOf(notes, word string) (n int) {
	for line := range strings.Lines(notes) {
		if number, ok := strings.CutPrefix(strings.TrimSpace(line), word+" "); ok {
			n, _ = strconv.Atoi(number)
		}
	}
	return n
}

// afterCut opens what is left, which has all steps that were done, and the one that was
// begun completely or not at all.
func afterCut(folder string, steps []powerStep, begun, done int) (err error) {
	path := filepath.Join(folder, "quire.db")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && done == 0 {
		return nil
	}
	db, err := Open(path, Options{Existing: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var last []byte
	if err := db.View(func(tx *Tx) error { last, err = tx.Record("steps", "last"); return err }); err != nil {
		return err
	}
	n, _ := strconv.Atoi(string(last))
	if n < done || n > begun {
		return fmt.Errorf("step %d is the last one", n)
	}
	want := map[string][]*Entry{}
	if n > 0 {
		want = steps[n-1].after
	}
	got, err := content(db)
	if err != nil {
		return err
	}
	if len(got[dogs]) == 0 {
		delete(got, dogs)
	}
	if len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
		return fmt.Errorf("after step %d the file holds\n%s\nand should hold\n%s", n, listing(got), listing(want))
	}
	beside, err := os.ReadFile(filepath.Join(folder, besideFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if begunText, doneText := textAfter(steps, begun), textAfter(steps, done); !bytes.Equal(beside, begunText) && !bytes.Equal(beside, doneText) {
		return fmt.Errorf("the file beside has %d bytes, %.20q", len(beside), beside)
	}
	problems, err := db.Check(context.Background())
	if err != nil || len(problems) > 0 {
		return fmt.Errorf("the file is not sound: %v %w", problems, err)
	}
	return nil
}

// textAfter is the text after the first n steps.
func textAfter(steps []powerStep, n int) []byte {
	if n == 0 {
		return nil
	}
	return textOf(steps[n-1].text)
}

// A cut of the power forgets what was not synced, tears writes, and writes pages in another
// order. Whenever it comes, the file has what was acknowledged.
//
//	go test ./store -run TestPowerCuts -long -v    2,000 cuts
func TestPowerCuts(t *testing.T) {
	if takeOrderedSteps(t) {
		return
	}
	seed, n, cuts := newRand(t).Uint64(), 20, 60
	if *long {
		n, cuts = 200, 2000
	}
	trace := recordSteps(t, seed, n)
	for _, err := range cutPower(t, trace, powerSteps(seed, n), seed, cuts, func(string) bool { return false }) {
		t.Error(err)
	}
	t.Logf("%d cuts during %d system calls", cuts, trace.Calls())
}

// If the store left out a kind of sync, TestPowerCuts would find it.
func TestPowerCutsFindWhatIsNotSynced(t *testing.T) {
	if takeOrderedSteps(t) {
		return
	}
	const seed, n, cuts = 7, 20, 60
	trace := recordSteps(t, seed, n)
	everyOther := func(first int) func(string) bool { // the pages of commits, or their heads
		return func(sync string) bool {
			if sync == "file" {
				first++
			}
			return sync == "file" && first%2 == 0
		}
	}
	for name, leaves := range map[string]func(string) bool{
		"files":  func(sync string) bool { return sync == "file" },
		"folder": func(sync string) bool { return sync == "folder" },
		"even":   everyOther(0),
		"odd":    everyOther(1),
	} {
		if wrong := cutPower(t, trace, powerSteps(seed, n), seed, cuts, leaves); len(wrong) == 0 {
			t.Errorf("%s: nothing is wrong after %d cuts", name, cuts)
		} else {
			t.Logf("%s: wrong after %d of %d cuts, first: %v", name, len(wrong), cuts, wrong[0])
		}
	}
}
