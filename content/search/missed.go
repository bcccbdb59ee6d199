package search

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"quire/content/audit"
	"quire/store"
)

// MissedBucket has a count for each day and text. The key is the day, a space and the text; the
// empty text has the searches of the day for which there was no place.
const MissedBucket = "search.missed"

// Limits of what is counted.
const (
	KeptDays   = 90
	MostOfDay  = 500 // different texts that are stored of a day
	mostWaits  = 500 // different texts in memory
	mostShown  = 200 // texts in a list
	mostAtOnce = 1_000
	shortest   = 2  // characters of a text
	longest    = 60 // of a text that is counted; a longer one is not
	mostDigits = 6  // of a text: more are a number of a person or of a thing
	longWord   = 30 // characters of a word: a longer one may be a secret
	mixedWord  = 15 // of a word that has digits too
)

const dayForm = "2006-01-02"

// Missed counts searches that found nothing. Its methods may be called from any goroutine.
type Missed struct {
	db  *store.DB
	now func() time.Time

	mu     sync.Mutex
	counts map[string]int // since the last Store, by text
}

// NewMissed returns what counts in a data file. now is time.Now if it is nil.
func NewMissed(db *store.DB, now func() time.Time) *Missed {
	if now == nil {
		now = time.Now
	}
	return &Missed{db: db, now: now, counts: map[string]int{}}
}

// Add counts a search. It only touches memory. A text that looks like something personal or
// secret is not counted. If the text goes on with what was searched for just before, as
// happens when a page searches with each key, that was not the whole text.
func (m *Missed) Add(text string) {
	text, ok := countable(text)
	if !ok {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for end := len(text) - 1; end > 0; end-- {
		if n := m.counts[text[:end]]; n > 1 {
			m.counts[text[:end]]--
			break
		} else if n == 1 {
			delete(m.counts, text[:end])
			break
		}
	}
	m.addLocked(text, 1)
}

func (m *Missed) addLocked(text string, n int) {
	if m.counts[text] == 0 && len(m.counts) >= mostWaits {
		text = ""
	}
	m.counts[text] += n
}

// countable returns a text as it is counted, in small letters and with single spaces, and
// whether it is counted at all.
func countable(text string) (_ string, ok bool) {
	if !utf8.ValidString(text) {
		return "", false
	}
	text = strings.ToLower(strings.Join(strings.Fields(text), " "))
	n, digits := utf8.RuneCountInString(text), 0
	if n < shortest || n > longest || strings.ContainsFunc(text, func(r rune) bool { return r == '@' || unicode.IsControl(r) }) {
		return "", false
	}
	for word := range strings.SplitSeq(text, " ") {
		own := 0
		for _, r := range word {
			if unicode.IsDigit(r) {
				own++
			}
		}
		digits += own
		if n := utf8.RuneCountInString(word); n > longWord || n > mixedWord && own > 0 {
			return "", false
		}
	}
	return text, digits <= mostDigits
}

// Store writes what was counted to the data file. After an error it stays in memory, except on
// a server that follows another one, which does all writing.
func (m *Missed) Store() error {
	m.mu.Lock()
	counts := m.counts
	m.counts = map[string]int{}
	m.mu.Unlock()
	if len(counts) == 0 {
		return nil
	}
	day := m.now().UTC().Format(dayForm) + " "
	err := m.db.Update(func(tx *store.Tx) error { return storeDay(tx, day, counts) })
	if errors.Is(err, store.ErrCopy) {
		return nil
	}
	if err != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		for text, n := range counts {
			m.addLocked(text, n)
		}
	}
	return err
}

func storeDay(tx *store.Tx, day string, counts map[string]int) error {
	stored, err := tx.CountRecords(MissedBucket, day)
	if err != nil {
		return err
	}
	others := 0
	for _, text := range slices.Sorted(maps.Keys(counts)) {
		before, err := countIn(tx, day+text)
		switch {
		case err != nil:
			return err
		case text == "" || before == 0 && stored >= MostOfDay:
			others += counts[text]
			continue
		case before == 0:
			stored++
		}
		if err := tx.PutRecord(MissedBucket, day+text, strconv.AppendInt(nil, int64(before+counts[text]), 10)); err != nil {
			return err
		}
	}
	if others == 0 {
		return nil
	}
	before, err := countIn(tx, day)
	if err != nil {
		return err
	}
	return tx.PutRecord(MissedBucket, day, strconv.AppendInt(nil, int64(before+others), 10))
}

// countIn returns a stored count; 0 for none, and for one that cannot be read.
func countIn(tx *store.Tx, key string) (int, error) {
	value, err := tx.Record(MissedBucket, key)
	n, _ := strconv.Atoi(string(value))
	return n, err
}

// ReadMissed reports whether a stored count can be read.
func ReadMissed(key string, value []byte) error {
	day, _, ok := strings.Cut(key, " ")
	_, err := time.Parse(dayForm, day)
	n, wrong := strconv.Atoi(string(value))
	if !ok || err != nil || wrong != nil || n < 1 {
		return fmt.Errorf("%.20q is not a number of searches of a day", value)
	}
	return nil
}

// Count is how often a text was searched for in vain.
type Count struct {
	Text  string `json:"text"`
	Count int    `json:"count"`
	Last  string `json:"last"` // day of the last time, "2026-11-28"
}

// Counts are the counts of some days.
type Counts struct {
	List   []Count // the most frequent first
	Texts  int     // different texts, also those that are not in the list
	Others int     // searches whose texts were not stored
}

// Since returns the counts of the last days, today among them. What this server has counted is
// among them, unless nothing can be written now.
func (m *Missed) Since(days int) (c Counts, err error) {
	_ = m.Store()
	all := map[string]*Count{}
	from := m.now().UTC().AddDate(0, 0, 1-days).Format(dayForm)
	err = m.db.View(func(tx *store.Tx) error {
		return tx.RecordsFrom(MissedBucket, "", from, func(key string, value []byte) bool {
			day, text, _ := strings.Cut(key, " ")
			n, _ := strconv.Atoi(string(value))
			switch one := all[text]; {
			case text == "":
				c.Others += n
			case one == nil:
				all[text] = &Count{text, n, day}
			default:
				one.Count, one.Last = one.Count+n, day
			}
			return true
		})
	})
	c.List, c.Texts = []Count{}, len(all)
	for _, one := range all {
		c.List = append(c.List, *one)
	}
	slices.SortFunc(c.List, func(a, b Count) int { return cmp.Or(b.Count-a.Count, cmp.Compare(a.Text, b.Text)) })
	c.List = c.List[:min(len(c.List), mostShown)]
	return c, err
}

// Clear deletes all counts.
func (m *Missed) Clear(by *audit.Source) error {
	m.mu.Lock()
	m.counts = map[string]int{}
	m.mu.Unlock()
	return m.db.Update(func(tx *store.Tx) error {
		if err := tx.DeleteRecords(MissedBucket, ""); err != nil {
			return err
		}
		return audit.Note(tx, by, audit.Event{Action: "search.clear", Target: audit.Target{Type: "site"}})
	})
}

// Trim deletes some counts that are older than KeptDays, and reports whether there may be more.
func (m *Missed) Trim() (more bool, err error) {
	first := m.now().UTC().AddDate(0, 0, 1-KeptDays).Format(dayForm)
	var old []string
	err = m.db.View(func(tx *store.Tx) error {
		return tx.RecordsFrom(MissedBucket, "", "", func(key string, _ []byte) bool {
			if key >= first || len(old) == mostAtOnce {
				return false
			}
			old = append(old, key)
			return true
		})
	})
	if err != nil || len(old) == 0 {
		return false, err
	}
	return len(old) == mostAtOnce, m.db.Update(func(tx *store.Tx) error {
		for _, key := range old {
			if err := tx.DeleteRecord(MissedBucket, key); err != nil {
				return err
			}
		}
		return nil
	})
}
