package content

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"quire/content/body"
	"quire/event"
	"quire/index"
	"quire/schema"
	"quire/store"
)

// WriterOptions are what a Writer needs besides the content. The zero value
// serves sites without passwords.
type WriterOptions struct {
	// HashPassword turns a password of at most 72 bytes into what is stored.
	// It runs in the caller's goroutine, before the write queues, and ends with the
	// write's context. Without it, writes that give a password fail.
	HashPassword func(ctx context.Context, password string) (string, error)

	// Now is the clock, time.Now when nil.
	Now func() time.Time

	// Observe is called with each batch that had something to commit, once that is
	// done. It runs on the goroutine that commits, and must not block.
	Observe func(Batch)

	// Reads counts the reads that have begun. Without it there are none, as far as
	// the Writer knows, and writes take what processors there are.
	Reads func() uint64

	// Asker is asked before each write of a document; nil asks nobody.
	Asker Asker
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

	Input *body.Input // nil gives nothing

	// Match, unless nil, is what the document must be like for the write to be done.
	Match *Match

	// Beside, unless nil, writes what belongs to the write and is no content, such
	// as mail that it causes, in the same transaction; see Writer.Record.
	Beside func(tx *store.Tx) error

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
	Version    uint64          // of the document now; 0 when the write changed nothing
}

// Writer is the one door through which content changes. It is safe for use by
// many goroutines.
type Writer struct {
	db      *store.DB
	shown   atomic.Pointer[index.Index]
	asker   Asker
	planner *Planner
	observe func(Batch)
	append  appendLog

	reads  func() uint64
	seen   uint64        // of them, when the last batch began
	worked time.Duration // on the last batch, before its commit

	detach  func() // ends what attach began
	queue   chan *write
	alone   chan *task
	closing chan struct{}
	closed  sync.Once
	done    chan struct{} // closed when the queue's goroutine has ended
}

// appendLog is event.Append; the benchmark of the log puts another here.
type appendLog func(tx *store.Tx, at time.Time, events []event.Event) error

// NewWriter starts a Writer. The index must hold what db held at the revision of its
// snapshot, and nothing else may change the index while the Writer is open. The Writer
// also brings it over the commits of other nodes.
func NewWriter(db *store.DB, x *index.Index, site *schema.Site, o WriterOptions) *Writer {
	w := newWriter(db, x, site, o)
	w.attach()
	go w.run()
	return w
}

// attach has the index follow the commits of other nodes.
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
		queue: make(chan *write), alone: make(chan *task), closing: make(chan struct{}), done: make(chan struct{}),
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

// index is the content in memory.
func (w *Writer) index() *index.Index { return w.shown.Load() }

// operation begins a write in a transaction.
func (w *Writer) operation(tx *store.Tx, content *index.Snapshot) *operation {
	op := w.planner.operation(tx, content, w.time(tx))
	op.tx = tx
	return op
}

// time is that of the commit to come.
func (w *Writer) time(tx *store.Tx) time.Time { return tx.Time(w.planner.now()) }

// Create makes a document. A DocumentID that the request brings along is used;
// it is an error when there is such a document already. Errors:
// *body.ValidationError, *ApplicationError, *ConflictError, those of an Asker,
// *OvertakenError, *PanicError, ErrClosed, the context's when it ended before the write began, and the store's.
func (w *Writer) Create(ctx context.Context, r Request) (Result, error) {
	return w.one(ctx, ToCreate(r))
}

// Update changes a document in one locale, which is made when the document does
// not have it yet; attributes that the input does not give stay as they are. A
// single type's document is made when there is none. Errors: as for Create, and
// *NotFoundError.
func (w *Writer) Update(ctx context.Context, r Request) (Result, error) {
	return w.one(ctx, ToUpdate(r))
}

// Delete deletes the draft and the published version of a document in one
// locale or in all. It is no error when there is nothing to delete.
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

// Closed reports whether the Writer takes no more writes.
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

// prepareEach is prepare, and says which of the requests is at fault.
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

// Close ends the Writer once the batch under way is done. Writes that have not
// begun get ErrClosed. The store and the index stay open.
func (w *Writer) Close() error {
	w.closed.Do(func() { close(w.closing) })
	<-w.done
	return nil
}

// ErrClosed is the answer to a write on a Writer that has been closed.
var ErrClosed = errors.New("content: the writer is closed")

// NotFoundError is a write to a document that does not exist.
type NotFoundError struct {
	Type       string // uid
	DocumentID string
}

func (e *NotFoundError) Error() string {
	return fmt.Sprintf("%s has no document %s", e.Type, e.DocumentID)
}

// PartError is one of several writes that was refused, and with it all of them.
type PartError struct {
	Part int // which, from 0 on
	Err  error
}

func (e *PartError) Error() string { return fmt.Sprintf("write %d of several: %v", e.Part, e.Err) }

func (e *PartError) Unwrap() error { return e.Err }

// ApplicationError is a body that is sound in itself and does not fit the
// document that it is for.
type ApplicationError struct{ Message string }

func (e *ApplicationError) Error() string { return e.Message }

// PanicError is a defect that a write ran into. The write was not done, and the
// other writes of its batch were not affected. A panic during the commit, of which
// nobody knows whether the writes were stored, comes inside a *store.UncertainError.
type PanicError struct {
	Cause any
	Stack []byte
}

func (e *PanicError) Error() string { return fmt.Sprintf("content: panic in a write: %v", e.Cause) }
