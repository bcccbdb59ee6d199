package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"quire/store"
)

// The buckets with the lines, by their number in 16 hexadecimal digits: changes of access
// and of the site; the work of accounts; and actions of strangers and refusals. A sequence
// counts the bytes of each.
const (
	doneBucket    = "audit"
	workBucket    = "audit.work"
	refusedBucket = "audit.refused"
	numbers       = "audit"
)

// Maximum bytes of the lines. Beyond that, the oldest are dropped.
const (
	MostBytes        = 64 << 20
	MostWorkBytes    = 64 << 20
	MostRefusedBytes = 8 << 20
)

// share is one of the parts of the log.
type share struct {
	bucket string
	most   uint64 // bytes
}

func shares() []share {
	return []share{{doneBucket, MostBytes}, {workBucket, MostWorkBytes}, {refusedBucket, MostRefusedBytes}}
}

// IsBucket reports whether a bucket of records holds lines, which must not be changed.
func IsBucket(bucket string) bool {
	return slices.ContainsFunc(shares(), func(s share) bool { return s.bucket == bucket })
}

// bytes returns the name of the sequence that counts the bytes of a share.
func (s share) bytes() string { return s.bucket + " bytes" }

func key(number uint64) string { return fmt.Sprintf("%016x", number) }

func numberOf(key string) (n uint64) {
	n, _ = strconv.ParseUint(key, 16, 64)
	return n
}

// Note adds a line to the log, within the transaction of the change. The actor and the
// address come from the source; number and time are set here, and an empty outcome becomes
// Done. Errors are the store's.
func Note(tx *store.Tx, by *Source, e Event) error {
	e.Number, e.At = tx.Sequence(numbers)+1, tx.Time(time.Now()).UTC().Truncate(time.Millisecond)
	e.By, e.Way, e.From = by.who()
	if e.Outcome == "" {
		e.Outcome = Done
	}
	for _, text := range []*string{&e.By.ID, &e.By.Name, &e.From, &e.Action, &e.Target.Type, &e.Target.ID, &e.Target.Locale, &e.Target.Name} {
		*text = cut(*text, longestText)
	}
	details := map[string]string{}
	for key, text := range e.Details {
		if text != "" && len(details) < mostDetails {
			details[cut(key, longestText)] = cut(text, longestDetail)
		}
	}
	e.Details = details
	if err := shareOf(&e, by).put(tx, e); err != nil {
		return err
	}
	if by != nil {
		by.noted.Add(1)
	}
	return nil
}

// about are the prefixes of the actions that change access and the site as a whole. All
// others are the work of accounts, who can create as many lines as they like: these have a
// separate share, so that they cannot push the former out.
var about = []string{"account.", "role.", "token.", "user.", "data.", "settings.", "webhook.", "site."}

// shareOf returns the share of a line.
func shareOf(e *Event, by *Source) share {
	all := shares()
	switch {
	// Without a credential it could be anybody.
	case e.Outcome == Refused || by != nil && (by.By == "" || by.By.Kind() == store.ByPublic):
		return all[2]
	case e.Action == "account.profile" || !slices.ContainsFunc(about, func(prefix string) bool { return strings.HasPrefix(e.Action, prefix) }):
		return all[1]
	}
	return all[0]
}

// put stores a line under its number, and drops the oldest of its share if the share is too
// large.
func (s share) put(tx *store.Tx, e Event) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if err := tx.PutRecord(s.bucket, key(e.Number), line); err != nil {
		return err
	}
	if err := tx.SetSequence(numbers, max(e.Number, tx.Sequence(numbers))); err != nil {
		return err
	}
	held := tx.Sequence(s.bytes()) + uint64(len(line))
	if held <= s.most {
		return tx.SetSequence(s.bytes(), held)
	}
	return s.drop(tx, held, func(_ uint64, _ []byte, held uint64) bool { return held > s.most })
}

// drop removes the oldest lines while old returns true; held is the current number of
// bytes.
func (s share) drop(tx *store.Tx, held uint64, old func(number uint64, line []byte, held uint64) bool) error {
	var gone []string
	err := tx.RecordsFrom(s.bucket, "", "", func(key string, line []byte) bool {
		if !old(numberOf(key), line, held) {
			return false
		}
		gone, held = append(gone, key), held-min(held, uint64(len(line)))
		return true
	})
	for _, key := range gone {
		if err == nil {
			err = tx.DeleteRecord(s.bucket, key)
		}
	}
	return errors.Join(err, tx.SetSequence(s.bytes(), held))
}

// Trim removes lines from before a moment, at most so many at a time from each share, and
// reports whether there may be more. Errors are the store's.
func Trim(tx *store.Tx, before time.Time, most int) (more bool, err error) {
	for _, s := range shares() {
		n := 0
		old := func(_ uint64, line []byte, _ uint64) bool {
			if e, err := read(line); err == nil && !e.At.Before(before) {
				return false
			}
			n++
			return n <= most
		}
		if err := s.drop(tx, tx.Sequence(s.bytes()), old); err != nil {
			return false, err
		}
		more = more || n > most
	}
	return more, nil
}

// Expired reports whether the oldest line of a share is from before a moment.
func Expired(tx *store.Tx, before time.Time) (expired bool, err error) {
	for _, s := range shares() {
		err = errors.Join(err, tx.RecordsFrom(s.bucket, "", "", func(_ string, line []byte) bool {
			e, err := read(line)
			expired = expired || err != nil || e.At.Before(before)
			return false
		}))
	}
	return expired, err
}

func read(line []byte) (e Event, err error) {
	err = json.Unmarshal(line, &e)
	return e, err
}

// Last returns the number of the newest line; 0 if there is none.
func Last(tx *store.Tx) uint64 { return tx.Sequence(numbers) }

// First returns the number of the oldest line; 0 if there is none.
func First(tx *store.Tx) (first uint64, err error) {
	for _, s := range shares() {
		err = errors.Join(err, tx.RecordsFrom(s.bucket, "", "", func(key string, _ []byte) bool {
			if n := numberOf(key); first == 0 || n < first {
				first = n
			}
			return false
		}))
	}
	return first, err
}

// Line returns the stored line with that number, or nil.
func Line(tx *store.Tx, number uint64) (line []byte, err error) {
	for _, s := range shares() {
		if line, err = tx.Record(s.bucket, key(number)); err != nil || line != nil {
			return line, err
		}
	}
	return nil, nil
}

// Noted returns the lines that a commit has added, in their order.
func Noted(c store.Commit) (events []Event) {
	for _, r := range c.Records {
		if IsBucket(r.Bucket) && r.Before == nil {
			if e, err := read(r.After); err == nil {
				events = append(events, e)
			}
		}
	}
	return events
}
