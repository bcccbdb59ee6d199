package audit

import (
	"encoding/json"
	"strings"
	"time"

	"quire/store"
)

// Query selects lines. The zero value selects all.
type Query struct {
	By     string    `json:"by"`     // part of the name or id of the actor, in any case
	Action string    `json:"action"` // prefix, for example "account"
	Target string    `json:"target"` // part of the type, the id or the name of the target
	Since  time.Time `json:"since"`
	Until  time.Time `json:"until"` // exclusive

	Without func(*Target) bool `json:"-"` // lines about these are left out; nil for none
}

// Matches reports whether a line is selected.
func (q *Query) Matches(e *Event) bool {
	return (q.Without == nil || !q.Without(&e.Target)) && (q.By == "" || containsFold(q.By, e.By.Name, e.By.ID, e.By.Kind)) &&
		strings.HasPrefix(e.Action, q.Action) &&
		(q.Target == "" || containsFold(q.Target, e.Target.Name, e.Target.ID, e.Target.Type)) &&
		!e.At.Before(q.Since) && (q.Until.IsZero() || e.At.Before(q.Until))
}

func containsFold(part string, texts ...string) bool {
	part = strings.ToLower(part)
	for _, text := range texts {
		if strings.Contains(strings.ToLower(text), part) {
			return true
		}
	}
	return false
}

// Page is a page of lines, the newest first.
type Page struct {
	Events []Event
	Next   uint64 // number before which the next page begins; 0 at the end
}

// looked is the maximum number of lines that one call reads, so that none takes long.
const looked = 20_000

// Log is the audit log of a data file.
type Log struct{ db *store.DB }

// NewLog returns the audit log of a data file.
func NewLog(db *store.DB) *Log { return &Log{db} }

// Note adds a line for a change without a transaction, directly after it. Errors are the
// store's.
func (l *Log) Note(by *Source, e Event) error {
	return l.db.Update(func(tx *store.Tx) error { return Note(tx, by, e) })
}

// Back returns the newest selected lines below a number, 0 for the end of the log, up to a
// maximum. A page may have fewer although there are more. Errors are the store's.
func (l *Log) Back(q Query, below uint64, most int) (p Page, err error) {
	err = l.db.View(func(tx *store.Tx) error {
		first, err := First(tx)
		if err != nil || first == 0 {
			return err
		}
		number := Last(tx) + 1
		if below > 0 {
			number = min(number, below)
		}
		for n := 0; number > first; n++ {
			if n == looked || len(p.Events) == most {
				p.Next = number
				return nil
			}
			number--
			line, err := Line(tx, number)
			if err != nil {
				return err
			}
			e, unreadable := read(line)
			switch {
			case line == nil || unreadable != nil: // it has been trimmed, or is damaged
			case e.At.Before(q.Since):
				return nil
			case q.Matches(&e):
				p.Events = append(p.Events, e)
			}
		}
		return nil
	})
	return p, err
}

// Lines has selected lines, the oldest first, each as JSON without a line break.
type Lines struct {
	Lines []json.RawMessage `json:"lines"`
	Next  uint64            `json:"next"` // number from which to continue; 0 at the end
}

// readAtOnce is the maximum number of lines that Read reads, so that no transaction takes
// long.
const readAtOnce = 1000

// Read returns selected lines from a number on, 0 for the oldest. It may return none
// although there are more. Errors are the store's.
func (l *Log) Read(q Query, from uint64) (some Lines, err error) {
	err = l.db.View(func(tx *store.Tx) error {
		first, err := First(tx)
		if err != nil || first == 0 {
			return err
		}
		n, last := max(first, from), Last(tx)
		for end := n + readAtOnce; n <= last && n < end; n++ {
			line, err := Line(tx, n)
			if err != nil {
				return err
			}
			if e, unreadable := read(line); line != nil && unreadable == nil && q.Matches(&e) {
				some.Lines = append(some.Lines, line)
			}
		}
		if n <= last {
			some.Next = n
		}
		return nil
	})
	return some, err
}

// Export calls fn with the lines that read returns, one call after the other. Errors are
// those of read and fn.
func Export(read func(from uint64) (Lines, error), fn func(line []byte) error) error {
	for next := uint64(0); ; {
		some, err := read(next)
		if err != nil {
			return err
		}
		for _, line := range some.Lines {
			if err := fn(line); err != nil {
				return err
			}
		}
		if next = some.Next; next == 0 {
			return nil
		}
	}
}
