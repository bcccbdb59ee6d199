package search

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quire/content/audit"
	"quire/store"
)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// open counts in a new data file, with a clock that the test sets.
func open(t *testing.T) (m *Missed, now *time.Time) {
	t.Helper()
	db, err := store.Open(filepath.Join(t.TempDir(), "quire.db"), store.Options{Hasty: true})
	check(t, err)
	t.Cleanup(func() { check(t, db.Close()) })
	now = new(time.Date(2026, time.May, 4, 9, 0, 0, 0, time.UTC))
	return NewMissed(db, func() time.Time { return *now }), now
}

func (m *Missed) shown(t *testing.T, days int) string {
	t.Helper()
	c, err := m.Since(days)
	check(t, err)
	return fmt.Sprintf("%v %d %d", c.List, c.Texts, c.Others)
}

func want(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Fatalf("got %s, want %s", got, want)
	}
}

func TestSearchesAreCountedByDayAndText(t *testing.T) {
	m, now := open(t)
	for _, text := range []string{"Vegan  Ramen", " vegan ramen", "東京", "borscht"} {
		m.Add(text)
	}
	check(t, m.Store())
	*now = now.AddDate(0, 0, 10)
	m.Add("borscht")
	want(t, m.shown(t, 90), "[{borscht 2 2026-05-14} {vegan ramen 2 2026-05-04} {東京 1 2026-05-04}] 3 0")
	want(t, m.shown(t, 7), "[{borscht 1 2026-05-14}] 1 0")
	check(t, m.Clear(nil))
	want(t, m.shown(t, 90), "[] 0 0")
}

func TestTextsThatMayBePersonalAreNotCounted(t *testing.T) {
	m, _ := open(t)
	for _, text := range []string{
		"", "x", "ada@example.org", "0170 1234567", "4111 1111 1111 1111", "k4hxw0ou2mv3ta9c1b8dzqeg",
		strings.Repeat("a", 31), strings.Repeat("ab ", 21), "a\x00b", "a\xffb",
	} {
		m.Add(text)
	}
	want(t, m.shown(t, 90), "[] 0 0")
	m.Add("windows 2025")
	want(t, m.shown(t, 90), "[{windows 2025 1 2026-05-04}] 1 0")
}

// A page that searches with each key does not count each beginning of a word.
func TestATextThatIsTypedCountsOnce(t *testing.T) {
	m, _ := open(t)
	m.Add("bor")
	for end := 2; end <= len("borscht"); end++ {
		m.Add("borscht"[:end])
	}
	want(t, m.shown(t, 90), "[{bor 1 2026-05-04} {borscht 1 2026-05-04}] 2 0")
}

func TestCountsAreBounded(t *testing.T) {
	m, now := open(t)
	for range 3 {
		for i := range 2 * mostWaits / 3 {
			m.Add(fmt.Sprintf("text %03d of %d", i, now.Nanosecond()))
		}
		check(t, m.Store())
		*now = now.Add(1)
	}
	c, err := m.Since(90)
	check(t, err)
	if c.Texts != MostOfDay || len(c.List) != mostShown || c.Others != 2*mostWaits/3*3-MostOfDay {
		t.Errorf("%d texts, %d shown, %d others", c.Texts, len(c.List), c.Others)
	}
	for i := range mostWaits + 10 {
		m.Add(fmt.Sprintf("waits %03d", i))
	}
	if n := len(m.counts); n > mostWaits+1 {
		t.Errorf("%d texts wait", n)
	}
}

func TestOldCountsAreRemoved(t *testing.T) {
	m, now := open(t)
	m.Add("borscht")
	check(t, m.Store())
	count := func() (n int) {
		check(t, m.db.View(func(tx *store.Tx) (err error) { n, err = tx.CountRecords(MissedBucket, ""); return err }))
		return n
	}
	*now = now.AddDate(0, 0, KeptDays-1)
	if _, err := m.Trim(); err != nil || count() != 1 {
		t.Fatalf("a count of the last 90 days is gone: %v", err)
	}
	*now = now.AddDate(0, 0, 1)
	if more, err := m.Trim(); err != nil || more || count() != 0 {
		t.Fatalf("an old count is there: %v %v", more, err)
	}
}

func TestWordsAreCheckedAndReplacedByVersion(t *testing.T) {
	m, _ := open(t)
	l, err := Open(m.db)
	check(t, err)
	defer l.Close()
	for text, w := range map[string]*WordLists{
		"synonyms":       {Synonyms: make([][]string, MostSynonyms+1)},
		"synonyms[0]":    {Synonyms: [][]string{{"one"}}},
		"synonyms[0][1]": {Synonyms: [][]string{{"one", "two,three"}}},
		"together":       {Together: make([]string, MostTogether+1)},
		"together[1]":    {Together: []string{"C++", " D"}},
		"together[0]":    {Together: []string{strings.Repeat("x", 61)}},
	} {
		var wrong *TermError
		if err := l.Put("", w, nil); !errors.As(err, &wrong) || wrong.Key != text {
			t.Errorf("%s: %v", text, err)
		}
	}
	large := &WordLists{}
	for range MostSynonyms {
		large.Synonyms = append(large.Synonyms, []string{strings.Repeat("x", 60), strings.Repeat("y", 60)})
	}
	if err := l.Put("", large, nil); err == nil || l.Current() != nil {
		t.Fatalf("words beyond the limit were stored: %v", err)
	}
	check(t, l.Put("", &WordLists{Synonyms: [][]string{{"sofa", "couch"}}}, &audit.Source{}))
	before := l.Current()
	if err := l.Put("", &WordLists{}, nil); !errors.Is(err, ErrChanged) || before == nil || l.Current() != before {
		t.Fatalf("words of another version were replaced: %v", err)
	}
	check(t, l.Put(before.Version, &WordLists{}, &audit.Source{}))
	if l.Current() != nil {
		t.Errorf("removed words stay")
	}
}
