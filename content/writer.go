package content

import (
	"context"
	"fmt"
	"sync"
	"time"

	"quire/index"
	"quire/schema"
	"quire/store"
)

// WriterOptions are what a Writer needs besides the content. The zero value
// serves sites without passwords.
type WriterOptions struct {
	// HashPassword turns a password of at most 72 bytes into what is stored.
	// It runs in the caller's goroutine, before the write queues. Without it,
	// writes that give a password fail.
	HashPassword func(string) (string, error)

	// Now is the clock, time.Now when nil.
	Now func() time.Time

	// Observe is told of each batch that had something to commit, when that is
	// done. It is called on the goroutine that commits, and must not block.
	Observe func(Batch)

	// Reads counts the reads that have begun. Without it there are none, as far as
	// the Writer knows, and writes take what processors there are.
	Reads func() uint64
}

// Batch is how one transaction went.
type Batch struct {
	Writes int           // that were accepted, and share the commit
	Took   time.Duration // from the beginning of the transaction to its end
	Commit time.Duration // of that, from the last write to the end: laying out pages and fsync
	Err    error         // nil when the writes are on the disk
}

// Request asks for one write.
type Request struct {
	Type *schema.Type

	// DocumentID names the document. It may be empty for a create, which then
	// makes one, and for single types, which have one document at most.
	DocumentID string

	// Locale is the locale to write: empty for the default one, AllLocales to
	// delete every one. It means nothing for types that are not localized.
	Locale string

	// Status is Draft to leave the published version as it is. Anything else
	// publishes. It means nothing for types without draft and publish.
	Status store.Status

	Input *Input // nil gives nothing

	create bool
	either bool // make the document unless there is one
}

// Result is where a write can be read back.
type Result struct {
	DocumentID string
	Locale     string // empty for types that are not localized
	Status     store.Status
	Snapshot   *index.Snapshot // the content after the write
	Created    bool            // the document is new
}

// Writer is the one door through which content changes. It is safe for use by
// many goroutines.
type Writer struct {
	db       *store.DB
	index    *index.Index
	site     *schema.Site
	defaults defaults
	hash     func(string) (string, error)
	now      func() time.Time
	observe  func(Batch)

	reads  func() uint64
	seen   uint64        // of them, when the last batch began
	worked time.Duration // on the last batch, before its commit

	queue   chan *write
	alone   chan *task
	closing chan struct{}
	closed  sync.Once
	done    chan struct{} // closed when the queue's goroutine has ended
}

// NewWriter starts a Writer. The index must hold what db holds, and nothing
// else may change either while the Writer is open.
func NewWriter(db *store.DB, x *index.Index, site *schema.Site, o WriterOptions) *Writer {
	w := newWriter(db, x, site, o)
	go w.run()
	return w
}

func newWriter(db *store.DB, x *index.Index, site *schema.Site, o WriterOptions) *Writer {
	w := &Writer{
		db: db, index: x, site: site, defaults: defaultsOf(site), hash: o.HashPassword, now: o.Now, observe: o.Observe, reads: o.Reads,
		queue: make(chan *write), alone: make(chan *task), closing: make(chan struct{}), done: make(chan struct{}),
	}
	if w.now == nil {
		w.now = time.Now
	}
	if w.observe == nil {
		w.observe = func(Batch) {}
	}
	if w.reads == nil {
		w.reads = func() uint64 { return 0 }
	}
	return w
}

// Create makes a document. A DocumentID that the request brings along is used;
// it is an error when there is such a document already. Errors: *ValidationError,
// *ApplicationError, the context's when it ended before the write began, and
// the store's.
func (w *Writer) Create(ctx context.Context, r Request) (Result, error) {
	r.create = true
	return w.save(ctx, r)
}

// Update changes a document in one locale, which is made when the document does
// not have it yet; attributes that the input does not give stay as they are. A
// single type's document is made when there is none. Errors: as for Create, and
// *NotFoundError.
func (w *Writer) Update(ctx context.Context, r Request) (Result, error) {
	return w.save(ctx, r)
}

// Delete deletes the draft and the published version of a document in one
// locale or in all. It is no error when there is nothing to delete.
func (w *Writer) Delete(ctx context.Context, r Request) error {
	_, err := w.submit(ctx, func(op *operation) (Result, error) { return op.delete(r) })
	return err
}

func (w *Writer) save(ctx context.Context, r Request) (Result, error) {
	if err := w.prepare(r); err != nil {
		return Result{}, err
	}
	return w.submit(ctx, func(op *operation) (Result, error) { return op.save(r) })
}

// Closed reports whether the Writer takes no more writes.
func (w *Writer) Closed() bool {
	select {
	case <-w.closing:
		return true
	default:
		return false
	}
}

// prepare does what a write needs before it queues.
func (w *Writer) prepare(r Request) error {
	if r.Input != nil && r.Input.Type != r.Type {
		return fmt.Errorf("content: an input for %s cannot be written to %s", r.Input.Type.UID, r.Type.UID)
	}
	return w.hashPasswords(r)
}

// Close ends the Writer once the batch under way is done. Writes that have not
// begun get ErrClosed. The store and the index stay open.
func (w *Writer) Close() error {
	w.closed.Do(func() { close(w.closing) })
	<-w.done
	return nil
}
