package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The sizes that Strapi was seen to make, and those at the edges.
func TestTargets(t *testing.T) {
	for _, test := range []struct {
		width, height int
		only          bool
		want          string
	}{
		{1600, 900, false, "large 1000×563; medium 750×422; small 500×281; thumbnail 245×138; "},
		{900, 1600, false, "large 563×1000; medium 422×750; small 281×500; thumbnail 88×156; "},
		{300, 200, true, "thumbnail 234×156; "},
		{1600, 900, true, "thumbnail 245×138; "},
		{60, 40, false, ""},
		{245, 156, false, ""},
		{246, 156, false, "thumbnail 245×155; "},
		{245, 157, false, "thumbnail 243×156; "},
		{500, 500, false, "thumbnail 156×156; "},
		{501, 10, false, "small 500×10; thumbnail 245×5; "},
		{1000, 1000, false, "medium 750×750; small 500×500; thumbnail 156×156; "},
		{100000, 1, false, "large 1000×1; medium 750×1; small 500×1; thumbnail 245×1; "},
	} {
		var formats []format
		for _, target := range targets(image.Pt(test.width, test.height), test.only) {
			formats = append(formats, format{target: target})
		}
		if got := sizes(formats); got != test.want {
			t.Errorf("%d×%d: got %s", test.width, test.height, got)
		}
	}
}

// Formats are of their original's type and size, look like it, and say nothing
// about where it was made.
func TestFormats(t *testing.T) {
	for _, test := range []struct {
		kind, want string
		tolerance  float64
	}{
		{"image/jpeg", "large 1000×55; medium 750×41; small 500×27; thumbnail 245×13; ", 12},
		{"image/png", "large 1000×55; medium 750×41; small 500×27; thumbnail 245×13; ", 4},
		{"image/webp", "large 1000×55; medium 750×41; small 500×27; thumbnail 245×13; ", 12},
		{"image/gif", "thumbnail 245×13; ", 70}, // few colours, mixed,
	} {
		t.Run(strings.TrimPrefix(test.kind, "image/"), func(t *testing.T) {
			t.Parallel()
			l := newLibrary(t)
			m := drawn(2200, 120)
			data := encoded(t, test.kind, m)
			if test.kind == "image/jpeg" {
				data = withEXIF(data, 1)
			}
			u := l.receive("picture", data)
			if got := sizes(u.picture.formats); got != test.want || u.picture.size != image.Pt(2200, 120) {
				t.Fatalf("%v with %s", u.picture.size, got)
			}
			for _, made := range u.picture.formats {
				l.looksLike(made, test.kind, m, test.tolerance)
			}
		})
	}
}

// looksLike reads a format from disk and compares places of it with the original.
func (l *library) looksLike(made format, kind string, original *image.NRGBA, tolerance float64) {
	l.t.Helper()
	data, err := os.ReadFile(filepath.Join(l.path, made.temp))
	check(l.t, err)
	if got := sniff(data[:min(len(data), sniffLength)], ""); got != kind || int64(len(data)) != made.bytes {
		l.t.Errorf("%s is %s, %d bytes; recorded are %d", made.name, got, len(data), made.bytes)
	}
	if bytes.Contains(data, []byte("4711")) || bytes.Contains(data, []byte("Exif")) {
		l.t.Errorf("%s keeps the metadata of its original", made.name)
	}
	m, err := codecs[kind].decode(bytes.NewReader(data))
	check(l.t, err)
	if m.Bounds().Size() != made.size {
		l.t.Fatalf("%s is of %v", made.name, m.Bounds())
	}
	for _, at := range []struct{ x, y float64 }{{.1, .1}, {.9, .1}, {.1, .9}, {.9, .9}, {.5, .5}} {
		got := color.NRGBAModel.Convert(m.At(int(at.x*float64(made.size.X)), int(at.y*float64(made.size.Y)))).(color.NRGBA)
		want := original.NRGBAAt(int(at.x*float64(original.Rect.Dx())), int(at.y*float64(original.Rect.Dy())))
		if off := max(distance(got.R, want.R), distance(got.G, want.G)); off > tolerance {
			l.t.Errorf("%s at %v: %v, want %v", made.name, at, got, want)
		}
	}
}

func distance(a, b uint8) float64 { return math.Abs(float64(a) - float64(b)) }

// A picture that a camera stored lying on its side has the size that people see,
// and stands upright in its formats.
func TestFormatsStandUpright(t *testing.T) {
	l := newLibrary(t)
	seen := drawn(400, 600)
	lying := image.NewNRGBA(image.Rect(0, 0, 600, 400))
	for y := range 600 {
		for x := range 400 {
			lying.SetNRGBA(y, 399-x, seen.NRGBAAt(x, y)) // as orientation 6 has it
		}
	}
	u := l.receive("a.jpg", withEXIF(encoded(t, "image/jpeg", lying), 6))
	if got := sizes(u.picture.formats); got != "small 333×500; thumbnail 104×156; " || u.picture.size != image.Pt(400, 600) {
		t.Fatalf("%v with %s", u.picture.size, got)
	}
	for _, made := range u.picture.formats {
		l.looksLike(made, "image/jpeg", seen, 8)
	}
}

// Other containers carry the same data.
func TestOrientationOfPNGAndWebP(t *testing.T) {
	chunk := func(name string, content []byte) []byte {
		b := binary.BigEndian.AppendUint32(nil, uint32(len(content)))
		b = append(append(b, name...), content...)
		return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
	}
	file := encoded(t, "image/png", drawn(4, 2))
	file = append(append(file[:33:33], chunk("eXIf", tiff("II", 8))...), file[33:]...)
	if h := readHeader("image/png", bytes.NewReader(file), int64(len(file))); h.turn != 8 {
		t.Errorf("PNG: %d", h.turn)
	}
	file = encoded(t, "image/webp", drawn(4, 2))
	file = append(append(file, "EXIF\x1a\x00\x00\x00"...), tiff("MM", 5)...)
	if h := readHeader("image/webp", bytes.NewReader(file), int64(len(file))); h.turn != 5 {
		t.Errorf("WebP: %d", h.turn)
	}
}

// A thumbnail of a GIF is its first frame, where it belongs, with what was
// transparent left so.
func TestThumbnailOfAnimation(t *testing.T) {
	l := newLibrary(t)
	palette := color.Palette{color.Transparent, color.RGBA{200, 0, 0, 255}, color.RGBA{0, 0, 200, 255}}
	frame := image.NewPaletted(image.Rect(150, 0, 300, 200), palette) // the right half
	for i := range frame.Pix {
		frame.Pix[i] = 1
	}
	second := image.NewPaletted(image.Rect(0, 0, 300, 200), palette)
	var b bytes.Buffer
	check(t, gif.EncodeAll(&b, &gif.GIF{
		Image: []*image.Paletted{frame, second}, Delay: []int{1, 1}, Config: image.Config{ColorModel: palette, Width: 300, Height: 200},
	}))
	u := l.receive("a.gif", b.Bytes())
	if got := sizes(u.picture.formats); got != "thumbnail 234×156; " {
		t.Fatal(got)
	}
	data, err := os.ReadFile(filepath.Join(l.path, u.picture.formats[0].temp))
	check(t, err)
	m, err := gif.Decode(bytes.NewReader(data))
	check(t, err)
	if _, _, _, alpha := m.At(20, 20).RGBA(); alpha != 0 {
		t.Errorf("what no frame covers is %v", m.At(20, 20))
	}
	if r, _, blue, _ := m.At(200, 20).RGBA(); r>>8 != 200 || blue != 0 {
		t.Errorf("the frame is %v", m.At(200, 20))
	}
}

// What cannot be read, or would take too much memory, is kept without formats.
func TestPicturesThatAreLeftAlone(t *testing.T) {
	huge := encoded(t, "image/png", drawn(300, 300))
	binary.BigEndian.PutUint32(huge[16:], 60000)
	binary.BigEndian.PutUint32(huge[20:], 60000)
	binary.BigEndian.PutUint32(huge[29:], crc32.ChecksumIEEE(huge[12:29]))
	whole := encoded(t, "image/png", drawn(300, 300))
	for name, test := range map[string]struct {
		data []byte
		size image.Point
	}{
		"a bomb":              {huge, image.Pt(60000, 60000)},
		"one that breaks off": {whole[:len(whole)/2], image.Pt(300, 300)},
		"only a signature":    {whole[:20], image.Point{}},
		"no picture":          {[]byte("\xFF\xD8\xFF\xE0 nothing here"), image.Point{}},
		"a small one":         {encoded(t, "image/png", drawn(20, 20)), image.Pt(20, 20)},
	} {
		l := newLibrary(t)
		u := l.receive("a.png", test.data)
		if u.picture.size != test.size || u.picture.formats != nil {
			t.Errorf("%s: %v, formats %s", name, u.picture.size, sizes(u.picture.formats))
		}
		if got := l.onDisk(); len(got) != 1 {
			t.Errorf("%s leaves %v", name, got)
		}
	}
}

// Memory is judged from what a file says of itself, before anything is decoded.
func TestMemoryOfPictures(t *testing.T) {
	const n = 100 * 100
	gray := image.NewGray(image.Rect(0, 0, 100, 100))
	deep := image.NewNRGBA64(image.Rect(0, 0, 100, 100))
	deep.Set(0, 0, color.NRGBA64{1, 2, 3, 4})
	for name, test := range map[string]struct {
		kind string
		file []byte
		want int64
	}{
		"colours sampled by half": {"image/jpeg", encoded(t, "image/jpeg", drawn(100, 100)), 128 * 128 * 3 / 2},
		"gray":                    {"image/jpeg", encoded(t, "image/jpeg", gray), 128 * 128},
		"gray PNG":                {"image/png", encoded(t, "image/png", gray), n + 200},
		"deep PNG":                {"image/png", encoded(t, "image/png", deep), n*8 + 1600},
		"GIF":                     {"image/gif", encoded(t, "image/gif", gray), n * 6},
		"WebP":                    {"image/webp", encoded(t, "image/webp", drawn(100, 100)), n*9 + 626*80<<10},
	} {
		config, err := codecs[test.kind].readConfig(bytes.NewReader(test.file))
		check(t, err)
		h := readHeader(test.kind, bytes.NewReader(test.file), int64(len(test.file)))
		if got, _ := codecs[test.kind].memory(config, &h); got != test.want {
			t.Errorf("%s: %d bytes, want %d", name, got, test.want)
		}
	}
	h := header{samples: 3, progressive: true, converted: true}
	if got, _ := jpegMemory(image.Config{Width: 128, Height: 128}, &h); got != 128*128*(3*5+4) {
		t.Errorf("progressive: %d bytes", got)
	}
}

// A shrunken picture has the colours of the original, and the edges of its parts.
func TestShrink(t *testing.T) {
	m := image.NewRGBA(image.Rect(5, 5, 5+4001, 5+203))
	for y := range 203 {
		for x := range 4001 {
			m.SetRGBA(5+x, 5+y, color.RGBA{uint8(x % 2 * 200), uint8(y / 100 * 100), 7, 255})
		}
	}
	small := shrink(m, image.Pt(1000, 50)).(*image.RGBA)
	if small.Rect != image.Rect(0, 0, 1000, 50) {
		t.Fatal(small.Rect)
	}
	for at, want := range map[image.Point]color.RGBA{
		{10, 10}: {100, 0, 7, 255}, {999, 24}: {100, 0, 7, 255}, {10, 25}: {100, 100, 7, 255},
	} {
		if got := small.RGBAAt(at.X, at.Y); got != want {
			t.Errorf("%v: %v, want %v", at, got, want)
		}
	}
	if same := shrink(small, image.Pt(501, 26)); same != image.Image(small) {
		t.Error("it shrinks what is less than twice as large")
	}
}

// An encoder that fails leaves the picture without formats and nothing behind.
func TestDefectOfACodec(t *testing.T) {
	l := newLibrary(t)
	o := &original{codec: codecs["image/png"], header: header{turn: upright}, small: image.NewRGBA(image.Rect(0, 0, 0, 0))}
	formats, err := l.folder.makeFormats(t.Context(), o, []target{{"small", image.Pt(5, 5)}, {"none", image.Pt(0, 0)}})
	if unreadable := new(pictureError); !errors.As(err, &unreadable) || formats != nil || len(l.onDisk()) != 0 {
		t.Errorf("%v, %v, %v", formats, err, l.onDisk())
	}
	var b bytes.Buffer
	if err := png.Encode(&b, o.small); err == nil {
		t.Error("the test counts on PNG refusing an empty picture")
	}
}
