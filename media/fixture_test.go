package media

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/HugoSmits86/nativewebp"

	"quire/content"
	"quire/index"
	"quire/schema"
	"quire/store"
)

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// library is a Library over an empty data folder, with what a test may look at.
type library struct {
	*Library
	t    *testing.T
	path string // of the folder
	db   *store.DB
}

func newLibrary(t *testing.T) *library {
	t.Helper()
	site, err := schema.Load(os.DirFS("../testdata/site"))
	check(t, err)
	db, err := store.Open(filepath.Join(t.TempDir(), "quire.db"), store.Options{})
	check(t, err)
	t.Cleanup(func() { check(t, db.Close()) })
	var x *index.Index
	check(t, db.View(func(tx *store.Tx) (err error) {
		x, err = index.Build(site, tx)
		return err
	}))
	w := content.NewWriter(db, x, site, content.WriterOptions{})
	t.Cleanup(func() { check(t, w.Close()) })
	path := filepath.Join(t.TempDir(), "uploads")
	folder, err := Open(path)
	check(t, err)
	return &library{New(folder, site, x, w), t, path, db}
}

// receive uploads a file that must be taken.
func (l *library) receive(filename string, data []byte) *Upload {
	l.t.Helper()
	u, err := l.Receive(l.t.Context(), bytes.NewReader(data), filename)
	check(l.t, err)
	return u
}

// keep uploads a file, keeps it and returns its documentId.
func (l *library) keepOne(filename string, data []byte) string {
	l.t.Helper()
	results, err := l.Save(l.t.Context(), []*Upload{l.receive(filename, data)}, nil)
	check(l.t, err)
	return results[0].DocumentID
}

func (l *library) record(documentID string) Stored {
	l.t.Helper()
	stored, ok := l.stored(l.index.Snapshot(), documentID)
	if !ok {
		l.t.Fatalf("there is no record %s", documentID)
	}
	return stored
}

// onDisk names what is in the folder.
func (l *library) onDisk() []string {
	l.t.Helper()
	names, err := l.folder.names()
	check(l.t, err)
	return names
}

// consistent demands that the folder holds what the records name and no more.
func (l *library) consistent(documentIDs ...string) {
	l.t.Helper()
	var named []string
	for _, id := range documentIDs {
		stored := l.record(id)
		named = append(named, stored.Names()...)
	}
	found, err := Check(l.path, named)
	check(l.t, err)
	if len(found.Strays)+len(found.Missing) > 0 {
		l.t.Errorf("strays %v, missing %v", found.Strays, found.Missing)
	}
}

// drawn is a picture in which no two places look the same.
func drawn(width, height int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			m.SetNRGBA(x, y, color.NRGBA{uint8(x * 255 / width), uint8(y * 255 / height), 64, 255})
		}
	}
	return m
}

// encoded is a picture as a file of a media type.
func encoded(t testing.TB, kind string, m image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	var err error
	switch kind {
	case "image/jpeg":
		err = jpeg.Encode(&b, m, &jpeg.Options{Quality: 90})
	case "image/png":
		err = png.Encode(&b, m)
	case "image/gif":
		err = gif.Encode(&b, m, nil)
	case "image/webp":
		err = nativewebp.Encode(&b, m, nil)
	default:
		err = errors.New("no such type")
	}
	check(t, err)
	return b.Bytes()
}

// withEXIF is a JPEG file with an orientation, and with a camera that its
// formats must not name.
func withEXIF(file []byte, orientation uint16) []byte {
	exif := tiff("MM", orientation)
	exif = append(exif, "camera 4711"...)
	segment := append([]byte("Exif\x00\x00"), exif...)
	head := []byte{0xFF, 0xD8, 0xFF, 0xE1, byte((len(segment) + 2) >> 8), byte(len(segment) + 2)}
	return append(append(head, segment...), file[2:]...)
}

// tiff is EXIF data with one tag.
func tiff(order string, orientation uint16) []byte {
	if order == "II" {
		return append([]byte("II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00"), byte(orientation), byte(orientation>>8), 0, 0, 0, 0, 0, 0)
	}
	return append([]byte("MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01"), byte(orientation>>8), byte(orientation), 0, 0, 0, 0, 0, 0)
}

// sample reads a file of testdata/media.
func sample(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../testdata/media", name))
	check(t, err)
	return data
}

// broken yields some bytes and then fails, as a connection does.
type broken struct{ left []byte }

var errGone = errors.New("the client went away")

func (b *broken) Read(p []byte) (int, error) {
	if len(b.left) == 0 {
		return 0, errGone
	}
	n := copy(p, b.left)
	b.left = b.left[n:]
	return n, nil
}

func sizes(formats []format) string {
	text := ""
	for _, f := range formats {
		text += fmt.Sprintf("%s %d×%d; ", f.name, f.size.X, f.size.Y)
	}
	return text
}
