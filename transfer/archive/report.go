package archive

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Report lists what an import or export has included, and what it has left out.
type Report struct {
	Taken []Count // by kind: a content type's uid, "files"
	Left  []Omission

	// Skipped lists what could not be imported, with Options.SkipErrors.
	Skipped []string
}

// Count is a number of items of one kind.
type Count struct {
	What string
	N    int
}

// Omission is the number of items of one kind that were left out, and why.
type Omission struct {
	What string
	N    int
	Why  string
}

// add counts included items.
func (r *Report) add(what string, n int) {
	if n == 0 {
		return
	}
	i, found := slices.BinarySearchFunc(r.Taken, what, func(c Count, what string) int { return cmp.Compare(c.What, what) })
	if !found {
		r.Taken = slices.Insert(r.Taken, i, Count{What: what})
	}
	r.Taken[i].N += n
}

// leave counts items that were left out for the same reason.
func (r *Report) leave(what string, n int, why string) {
	if n == 0 {
		return
	}
	i := slices.IndexFunc(r.Left, func(o Omission) bool { return o.What == what && o.Why == why })
	if i < 0 {
		i = len(r.Left)
		r.Left = append(r.Left, Omission{What: what, Why: why})
	}
	r.Left[i].N += n
}

// Print writes the report for people.
func (r *Report) Print(w io.Writer) error {
	var out strings.Builder
	for _, c := range r.Taken {
		fmt.Fprintf(&out, "%8d  %s\n", c.N, c.What)
	}
	if len(r.Left) > 0 {
		out.WriteString("left out:\n")
	}
	for _, o := range r.Left {
		fmt.Fprintf(&out, "%8d  %s: %s\n", o.N, o.What, o.Why)
	}
	if len(r.Skipped) > 0 {
		fmt.Fprintf(&out, "%d skipped:\n", len(r.Skipped))
	}
	for _, text := range r.Skipped[:min(len(r.Skipped), shownErrors)] {
		fmt.Fprintf(&out, "  %s\n", text)
	}
	if more := len(r.Skipped) - shownErrors; more > 0 {
		fmt.Fprintf(&out, "  and %d more\n", more)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// Add adds another report to this one.
func (r *Report) Add(other *Report) {
	if other == nil {
		return
	}
	for _, c := range other.Taken {
		r.add(c.What, c.N)
	}
	for _, o := range other.Left {
		r.leave(o.What, o.N, o.Why)
	}
	r.Skipped = append(r.Skipped, other.Skipped...)
}
