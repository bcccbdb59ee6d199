package media

import (
	"bytes"
	"image"
	"os"
	"path/filepath"
	"testing"
)

// fuzzMemory is what the pictures of a fuzz test may take, in bytes: enough for
// every way through the decoders, and little enough to try many. Formats are
// made of a picture that is wide or high, however small it is.
const fuzzMemory = 64 << 10

// Whatever a file holds, it is kept: with formats that can be read and have the
// size that their record gives, or without any.
func fuzzPicture(f *testing.F, kind string) {
	path := filepath.Join(f.TempDir(), "uploads")
	folder, err := Open(path)
	check(f, err)
	for _, size := range []image.Point{{1, 1}, {250, 3}, {2, 160}, {501, 2}} {
		f.Add(encoded(f, kind, drawn(size.X, size.Y)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		config, err := codecs[kind].readConfig(bytes.NewReader(data))
		if h := readHeader(kind, bytes.NewReader(data), int64(len(data))); err == nil {
			if _, held := codecs[kind].memory(config, &h); held > fuzzMemory {
				return
			}
			checkMemory(t, codecs[kind], config, &h, data)
		}
		original := filepath.Join(t.TempDir(), "original")
		check(t, os.WriteFile(original, data, 0o600))
		file, err := os.Open(original)
		check(t, err)
		defer file.Close()
		p, err := folder.process(t.Context(), kind, file, int64(len(data)))
		check(t, err)
		for _, made := range p.formats {
			checkFormat(t, folder, kind, p.size, made)
		}
		check(t, folder.remove(temporaryNames(p.formats)...))
		if names, err := folder.names(); err != nil || len(names) > 0 {
			t.Errorf("it leaves %v, %v", names, err)
		}
	})
}

// checkMemory demands that a picture takes no more memory than it was let in for.
func checkMemory(t *testing.T, c *codec, config image.Config, h *header, data []byte) {
	t.Helper()
	m, err := c.read(bytes.NewReader(data), config)
	if err != nil {
		return
	}
	_, let := c.memory(config, h)
	if held := pictureBytes(m); held > let {
		t.Errorf("%T of %v takes %d bytes and was let in for %d", m, m.Bounds(), held, let)
	}
}

// pictureBytes is how many bytes a picture holds.
func pictureBytes(m image.Image) int64 {
	switch m := m.(type) {
	case *image.YCbCr:
		return int64(len(m.Y) + len(m.Cb) + len(m.Cr))
	case *image.NYCbCrA:
		return int64(len(m.Y) + len(m.Cb) + len(m.Cr) + len(m.A))
	case *image.Gray:
		return int64(len(m.Pix))
	case *image.Paletted:
		return int64(len(m.Pix))
	case *image.Gray16:
		return int64(len(m.Pix))
	case *image.RGBA64:
		return int64(len(m.Pix))
	case *image.NRGBA64:
		return int64(len(m.Pix))
	case *image.CMYK:
		return int64(len(m.Pix))
	}
	return 4 * int64(m.Bounds().Dx()) * int64(m.Bounds().Dy())
}

func checkFormat(t *testing.T, folder *Folder, kind string, original image.Point, made format) {
	t.Helper()
	data, err := os.ReadFile(folder.at(made.temp))
	check(t, err)
	m, err := codecs[kind].decode(bytes.NewReader(data))
	check(t, err)
	if m.Bounds().Size() != made.size || made.size.X > original.X || made.size.Y > original.Y {
		t.Errorf("%s of a picture of %v is of %v and recorded as of %v", made.name, original, m.Bounds(), made.size)
	}
}

func FuzzJPEG(f *testing.F) {
	f.Add(withEXIF(encoded(f, "image/jpeg", drawn(250, 3)), 6))
	fuzzPicture(f, "image/jpeg")
}

func FuzzPNG(f *testing.F) {
	f.Add(sample(f, "dot.png"))
	fuzzPicture(f, "image/png")
}

func FuzzGIF(f *testing.F) {
	fuzzPicture(f, "image/gif")
}

func FuzzWebP(f *testing.F) { fuzzPicture(f, "image/webp") }

func FuzzSniff(f *testing.F) {
	f.Add([]byte("<!DOCTYPE html>"), "a.txt")
	f.Add([]byte("PK\x03\x04"), "a.tar.gz")
	f.Fuzz(func(t *testing.T, head []byte, filename string) {
		kind := sniff(head, filename)
		if ext := extensionFor(kind, filename); kind == "" || ext != "" && !plainExtension.MatchString(ext) {
			t.Errorf("%q, %q", kind, ext)
		}
		if hash := newHash(filename); !SafeName(hash + extensionFor(kind, filename)) {
			t.Errorf("%q is not a safe name", hash)
		}
	})
}
