//go:build linux

package main

import (
	"fmt"
	"strings"
	"time"
)

// tables returns the figures in Markdown: those of a size, then the reads over one
// connection, over many, and for the first time.
func tables(all []*figures) string {
	return sizes(all) + "\n" + cares(all) + "\n" + latencies(all) + "\n" + crowds(all) + "\n" + firsts(all) + "\n" + restarts(all)
}

// row is a line of a table with one cell for each size.
func row(b *strings.Builder, name string, all []*figures, cell func(f *figures) string) {
	fmt.Fprintf(b, "| %s |", name)
	for _, f := range all {
		fmt.Fprintf(b, " %s |", cell(f))
	}
	b.WriteString("\n")
}

func rule(b *strings.Builder, columns int) {
	b.WriteString("|" + strings.Repeat("---|", columns) + "\n")
}

func sizes(all []*figures) string {
	var b strings.Builder
	row(&b, "restaurants", all, func(f *figures) string { return grouped(f.restaurants) })
	rule(&b, len(all)+1)
	row(&b, "entries", all, func(f *figures) string { return grouped(f.entries) })
	row(&b, "import, lines a second", all, func(f *figures) string { return grouped(int(float64(f.lines) / f.importing.took.Seconds())) })
	row(&b, "import, resident at most", all, func(f *figures) string { return mebibytes(f.importing.peak.all) })
	row(&b, "the same, without files", all, func(f *figures) string { return mebibytes(f.importing.peak.own) })
	row(&b, "the lines", all, func(f *figures) string { return mebibytes(f.linesSize) })
	row(&b, "the data file", all, func(f *figures) string { return f.beside(f.importing.size) })
	row(&b, fmt.Sprintf("the same after %s updates at random", grouped(all[0].updates)), all, func(f *figures) string { return f.beside(f.updatedSize) })
	row(&b, "updates a second", all, func(f *figures) string { return grouped(int(f.streamed.without)) })
	row(&b, "the same with a stream", all, func(f *figures) string {
		return fmt.Sprintf("%s, %.1f %% slower, %.1f %% more processor time", grouped(int(f.streamed.with)), f.streamed.cost, f.streamed.processor)
	})
	row(&b, "start to the first answer", all, func(f *figures) string { return fmt.Sprintf("%.2f s", f.start.Seconds()) })
	row(&b, "resident after the start", all, func(f *figures) string { return mebibytes(f.resident) })
	row(&b, "the same, an entry", all, func(f *figures) string { return anEntry(f.resident, f) })
	row(&b, "resident with all indexes", all, func(f *figures) string { return mebibytes(f.indexed) })
	row(&b, "the same, an entry", all, func(f *figures) string { return anEntry(f.indexed, f) })
	return b.String()
}

// latencies returns those of one connection. The last column compares the largest size with
// the smallest.
func latencies(all []*figures) string {
	var b strings.Builder
	row(&b, "median, one connection", all, func(f *figures) string { return grouped(f.restaurants) })
	rule(&b, len(all)+1)
	for i, r := range reads {
		row(&b, r.name, all, func(f *figures) string { return short(f.reads[i].alone) })
	}
	grown := strings.Split(b.String(), "\n")
	grown[0] += " growth |"
	grown[1] += "---|"
	first, last := all[0], all[len(all)-1]
	for i, r := range reads {
		grown[i+2] += fmt.Sprintf(" %.2f", float64(last.reads[i].alone)/float64(first.reads[i].alone))
		if r.most > 0 {
			grown[i+2] += fmt.Sprintf(", at most %g", r.most)
		}
		grown[i+2] += " |"
	}
	return strings.Join(grown, "\n")
}

func crowds(all []*figures) string {
	var b strings.Builder
	row(&b, fmt.Sprintf("a second and p99, %d connections", crowd), all, func(f *figures) string { return grouped(f.restaurants) })
	rule(&b, len(all)+1)
	for i, r := range reads {
		row(&b, r.name, all, func(f *figures) string { return grouped(int(f.reads[i].rate)) + ", " + short(f.reads[i].tail) })
	}
	return b.String()
}

// firsts returns the times of the first request of each kind, some of which build an index.
func firsts(all []*figures) string {
	var b strings.Builder
	row(&b, "the very first request", all, func(f *figures) string { return grouped(f.restaurants) })
	rule(&b, len(all)+1)
	for i, r := range reads {
		row(&b, r.name, all, func(f *figures) string { return short(f.reads[i].first) })
	}
	return b.String()
}

// restarts returns the times of the first request of each kind after a restart, when the
// server is ready.
func restarts(all []*figures) string {
	var b strings.Builder
	row(&b, "the first request after a restart", all, func(f *figures) string { return grouped(f.restaurants) })
	rule(&b, len(all)+1)
	row(&b, "until `/_ready` answers 204", all, func(f *figures) string { return fmt.Sprintf("%.2f s", f.ready.Seconds()) })
	for i, r := range reads {
		row(&b, r.name, all, func(f *figures) string { return short(f.reads[i].again) })
	}
	row(&b, "resident then (without files)", all, func(f *figures) string {
		return fmt.Sprintf("%s (%s)", mebibytes(f.readyMemory.all), mebibytes(f.readyMemory.own))
	})
	row(&b, "the same, an entry", all, func(f *figures) string { return anEntry(f.readyMemory.all, f) })
	return b.String()
}

// cares returns the commands that work on all content: their duration, the maximum resident
// memory and the part of it that is not a file, and the size of their output.
func cares(all []*figures) string {
	var b strings.Builder
	row(&b, "seconds; resident at most (without files); written", all, func(f *figures) string { return grouped(f.restaurants) })
	rule(&b, len(all)+1)
	for i, u := range all[0].uses {
		row(&b, u.name, all, func(f *figures) string {
			u := f.uses[i]
			cell := fmt.Sprintf("%.2f s; %s (%s)", u.took.Seconds(), mebibytes(u.peak.all), mebibytes(u.peak.own))
			if u.size > 0 {
				cell += "; " + mebibytes(u.size)
			}
			return cell
		})
	}
	return b.String()
}

// beside returns a size, and its ratio to that of the lines.
func (f *figures) beside(bytes int64) string {
	return fmt.Sprintf("%s, %.2f ×", mebibytes(bytes), float64(bytes)/float64(max(1, f.linesSize)))
}

func anEntry(bytes int64, f *figures) string {
	return fmt.Sprintf("%.2f KiB", float64(bytes)/1024/float64(f.entries))
}

func mebibytes(bytes int64) string { return grouped(int(bytes>>20)) + " MiB" }

// grouped writes 1234567 as 1,234,567.
func grouped(n int) string {
	text := fmt.Sprint(n)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// short writes a duration with about three digits.
func short(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < time.Second:
		return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}
