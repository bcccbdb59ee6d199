package archive

import (
	"archive/tar"
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"testing"
	"testing/iotest"
)

// FuzzCrypt: what is enciphered is deciphered to itself, and what somebody has
// changed or cut off ends in an error or in other bytes, never in a fault.
func FuzzCrypt(f *testing.F) {
	block, err := newCipher("key")
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(nil), []byte(nil), uint8(1))
	f.Add([]byte("exactly 16 bytes"), bytes.Repeat([]byte{16}, 32), uint8(5))
	f.Add(bytes.Repeat([]byte("long "), 30_000), []byte("no block"), uint8(255))
	f.Fuzz(func(t *testing.T, plain, hostile []byte, step uint8) {
		var sealed bytes.Buffer
		e := &encrypter{to: &sealed, block: block}
		for rest := plain; len(rest) > 0; {
			n := min(len(rest), int(step)+1)
			if _, err := e.Write(rest[:n]); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if err := e.Close(); err != nil {
			t.Fatal(err)
		}
		back, err := io.ReadAll(newDecrypter(iotest.HalfReader(bytes.NewReader(sealed.Bytes())), block))
		if err != nil || !bytes.Equal(back, plain) {
			t.Errorf("%d bytes come back as %d: %v", len(plain), len(back), err)
		}
		if _, err := io.ReadAll(newDecrypter(bytes.NewReader(sealed.Bytes()[:sealed.Len()-1]), block)); !errors.Is(err, errKey) {
			t.Errorf("cut off: %v", err)
		}
		if back, err := io.ReadAll(newDecrypter(bytes.NewReader(hostile), block)); err != nil && !errors.Is(err, errKey) || len(back) > len(hostile) {
			t.Errorf("%d bytes become %d: %v", len(hostile), len(back), err)
		}
	})
}

// FuzzContainer reads a file as an archive, compressed or not: it ends, and nothing
// is called by a name that leads elsewhere.
func FuzzContainer(f *testing.F) {
	guide, err := os.ReadFile("../../testdata/export/guide.tar.gz")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(guide[:2000])
	f.Add([]byte("\x1f\x8b\x08"))
	f.Add(slices.Concat(make([]byte, 257), []byte("ustar"), make([]byte, 1024)))
	f.Fuzz(func(t *testing.T, data []byte) {
		c := &container{path: "x.tar"}
		stream, err := c.open(bufio.NewReader(bytes.NewReader(data)))
		if err == nil {
			err = c.eachMember(tar.NewReader(stream), func(m member) error {
				if _, ok := cleanName(m.name); !ok {
					t.Errorf("a file %q", m.name)
				}
				n, err := io.Copy(io.Discard, m)
				if err == nil && n != m.size || n > freelyExpands {
					t.Errorf("%q of %d bytes has %d", m.name, m.size, n)
				}
				return err
			})
		}
		if err != nil && !errors.As(err, new(*FormatError)) {
			t.Errorf("%T: %v", err, err)
		}
	})
}
