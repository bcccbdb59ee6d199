package release

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"quire/store"
)

// The buckets of records. Releases and schedules share one. The parts of a release that may
// be long, its steps and failures, have a separate record, so that lists need not read it.
const (
	bucket        = "releases"         // by key
	detailsBucket = "release-details"  // by key, of named releases
	doneBucket    = "release-finished" // schedules that were done, by time and id

	// Moments is the bucket of what is due, by time and key. Every change of it may change
	// the next moment.
	Moments = "release-moments"
)

// key returns the name of the record: release/ID, or schedule/TYPE/DOCUMENT/ID.
func (r *Release) key() string {
	if r.Name == "" {
		return documentPrefix(r.Steps[0].Type, r.Steps[0].DocumentID) + r.ID
	}
	return namedPrefix + r.ID
}

const (
	namedPrefix    = "release/"
	schedulePrefix = "schedule/"
)

func documentPrefix(uid, documentID string) string {
	return schedulePrefix + uid + "/" + documentID + "/"
}

// momentForm is RFC 3339 with the same number of digits for all times, so that texts sort
// by time.
const momentForm = "2006-01-02T15:04:05.000Z"

// momentKey returns the name of the record with the moment of a release; empty if it has
// none.
func (r *Release) momentKey() string {
	if r.State != Scheduled {
		return ""
	}
	at := r.At
	if !r.RetryAt.IsZero() {
		at = r.RetryAt
	}
	return at.UTC().Format(momentForm) + " " + r.key()
}

// parseMoment reads a momentKey.
func parseMoment(text string) (at time.Time, key string, err error) {
	when, key, ok := strings.Cut(text, " ")
	at, err = time.Parse(momentForm, when)
	if err == nil && !ok {
		err = errors.New("it names no release")
	}
	return at, key, err
}

// details are the parts with a separate record.
type details struct {
	Steps    []Step    `json:"steps"`
	Failures []Failure `json:"failures,omitempty"`
}

// put stores a release in place of was, nil for a new one. The error is a *ChangedError if
// the stored release is not was.
func put(tx *store.Tx, was, r *Release) error {
	if err := unchanged(tx, was, r); err != nil {
		return err
	}
	r.Revision, r.StepCount = tx.Revision(), len(r.Steps)
	head := *r
	if r.Name != "" {
		if err := putJSON(tx, detailsBucket, r.key(), details{r.Steps, r.Failures}); err != nil {
			return err
		}
		head.Steps, head.Failures = nil, nil
	}
	if err := putJSON(tx, bucket, r.key(), head); err != nil {
		return err
	}
	return moveMoment(tx, was, r)
}

// remove deletes the record of a release.
func remove(tx *store.Tx, was *Release) error {
	if err := unchanged(tx, was, was); err != nil {
		return err
	}
	for _, b := range []string{bucket, detailsBucket} {
		if err := tx.DeleteRecord(b, was.key()); err != nil {
			return err
		}
	}
	return moveMoment(tx, was, nil)
}

func moveMoment(tx *store.Tx, was, is *Release) error {
	var before, after string
	if was != nil {
		before = was.momentKey()
	}
	if is != nil {
		after = is.momentKey()
	}
	if before == after {
		return nil
	}
	if before != "" {
		if err := tx.DeleteRecord(Moments, before); err != nil {
			return err
		}
	}
	if after == "" {
		return nil
	}
	return tx.PutRecord(Moments, after, nil)
}

// unchanged requires that the stored form of r is was.
func unchanged(tx *store.Tx, was, r *Release) error {
	stored, err := tx.Record(bucket, r.key())
	if err != nil {
		return err
	}
	var before []byte
	if was != nil {
		before = was.stored
	}
	if !bytes.Equal(stored, before) {
		return &ChangedError{r.ID}
	}
	return nil
}

func putJSON(tx *store.Tx, bucket, key string, v any) error {
	return tx.PutJSON(bucket, key, v)
}

// parse reads the record of a release, without the separate record.
func parse(key string, text []byte) (*Release, error) {
	r := &Release{stored: bytes.Clone(text)}
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("release: the record %s cannot be read: %w", key, err)
	}
	if r.Name == "" && len(r.Steps) != 1 || r.key() != key {
		return nil, fmt.Errorf("release: the record %s is of something else", key)
	}
	return r, nil
}

// read returns the complete release with that key; nil if there is none.
func read(tx *store.Tx, key string) (*Release, error) {
	text, err := tx.Record(bucket, key)
	if err != nil || text == nil {
		return nil, err
	}
	r, err := parse(key, text)
	if err != nil || r.Name == "" {
		return r, err
	}
	if text, err = tx.Record(detailsBucket, key); err != nil {
		return nil, err
	}
	var d details
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, fmt.Errorf("release: the steps of %s cannot be read: %w", key, err)
	}
	r.Steps, r.Failures = d.Steps, d.Failures
	return r, nil
}

// each reads the releases whose keys begin with prefix, in the order of keys, without the
// separate records. It leaves out those that cannot be read; Check reports them.
func each(tx *store.Tx, prefix string, fn func(*Release)) error {
	return tx.RecordsFrom(bucket, prefix, "", func(key string, text []byte) bool {
		if r, err := parse(key, text); err == nil {
			fn(r)
		}
		return true
	})
}

// newID returns the id of a release: 24 letters and digits.
func newID() string { return strings.ToLower(rand.Text()[:24]) }
