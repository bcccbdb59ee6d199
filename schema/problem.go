package schema

import (
	"fmt"
	"sort"
	"strings"
)

// Problem is one contradiction in a site folder.
type Problem struct {
	File    string // slash-separated, relative to the site folder
	Place   string // JSON path in the file, or "line 3, column 7"; empty for the whole file
	Message string // what is wrong
	Fix     string // what to do about it
}

// Problems is the error of [Load]: everything that is wrong with a site
// folder, ordered by file and, within a file, in the order of reading.
type Problems struct {
	List []Problem
}

// Error lists all problems, grouped by file.
func (ps *Problems) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "the site folder has %s", count(len(ps.List), "problem"))
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

func (ps *Problems) add(p Problem) { ps.List = append(ps.List, p) }

// err returns the problems in their final order, nil when there are none.
func (ps *Problems) err() error {
	if len(ps.List) == 0 {
		return nil
	}
	sort.SliceStable(ps.List, func(i, j int) bool { return ps.List[i].File < ps.List[j].File })
	return ps
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
