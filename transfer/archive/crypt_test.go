package archive

import (
	"bytes"
	"errors"
	"io"
	"math/rand"
	"os"
	"testing"
	"testing/iotest"
)

func TestCipherIsTheReferences(t *testing.T) {
	encrypted, err := os.ReadFile("../../testdata/export/guide.tar.gz.enc")
	if err != nil {
		t.Fatal(err)
	}
	block, err := newCipher("conformance key")
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(newDecrypter(bytes.NewReader(encrypted), block))
	if err != nil || !isGzip(plain) {
		t.Fatalf("deciphering gives no archive, or %v", err)
	}
	var out bytes.Buffer
	w := &encrypter{to: &out, block: block}
	for rest := plain; len(rest) > 0; { // in pieces that are no whole blocks
		n := min(len(rest), 1000)
		if _, err := w.Write(rest[:n]); err != nil {
			t.Fatal(err)
		}
		rest = rest[n:]
	}
	if err := w.Close(); err != nil || !bytes.Equal(out.Bytes(), encrypted) {
		t.Errorf("enciphering gives other bytes, or %v", err)
	}
}

func TestCipherOfEveryLength(t *testing.T) {
	block, err := newCipher("k")
	if err != nil {
		t.Fatal(err)
	}
	text := make([]byte, 200_000)
	rand.New(rand.NewSource(1)).Read(text)
	for _, n := range []int{0, 1, 15, 16, 17, 65535, 65536, 65537, 131072, 200_000} {
		var out bytes.Buffer
		w := &encrypter{to: &out, block: block}
		_, err := w.Write(text[:n])
		if err := errors.Join(err, w.Close()); err != nil {
			t.Fatal(err)
		}
		for name, r := range map[string]io.Reader{"whole": bytes.NewReader(out.Bytes()), "byte by byte": iotest.OneByteReader(bytes.NewReader(out.Bytes()))} {
			if got, err := io.ReadAll(newDecrypter(r, block)); err != nil || !bytes.Equal(got, text[:n]) {
				t.Errorf("%d bytes, %s: %d bytes come back, %v", n, name, len(got), err)
			}
		}
		for _, cut := range []int{1, 16} {
			if _, err := io.ReadAll(newDecrypter(bytes.NewReader(out.Bytes()[:out.Len()-cut]), block)); n%16 != 0 && !errors.Is(err, errKey) {
				t.Errorf("%d bytes without the last %d: %v", n, cut, err)
			}
		}
	}
}
