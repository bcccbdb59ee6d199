package stream

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"quire/store"
)

// A Queue is files of records, the oldest first. Commits are appended to the newest, the
// open one. A closed file contains only commits that are in the data file: a file is closed
// when a commit has followed its last one, or when the data file shows it.

const (
	queueEnd  = ".queue"
	queueAge  = 600 * time.Millisecond // after which the open file is closed
	queueSize = 16 << 20               // bytes of a file, after which it is closed
)

// Queue holds the commits that have not been sent. It is a store.Recorder.
type Queue struct {
	folder string
	most   int64         // bytes
	age    time.Duration // after which the open file is closed

	mu      sync.Mutex
	closed  []queued
	open    *os.File // nil before the first commit
	size    int64    // of the open file
	lastAt  int64    // where the last record of the open file begins
	began   time.Time
	bytes   int64 // of all files
	number  uint64
	last    store.CommitID
	before  store.CommitID // the one before last, if that is in the open file
	time    int64          // of the last commit
	stopped error          // why commits are not recorded; nil if they are
	anew    bool           // see Anew
	buffer  []byte
}

// queued is a closed file.
type queued struct {
	path  string
	bytes int64
	began time.Time
}

// appendTo appends the commits in the file.
func (f queued) appendTo(b []byte) ([]byte, error) {
	from, err := os.Open(f.path)
	if err != nil {
		return b, err
	}
	b, err = appendAll(slices.Grow(b, int(f.bytes)+1), io.LimitReader(from, f.bytes))
	return b, errors.Join(err, from.Close())
}

// Errors after which a stream begins anew with an image.
var (
	ErrUnrecorded = errors.New("commits were made that the stream has not recorded, by a command, an import or another program")
	ErrTooLarge   = fmt.Errorf("one commit wrote more than %d MiB", store.MaxRecorded>>20)
	ErrQueueFull  = errors.New("the queue is full: the target has not accepted anything for too long")
)

// OpenQueue opens the queue in a folder, which it creates. It may use that many bytes of the
// disk. last and time are those of the last commit that was sent.
func OpenQueue(folder string, most int64, last store.CommitID, time int64) (*Queue, error) {
	if err := store.MakeFolder(folder, 0o700); err != nil {
		return nil, err
	}
	q := &Queue{folder: folder, most: most, age: queueAge, last: last, time: time}
	entries, err := os.ReadDir(folder) // sorted, and the numbers have the same length
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		name, ours := strings.CutSuffix(e.Name(), queueEnd)
		number, wrong := strconv.ParseUint(name, 16, 64)
		if !ours || wrong != nil {
			continue
		}
		q.number = number
		if err := q.reopen(filepath.Join(folder, e.Name())); err != nil {
			return nil, err
		}
	}
	return q, nil
}

// reopen reads a file that an earlier process has left. What is cut off was not committed.
func (q *Queue) reopen(path string) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if q.open != nil {
		q.closeOpen()
	}
	at := 0
	for rest := content; len(rest) > 0; {
		body, next, whole := nextRecord(rest)
		if !whole {
			break
		}
		c, err := parseRecord(body)
		if err != nil {
			break
		}
		if c.Revision > q.last.Revision || c.Before == q.last { // otherwise it was sent
			q.before, q.last, q.time = c.Before, c.CommitID, c.Time
		}
		q.lastAt = int64(at)
		at, rest = len(content)-len(next), next
	}
	if q.open, err = os.OpenFile(path, os.O_RDWR, 0o600); err != nil {
		return err
	}
	q.size, q.bytes, q.began = int64(at), q.bytes+int64(at), time.Now()
	return q.open.Truncate(q.size)
}

// Begin continues after the last commit in the data file. If the queue does not end there,
// nothing is recorded, see Seal. After Anew, the queue begins there.
func (q *Queue) Begin(last store.CommitID) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.anew:
		q.anew, q.stopped, q.last, q.before = false, nil, last, store.CommitID{}
	case q.stopped != nil, last == q.last:
	case q.size > 0 && last == q.before:
		q.dropLast()
	default:
		q.stop(ErrUnrecorded)
	}
}

// Anew makes the next Begin start at any commit: an image will contain it. What the queue
// still has is removed; it must have been sent.
func (q *Queue) Anew() error {
	return q.Remove(q.beginAnew())
}

// beginAnew returns how many closed files there are.
func (q *Queue) beginAnew() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.stopped == nil {
		q.stopped = ErrUnrecorded // nothing in between
	}
	if q.size > 0 {
		q.closeOpen()
	}
	q.anew = true
	return len(q.closed)
}

// Record appends a commit. It never fails: if the commit cannot be recorded, the stream will
// begin anew.
func (q *Queue) Record(c store.Recorded) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.stopped != nil {
		return
	}
	if c.Before != q.last && q.size > 0 && c.Before == q.before {
		q.dropLast() // that commit has failed
	}
	switch {
	case c.Before != q.last:
		q.stop(ErrUnrecorded)
		return
	case q.size > 0 && (q.size >= queueSize || time.Since(q.began) >= q.age):
		q.closeOpen()
	}
	c.Time = store.Later(time.UnixMilli(c.Time), q.time)
	q.buffer = appendRecord(q.buffer[:0], &c)
	switch {
	case c.Partial:
		q.stop(ErrTooLarge)
	case q.bytes+int64(len(q.buffer)) > q.most:
		q.stop(ErrQueueFull)
	default:
		if err := q.write(&c); err != nil {
			q.stop(fmt.Errorf("the queue cannot be written: %w", err))
		}
	}
	if cap(q.buffer) > queueSize {
		q.buffer = nil
	}
}

func (q *Queue) write(c *store.Recorded) (err error) {
	if q.open == nil {
		q.number++
		path := filepath.Join(q.folder, fmt.Sprintf("%016x%s", q.number, queueEnd))
		if q.open, err = os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o600); err != nil {
			return err
		}
	}
	if q.size == 0 {
		q.began = time.Now()
	}
	if _, err := q.open.WriteAt(q.buffer, q.size); err != nil {
		return errors.Join(err, q.open.Truncate(q.size))
	}
	q.lastAt, q.size, q.bytes = q.size, q.size+int64(len(q.buffer)), q.bytes+int64(len(q.buffer))
	q.before, q.last, q.time = q.last, c.CommitID, c.Time
	return nil
}

// dropLast removes the last commit of the open file, which failed.
func (q *Queue) dropLast() {
	q.bytes -= q.size - q.lastAt
	q.size, q.last, q.before = q.lastAt, q.before, store.CommitID{}
	if err := q.open.Truncate(q.size); err != nil {
		q.stop(err)
	}
}

// stop records nothing more until Restart, and closes what is certain. q.mu must be held.
func (q *Queue) stop(why error) {
	if q.stopped != nil {
		return
	}
	q.stopped = why
	if errors.Is(why, ErrUnrecorded) && q.size > 0 { // nothing shows that the last commit did not fail
		q.bytes -= q.size - q.lastAt
		q.size = q.lastAt
		_ = q.open.Truncate(q.size) // what stays is read again, and is not connected to anything
	}
	if q.size > 0 {
		q.closeOpen()
	}
}

// closeOpen closes the open file.
func (q *Queue) closeOpen() {
	q.closed = append(q.closed, queued{q.open.Name(), q.size, q.began})
	if err := q.open.Close(); err != nil {
		q.stopped = err
	}
	q.open, q.size, q.before = nil, 0, store.CommitID{}
}

// Seal closes the open file if its last commit is the last one in the data file. Call it
// after reading that. The error says why nothing is recorded any more.
func (q *Queue) Seal(last store.CommitID) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.stopped != nil:
	case last.Revision > q.last.Revision, last.Revision == q.last.Revision && last != q.last:
		q.stop(ErrUnrecorded)
	case q.size > 0 && last == q.last && time.Since(q.began) >= q.age:
		q.closeOpen()
	}
	return q.stopped
}

// Due returns how long it takes until Seal closes the open file: long if there is none.
func (q *Queue) Due() time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.size == 0 {
		return q.age
	}
	return q.age - time.Since(q.began)
}

// Hurry makes Seal close the open file whatever its age.
func (q *Queue) Hurry() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.age = 0
}

// Closed returns the closed files, the oldest first.
func (q *Queue) Closed() []queued {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Clone(q.closed)
}

// Remove removes the oldest closed files, which have been sent.
func (q *Queue) Remove(n int) error {
	for _, f := range q.Closed()[:n] {
		if err := os.Remove(f.path); err != nil && !errors.Is(err, fs.ErrNotExist) { // while commits are recorded
			return err
		}
		q.mu.Lock()
		q.bytes, q.closed = q.bytes-f.bytes, q.closed[1:]
		q.mu.Unlock()
	}
	return nil
}

// Waiting returns the number of bytes in the queue, and when the oldest commit in it was
// made; the zero time if there is none.
func (q *Queue) Waiting() (bytes int64, since time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case len(q.closed) > 0:
		since = q.closed[0].began
	case q.size > 0:
		since = q.began
	}
	return q.bytes, since
}

// Stopped returns why commits are not recorded any more; nil if they are.
func (q *Queue) Stopped() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.stopped
}

// Time returns a time for an image of what has been committed: now, but not before the last
// commit.
func (q *Queue) Time() int64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.time = store.Later(time.Now(), q.time)
	return q.time
}

// Close closes the open file, which stays.
func (q *Queue) Close() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.open == nil {
		return nil
	}
	return q.open.Close()
}
