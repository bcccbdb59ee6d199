package archive

import (
	"bufio"
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"io"

	"golang.org/x/crypto/scrypt"
)

// An encrypted archive is encrypted block by block (ECB) with AES-128, with a key that
// scrypt derives from the passphrase without a salt, and padded as in PKCS#7. Strapi has
// chosen this format: it hides the content from people who find the archive, but shows
// which blocks are equal, and not whether the archive was changed.

// errKey reports that an archive cannot be decrypted.
var errKey = errors.New("the key is wrong, or the file is damaged")

func newCipher(key string) (cipher.Block, error) {
	derived, err := scrypt.Key([]byte(key), nil, 16384, 8, 1, 16)
	if err != nil {
		return nil, err
	}
	return aes.NewCipher(derived)
}

// decrypter decrypts what it reads.
type decrypter struct {
	from  *bufio.Reader
	block cipher.Block
	buf   [64 << 10]byte
	ready []byte // part of buf that is decrypted and not read yet
	err   error  // what comes after ready
}

func newDecrypter(r io.Reader, block cipher.Block) *decrypter {
	return &decrypter{from: bufio.NewReaderSize(r, 64<<10), block: block}
}

func (d *decrypter) Read(p []byte) (int, error) {
	for len(d.ready) == 0 {
		if d.err != nil {
			return 0, d.err
		}
		d.fill()
	}
	n := copy(p, d.ready)
	d.ready = d.ready[n:]
	return n, nil
}

// fill decrypts the next blocks. A block is the last one if nothing follows it.
func (d *decrypter) fill() {
	n, err := io.ReadFull(d.from, d.buf[:])
	switch {
	case err == nil, errors.Is(err, io.ErrUnexpectedEOF):
	case errors.Is(err, io.EOF): // every archive ends with padding
		d.err = errKey
		return
	default:
		d.err = err
		return
	}
	if n%aes.BlockSize != 0 {
		d.err = errKey
		return
	}
	d.ready = d.buf[:n]
	for i := 0; i < n; i += aes.BlockSize {
		d.block.Decrypt(d.ready[i:], d.ready[i:])
	}
	if _, err := d.from.Peek(1); errors.Is(err, io.EOF) {
		d.ready, d.err = unpad(d.ready)
	}
}

// unpad removes the padding from the last blocks.
func unpad(blocks []byte) ([]byte, error) {
	n := int(blocks[len(blocks)-1])
	if n < 1 || n > aes.BlockSize || !bytes.Equal(blocks[len(blocks)-n:], bytes.Repeat([]byte{byte(n)}, n)) {
		return nil, errKey
	}
	return blocks[:len(blocks)-n], io.EOF
}

// encrypter encrypts what is written to it. Close writes the padding.
type encrypter struct {
	to    io.Writer
	block cipher.Block
	buf   []byte // begins with an incomplete block
}

func (e *encrypter) Write(p []byte) (int, error) {
	written := len(p)
	for len(p) > 0 {
		n := min(len(p), 64<<10)
		e.buf = append(e.buf, p[:n]...)
		p = p[n:]
		if err := e.flush(); err != nil {
			return 0, err
		}
	}
	return written, nil
}

// flush writes the whole blocks.
func (e *encrypter) flush() error {
	n := len(e.buf) - len(e.buf)%aes.BlockSize
	for i := 0; i < n; i += aes.BlockSize {
		e.block.Encrypt(e.buf[i:], e.buf[i:])
	}
	_, err := e.to.Write(e.buf[:n])
	e.buf = e.buf[:copy(e.buf, e.buf[n:])]
	return err
}

func (e *encrypter) Close() error {
	n := aes.BlockSize - len(e.buf)
	e.buf = append(e.buf, bytes.Repeat([]byte{byte(n)}, n)...)
	return e.flush()
}
