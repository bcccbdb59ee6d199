package content

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"quire/content/body"
	"quire/content/event"
	"quire/index"
	"quire/schema"
	"quire/store"
)

// WriterOptions are what a Writer needs in addition to the content. The zero value is for
// sites without passwords.
type WriterOptions struct {
	// HashPassword turns a password of at most 72 bytes into the stored hash. It runs in
	// the caller's goroutine, before the write queues, and ends with the write's context.
	// Without it, writes with a password fail.
	HashPassword func(ctx context.Context, password string) (string, error)

	// Now is the clock, time.Now when nil.
	Now func() time.Time

	// Observe is called after each batch that had something to commit. It runs on the
	// goroutine that commits, and must not block.
	Observe func(Batch)

	// Reads counts the reads that have begun. Without it, the Writer assumes that there are
	// none, and writes use all processors.
	Reads func() uint64

	// Asker is asked before each write of a document; nil asks nobody.
	Asker Asker
}

// Batch describes one transaction.
type Batch struct {
	Writes int           // accepted writes, which share the commit
	Took   time.Duration // from the beginning of the transaction to its end
	Commit time.Duration // part of Took: from the last write to the end, for laying out pages and fsync
	Err    error         // nil if the writes are on the disk
}

// Request requests one write.
type Request struct {
	Type *schema.Type

	// DocumentID names the document. It may be empty for a create, which then makes one,
	// and for single types, which have at most one document.
	DocumentID string

	// Locale is the locale to write: empty for the default one, AllLocales to delete all.
	// It has no effect on types that are not localized.
	Locale string

	// Status is Draft to leave the published version unchanged. Any other value publishes.
	// It has no effect on types without draft and publish.
	Status store.Status

	Input *body.Input // nil for no data

	// Match, unless nil, is a condition on the document.
	Match *Match

	// Beside, unless nil, writes records that belong to the write and are not content, such
	// as mail that it causes, in the same transaction; see Writer.Record.
	Beside func(tx *store.Tx) error

	create bool
	either bool // create the document unless it exists
}

// Result identifies the written entry.
type Result struct {
	DocumentID string
	Locale     string // empty for types that are not localized
	Status     store.Status
	Snapshot   *index.Snapshot // the content after the write
	Created    bool            // whether the document is new
	Version    uint64          // current version of the document; 0 if the write changed nothing
}

// Writer is the only way to change content. Its methods can be called concurrently.
type Writer struct {
	db      *store.DB
	shown   atomic.Pointer[index.Index]
	asker   Asker
	code    atomic.Pointer[Code]
	planner *Planner
	observe func(Batch)
	append  appendLog

	reads  func() uint64
	seen   uint64        // their number when the last batch began
	worked time.Duration // time spent on the last batch, before its commit

	detach  func() // undoes attach
	queue   chan *write
	alone   chan *task
	lane    *lane
	closing chan struct{}
	closed  sync.Once
	done    chan struct{} // closed when the queue's goroutine has ended
}

// appendLog is event.Append; the benchmark of the log replaces it.
type appendLog func(tx *store.Tx, at time.Time, events []event.Event) error

// NewWriter starts a Writer. The index must have the content of db at the revision of its
// snapshot, and nothing else may change the index while the Writer is open. The Writer also
// applies the commits of other nodes to it.
func NewWriter(db *store.DB, x *index.Index, site *schema.Site, o WriterOptions) *Writer {
	w := newWriter(db, x, site, o)
	w.attach()
	go w.run()
	return w
}

// attach makes the index follow the commits of other nodes.
func (w *Writer) attach() {
	var err error
	if w.detach, err = w.db.Attach(w.index().Snapshot().Revision(), w.adopt); err != nil {
		w.detach = func() {}
		w.db.Suspend(err) // until the content is read again
	}
}

func newWriter(db *store.DB, x *index.Index, site *schema.Site, o WriterOptions) *Writer {
	w := &Writer{
		db: db, planner: NewPlanner(site, o), asker: o.Asker, observe: o.Observe, append: event.Append, reads: o.Reads,
		queue: make(chan *write), alone: make(chan *task), lane: newLane(), closing: make(chan struct{}), done: make(chan struct{}),
	}
	w.shown.Store(x)
	if w.observe == nil {
		w.observe = func(Batch) {}
	}
	if w.reads == nil {
		w.reads = func() uint64 { return 0 }
	}
	return w
}

// index returns the content in memory.
func (w *Writer) index() *index.Index { return w.shown.Load() }

// operation begins a write in a transaction.
func (w *Writer) operation(tx *store.Tx, content *index.Snapshot) *operation {
	op := w.planner.operation(tx, content, w.time(tx))
	op.tx = tx
	op.view = func(fn func(*store.Tx) error) error { return fn(tx) }
	return op
}

// time returns the time of the next commit.
func (w *Writer) time(tx *store.Tx) time.Time { return tx.Time(w.planner.now()) }

// Create creates a document. It uses the DocumentID of the request, if there is one; if
// that document exists already, this is an error. Errors: *body.ValidationError,
// *ApplicationError, *ConflictError, those of an Asker, *OvertakenError, *PanicError,
// ErrClosed, the error of a context that ended before the write began, and the store's.
func (w *Writer) Create(ctx context.Context, r Request) (Result, error) {
	return w.one(ctx, ToCreate(r))
}

// Update changes a document in one locale, which is created if the document does not have
// it yet. Attributes that the input does not have stay unchanged. The document of a single
// type is created if there is none. Errors: as for Create, and *NotFoundError.
func (w *Writer) Update(ctx context.Context, r Request) (Result, error) {
	return w.one(ctx, ToUpdate(r))
}

// Delete deletes the draft and the published version of a document in one locale or in all.
// Deleting something that does not exist is no error.
func (w *Writer) Delete(ctx context.Context, r Request) error {
	_, err := w.one(ctx, ToDelete(r))
	return err
}

// one does one write that has one result.
func (w *Writer) one(ctx context.Context, write Write) (Result, error) {
	results, err := w.Together(ctx, []Write{write})
	if err != nil {
		return Result{}, err
	}
	return results[0][0], nil
}

// Closed reports whether the Writer accepts no more writes.
func (w *Writer) Closed() bool {
	select {
	case <-w.closing:
		return true
	default:
		return false
	}
}

// prepare does what the requests of one write need before it queues.
func (w *Writer) prepare(ctx context.Context, requests ...Request) error {
	_, err := w.prepareEach(ctx, requests)
	return err
}

// prepareEach is prepare, and returns the request that caused an error.
func (w *Writer) prepareEach(ctx context.Context, requests []Request) (fault int, err error) {
	links := 0
	for i, r := range requests {
		if r.Input != nil && r.Input.Type != r.Type {
			return i, fmt.Errorf("content: an input for %s cannot be written to %s", r.Input.Type.UID, r.Type.UID)
		}
		if links, err = countLinks(w.planner.site, r.Input, links); err != nil {
			return i, err
		}
	}
	return w.planner.hashPasswords(ctx, requests...)
}

// Close ends the Writer when the current batch is done. Writes that have not begun get
// ErrClosed. The store and the index stay open.
func (w *Writer) Close() error {
	w.closed.Do(func() { close(w.closing) })
	<-w.done
	return nil
}

// ErrClosed is the error of a write on a closed Writer.
var ErrClosed = errors.New("content: the writer is closed")

// NotFoundError reports a write to a document that does not exist.
type NotFoundError struct {
	Type       string // uid
	DocumentID string
}

func (e *NotFoundError) Error() string {
	return fmt.Sprintf("%s has no document %s", e.Type, e.DocumentID)
}

// PartError is the error of one of several writes. It refuses all of them.
type PartError struct {
	Part int // index of the write, from 0
	Err  error
}

func (e *PartError) Error() string { return fmt.Sprintf("write %d of several: %v", e.Part, e.Err) }

func (e *PartError) Unwrap() error { return e.Err }

// ApplicationError refuses a valid body that does not fit its document.
type ApplicationError struct{ Message string }

func (e *ApplicationError) Error() string { return e.Message }

// PanicError is a defect during a write. The write was not done, and the other writes of
// its batch were not affected. After a panic during the commit, it is unknown whether the
// writes were stored; then the error is inside a *store.UncertainError.
type PanicError struct {
	Cause any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("content: panic in a write: %v", e.Cause) }
