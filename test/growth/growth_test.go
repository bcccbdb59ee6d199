//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestGuideIsTheSameEachTime(t *testing.T) {
	var once, again bytes.Buffer
	g, err := writeGuide(&once, fewest)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := writeGuide(&again, fewest); err != nil || !bytes.Equal(once.Bytes(), again.Bytes()) {
		t.Error("two guides of one size are not the same:", err)
	}
	lines, links := 0, 0
	for line := range bytes.Lines(once.Bytes()) {
		var document struct {
			Type, DocumentID, Status string
			Data                     struct{ Chef string }
		}
		if err := json.Unmarshal(line, &document); err != nil || document.DocumentID == "" {
			t.Fatalf("%s: %v", line, err)
		}
		if document.Type == "api::restaurant.restaurant" && slices.Contains(g.chefs, document.Data.Chef) {
			links++
		}
		lines++
	}
	if lines != g.lines || links != fewest || len(g.published) != fewest*9/10 {
		t.Errorf("%d lines of %d; %d of %d restaurants have a chef, %d are published", lines, g.lines, links, fewest, len(g.published))
	}
}

// made are figures of two sizes, the second ten times slower.
func made() []*figures {
	all := []*figures{{restaurants: 10_000, entries: 40_000}, {restaurants: 100_000, entries: 400_000, resident: 400_000 << 10}}
	for i, f := range all {
		f.lines, f.importing = 12345, commandCost{took: time.Second, size: 3 << 20}
		f.ready, f.readyMemory = time.Second/4, memory{3 << 20, 2 << 20, 1 << 20}
		f.linesSize, f.updatedSize, f.streamed = 2<<20, 4<<20, streamedFigures{1000, 980, 2, 12}
		f.uses = []commandCost{{"check", time.Second, memory{3 << 20, 2 << 20, 1 << 20}, 0}, {"backup", 2 * time.Second, memory{}, 1 << 20}}
		for n := range reads {
			at := time.Duration(1+9*i) * time.Duration(100+n) * time.Microsecond
			f.reads = append(f.reads, readFigures{first: at, again: 2 * at, alone: at, median: at, tail: at, rate: 1234})
		}
	}
	return all
}

func TestTables(t *testing.T) {
	got := tables(made())
	for _, line := range []string{
		"| restaurants | 10,000 | 100,000 |", "| import, lines a second | 12,345 | 12,345 |", "| the same, an entry | 0.00 KiB | 1.00 KiB |",
		"| updates a second | 1,000 | 1,000 |", "| the same with a stream | 980, 2.0 % slower, 12.0 % more processor time | 980, 2.0 % slower, 12.0 % more processor time |",
		"| the data file | 3 MiB, 1.50 × | 3 MiB, 1.50 × |", "| check | 1.00 s; 3 MiB (2 MiB) | 1.00 s; 3 MiB (2 MiB) |", "| backup | 2.00 s; 0 MiB (0 MiB); 1 MiB | 2.00 s; 0 MiB (0 MiB); 1 MiB |",
		"| one | 100 µs | 1.0 ms | 10.00, at most 1.5 |", "| one | 1,234, 100 µs | 1,234, 1.0 ms |", "| search | 110 µs | 1.1 ms | 10.00, at most 5 |",
		"| search | 220 µs | 2.2 ms |", "| until `/_ready` answers 204 | 0.25 s | 0.25 s |", "| resident then (without files) | 3 MiB (2 MiB) | 3 MiB (2 MiB) |",
	} {
		if !strings.Contains(got, line+"\n") {
			t.Errorf("no line %s in\n%s", line, got)
		}
	}
}

func TestComparison(t *testing.T) {
	got := comparison(10_000, []pair{{"one", [2]float64{100, 50}, [2]float64{1000, 2500}, [2]float64{40, 30}}})
	if line := "| one | 100, 50, 0.50 | 1000, 2500, 2.50 | 40, 30, 0.75 |\n"; !strings.HasPrefix(got, "| 10,000 restaurants: ") || !strings.HasSuffix(got, line) {
		t.Errorf("no line %s in\n%s", line, got)
	}
	mine, err := processorTime(os.Getpid())
	if err != nil || mine < 0 || mine > time.Hour {
		t.Error(mine, err)
	}
}

func TestPlotIsWellFormed(t *testing.T) {
	drawn := plot(made())
	texts := map[string]bool{}
	for d := xml.NewDecoder(strings.NewReader(drawn)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, ok := token.(xml.CharData); ok {
			texts[string(text)] = true
		}
	}
	for _, r := range reads {
		if !texts[r.name] {
			t.Errorf("%s has no name on the plot", r.name)
		}
	}
	if !texts["10,000"] || !texts["100µs"] || strings.Count(drawn, "<polyline") != len(reads) {
		t.Errorf("the plot lacks something:\n%s", drawn)
	}
}
