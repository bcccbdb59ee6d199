package search

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"unicode"

	"quire/content/audit"
	"quire/schema/settings"
	"quire/store"
)

// WordLists are the words of searches that are set in the admin.
type WordLists struct {
	Synonyms [][]string `json:"synonyms"` // groups of words that are found instead of each other
	Together []string   `json:"together"` // words that are not divided
}

// WordsBucket has the words under one key.
const (
	WordsBucket = "search.words"
	wordsKey    = "words"
)

// Limits of the words, besides those of one word in package settings.
const (
	MostSynonyms = 500 // groups
	MostTogether = 100
	MostBytes    = 48 << 10 // as they are stored
)

// TermError reports what is wrong with a part of the words.
type TermError struct{ Key, Message string }

func (e *TermError) Error() string { return e.Key + ": " + e.Message }

// ErrChanged: somebody else has changed the words meanwhile.
var ErrChanged = store.ErrRecordChanged

// Check reports the first part that is wrong. Its error is a *TermError.
func (w *WordLists) Check() error {
	if n := len(w.Synonyms); n > MostSynonyms {
		return &TermError{"synonyms", fmt.Sprintf("there are %d groups, and at most %d", n, MostSynonyms)}
	}
	for i, group := range w.Synonyms {
		at := fmt.Sprintf("synonyms[%d]", i)
		if n := len(group); n < 2 || n > settings.MostOfSynonyms {
			return &TermError{at, fmt.Sprintf("a group has 2 to %d words that mean the same", settings.MostOfSynonyms)}
		}
		if err := checkTerms(at, group); err != nil {
			return err
		}
	}
	if n := len(w.Together); n > MostTogether {
		return &TermError{"together", fmt.Sprintf("there are %d words, and at most %d", n, MostTogether)}
	}
	return checkTerms("together", w.Together)
}

func checkTerms(at string, words []string) error {
	for i, word := range words {
		if !settings.IsTerm(word) || strings.ContainsFunc(word, func(r rune) bool { return r == ',' || unicode.IsControl(r) }) {
			return &TermError{fmt.Sprintf("%s[%d]", at, i), "a word has 1 to 60 characters, no commas, and no spaces around it"}
		}
	}
	return nil
}

// ReadWords reports whether stored words can be read.
func ReadWords(_ string, value []byte) error {
	_, err := read(value)
	return err
}

func read(value []byte) (*WordLists, error) {
	w := &WordLists{Synonyms: [][]string{}, Together: []string{}}
	if value == nil {
		return w, nil
	}
	return w, json.Unmarshal(value, w)
}

// Lexicon has the words of a data file in memory. Its methods may be called from any goroutine.
type Lexicon struct {
	db    *store.DB
	close func()

	mu       sync.Mutex
	revision uint64 // that current shows, or a later one
	current  *settings.SearchWords
}

// Open reads the words of a data file, and follows its commits until Close.
func Open(db *store.DB) (*Lexicon, error) {
	l := &Lexicon{db: db}
	l.close = db.Subscribe(l.apply)
	return l, l.Reload()
}

// Close ends following the data file.
func (l *Lexicon) Close() { l.close() }

// Reload reads the words again, after the data file was exchanged.
func (l *Lexicon) Reload() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.db.View(func(tx *store.Tx) error {
		value, err := tx.Record(WordsBucket, wordsKey)
		if err == nil {
			l.set(value, tx.Revision())
		}
		return err
	})
}

// set takes the stored words. Those that cannot be read count as none. mu must be held.
func (l *Lexicon) set(value []byte, revision uint64) {
	l.revision, l.current = revision, nil
	if w, err := read(value); err == nil && value != nil {
		l.current = &settings.SearchWords{Synonyms: w.Synonyms, Together: w.Together, Version: store.RecordVersion(value)}
	}
}

// apply follows a commit.
func (l *Lexicon) apply(c store.Commit) {
	for _, r := range c.RecordsOf(WordsBucket) {
		l.mu.Lock()
		if r.Key == wordsKey && c.Revision >= l.revision {
			l.set(r.After, c.Revision)
		}
		l.mu.Unlock()
	}
}

// Current returns the words for searches, the same pointer as long as they stay; nil for none.
func (l *Lexicon) Current() *settings.SearchWords {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.current
}

// Stored returns the words as they are set, and their version for Put; empty for none.
func (l *Lexicon) Stored() (w *WordLists, version string) {
	w = &WordLists{Synonyms: [][]string{}, Together: []string{}}
	if now := l.Current(); now != nil {
		w.Synonyms, w.Together, version = append(w.Synonyms, now.Synonyms...), append(w.Together, now.Together...), now.Version
	}
	return w, version
}

// Put stores words in place of those of a version. Searches use them when it returns, here,
// and on other nodes as soon as they have the commit. Errors: ErrChanged, *TermError.
func (l *Lexicon) Put(version string, w *WordLists, by *audit.Source) error {
	if err := w.Check(); err != nil {
		return err
	}
	value, err := json.Marshal(w)
	if err != nil {
		return err
	}
	if len(value) > MostBytes {
		return &TermError{"synonyms", fmt.Sprintf("all words together take more than %d bytes", MostBytes)}
	}
	return l.db.Update(func(tx *store.Tx) error {
		if err := tx.RequireRecord(WordsBucket, wordsKey, version); err != nil {
			return err
		}
		if err := put(tx, value, len(w.Synonyms)+len(w.Together) == 0); err != nil {
			return err
		}
		return audit.Note(tx, by, audit.Event{Action: "search.words", Target: audit.Target{Type: "site"}})
	})
}

func put(tx *store.Tx, value []byte, none bool) error {
	if none {
		return tx.DeleteRecord(WordsBucket, wordsKey)
	}
	return tx.PutRecord(WordsBucket, wordsKey, value)
}
