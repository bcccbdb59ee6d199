package media

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/color/palette"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// allocated is how many bytes fn allocates in all, garbage included. Nothing else
// may run meanwhile.
func allocated(fn func()) int64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fn()
	runtime.ReadMemStats(&after)
	return int64(after.TotalAlloc - before.TotalAlloc)
}

// blankPNG is a file of a few kilobytes that says it is a gray picture of that size,
// and is one. With interlaced it comes in seven passes, with transparent its gray is
// stored as colours.
func blankPNG(t testing.TB, size image.Point, depth byte, interlaced, transparent bool) []byte {
	t.Helper()
	file := bytes.NewBufferString("\x89PNG\r\n\x1a\n")
	chunk := func(name string, content []byte) {
		body := append([]byte(name), content...)
		binary.Write(file, binary.BigEndian, uint32(len(content)))
		file.Write(body)
		binary.Write(file, binary.BigEndian, crc32.ChecksumIEEE(body))
	}
	flag := map[bool]byte{true: 1}[interlaced]
	head := binary.BigEndian.AppendUint32(nil, uint32(size.X))
	head = binary.BigEndian.AppendUint32(head, uint32(size.Y))
	chunk("IHDR", append(head, depth, 0, 0, 0, flag))
	if transparent {
		chunk("tRNS", []byte{0, 1})
	}
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	passes := [][4]int{{0, 0, 1, 1}}
	if interlaced {
		passes = [][4]int{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}}
	}
	for _, p := range passes {
		across, down := (size.X-p[0]+p[2]-1)/p[2], (size.Y-p[1]+p[3]-1)/p[3]
		if across == 0 {
			continue
		}
		for range down {
			w.Write(make([]byte, 1+(across*int(depth)+7)/8))
		}
	}
	check(t, w.Close())
	chunk("IDAT", packed.Bytes())
	chunk("IEND", nil)
	return file.Bytes()
}

// Each step takes no more than was reckoned for it from the beginning of the file,
// however long and thin the picture is, and whatever kind it is of.
func TestCost(t *testing.T) {
	files := map[string][]byte{}
	add := func(kind, name string, file []byte) { files[kind+" "+name] = file }
	for _, size := range []image.Point{{100_000, 15}, {15, 100_000}, {1001, 751}} {
		name := fmt.Sprintf("%d×%d", size.X, size.Y)
		add("image/png", name+" interlaced", blankPNG(t, size, 8, true, false))
		add("image/png", name+" transparent", blankPNG(t, size, 8, false, true))
		add("image/png", name+" deep", blankPNG(t, size, 16, true, true))
	}
	for _, size := range []image.Point{{maxSide, 1}, {1, maxSide}, {1501, 751}} {
		add("image/png", fmt.Sprintf("%d×%d", size.X, size.Y), blankPNG(t, size, 8, false, false))
	}
	for _, size := range []image.Point{{60_000, 9}, {9, 60_000}, {1100, 1100}, {300, 200}} {
		name := fmt.Sprintf("%d×%d", size.X, size.Y)
		whole := image.Rectangle{Max: size}
		add("image/jpeg", name, encoded(t, "image/jpeg", drawn(size.X, size.Y)))
		add("image/jpeg", name+" gray", encoded(t, "image/jpeg", image.NewGray(whole)))
		add("image/gif", name, encoded(t, "image/gif", image.NewPaletted(whole, palette.Plan9)))
	}
	for _, size := range []image.Point{{16_000, 9}, {9, 16_000}, {1100, 400}, {300, 200}} {
		name := fmt.Sprintf("%d×%d", size.X, size.Y)
		add("image/webp", name, encoded(t, "image/webp", drawn(size.X, size.Y)))
	}
	folder, err := Open(filepath.Join(t.TempDir(), "uploads"))
	check(t, err)
	for name, data := range files {
		kind, _, _ := strings.Cut(name, " ")
		requireCost(t, folder, kind, name, data)
	}
}

func requireCost(t *testing.T, folder *Folder, kind, name string, data []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "original")
	check(t, os.WriteFile(path, data, 0o600))
	file, err := os.Open(path)
	check(t, err)
	defer file.Close()
	o := &original{codec: codecs[kind], file: io.NewSectionReader(file, 0, int64(len(data)))}
	o.config, err = o.codec.readConfig(o.rewound())
	check(t, err)
	o.header = readHeader(kind, file, int64(len(data)))
	list := targets(image.Pt(o.config.Width, o.config.Height), o.codec.thumbnailOnly)
	reckoned := o.cost(list)
	var m image.Image
	require := func(step string, took, most int64) {
		t.Helper()
		if took > most || testing.Verbose() {
			t.Logf("%s: %s takes %d bytes, reckoned were %d", name, step, took, most)
		}
		if took > most {
			t.Fail()
		}
	}
	require("decoding", allocated(func() { m, err = o.decode() }), reckoned.decoding)
	check(t, err)
	_, held := o.codec.memory(o.config, &o.header)
	require("holding", pictureBytes(m), held)
	require("shrinking", allocated(func() { o.small = shrink(m, list[0].size) }), max(reckoned.shrinking-held, 0)+buffers)
	for i, target := range list {
		took := allocated(func() { _, err = folder.makeFormat(t.Context(), o, target) })
		check(t, err)
		require(target.name, took, reckoned.formats[i]-min(held, 4*area(o.small.Bounds().Size())))
	}
}

// A picture of a few kilobytes that would take more than there is for one is kept
// without formats; nothing is decoded for it.
func TestHostilePicturesAreNotDecoded(t *testing.T) {
	for name, test := range map[string]struct {
		kind string
		file func() []byte
	}{
		"too many pixels":           {"image/png", func() []byte { return blankPNG(t, image.Pt(20_000, 20_000), 1, false, false)[:100] }},
		"gray that becomes colours": {"image/png", func() []byte { return blankPNG(t, image.Pt(9_000, 9_000), 1, false, true)[:100] }},
		"deep gray that does":       {"image/png", func() []byte { return blankPNG(t, image.Pt(6_000, 6_000), 16, false, true)[:100] }},
		"a WebP with gigabytes to come": {"image/webp", func() []byte {
			head := []byte("RIFF\xF0\xFF\xFF\x7FWEBPVP8 \x00\x00\x00\x70\x30\x01\x00\x9d\x01\x2a\x00\x20\x00\x20")
			return append(head, make([]byte, 100)...)
		}},
	} {
		l := newLibrary(t)
		path := filepath.Join(l.path, "original")
		data := test.file()
		check(t, os.WriteFile(path, data, 0o600))
		file, err := os.Open(path)
		check(t, err)
		var p picture
		took := allocated(func() { p, err = l.folder.process(t.Context(), test.kind, file, int64(len(data))) })
		if err != nil || p.formats != nil || p.size.X == 0 || took > 1<<20 {
			t.Errorf("%s: %v, %v with %d formats, for %d bytes", name, err, p.size, len(p.formats), took)
		}
		check(t, file.Close())
	}
}

// Long thin pictures, of which one took a gigabyte for the rows that become one, get
// their formats within the bound, in either direction.
func TestThinPictures(t *testing.T) {
	l := newLibrary(t)
	for _, size := range []image.Point{{100_000, 100}, {100, 100_000}} {
		u := l.receive("thin.png", blankPNG(t, size, 8, false, false))
		want := "large 1000×1; medium 750×1; small 500×1; thumbnail 245×1; "
		if size.Y > size.X {
			want = "large 1×1000; medium 1×750; small 1×500; thumbnail 1×156; "
		}
		if got := sizes(u.picture.formats); got != want {
			t.Errorf("%v: %s", size, got)
		}
		check(t, u.Discard())
	}
	o := &original{codec: codecs["image/png"], config: image.Config{Width: 500_000, Height: 500, ColorModel: color.GrayModel}, header: header{turn: upright}}
	if most := o.cost(targets(image.Pt(500_000, 500), false)).most(); most > 270<<20 || most < 250_000_000 {
		t.Errorf("the picture that took 1.2 GB is reckoned with %d bytes", most)
	}
}
