package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Journal orders the commits of a site that several nodes share. Each node's data file is
// then a replica: the journal decides a commit, and the file follows. The tests of package
// storetest define what every journal must do.
//
// All methods may be called from any goroutine, and end when their context does.
type Journal interface {
	// Lineage returns the number of the history in the journal. It is never 0, the same on
	// every node, and changes only with Replace and Renew.
	Lineage(ctx context.Context) (uint64, error)

	// Propose appends a batch, if no other came after the position in the batch, and
	// returns the position of the batch itself. When it returns, the batch is durable.
	// ErrBehind means that another batch came first and that this one is certainly not
	// stored. ErrFrozen and a *RefusedError also mean that it is not stored. After any other
	// error that is unknown: Follow shows the batch if it was stored, and a later Propose
	// from the same position that succeeds proves that it was not.
	Propose(ctx context.Context, b Batch) (position uint64, err error)

	// Follow calls fn for every batch after a position, in order and without gaps, and
	// continues with new ones until ctx is done or fn fails. Its error is fn's, the
	// context's, ErrCompacted, or says why the journal cannot be read.
	Follow(ctx context.Context, after uint64, fn func(Batch) error) error

	// Load calls fn for the result of all batches up to one, each value once, and returns
	// that batch without its operations.
	Load(ctx context.Context, fn func(Op) error) (last Batch, err error)

	// Fresh returns the position of the last batch: a node that has followed up to it has
	// seen everything that was decided when Fresh was called.
	Fresh(ctx context.Context) (position uint64, err error)

	// Freeze makes Propose return ErrFrozen to every node, this one too, until release is
	// called, Replace has been done, or this node is gone. It returns ErrFrozen itself if
	// another node has the freeze.
	Freeze(ctx context.Context) (release func(), err error)

	// Replace replaces everything with the content of a data file, under a new lineage, and
	// returns the batch that represents it, without operations. Its revision is higher than
	// all earlier ones. Nodes that follow the former lineage get ErrCompacted. Replace
	// freezes the journal until it returns, if this node does not have the freeze already.
	Replace(ctx context.Context, with *DB) (Batch, error)

	// Renew begins another lineage with the current content, by a batch of LogAnew whose
	// revision is UnknownLead after the last, unless the journal already has another
	// lineage than this one. A node calls it if the journal has lost commits that the node
	// has: new commits must not have the names of the lost ones.
	Renew(ctx context.Context, lineage uint64) error
}

// Imager is a Journal that gives its content as a whole data file, which is faster than
// Load.
type Imager interface {
	// Image writes the content to a new file at path, and returns the batch that it ends
	// with, without its operations.
	Image(ctx context.Context, path string) (last Batch, err error)
}

// Batch is what one Update writes, in the form for a Journal.
type Batch struct {
	// Position is the position of the batch in the journal. In Propose it is the position
	// of the last batch that the proposer has seen.
	Position uint64

	Revision uint64 // of the commit; each batch has the next one
	Lineage  uint64 // of the commit where it was made; 0 if all nodes have the lineage of the journal
	Time     int64  // of the commit, milliseconds since 1970; see Tx.Time
	Ops      []Op   // in the order in which they were done; a journal may reduce several writes of a value to the last one
}

// Op stores one value in the buckets of the data file, or deletes it.
type Op struct {
	Path  []string // of the buckets, from the top of the file
	Key   []byte
	Value []byte // nil to delete
}

// Size returns the approximate size of the operation in a journal, in bytes.
func (o Op) Size() int {
	n := len(o.Key) + len(o.Value)
	for _, name := range o.Path {
		n += len(name) + 1
	}
	return n
}

// MaxOps and MaxBytes limit one Update of a DB with a Journal. A data file without one
// accepts more.
const (
	MaxOps   = 4095 // and one of the journal's own
	MaxBytes = 12 << 20
)

// Errors of a Journal.
var (
	// ErrCopy: the file is a copy of another server's, which does all writing.
	ErrCopy = errors.New("this server follows another one, which does all writing")

	// ErrBehind: another batch was first. The proposed one is not stored.
	ErrBehind = errors.New("store: the journal has commits that this node has not seen")

	// ErrFrozen: a node is about to replace everything, and nothing is committed meanwhile.
	// The proposed batch is not stored.
	ErrFrozen = errors.New("store: the content is being replaced, and nothing can be written meanwhile")

	// ErrCompacted: the journal no longer has the batches after that position, or has
	// another lineage. Only Load shows its content.
	ErrCompacted = errors.New("store: the journal no longer has the commits after that position")

	// ErrWentBack is ErrCompacted if the journal does not have the batch at that position:
	// it was restored to a former state.
	ErrWentBack = fmt.Errorf("the journal was put back to a former state: %w", ErrCompacted)
)

// The clocks of nodes differ, and the writing node changes. So that no commit is earlier
// than the one before it, its time is the later of two: that of the node's clock, and that
// of the last commit, which the journal passes on. Without a journal there is only one
// clock.

// timeKey is the key in meta of the time of a replica's last commit, in milliseconds since
// 1970.
const timeKey = "time"

// farAhead is the maximum difference by which a commit may be ahead of the clock of this
// node. A larger one comes from a wrong clock, and would prevent all later commits from
// having their own time.
const farAhead = 24 * time.Hour

// Time returns the time of the current commit: now or, if the clock of another node is
// ahead, that of the last commit. It is the same for every call in an Update.
func (tx *Tx) Time(now time.Time) time.Time {
	if tx.db.options.Journal == nil {
		return now
	}
	if tx.time != 0 {
		return time.UnixMilli(tx.time)
	}
	tx.time = Later(now, int64(tx.number(metaBucket, timeKey)))
	return time.UnixMilli(tx.time)
}

// Later returns the time of a commit after another one, in milliseconds since 1970: now, or
// that of the last commit if it is later and not far ahead.
func Later(now time.Time, last int64) int64 {
	if last > now.UnixMilli() && last <= now.Add(farAhead).UnixMilli() {
		return last
	}
	return now.UnixMilli()
}
