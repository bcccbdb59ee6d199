package media

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"quire/content"
	"quire/store"
)

// An upload may come in pieces, each in a request of its own, so that it can continue after
// a lost connection or a restart. Until it is complete it is in the folder under a
// temporary name, with a description next to it.

// Limits of uploads in pieces.
const (
	PartsOfOne  = 20             // unfinished uploads of one owner
	PartsOfAll  = 200            // of all owners together
	BytesOfOne  = 10_000_000_000 // total size of these, unless one alone may be larger
	BytesOfAll  = 50_000_000_000
	PartsStay   = 24 * time.Hour   // since the last byte
	PartsPause  = 10 * time.Minute // after this pause an upload makes space for others of its owner
	longestPart = 16 << 10         // bytes of a description
)

// partPrefix begins the names of uploads in pieces, and partDescription ends those of their
// descriptions.
const (
	partPrefix      = temporary + "part-"
	partDescription = ".json"
)

// Part is an upload in pieces.
type Part struct {
	ID   string          `json:"id"`
	Name string          `json:"name"`
	Size int64           `json:"size"` // when it is complete
	Info json.RawMessage `json:"info,omitempty"`

	Offset int64 `json:"offset"` // bytes that have arrived and are on the disk

	// DocumentID is the documentId of its record, set in advance so that it gets only one.
	DocumentID string `json:"documentId"`
	// Done reports that it has its record. It stays for a while, for clients that have not
	// received the response.
	Done bool `json:"done,omitempty"`

	Owner string `json:"owner"`
}

// parts are the uploads in pieces of a folder.
type parts struct {
	mu   sync.Mutex
	all  map[string]*heldPart
	now  func() time.Time
	path string
}

type heldPart struct {
	Part
	busy bool // a piece of it is being written
	at   time.Time
}

// ErrNoPart reports an upload that has not begun, belongs to somebody else, or has been
// given up.
var ErrNoPart = errors.New("media: there is no such upload")

// ErrPartBusy reports that another piece of the upload is being received.
var ErrPartBusy = errors.New("media: another piece of this upload is coming")

// OffsetError reports a piece that does not begin at the offset of the upload.
type OffsetError struct{ Offset int64 }

func (e *OffsetError) Error() string {
	return fmt.Sprintf("%d bytes of this upload have come; go on from there", e.Offset)
}

// FullError refuses an upload for which there is no space.
type FullError struct{ Message string }

func (e *FullError) Error() string { return e.Message }

// readParts reads the uploads in progress, from the names in the folder.
func (p *parts) readParts(names []string) {
	for _, name := range names {
		id, begins := strings.CutPrefix(name, partPrefix)
		id, ends := strings.CutSuffix(id, partDescription)
		if !begins || !ends {
			continue
		}
		text, err := os.ReadFile(p.description(id))
		held := &heldPart{}
		if err != nil || json.Unmarshal(text, &held.Part) != nil || held.ID != id {
			continue
		}
		info, err := os.Stat(p.description(id))
		if err != nil {
			continue
		}
		held.at = info.ModTime()
		if there, err := os.Stat(p.content(id)); held.Done || err == nil && there.Size() >= held.Offset {
			p.all[id] = held
		}
	}
	p.expire()
}

func (p *parts) content(id string) string     { return filepath.Join(p.path, partPrefix+id) }
func (p *parts) description(id string) string { return p.content(id) + partDescription }

// names reports whether a name belongs to a known upload.
func (p *parts) names(name string) bool {
	id, ok := strings.CutPrefix(name, partPrefix)
	return ok && p.all[strings.TrimSuffix(id, partDescription)] != nil
}

// expire drops uploads that have received no byte for long.
func (p *parts) expire() {
	for id, held := range p.all {
		if !held.busy && p.now().Sub(held.at) > PartsStay {
			p.drop(id)
		}
	}
}

func (p *parts) drop(id string) error {
	delete(p.all, id)
	err := ignoreMissing(os.Remove(p.description(id)))
	return storageError(errors.Join(err, ignoreMissing(os.Remove(p.content(id)))))
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// begin creates an empty upload of some size.
func (p *parts) begin(part Part, limit int64) (*Part, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expire()
	if err := p.admit(part.Owner, part.Size, limit); err != nil {
		return nil, err
	}
	part.ID, part.DocumentID = content.NewDocumentID(), content.NewDocumentID()
	file, err := os.OpenFile(p.content(part.ID), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, storageError(err)
	}
	if err := errors.Join(file.Close(), p.describe(&part)); err != nil {
		return nil, errors.Join(err, p.drop(part.ID))
	}
	p.all[part.ID] = &heldPart{Part: part, at: p.now()}
	return &part, nil
}

// admit refuses an upload if there is no space for it in addition to those in progress.
// Uploads of the owner that have paused for long make space.
func (p *parts) admit(owner string, size, limit int64) error {
	p.trim()
	for {
		n, all := p.sum(func(held *heldPart) bool { return held.Owner == owner })
		nAll, allBytes := p.sum(func(*heldPart) bool { return true })
		switch {
		case n < PartsOfOne && all+size <= max(BytesOfOne, limit) && nAll < PartsOfAll && allBytes+size <= max(BytesOfAll, limit):
			return nil
		case p.dropPaused(owner):
		case n >= PartsOfOne || all+size > max(BytesOfOne, limit):
			return &FullError{fmt.Sprintf("You have %d uploads that are not whole; wait for some of them", n)}
		default:
			return &FullError{"Too many uploads have begun and are not whole; try again later"}
		}
	}
}

// sum returns the number of incomplete uploads of some owners, and their total size.
func (p *parts) sum(of func(*heldPart) bool) (n int, bytes int64) {
	for _, held := range p.all {
		if !held.Done && of(held) {
			n++
			bytes += held.Size
		}
	}
	return n, bytes
}

// dropPaused gives up the owner's upload that has paused longest, if any has paused for
// long.
func (p *parts) dropPaused(owner string) bool {
	var oldest *heldPart
	for _, held := range p.all {
		if held.Owner == owner && !held.Done && !held.busy && p.now().Sub(held.at) > PartsPause && (oldest == nil || held.at.Before(oldest.at)) {
			oldest = held
		}
	}
	return oldest != nil && p.drop(oldest.ID) == nil
}

// trim drops the oldest finished uploads if there are many.
func (p *parts) trim() {
	var done []*heldPart
	for _, held := range p.all {
		if held.Done && !held.busy {
			done = append(done, held)
		}
	}
	slices.SortFunc(done, func(a, b *heldPart) int { return a.at.Compare(b.at) })
	for _, held := range done[:max(0, len(done)-PartsOfAll)] {
		_ = p.drop(held.ID) // retried at the next start
	}
}

// describe writes the description of an upload, completely or not at all.
func (p *parts) describe(part *Part) error {
	text, err := json.Marshal(part)
	if err != nil {
		return err
	}
	passing := p.description(part.ID) + "~"
	file, err := os.OpenFile(passing, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return storageError(err)
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = os.Rename(passing, p.description(part.ID))
	}
	if err == nil {
		err = store.SyncFolder(p.path)
	}
	return storageError(err)
}

// take reserves an upload of an owner for a change. The caller must give it back.
func (p *parts) take(owner, id string) (*heldPart, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expire()
	held := p.all[id]
	switch {
	case held == nil || held.Owner != owner:
		return nil, ErrNoPart
	case held.busy:
		return nil, ErrPartBusy
	}
	held.busy = true
	return held, nil
}

func (p *parts) giveBack(held *heldPart) {
	p.mu.Lock()
	defer p.mu.Unlock()
	held.busy, held.at = false, p.now()
}

// look returns the current state of an upload of an owner.
func (p *parts) look(owner, id string) (Part, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.expire()
	if held := p.all[id]; held != nil && held.Owner == owner {
		return held.Part, nil
	}
	return Part{}, ErrNoPart
}

// write appends a piece to a reserved upload. What has arrived stays and is on the disk,
// even if the piece was interrupted.
func (p *parts) write(held *heldPart, offset int64, r io.Reader) error {
	if offset != held.Offset {
		return &OffsetError{held.Offset}
	}
	file, err := os.OpenFile(p.content(held.ID), os.O_WRONLY, 0)
	if err != nil {
		return storageError(err)
	}
	if err := errors.Join(file.Truncate(offset), seekTo(file, offset)); err != nil {
		return storageError(errors.Join(err, file.Close()))
	}
	in := &bodyReader{r: r}
	n, err := io.Copy(file, io.LimitReader(in, held.Size-offset))
	kept := storageError(errors.Join(file.Sync(), file.Close()))
	if kept == nil && n > 0 {
		kept = p.reach(held, offset+n)
	}
	if kept != nil {
		return kept
	}
	if in.err != nil {
		return in.err
	}
	if err != nil {
		return storageError(err)
	}
	if more, _ := io.ReadFull(in, make([]byte, 1)); more > 0 {
		return &TooLargeError{held.Name, held.Size}
	}
	return nil
}

// reach stores how much of an upload is on the disk.
func (p *parts) reach(held *heldPart, offset int64) error {
	further := held.Part
	further.Offset = offset
	if err := p.describe(&further); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	held.Offset = offset
	return nil
}

func seekTo(file *os.File, offset int64) error {
	_, err := file.Seek(offset, io.SeekStart)
	return err
}
