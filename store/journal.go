package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Journal gives the commits of a site their order when several nodes share it. Each
// node's data file is then a replica: a commit is decided by the journal, and the
// file follows. The tests of package storetest say what every journal has to do.
//
// All methods may be called from any goroutine, and end when their context does.
type Journal interface {
	// Lineage names the history that the journal keeps. It is never 0, the same on
	// every node, and changes with Replace and Renew alone.
	Lineage(ctx context.Context) (uint64, error)

	// Propose appends a batch, if no other came after the position that the batch
	// names, and returns the position of the batch itself. When it returns, the batch
	// is durable. ErrBehind means that another batch came first and that this one is
	// not stored, surely. After any other error that is unknown: Follow shows the
	// batch if it was stored, and a later Propose from the same position that
	// succeeds proves that it was not. But for ErrHeld and a *RefusedError: they say
	// that it is not stored.
	Propose(ctx context.Context, b Batch) (position uint64, err error)

	// Follow calls fn for every batch after a position, in order and without gaps,
	// and goes on with those that come until ctx is done or fn fails. Its error is
	// fn's, the context's, ErrCompacted, or says why the journal cannot be read.
	Follow(ctx context.Context, after uint64, fn func(Batch) error) error

	// Load calls fn for all that the batches up to one came to, each value once, and
	// returns that batch without its operations.
	Load(ctx context.Context, fn func(Op) error) (last Batch, err error)

	// Fresh returns the position of the last batch: a node that has followed up to it
	// had seen everything that was decided when Fresh was called.
	Fresh(ctx context.Context) (position uint64, err error)

	// Hold has Propose answer ErrHeld to every node, this one too, until release is
	// called, Replace has been done, or this node is gone. It answers ErrHeld itself
	// where another node holds.
	Hold(ctx context.Context) (release func(), err error)

	// Replace puts what a data file holds in the place of everything, under a new
	// lineage, and returns the batch that stands for it, without operations. Its
	// revision is higher than all before. Nodes that follow the former lineage get
	// ErrCompacted. It holds the journal until it has returned, if this node does not do
	// so already.
	Replace(ctx context.Context, with *DB) (Batch, error)

	// Renew begins another lineage with the content as it is, by a batch of LogAnew
	// whose revision is UnknownLead after the last, unless that has another lineage than
	// this one already. A node calls it where the journal has lost commits that the
	// node has: what comes then must not go by the names of what was lost.
	Renew(ctx context.Context, lineage uint64) error
}

// Batch is what one Update writes, as it goes through a Journal.
type Batch struct {
	// Position is where the batch stands in the journal. In Propose it is the
	// position of the last batch that the proposer has seen.
	Position uint64

	Revision uint64 // of the commit; each batch has the next one
	Time     int64  // of the commit, milliseconds since 1970; see Tx.Time
	Ops      []Op   // in the order in which they were done; a journal may show a value that was written twice once, as it ended
}

// Op stores one value in the buckets of the data file, or deletes it.
type Op struct {
	Path  []string // of the buckets, from the top of the file
	Key   []byte
	Value []byte // nil to delete
}

// Size is about how many bytes the operation takes in a journal.
func (o Op) Size() int {
	n := len(o.Key) + len(o.Value)
	for _, name := range o.Path {
		n += len(name) + 1
	}
	return n
}

// MaxOps and MaxBytes bound one Update of a DB that has a Journal. A data file of
// its own takes more.
const (
	MaxOps   = 4095 // and one of the journal's own
	MaxBytes = 12 << 20
)

// What a Journal answers.
var (
	// ErrBehind: another batch was first. The proposed one is not stored.
	ErrBehind = errors.New("store: the journal has commits that this node has not seen")

	// ErrHeld: a node is about to replace everything, and nothing is committed
	// meanwhile. The proposed batch is not stored.
	ErrHeld = errors.New("store: the content is being replaced, and nothing can be written meanwhile")

	// ErrCompacted: the journal does not keep the batches after that position any
	// more, or has another lineage. Only Load shows what there is.
	ErrCompacted = errors.New("store: the journal does not keep the commits after that position any more")

	// ErrWentBack is ErrCompacted where the journal has not got what stood at that
	// position: it was put back to a former state.
	ErrWentBack = fmt.Errorf("the journal was put back to a former state: %w", ErrCompacted)
)

// The clocks of nodes differ, and the node that writes changes. So that no commit is
// earlier than the one before it, its time is the later of the two: that of the node's
// clock, and that of the last commit, which the journal hands on. Without a journal, one
// clock is all there is.

// timeKey is the key in meta of the time of a replica's last commit, in milliseconds since
// 1970.
const timeKey = "time"

// farAhead is how far a commit may be ahead of the clock of this node. What is further
// ahead was made by a clock that was wrong, and would keep all that is to come from having
// its own time.
const farAhead = 24 * time.Hour

// Time returns the time of the commit to come: now or, where the clock of another node is
// ahead, that of the last commit. It is the same however often an Update asks.
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

// Later is the time of a commit that comes after another one, in milliseconds since 1970: now,
// or that of the last commit where it is later and not far ahead.
func Later(now time.Time, last int64) int64 {
	if last > now.UnixMilli() && last <= now.Add(farAhead).UnixMilli() {
		return last
	}
	return now.UnixMilli()
}
