package media

import (
	"strings"
	"testing"
)

func TestSVGSize(t *testing.T) {
	for drawing, want := range map[string][2]int{
		`<svg width="120" height="60"/>`:                         {120, 60},
		`<svg width="120px" height=" 60.4 " viewBox="0 0 1 1"/>`: {120, 60},
		`<svg viewBox="0 0 300 150.6"/>`:                         {300, 151},
		`<svg viewBox="-10,-10,300,150"/>`:                       {300, 150},
		`<svg width="100%" height="100%" viewBox="0 0 30 20"/>`:  {30, 20},
		`<svg width="60" viewBox="0 0 30 20"/>`:                  {60, 40},
		`<svg height="60" viewBox="0 0 30 20"/>`:                 {90, 60},
		`<svg width="1in" height="2.54cm"/>`:                     {96, 96},
		`<svg width="3em" height="4"/>`:                          {},
		`<svg/>`:                                                 {},
		`<svg width="-5" height="5"/>`:                           {},
		`<svg width="NaN" height="5"/>`:                          {},
		`<svg width="1e300" height="1e300"/>`:                    {},
		`<svg viewBox="0 0 0 0"/>`:                               {},
		`<svg viewBox="0 0 10"/>`:                                {},
		`<html width="5" height="5"/>`:                           {},
		`<?xml version="1.0" encoding="latin1"?><!DOCTYPE svg [<!ENTITY a "b">]><!-- x --><svg:svg width="5" height="6">`: {5, 6},
		`<svg width="5" height=`: {},
		``:                       {},
		strings.Repeat(" ", svgHead) + `<svg width="5" height="5"/>`: {},
	} {
		if w, h := svgSize(strings.NewReader(drawing)); [2]int{w, h} != want {
			t.Errorf("%.100s: got %d×%d, want %v", drawing, w, h, want)
		}
	}
}

func FuzzSVG(f *testing.F) {
	f.Add([]byte(`<svg width="120" height="60" viewBox="0 0 1 1"/>`))
	f.Add([]byte(`<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "b">]><svg:svg viewBox="0,0 3e2 1in"><a>&a;</a></svg:svg>`))
	f.Fuzz(func(t *testing.T, drawing []byte) {
		w, h := svgSize(strings.NewReader(string(drawing)))
		if w < 0 || h < 0 || w > maxSide || h > maxSide || (w == 0) != (h == 0) {
			t.Errorf("%d×%d", w, h)
		}
	})
}
