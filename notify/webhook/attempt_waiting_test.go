package webhook

import (
	"slices"
	"strings"
	"testing"
	"unicode"
)

// numbers are the tries of a hook that wait to be stored, in their order.
func (a *attempts) numbers(hook string) (list []int) {
	for _, t := range a.waiting[hook] {
		list = append(list, t.Try)
	}
	return list
}

// While the data file accepts no writes, the last attempts wait in their order, and no more
// than are kept.
func TestAttemptsThatCannotBeStoredWait(t *testing.T) {
	a := &attempts{}
	add := func(from, to int) {
		for i := from; i < to; i++ {
			a.add("one", &tried{Try: i})
		}
	}
	add(0, 60)
	a.add("two", &tried{Try: 1})
	taken := a.take()
	add(60, 130) // meanwhile
	a.putBack(taken)
	got := a.numbers("one")
	if len(got) != mostAttempts || got[0] != 30 || got[mostAttempts-1] != 129 || !slices.IsSorted(got) {
		t.Errorf("%d wait: %v", len(got), got)
	}
	if got := a.numbers("two"); !slices.Equal(got, []int{1}) {
		t.Errorf("of the other hook %v wait", got)
	}
	if a.take(); len(a.take()) != 0 {
		t.Error("what was taken still waits")
	}
}

// Why an attempt failed is kept in one short line.
func TestWhyAttemptsFailedIsOneLine(t *testing.T) {
	for _, said := range []string{"no\r\nX: y\x1b[31m\u009b", strings.Repeat("é", 1000), "\xff\xfe no"} {
		c := &change{Cause: said}
		if c.cut(); len(c.Cause) > mostCause || strings.ContainsFunc(c.Cause, unicode.IsControl) || strings.ToValidUTF8(c.Cause, "") != c.Cause || c.Cause == "" {
			t.Errorf("%.40q is kept as %q", said, c.Cause)
		}
	}
}
