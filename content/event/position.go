package event

import (
	"fmt"
	"strconv"
	"strings"
)

// Position is a place in the log: after a whole commit if Index is 0, otherwise after that
// many of its events. Its text is "1234" or "1234.5". The position 0 is before all.
type Position struct {
	Revision uint64
	Index    int
}

// String returns the text of the position.
func (p Position) String() string {
	if p.Index == 0 {
		return strconv.FormatUint(p.Revision, 10)
	}
	return strconv.FormatUint(p.Revision, 10) + "." + strconv.Itoa(p.Index)
}

// Before reports whether the position comes before another one.
func (p Position) Before(q Position) bool {
	switch {
	case p.Revision != q.Revision:
		return p.Revision < q.Revision
	case p.Index == 0:
		return false
	}
	return q.Index == 0 || p.Index < q.Index
}

// Maximum digits of a revision and an index.
const (
	revisionDigits = 16
	indexDigits    = 9
)

// ParsePosition reads the text of a position.
func ParsePosition(text string) (p Position, err error) {
	revision, index, within := strings.Cut(text, ".")
	if p.Revision, err = parseDigits(revision, revisionDigits); err != nil {
		return Position{}, err
	}
	if !within {
		return p, nil
	}
	n, err := parseDigits(index, indexDigits)
	if err != nil || n == 0 {
		return Position{}, fmt.Errorf("%.40q is not a place within a commit", text)
	}
	p.Index = int(n)
	return p, nil
}

func parseDigits(text string, most int) (uint64, error) {
	if text == "" || len(text) > most || strings.Trim(text, "0123456789") != "" {
		return 0, fmt.Errorf("%.40q is not a revision", text)
	}
	return strconv.ParseUint(text, 10, 64)
}
