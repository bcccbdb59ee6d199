package stream

import (
	"bufio"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"

	"golang.org/x/crypto/scrypt"
)

// A payload is encrypted with AES-256-GCM in pieces of 64 KiB, each with the number of the
// piece as its nonce, so that none can be changed, moved, left out or appended. The head of
// the object is authenticated with each piece. Every object has its own key: HKDF derives it
// from random bytes in the head and a key that scrypt derives from the passphrase and the id
// of the data folder.

// Errors of a key.
var (
	ErrNoKey    = errors.New("it is encrypted, and there is no key: name its file in backup.stream.keyFile, or with --key-file")
	ErrWrongKey = errors.New("the key is wrong: it was encrypted with another one")
	ErrNotKeyed = errors.New("it is not encrypted, although there is a key: somebody else has put it there, or it is from before there was one; what is from before can be restored if backup.stream has no keyFile")
)

const (
	pieceSize = 64 << 10
	nonceSize = 16 // of an object
)

// Key encrypts the objects of one data folder. A nil Key encrypts nothing.
type Key struct{ master []byte }

// NewKey derives the key of a data folder from a passphrase; it returns nil for an empty one.
func NewKey(passphrase, id string) (*Key, error) {
	if passphrase == "" {
		return nil, nil
	}
	master, err := scrypt.Key([]byte(passphrase), []byte("quire stream "+id), 1<<15, 8, 1, 32)
	return &Key{master}, err
}

// mark is different for a stream without a key and one with it.
func (k *Key) mark() string {
	if k == nil {
		return ""
	}
	return " " + k.nameOf("")
}

// nameOf returns the name under which an uploaded file is stored. With a key, it says
// nothing about the file's own name.
func (k *Key) nameOf(file string) string {
	var secret []byte
	if k != nil {
		secret = k.master
	}
	h := hmac.New(sha256.New, secret)
	h.Write([]byte(file))
	return hex.EncodeToString(h.Sum(nil)[:20])
}

func (k *Key) aead(nonce []byte) (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, k.master, nonce, "quire stream object", 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// pieces numbers the pieces of a payload. The last one is marked.
type pieces struct {
	aead cipher.AEAD
	head []byte
	n    uint64
}

func (p *pieces) nonce(last bool) []byte {
	nonce := make([]byte, 12)
	binary.BigEndian.PutUint64(nonce, p.n)
	if last {
		nonce[11] = 1
	}
	p.n++
	return nonce
}

// pieceWriter encrypts what is written to it. Close writes the last piece.
type pieceWriter struct {
	pieces
	to  io.Writer
	buf []byte
}

func (s *pieceWriter) Write(b []byte) (int, error) {
	written := len(b)
	for len(b) > 0 {
		if len(s.buf) == pieceSize {
			if err := s.flush(false); err != nil {
				return 0, err
			}
		}
		n := min(len(b), pieceSize-len(s.buf))
		s.buf, b = append(s.buf, b[:n]...), b[n:]
	}
	return written, nil
}

func (s *pieceWriter) flush(last bool) error {
	_, err := s.to.Write(s.aead.Seal(nil, s.nonce(last), s.buf, s.head))
	s.buf = s.buf[:0]
	return err
}

func (s *pieceWriter) Close() error { return s.flush(true) }

// pieceReader decrypts what it reads.
type pieceReader struct {
	pieces
	from  *bufio.Reader
	buf   []byte
	ready []byte
	ended bool
}

func (o *pieceReader) Read(b []byte) (int, error) {
	for len(o.ready) == 0 {
		if o.ended {
			return 0, io.EOF
		}
		if err := o.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(b, o.ready)
	o.ready = o.ready[n:]
	return n, nil
}

func (o *pieceReader) fill() error {
	n, err := io.ReadFull(o.from, o.buf)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.Join(io.ErrUnexpectedEOF, err)
	}
	_, err = o.from.Peek(1)
	o.ended = errors.Is(err, io.EOF)
	first := o.n == 0
	if o.ready, err = o.aead.Open(o.buf[:0], o.nonce(o.ended), o.buf[:n], o.head); err != nil {
		if first {
			return ErrWrongKey
		}
		return err
	}
	return nil
}
