package edit

import "strings"

// Line is one line of a difference.
type Line struct {
	Op   string `json:"op"` // "+", "-", " ", or "…" for omitted lines
	Text string `json:"text"`
}

const (
	aroundChanges = 3       // lines that are shown before and after a change
	mostCompared  = 1 << 20 // pairs of lines; larger texts are shown as replaced
)

// Difference returns the changes from one text to another, line by line, with a few lines
// around each.
func Difference(before, after []byte) []Line {
	a, b := linesOf(before), linesOf(after)
	first := 0
	for first < len(a) && first < len(b) && a[first] == b[first] {
		first++
	}
	last := 0
	for last < len(a)-first && last < len(b)-first && a[len(a)-1-last] == b[len(b)-1-last] {
		last++
	}
	lines := make([]Line, 0, len(a)+len(b))
	for _, text := range a[:first] {
		lines = append(lines, Line{" ", text})
	}
	lines = append(lines, compare(a[first:len(a)-last], b[first:len(b)-last])...)
	for _, text := range a[len(a)-last:] {
		lines = append(lines, Line{" ", text})
	}
	return shorten(lines)
}

func linesOf(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}

// compare finds the longest sequence of lines that both texts have.
func compare(a, b []string) (lines []Line) {
	if len(a)*len(b) > mostCompared {
		return append(all("-", a), all("+", b)...)
	}
	width := len(b) + 1
	longest := make([]int32, (len(a)+1)*width)
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				longest[i*width+j] = longest[(i+1)*width+j+1] + 1
			} else {
				longest[i*width+j] = max(longest[(i+1)*width+j], longest[i*width+j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			lines = append(lines, Line{" ", a[i]})
			i, j = i+1, j+1
		case longest[(i+1)*width+j] >= longest[i*width+j+1]:
			lines = append(lines, Line{"-", a[i]})
			i++
		default:
			lines = append(lines, Line{"+", b[j]})
			j++
		}
	}
	return append(append(lines, all("-", a[i:])...), all("+", b[j:])...)
}

func all(op string, texts []string) (lines []Line) {
	for _, text := range texts {
		lines = append(lines, Line{op, text})
	}
	return lines
}

// shorten leaves out lines that are far from every change.
func shorten(lines []Line) []Line {
	near := make([]bool, len(lines))
	for i, line := range lines {
		if line.Op != " " {
			for k := max(0, i-aroundChanges); k < min(len(lines), i+aroundChanges+1); k++ {
				near[k] = true
			}
		}
	}
	kept := []Line{}
	for i, line := range lines {
		switch {
		case near[i]:
			kept = append(kept, line)
		case i == 0 || near[i-1]:
			kept = append(kept, Line{"…", ""})
		}
	}
	return kept
}
