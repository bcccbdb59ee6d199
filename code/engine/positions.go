package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"
)

// positions lead from places in the bundle to places in the sources.
type positions struct {
	sources []string
	lines   [][]segment // of each line of the bundle, by column
}

type segment struct{ column, source, line, from int }

// readPositions reads a source map of version 3.
func readPositions(text []byte) (*positions, error) {
	var m struct {
		Version  int
		Sources  []string
		Mappings string
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return nil, err
	}
	if m.Version != 3 {
		return nil, fmt.Errorf("a source map of version %d", m.Version)
	}
	p := &positions{sources: m.Sources}
	var last segment
	for line := range strings.SplitSeq(m.Mappings, ";") {
		last.column = 0
		var segments []segment
		for field := range strings.SplitSeq(line, ",") {
			if field == "" {
				continue
			}
			numbers, err := readVLQ(field)
			if err != nil {
				return nil, err
			}
			last.column += numbers[0]
			if len(numbers) < 4 {
				continue
			}
			last.source += numbers[1]
			last.line += numbers[2]
			last.from += numbers[3]
			if last.source < 0 || last.source >= len(m.Sources) {
				return nil, errors.New("a source map names a source that it does not have")
			}
			segments = append(segments, last)
		}
		p.lines = append(p.lines, segments)
	}
	return p, nil
}

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// readVLQ reads the numbers of one segment: digits of five bits, the sign in the lowest bit.
func readVLQ(field string) ([]int, error) {
	var numbers []int
	value, shift := 0, 0
	for i := range len(field) {
		digit := strings.IndexByte(base64Digits, field[i])
		if digit < 0 || shift > 30 {
			return nil, fmt.Errorf("a source map has the segment %q", field)
		}
		value |= digit & 31 << shift
		shift += 5
		if digit&32 != 0 {
			continue
		}
		if value&1 != 0 {
			value = -value
		}
		numbers = append(numbers, value/2)
		value, shift = 0, 0
	}
	if shift != 0 || len(numbers) == 0 {
		return nil, fmt.Errorf("a source map has the segment %q", field)
	}
	return numbers, nil
}

// find returns the source and the place of a place in the bundle, each from 1.
func (p *positions) find(line, column int) (source string, sourceLine, sourceColumn int, found bool) {
	if line < 1 || line > len(p.lines) {
		return "", 0, 0, false
	}
	segments := p.lines[line-1]
	i := sort.Search(len(segments), func(i int) bool { return segments[i].column > column-1 })
	if i == 0 {
		return "", 0, 0, false
	}
	s := segments[i-1]
	return p.sources[s.source], s.line + 1, s.from + 1, true
}

var place = regexp.MustCompile(`<(?:eval|input)>:(\d+):(\d+)`)

// Trace returns a stack, as code reads it from an error, with the places of the sources.
func (s *Script) Trace(stack string) string { return s.positions.trace(stack) }

// trace writes a text with a stack in it with the places of the sources, and leaves out the
// engine's own.
func (p *positions) trace(stack string) string {
	if !place.MatchString(stack) {
		return strings.TrimSuffix(stack, "\n")
	}
	var out []string
	for line := range strings.SplitSeq(stack, "\n") {
		at := place.FindStringSubmatchIndex(line)
		if at == nil {
			if strings.TrimSpace(line) != "" && !strings.HasSuffix(line, "(native)") {
				out = append(out, line)
			}
			continue
		}
		if where, ok := p.place(line[at[2]:at[3]], line[at[4]:at[5]]); ok {
			out = append(out, line[:at[0]]+where+line[at[1]:])
		}
	}
	return strings.Join(out, "\n")
}

func (p *positions) place(line, column string) (string, bool) {
	l, _ := strconv.Atoi(line)
	c, _ := strconv.Atoi(column)
	source, l, c, found := p.find(l, c)
	source = strings.TrimPrefix(source, ofQuire+":")
	if _, ours := builtins[source]; !found || ours {
		return "", false
	}
	return fmt.Sprintf("%s:%d:%d", source, l, c), true
}

// caller returns the first place of a stack in the files of the project, without its column.
func (p *positions) caller(stack string) string {
	for _, at := range place.FindAllStringSubmatch(stack, 60) {
		if where, ok := p.place(at[1], at[2]); ok && !strings.HasPrefix(where, ofCaller+":") {
			return where[:strings.LastIndexByte(where, ':')]
		}
	}
	return ""
}
