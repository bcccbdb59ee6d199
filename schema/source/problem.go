package source

import (
	"fmt"
	"sort"
	"strings"
)

// Problem is one contradiction in a site folder.
type Problem struct {
	File    string `json:"file"`    // slash-separated, relative to the site folder
	Place   string `json:"place"`   // JSON path in the file, or "line 3, column 7"; empty for the whole file
	Message string `json:"message"` // what is wrong
	Fix     string `json:"fix"`     // what to do about it
}

// Problems are all problems of a site folder. As an error they are ordered by file and,
// within a file, in the order of reading.
type Problems struct {
	List []Problem
}

// Error lists all problems, grouped by file.
func (ps *Problems) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the site folder has %s", countProblems(len(ps.List)))
	file := ""
	for i, p := range ps.List {
		if i == 0 || p.File != file {
			fmt.Fprintf(&b, "\n\n%s", p.File)
			file = p.File
		}
		b.WriteString("\n  ")
		if p.Place != "" {
			b.WriteString(p.Place + ": ")
		}
		fmt.Fprintf(&b, "%s\n      fix: %s", p.Message, p.Fix)
	}
	return b.String()
}

// Add reports one more problem.
func (ps *Problems) Add(p Problem) { ps.List = append(ps.List, p) }

// Err returns the problems as one error, a *Problems in its final order; nil if there are
// none.
func (ps *Problems) Err() error {
	if len(ps.List) == 0 {
		return nil
	}
	sort.SliceStable(ps.List, func(i, j int) bool { return ps.List[i].File < ps.List[j].File })
	return ps
}

func countProblems(n int) string {
	if n == 1 {
		return "1 problem"
	}
	return fmt.Sprintf("%d problems", n)
}
