//go:build cluster

package cluster

import (
	"errors"
	"fmt"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"quire/store"
	"quire/store/cluster/member"
)

// etcd reports that it is full also of a transaction that it has done. Such a batch is
// stored, and one that is not there is refused.
func TestAFullEtcdThatHasStoredTheBatch(t *testing.T) {
	j := openJournal(t, startMember(t, member.Options{}), "guide")
	beginEmpty(t, j)
	was, err := j.now(t.Context())
	must(t, err)
	full := errors.New("full")
	next := was
	next.head.Revision, next.head.Mark, next.head.After = was.head.Revision+1, newMark(), was.position()
	next.text = next.head.text()
	if _, err := j.judgeFull(t.Context(), was, next, full); !errors.Is(err, store.ErrFull) || !errors.As(err, new(*store.RefusedError)) {
		t.Errorf("a batch that is not there: %v", err)
	}
	put, err := j.etcd().Put(t.Context(), j.keys.head(), next.text)
	must(t, err)
	at, err := j.judgeFull(t.Context(), was, next, full)
	if err != nil || at != position(put.Header.Revision, next.head.Mark) {
		t.Errorf("a batch that is there: %d, %v", at, err)
	}
	later := next.head
	later.Revision, later.Mark, later.After = later.Revision+1, newMark(), at
	if _, err := j.etcd().Put(t.Context(), j.keys.head(), later.text()); err != nil {
		t.Fatal(err)
	}
	if _, err := j.judgeFull(t.Context(), was, next, full); err == nil || errors.As(err, new(*store.RefusedError)) {
		t.Errorf("a batch that others may have followed: %v", err)
	}
}

// A commit is passed on after the one that it came after, and after no other, whatever its
// revision is.
func TestACommitFollowsItsOwnFormerOne(t *testing.T) {
	j := openJournal(t, startMember(t, member.Options{}), "guide")
	beginEmpty(t, j)
	was, err := j.now(t.Context())
	must(t, err)
	next := was.head
	next.Revision, next.Mark, next.After = next.Revision+1, newMark(), was.position()^1 // of another history
	if _, err := j.etcd().Put(t.Context(), j.keys.head(), next.text()); err != nil {
		t.Fatal(err)
	}
	err = j.Follow(t.Context(), was.position(), func(store.Batch) error { return errors.New("it was passed on") })
	if !errors.Is(err, store.ErrCompacted) {
		t.Error(err)
	}
}

// The position after content was replaced is that of the replacement, although others may
// commit at once.
func TestThePositionOfAReplacement(t *testing.T) {
	j := openJournal(t, startMember(t, member.Options{}), "guide")
	beginEmpty(t, j)
	was, err := j.now(t.Context())
	must(t, err)
	lease, release, err := j.frozen(t.Context())
	must(t, err)
	defer release()
	h := was.head
	h.Revision, h.Mark, h.After, h.Lineage = h.Revision+1, newMark(), 0, newLineage()
	switched, err := j.switchTo(t.Context(), was, h, lease)
	must(t, err)
	next := h
	next.Revision, next.Mark, next.After = h.Revision+1, newMark(), switched.position()
	if _, err := j.etcd().Put(t.Context(), j.keys.head(), next.text()); err != nil {
		t.Fatal(err)
	}
	got, err := j.etcd().Get(t.Context(), j.keys.head(), clientv3.WithRev(etcdRevision(switched.position())))
	if err != nil || len(got.Kvs) != 1 || string(got.Kvs[0].Value) != h.text() {
		t.Error(fmt.Errorf("at the position of the replacement stands %v: %w", got, err))
	}
}

// The time of a commit is not before that of the one before it, unless that was made by a
// clock that was wrong: else all that follows had that time.
func TestTheTimeAfterAClockThatWasWrong(t *testing.T) {
	now := time.Now()
	hour, year := now.Add(time.Hour).UnixMilli(), now.AddDate(1, 0, 0).UnixMilli()
	if got := later(hour); got != hour {
		t.Errorf("after a commit that is an hour ahead comes %s", time.UnixMilli(got))
	}
	if got := later(year); got < now.UnixMilli() || got >= hour {
		t.Errorf("after a commit that is a year ahead comes %s", time.UnixMilli(got))
	}
}
