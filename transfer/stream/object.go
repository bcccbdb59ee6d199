package stream

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/klauspost/compress/zstd"

	"quire/media"
	"quire/store"
)

// An object:
//
//	"QUIRESTR"
//	length of the head, 4 bytes
//	the head, JSON
//	the payload, zstd, then encrypted if the head has a nonce
//	SHA-256 of all that, which is the id of the object

const (
	magic      = "QUIRESTR"
	format     = 1
	mostHead   = 64 << 10
	mostWindow = 64 << 20 // bytes of memory for unpacking

	// mostSegment limits the commits of one segment, in bytes before compression.
	mostSegment = queueSize + mostRecord
)

// The kinds of objects.
const (
	segmentKind = "segment"
	imageKind   = "image"
	fileKind    = "file"
	namesKind   = "names"
)

// Header describes an object.
type Header struct {
	Format  int    `json:"format"`
	Kind    string `json:"kind"`
	Program string `json:"program,omitempty"`
	Schemas string `json:"schemas,omitempty"` // of an image: fingerprint of the site folder
	Size    int64  `json:"size"`              // bytes of the payload before compression
	Nonce   string `json:"nonce,omitempty"`   // of an encrypted payload

	Number  uint64         `json:"number,omitempty"`  // of the first segment in it, or after an image
	Through uint64         `json:"through,omitempty"` // of the last segment in it
	Follows string         `json:"follows,omitempty"` // id of the segment before it, if there is one
	Ends    string         `json:"ends,omitempty"`    // of several segments in one: id of the last of them
	Before  store.CommitID `json:"before,omitzero"`   // the commit that it follows
	Last    store.CommitID `json:"last,omitzero"`     // its last commit, or the one that an image shows
	From    int64          `json:"from,omitempty"`    // time of its first commit, milliseconds since 1970
	To      int64          `json:"to,omitempty"`      // time of its last commit, or of the image
	Commits int            `json:"commits,omitempty"`

	Continues *Branch   `json:"continues,omitempty"` // of an image: the stream that this one continues
	End       *Takeover `json:"end,omitempty"`       // of an end
	File      string    `json:"file,omitempty"`      // of an uploaded file: the hash of its name

	id string
}

// ID is the hash by which the next segment refers to this one.
func (h *Header) link() string {
	if h.Ends != "" {
		return h.Ends
	}
	return h.id
}

// DamageError is an object that is not what was put into the target.
type DamageError struct {
	Name string
	Err  error
}

func (e *DamageError) Error() string { return fmt.Sprintf("%s is damaged: %v", e.Name, e.Err) }
func (e *DamageError) Unwrap() error { return e.Err }

// writeObject writes an object to a local file. It completes the head.
func writeObject(path string, h *Header, key *Key, fill func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	sum := sha256.New()
	out := bufio.NewWriterSize(f, 256<<10)
	err = writeParts(io.MultiWriter(out, sum), h, key, fill)
	if err == nil {
		id := sum.Sum(nil)
		h.id = hex.EncodeToString(id)
		_, err = out.Write(id)
	}
	return errors.Join(err, out.Flush(), f.Close())
}

func writeParts(to io.Writer, h *Header, key *Key, fill func(io.Writer) error) error {
	h.Format = format
	if key != nil {
		nonce := make([]byte, nonceSize)
		rand.Read(nonce) // never fails
		h.Nonce = hex.EncodeToString(nonce)
	}
	head, err := json.Marshal(h)
	if err != nil {
		return err
	}
	if _, err := to.Write(append(binary.BigEndian.AppendUint32([]byte(magic), uint32(len(head))), head...)); err != nil {
		return err
	}
	payload := to
	var sealed *pieceWriter
	if key != nil {
		nonce, err := hex.DecodeString(h.Nonce)
		if err != nil {
			return err
		}
		aead, err := key.aead(nonce)
		if err != nil {
			return err
		}
		sealed = &pieceWriter{pieces: pieces{aead: aead, head: head}, to: to}
		payload = sealed
	}
	if err := pack(payload, fill); err != nil || sealed == nil {
		return err
	}
	return sealed.Close()
}

// packer has the memory for packing one object after another.
var packer = sync.OnceValues(func() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(1<<20))
})

// packing is locked while packer is in use.
var packing sync.Mutex

func pack(to io.Writer, fill func(io.Writer) error) error {
	packing.Lock()
	defer packing.Unlock()
	packed, err := packer()
	if err != nil {
		return err
	}
	packed.Reset(to)
	return errors.Join(fill(packed), packed.Close())
}

// object is one that is being read. Its payload can be trusted after close.
type object struct {
	Header
	name    string
	raw     []byte // the head as it is written
	file    io.ReadSeekCloser
	sum     hash.Hash
	payload *io.LimitedReader // what of the payload is unread, as it is stored
	stored  int64             // bytes of the payload, as it is stored
}

// openObject opens an object and reads its head, which can be trusted after close. A missing
// object is an fs.ErrNotExist, a wrong one a *DamageError; other errors are the target's.
func openObject(ctx context.Context, at media.Storage, name string) (*object, error) {
	file, about, err := at.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	o := &object{name: name, file: file, sum: sha256.New()}
	if err := o.begin(about.Size); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return o, nil
}

// begin reads the head of an object of that size.
func (o *object) begin(size int64) error {
	from := io.TeeReader(&patient{o.file, mostBreaks}, o.sum)
	start := make([]byte, len(magic)+4)
	if size < int64(len(start)+sha256.Size) {
		return o.damage(errors.New("it is too short"))
	}
	if _, err := io.ReadFull(from, start); err != nil {
		return err
	}
	n := binary.BigEndian.Uint32(start[len(magic):])
	if string(start[:len(magic)]) != magic || n > mostHead || int64(n) > size-int64(len(start)+sha256.Size) {
		return o.damage(errors.New("it does not begin like an object of a stream"))
	}
	o.raw = make([]byte, n)
	if _, err := io.ReadFull(from, o.raw); err != nil {
		return err
	}
	if err := json.Unmarshal(o.raw, &o.Header); err != nil {
		return o.damage(err)
	}
	if o.Format > format {
		return fmt.Errorf("%s has format %d, and this program knows formats up to %d; use the newer program that wrote it", o.name, o.Format, format)
	}
	o.stored = size - int64(len(start)+int(n)+sha256.Size)
	o.payload = &io.LimitedReader{R: from, N: o.stored}
	return nil
}

// mostBreaks is how often reading one object may be interrupted: it continues where it was.
const mostBreaks = 5

type patient struct {
	io.ReadSeekCloser
	left int
}

func (p *patient) Read(b []byte) (int, error) {
	n, err := p.ReadSeekCloser.Read(b)
	for n == 0 && p.left > 0 && errors.As(err, new(*media.UnreachableError)) {
		p.left--
		n, err = p.ReadSeekCloser.Read(b)
	}
	if n > 0 && errors.As(err, new(*media.UnreachableError)) {
		err = nil // if the error persists, the next Read returns it
	}
	return n, err
}

// is checks that an object is the one that its name says.
func (o *object) is(e entry) error {
	right := true
	switch {
	case e.isImage():
		right = o.Kind == imageKind && o.Number == e.from && o.To == e.time()
	case e.letter == fileLetter:
		right = o.Kind == fileKind && o.File == e.file
	case e.letter == namesLetter:
		right = o.Kind == namesKind && o.Number == e.from && o.To == e.time()
	}
	if !right {
		return o.damage(errors.New("it is another object"))
	}
	return nil
}

func (o *object) damage(err error) error { return &DamageError{o.name, err} }

// read passes the payload to fn, and compares the checksum. fn must not trust what it gets
// before read returns nil.
func (o *object) read(key *Key, fn func(io.Reader) error) error {
	failed := o.pass(key, fn)
	if errors.Is(failed, ErrNoKey) {
		return fmt.Errorf("%s: %w", o.name, failed)
	}
	if _, err := io.Copy(io.Discard, o.payload); err != nil {
		return err
	}
	id := make([]byte, sha256.Size)
	if _, err := io.ReadFull(o.file, id); err != nil {
		return err
	}
	o.id = hex.EncodeToString(id)
	if [sha256.Size]byte(o.sum.Sum(nil)) != [sha256.Size]byte(id) {
		return o.damage(errors.New("its checksum is not that of its content"))
	}
	switch outside := new(outsideError); {
	case failed == nil:
		return nil
	case errors.As(failed, &outside):
		return outside.error
	case errors.As(failed, new(*media.UnreachableError)):
		return failed
	case errors.Is(failed, ErrWrongKey):
		return fmt.Errorf("%s: %w", o.name, failed)
	}
	return o.damage(failed)
}

// The objects of one restore may unpack to mostUnpacked times their sizes, and together to
// freelyUnpacks more. Those that were made to fill the disk unpack to many thousand times.
const (
	mostUnpacked  = 200
	freelyUnpacks = 1 << 30
)

// expansion is how much more than that the objects of a restore may unpack to.
type expansion struct{ left int64 }

// add counts an object. The error is a *DamageError if it is one too many.
func (x *expansion) add(name string, size, stored int64) error {
	if x.left -= max(size-mostUnpacked*stored, 0); x.left < 0 {
		return &DamageError{name, errUnpacks}
	}
	return nil
}

var errUnpacks = fmt.Errorf("it unpacks to more than %d times its size", mostUnpacked)

// unpacking is the content of an object while it is unpacked. It is an error as soon as that is too
// much for what has been read: a server may say that an object is larger than it is.
type unpacking struct {
	*io.LimitedReader // of one byte more than the size
	of                *object
}

func (u *unpacking) Read(b []byte) (int, error) {
	n, err := u.LimitedReader.Read(b)
	if read := u.of.stored - u.of.payload.N; u.of.Size+1-u.N-freelyUnpacks > mostUnpacked*read {
		return n, errUnpacks
	}
	return n, err
}

// outsideError is an error that does not come from the object.
type outsideError struct{ error }

func outside(err error) error {
	if err == nil {
		return nil
	}
	return &outsideError{err}
}

// pass unpacks the payload for fn. What is longer or shorter than the head says is damaged.
func (o *object) pass(key *Key, fn func(io.Reader) error) error {
	var payload io.Reader = o.payload
	if o.Nonce == "" && key != nil { // its checksum says nothing about who has made it
		return ErrNotKeyed
	}
	if o.Nonce != "" {
		if key == nil {
			return ErrNoKey
		}
		nonce, err := hex.DecodeString(o.Nonce)
		if err != nil {
			return err
		}
		aead, err := key.aead(nonce)
		if err != nil {
			return err
		}
		payload = &pieceReader{pieces: pieces{aead: aead, head: o.raw}, from: bufio.NewReaderSize(payload, pieceSize), buf: make([]byte, pieceSize+aead.Overhead())}
	}
	unpacked, err := zstd.NewReader(payload, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(mostWindow))
	if err != nil {
		return err
	}
	defer unpacked.Close()
	counted := &unpacking{&io.LimitedReader{R: unpacked, N: o.Size + 1}, o}
	if err := fn(counted); err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, counted); err != nil {
		return err
	}
	if counted.N != 1 {
		return errors.New("it does not have the length that it names")
	}
	return nil
}

// fits checks that an object is small enough to be read into memory.
func (o *object) fits() error {
	if o.Size < 0 || o.Size > mostSegment {
		return o.damage(fmt.Errorf("it names a size of %d bytes", o.Size))
	}
	return nil
}

// readAll reads an object of limited size into memory.
func (o *object) readAll(key *Key) (content []byte, err error) {
	if err := o.fits(); err != nil {
		return nil, err
	}
	err = o.read(key, func(from io.Reader) (err error) {
		content = make([]byte, 0, min(o.Size, 1<<20))
		content, err = appendAll(content, from)
		return err
	})
	return content, err
}

func appendAll(b []byte, from io.Reader) ([]byte, error) {
	for {
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
		n, err := from.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		if errors.Is(err, io.EOF) {
			return b, nil
		}
		if err != nil {
			return b, err
		}
	}
}

func (o *object) close() error { return o.file.Close() }

// idOf returns the id at the end of an object. There is none if the object is missing.
func idOf(ctx context.Context, at media.Storage, name string) (string, error) {
	file, about, err := at.Open(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer file.Close()
	if about.Size < sha256.Size {
		return "damaged", nil
	}
	if _, err := file.Seek(about.Size-sha256.Size, io.SeekStart); err != nil {
		return "", err
	}
	id := make([]byte, sha256.Size)
	_, err = io.ReadFull(file, id)
	return hex.EncodeToString(id), err
}
