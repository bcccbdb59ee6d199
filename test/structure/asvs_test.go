package structure

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const (
	standard     = "docs/asvs.md"
	requirements = 253 // of levels 1 and 2 in version 5.0.0
)

var (
	requirementRow = regexp.MustCompile(`(?m)^\| (\d+)\.(\d+)\.(\d+) \| (met|part|no|–) \| [^|]+ \| ([^|]+) \|$`)
	anyRow         = regexp.MustCompile(`(?m)^\| \d`)
	anyPath        = regexp.MustCompile(`^[a-z_]+(/[A-Za-z0-9_.-]+)+$`)
)

// Each requirement of the standard has one row, in order, with what meets it or the reason
// why nothing does. What a row names exists; TestPagesNameTestsThatExist looks for the tests.
func TestTheStandardIsWhole(t *testing.T) {
	atTheTop(t)
	text, err := os.ReadFile(standard)
	check(t, err)
	rows := requirementRow.FindAllStringSubmatch(string(text), -1)
	if all := anyRow.FindAllString(string(text), -1); len(rows) != requirements || len(all) != requirements {
		t.Errorf("%s has %d rows, %d of them with a state and words, instead of %d", standard, len(all), len(rows), requirements)
	}
	last := 0
	for _, row := range rows {
		number := 0
		for _, part := range row[1:4] {
			n, err := strconv.Atoi(part)
			check(t, err)
			number = number*100 + n
		}
		if number <= last {
			t.Errorf("%s: %s.%s.%s stands twice or too late", standard, row[1], row[2], row[3])
		}
		last = number
		for _, span := range codeSpan.FindAllStringSubmatch(row[5], -1) {
			if path := span[1]; anyPath.MatchString(path) {
				if _, err := os.Stat(path); err != nil {
					t.Errorf("%s names %s, which does not exist", standard, path)
				}
			}
		}
		if strings.TrimSpace(row[5]) == "" {
			t.Errorf("%s: %s.%s.%s has no reason", standard, row[1], row[2], row[3])
		}
	}
}
