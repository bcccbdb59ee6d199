//go:build linux

package main

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// The plot has restaurants on its horizontal axis and the median over one connection on the
// other, both logarithmic: a read that does not depend on the size is a level line.
const (
	width, height             = 760, 440
	left, right, top, bottom  = 70, 110, 50, 50
	labelHeight               = 15
	plotBackground, plotInk   = "#ffffff", "#333333"
	gridInk, flatInk, restInk = "#dddddd", "#0b6e99", "#b0763a"
)

func plot(all []*figures) string {
	s := newScale(all)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12" fill="%s">`+"\n", width, height, plotInk)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="%s"/>`+"\n", width, height, plotBackground)
	fmt.Fprintf(&b, `<text x="%d" y="22" font-size="14">Median latency over one connection as the site grows</text>`+"\n", left)
	fmt.Fprintf(&b, `<text x="%d" y="38" fill="%s">solid: reads that stay as they are; dashed: reads that look at more where there is more</text>`+"\n", left, flatInk)
	s.grid(&b, all)
	s.lines(&b, all)
	b.WriteString("</svg>\n")
	return b.String()
}

// scale converts sizes and times to positions on the plot.
type scale struct{ sizeFrom, sizeTo, timeFrom, timeTo float64 }

func newScale(all []*figures) scale {
	s := scale{float64(all[0].restaurants), float64(all[len(all)-1].restaurants), math.Inf(1), 0}
	for _, f := range all {
		for _, r := range f.reads {
			s.timeFrom, s.timeTo = min(s.timeFrom, r.alone.Seconds()), max(s.timeTo, r.alone.Seconds())
		}
	}
	s.timeFrom = math.Pow(10, math.Floor(math.Log10(s.timeFrom)))
	s.timeTo = math.Pow(10, math.Ceil(math.Log10(s.timeTo)))
	return s
}

func (s scale) x(restaurants int) float64 {
	if s.sizeTo == s.sizeFrom {
		return left
	}
	return left + (width-left-right)*math.Log(float64(restaurants)/s.sizeFrom)/math.Log(s.sizeTo/s.sizeFrom)
}

func (s scale) y(d time.Duration) float64 {
	return height - bottom - (height-top-bottom)*math.Log(d.Seconds()/s.timeFrom)/math.Log(s.timeTo/s.timeFrom)
}

func (s scale) grid(b *strings.Builder, all []*figures) {
	for seconds := s.timeFrom; seconds <= s.timeTo*1.01; seconds *= 10 {
		d := time.Duration(math.Round(seconds * 1e9))
		fmt.Fprintf(b, `<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="%s"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n", left, s.y(d), width-right, s.y(d), gridInk, left-8, s.y(d)+4, d)
	}
	for _, f := range all {
		x := s.x(f.restaurants)
		fmt.Fprintf(b, `<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="%s"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n", x, top, x, height-bottom, gridInk, x, height-bottom+18, grouped(f.restaurants))
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" text-anchor="middle">restaurants</text>`+"\n", (left+width-right)/2, height-12)
}

// lines draws the reads, each with its name at its end; names keep their distance.
func (s scale) lines(b *strings.Builder, all []*figures) {
	last := all[len(all)-1]
	order := make([]int, len(reads))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return int(last.reads[j].alone - last.reads[i].alone) })
	label := math.Inf(-1)
	for _, i := range order {
		ink, dash := restInk, ` stroke-dasharray="5 4"`
		if reads[i].flat() {
			ink, dash = flatInk, ""
		}
		var points []string
		for _, f := range all {
			x, y := s.x(f.restaurants), s.y(f.reads[i].alone)
			points = append(points, fmt.Sprintf("%.1f,%.1f", x, y))
			fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`+"\n", x, y, ink)
		}
		fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"%s/>`+"\n", strings.Join(points, " "), ink, dash)
		label = max(label+labelHeight, s.y(last.reads[i].alone)+4)
		fmt.Fprintf(b, `<text x="%d" y="%.1f" fill="%s">%s</text>`+"\n", width-right+10, label, ink, reads[i].name)
	}
}
