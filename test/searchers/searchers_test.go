//go:build linux

package main

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestOrderIsWorthMoreTheBetterItIs(t *testing.T) {
	j := judged{titles: []string{"first", "second"}}
	found := func(titles ...string) (all []text) {
		for _, one := range titles {
			all = append(all, text{Title: one})
		}
		return all
	}
	if got := j.worth(found("first", "second", "other")); math.Abs(got-1) > 1e-9 {
		t.Errorf("the best order is worth %v", got)
	}
	last := 1.0
	for _, order := range [][]string{{"first", "other", "second"}, {"second", "first"}, {"other", "first"}, {"other", "other", "second"}, {"other"}} {
		got := j.worth(found(order...))
		if got >= last {
			t.Errorf("%q is worth %v, and the one before %v", order, got, last)
		}
		last = got
	}
	if last != 0 {
		t.Errorf("nothing is worth %v", last)
	}
}

func TestTypingErrorsAreAsManyAsDemanded(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	words := []string{"an", "international", "harbour"}
	for range 1000 {
		for errors := range 3 {
			wrong := misspell(r, words, errors)
			if wrong[0] != "an" || (strings.Join(wrong, " ") == strings.Join(words, " ")) != (errors == 0) {
				t.Fatalf("with %d errors %q", errors, wrong)
			}
		}
	}
}

func TestTableHasAColumnForEachEngine(t *testing.T) {
	f := &figures{name: "one", resident: 5 << 20, recall: map[string]float64{"en 1": .5}, order: map[string]float64{"en": .75}}
	got := table([]*figures{f, {name: "other"}})
	for _, row := range []string{"|  | one | other |\n", "| found in the first ten, en, one error | 50.0 % | 0.0 % |\n", "| order of ten judged searches, en | 0.75 | 0.00 |\n", "| resident after them | 5 MiB | 0 MiB |\n", "| suggestions, a second and p99 | – | – |\n"} {
		if !strings.Contains(got, row) {
			t.Errorf("%q is missing in\n%s", row, got)
		}
	}
}

func TestARequestIsAnotherOneForTheSame(t *testing.T) {
	known := map[string]bool{}
	for n := range uint64(64 * 64 * 3) {
		got := string(another([]byte("GET /search?locale=en&q=a HTTP/1.1\r\n"), n))
		known[got] = true
		if plain := strings.ReplaceAll(got, "&", ""); plain != "GET /search?locale=enq=a HTTP/1.1\r\n" || !strings.Contains(got, "&q=") {
			t.Fatalf("%q", got)
		}
	}
	if len(known) != 64*64*3 {
		t.Errorf("%d different requests", len(known))
	}
}
