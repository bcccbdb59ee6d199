package changeset

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"quire/content/verify"
	"quire/store"
)

// Limits of what waits.
const (
	MostWaiting  = 200
	MostOfOne    = 50 // that wait of one account or other author, who so leaves space for others
	MostBytesOne = 24 << 20
	MostDecided  = 500     // the oldest decisions are removed
	MostSteps    = 1000    // in a set
	MostBytes    = 8 << 20 // of a stored set
	MostTogether = 64 << 20

	// KeptFor is how long a set waits, and how long a decision can be read.
	KeptFor = 30 * 24 * time.Hour
)

// State says whether a change set has been decided.
type State string

// The states of a change set.
const (
	Waiting  State = "waiting"
	Approved State = "approved" // and done
	Rejected State = "rejected"
	Expired  State = "expired" // nobody decided in time
)

// ChangeSet is writes that are all done or none.
type ChangeSet struct {
	ID      string      `json:"id"` // 16 hex digits
	By      store.Actor `json:"by"` // who wants the changes
	Title   string      `json:"title,omitempty"`
	Created time.Time   `json:"createdAt"`
	State   State       `json:"state"`
	Count   int         `json:"count"`           // of steps
	Bytes   int         `json:"bytes"`           // of the stored steps
	Types   []string    `json:"types"`           // uids, each once
	Steps   []Step      `json:"steps,omitempty"` // only while it waits

	Decided   time.Time   `json:"decidedAt,omitzero"`
	DecidedBy store.Actor `json:"decidedBy,omitempty"`
}

// Step is one write of a document.
type Step struct {
	Action     string          `json:"action"` // create, update, publish, unpublish, discard, delete, duplicate or restore
	Type       string          `json:"type"`   // uid
	DocumentID string          `json:"documentId,omitempty"`
	Locale     string          `json:"locale,omitempty"`   // several with commas between them, or *, for actions that take these
	Status     string          `json:"status,omitempty"`   // of a create, an update or a restored version: draft or published
	Data       json.RawMessage `json:"data,omitempty"`     // of a create or an update
	Version    uint64          `json:"version,omitempty"`  // that the document must have; 0 for any
	Absent     bool            `json:"absent,omitempty"`   // whether there must be no such document
	Revision   uint64          `json:"revision,omitempty"` // that is restored

	// Entry is restored instead of a revision: a version of the document from another site. It is
	// only for steps that are done at once.
	Entry *store.Entry `json:"-"`
}

// Errors of change sets.
var (
	ErrNotFound = errors.New("there is no such change set")
	ErrDecided  = errors.New("the change set has been decided already")
)

// LimitError refuses a change set because of a limit.
type LimitError struct{ Message string }

func (e *LimitError) Error() string { return e.Message }

const (
	bucket      = "change-sets"      // heads: without steps
	stepsBucket = "change-set-steps" // the steps of those that wait
)

// MostTitle is the maximum number of characters in a title.
const MostTitle = 200

// Check refuses a set that is too large, before it is known how large its steps are when they are
// stored. The error is a *LimitError.
func (s *ChangeSet) Check() error {
	switch {
	case len(s.Steps) == 0:
		return &LimitError{"A change set has at least one change"}
	case len(s.Steps) > MostSteps:
		return &LimitError{fmt.Sprintf("A change set has at most %d changes, and this one has %d", MostSteps, len(s.Steps))}
	case utf8.RuneCountInString(s.Title) > MostTitle:
		return &LimitError{fmt.Sprintf("The title of a change set has at most %d characters", MostTitle)}
	}
	return nil
}

// encode returns the stored form of the steps. The error is a *LimitError.
func (s *ChangeSet) encode() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // which would make texts up to six times as long
	if err := e.Encode(s.Steps); err != nil {
		return nil, err
	}
	if b.Len() > MostBytes {
		return nil, &LimitError{fmt.Sprintf("A change set has at most %d MiB, and this one has %d KiB", MostBytes>>20, b.Len()>>10)}
	}
	return b.Bytes(), nil
}

// Put stores a new change set that waits, and gives it an ID. It removes decisions that nobody
// needs any longer. The error is a *LimitError, or the store's.
func Put(tx *store.Tx, s *ChangeSet, now time.Time) error {
	if err := s.Check(); err != nil {
		return err
	}
	steps, err := s.encode()
	if err != nil {
		return err
	}
	old, err := withinLimits(tx, s.By, len(steps), now)
	if err != nil {
		return err
	}
	for _, id := range old {
		if err := errors.Join(tx.DeleteRecord(bucket, id), tx.DeleteRecord(stepsBucket, id)); err != nil {
			return err
		}
	}
	var random [8]byte
	rand.Read(random[:])
	s.ID, s.State, s.Created = hex.EncodeToString(random[:]), Waiting, now.UTC()
	s.Count, s.Bytes = len(s.Steps), len(steps)
	s.Types = nil
	for _, step := range s.Steps {
		if !slices.Contains(s.Types, step.Type) {
			s.Types = append(s.Types, step.Type)
		}
	}
	return errors.Join(s.putHead(tx), tx.PutRecord(stepsBucket, s.ID, steps))
}

// withinLimits refuses a set of some bytes by an author if too much waits already. It returns the
// ids of sets that nobody needs any longer.
func withinLimits(tx *store.Tx, by store.Actor, size int, now time.Time) (old []string, err error) {
	waiting, own, held, ownBytes := 0, 0, size, size
	var decided []*ChangeSet
	err = tx.Records(bucket, func(id string, value []byte) error {
		head, err := read(id, value)
		if err != nil {
			return nil // Check reports it
		}
		head.expire(now)
		switch {
		case now.After(head.since().Add(2 * KeptFor)):
			old = append(old, id)
		case head.State == Waiting:
			waiting++
			held += head.Bytes
			if head.By == by || by.Account() != "" && head.By.Account() == by.Account() {
				own++
				ownBytes += head.Bytes
			}
		default:
			decided = append(decided, head)
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case own >= MostOfOne || ownBytes > MostBytesOne:
		return nil, &LimitError{fmt.Sprintf("%d change sets of yours with %d KiB wait for a person, and no more can; have them approved or rejected first", own, (ownBytes-size)>>10)}
	case waiting >= MostWaiting || held > MostTogether:
		return nil, &LimitError{fmt.Sprintf("%d change sets wait for a person, and no more can; have them approved or rejected first", waiting)}
	}
	slices.SortFunc(decided, func(a, b *ChangeSet) int { return b.since().Compare(a.since()) })
	for _, one := range decided[min(len(decided), MostDecided):] {
		old = append(old, one.ID)
	}
	return old, nil
}

func (s *ChangeSet) putHead(tx *store.Tx) error {
	head := *s
	head.Steps = nil
	return tx.PutJSON(bucket, s.ID, head)
}

// Decide stores a decision about a set that waits. Errors are ErrNotFound, ErrDecided and the
// store's.
func Decide(tx *store.Tx, id string, state State, by store.Actor, now time.Time) error {
	s, err := find(tx, id, now)
	if err != nil {
		return err
	}
	if s.State != Waiting {
		return ErrDecided
	}
	s.State, s.Decided, s.DecidedBy = state, now.UTC(), by
	return errors.Join(s.putHead(tx), tx.DeleteRecord(stepsBucket, id))
}

// Find returns a change set, with its steps if it waits. Errors are ErrNotFound and the
// store's.
func Find(tx *store.Tx, id string, now time.Time) (*ChangeSet, error) {
	s, err := find(tx, id, now)
	if err != nil || s.State != Waiting {
		return s, err
	}
	steps, err := tx.Record(stepsBucket, id)
	if err == nil {
		err = s.readSteps(steps)
	}
	return s, err
}

// readSteps reads the steps that wait.
func (s *ChangeSet) readSteps(value []byte) error {
	if err := json.Unmarshal(value, &s.Steps); err != nil {
		return fmt.Errorf("the steps of the change set cannot be read: %w", err)
	}
	if len(s.Steps) != s.Count {
		return fmt.Errorf("the change set has %d steps of %d", len(s.Steps), s.Count)
	}
	return nil
}

func find(tx *store.Tx, id string, now time.Time) (*ChangeSet, error) {
	value, err := tx.Record(bucket, id)
	if err != nil {
		return nil, err
	}
	if value == nil {
		return nil, ErrNotFound
	}
	s, err := read(id, value)
	if err == nil {
		s.expire(now)
	}
	return s, err
}

// List returns the change sets without their steps: first those that wait, the oldest first,
// then the decisions, the latest first. Errors are the store's.
func List(tx *store.Tx, now time.Time) (all []*ChangeSet, err error) {
	err = tx.Records(bucket, func(id string, value []byte) error {
		s, err := read(id, value)
		if err == nil {
			s.expire(now)
			all = append(all, s)
		}
		return nil // Check reports what cannot be read
	})
	slices.SortFunc(all, func(a, b *ChangeSet) int {
		switch {
		case a.State == Waiting && b.State == Waiting:
			return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
		case a.State == Waiting:
			return -1
		case b.State == Waiting:
			return 1
		}
		return cmp.Or(b.since().Compare(a.since()), cmp.Compare(a.ID, b.ID))
	})
	return all, err
}

// since is when the set was decided, or else stored.
func (s *ChangeSet) since() time.Time {
	if !s.Decided.IsZero() {
		return s.Decided
	}
	return s.Created
}

func (s *ChangeSet) expire(now time.Time) {
	if s.State == Waiting && now.After(s.Created.Add(KeptFor)) {
		s.State = Expired
	}
}

func read(id string, value []byte) (*ChangeSet, error) {
	s := &ChangeSet{}
	if err := json.Unmarshal(value, s); err != nil {
		return nil, fmt.Errorf("the change set cannot be read: %w", err)
	}
	if s.ID != id || s.Count == 0 || s.Created.IsZero() || !slices.Contains([]State{Waiting, Approved, Rejected}, s.State) {
		return nil, errors.New("the change set lacks its id, its state, its time or its changes")
	}
	return s, nil
}

// Check reports change sets that cannot be read. Errors are the store's.
func Check(tx *store.Tx) ([]verify.Fault, error) { return examine(tx, false) }

// Repair removes change sets that cannot be read, and reports which. Nobody else may be using
// the store. Errors are the store's.
func Repair(tx *store.Tx) (removed []verify.Fault, err error) { return examine(tx, true) }

func examine(tx *store.Tx, repair bool) (found []verify.Fault, err error) {
	var heads, steps []string // that are wrong
	report := func(id string, wrong error) {
		steps = append(steps, id)
		found = append(found, verify.Fault{Place: fmt.Sprintf("the change set %q", id), Message: wrong.Error(), Count: 1})
	}
	waits := map[string]bool{}
	err = tx.Records(bucket, func(id string, value []byte) error {
		s, wrong := read(id, value)
		if waits[id] = wrong == nil && s.State == Waiting; waits[id] {
			stored, err := tx.Record(stepsBucket, id)
			if err != nil {
				return err
			}
			wrong = s.readSteps(stored)
		}
		if wrong != nil {
			heads = append(heads, id)
			report(id, wrong)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = tx.RecordsFrom(stepsBucket, "", "", func(id string, _ []byte) bool {
		if !waits[id] && !slices.Contains(heads, id) {
			report(id, errors.New("it has steps, and nothing says that it waits"))
		}
		return true
	})
	if !repair || err != nil {
		return found, err
	}
	for _, id := range heads {
		err = errors.Join(err, tx.DeleteRecord(bucket, id))
	}
	for _, id := range steps {
		err = errors.Join(err, tx.DeleteRecord(stepsBucket, id))
	}
	return found, err
}
