package media

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"image/gif"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// picture asks for a picture of the file at that name, which must be one.
func (l *library) picture(name string, a Ask) *Picture {
	l.t.Helper()
	if a.Quality == 0 {
		a.Quality = 80
	}
	p, err := l.Picture(name, a, true)
	check(l.t, err)
	return p
}

// bytes are those of a picture that was made.
func (l *library) bytes(made *DerivedPicture, err error) []byte {
	l.t.Helper()
	check(l.t, err)
	if made.File == nil {
		return made.Data
	}
	defer made.File.Close()
	data, err := io.ReadAll(made.File)
	check(l.t, err)
	return data
}

// shown is a picture as people see it.
func (l *library) shown(name string, a Ask) image.Image {
	l.t.Helper()
	p := l.picture(name, a)
	data := l.bytes(l.Make(l.t.Context(), p))
	if got := sniff(data[:min(len(data), sniffLength)], ""); got != p.Mime() {
		l.t.Errorf("%+v is %s, not %s", a, got, p.Mime())
	}
	m, err := codecs[p.Mime()].decode(bytes.NewReader(data))
	check(l.t, err)
	return m
}

// keep keeps a file and returns its name in its url.
func (l *library) keep(filename string, data []byte) (name, documentID string) {
	l.t.Helper()
	documentID = l.keepOne(filename, data)
	return strings.TrimPrefix(l.record(documentID).URL, urlPrefix), documentID
}

// quarters has another colour in each quarter.
func quarters(width, height int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			c := color.NRGBA{A: 255, B: 40}
			if x*2 >= width {
				c.R = 255
			}
			if y*2 >= height {
				c.G = 255
			}
			m.SetNRGBA(x, y, c)
		}
	}
	return m
}

func isColour(m image.Image, x, y float64, want color.NRGBA) bool {
	b := m.Bounds()
	got := color.NRGBAModel.Convert(m.At(b.Min.X+int(x*float64(b.Dx())), b.Min.Y+int(y*float64(b.Dy())))).(color.NRGBA)
	return max(distance(got.R, want.R), distance(got.G, want.G), distance(got.B, want.B), distance(got.A, want.A)) < 16
}

// A picture of each kind in each format has the size that was asked for and the colours
// of its original, in their places.
func TestPicturesOfAllKinds(t *testing.T) {
	l := newLibrary(t)
	m := quarters(600, 400)
	paletted := image.NewPaletted(m.Rect, color.Palette{color.NRGBA{0, 0, 40, 255}, color.NRGBA{255, 0, 40, 255}, color.NRGBA{0, 255, 40, 255}, color.NRGBA{255, 255, 40, 255}})
	for y := range 400 {
		for x := range 600 {
			paletted.Set(x, y, m.At(x, y))
		}
	}
	for _, kind := range []string{"image/jpeg", "image/png", "image/gif", "image/webp"} {
		data := encoded(t, kind, m)
		if kind == "image/gif" {
			data = encoded(t, kind, paletted)
		}
		name, _ := l.keep("a", data)
		for _, format := range []string{"", "auto", "jpeg", "png", "webp"} {
			got := l.shown(name, Ask{Width: 300, Height: 300, Format: format})
			if got.Bounds().Size() != image.Pt(300, 200) {
				t.Errorf("%s as %q: %v", kind, format, got.Bounds())
			}
			for _, at := range []struct{ x, y float64 }{{.25, .25}, {.75, .25}, {.25, .75}, {.75, .75}} {
				want := m.NRGBAAt(int(at.x*600), int(at.y*400))
				if !isColour(got, at.x, at.y, want) {
					t.Errorf("%s as %q at %v: not %v", kind, format, at, want)
				}
			}
		}
	}
}

// What the client takes decides, and what it does not say is the format of the original.
func TestFormatsByWhatIsTaken(t *testing.T) {
	for _, test := range []struct {
		format, kind string
		takesWebP    bool
		want         string
	}{
		{"auto", "image/jpeg", true, "webp"}, {"auto", "image/jpeg", false, "jpeg"}, {"auto", "image/webp", false, "jpeg"},
		{"auto", "image/png", true, "webp"}, {"auto", "image/png", false, "png"}, {"auto", "image/gif", false, "png"},
		{"", "image/jpeg", true, "jpeg"}, {"", "image/png", true, "png"}, {"", "image/gif", true, "png"}, {"", "image/webp", false, "webp"},
		{"png", "image/jpeg", true, "png"}, {"webp", "image/jpeg", false, "webp"},
	} {
		if got := (Ask{Format: test.format}).settled(test.kind, test.takesWebP).Format; got != test.want {
			t.Errorf("%+v: %s", test, got)
		}
	}
}

// A picture is cut around its focal point as it is seen, however the camera was held;
// another focal point makes another picture, and metadata stay behind.
func TestPicturesAreCutAroundTheFocalPoint(t *testing.T) {
	l := newLibrary(t)
	for orientation := uint16(1); orientation <= 8; orientation++ {
		seen := quarters(800, 400)
		size := turn(orientation).size(800, 400)
		stored := image.NewNRGBA(image.Rectangle{Max: size})
		for y := range 400 {
			for x := range 800 {
				p := turn(orientation).source(x, y, size.X-1, size.Y-1)
				stored.SetNRGBA(p.X, p.Y, seen.NRGBAAt(x, y))
			}
		}
		name, id := l.keep("a.jpg", withEXIF(encoded(t, "image/jpeg", stored), orientation))
		tags := map[string]bool{}
		for focal, want := range map[string]color.NRGBA{
			`{"x":10,"y":10}`: {0, 0, 40, 255}, `{"x":90,"y":10}`: {255, 0, 40, 255}, `{"x":10,"y":90}`: {0, 255, 40, 255}, `{"x":90,"y":90}`: {255, 255, 40, 255},
		} {
			_, err := l.Describe(t.Context(), id, FileInfo{"focalPoint": []byte(focal)})
			check(t, err)
			a := Ask{Width: 300, Height: 100, Cover: true}
			if strings.Contains(focal, `"x":10`) {
				a = Ask{Width: 100, Height: 100, Cover: true}
			}
			m := l.shown(name, a)
			y := .2
			if want.G > 0 {
				y = .8
			}
			x := .1
			if want.R > 0 {
				x = .9
			}
			if m.Bounds().Size() != image.Pt(a.Width, a.Height) || !isColour(m, x, y, want) {
				t.Errorf("orientation %d, focal point %s: %v, %v", orientation, focal, m.Bounds(), m.At(0, 0))
			}
			p := l.picture(name, a)
			if data := l.bytes(l.Make(t.Context(), p)); bytes.Contains(data, []byte("4711")) || bytes.Contains(data, []byte("Exif")) {
				t.Error("a picture keeps the metadata of its original")
			}
			tags[p.Key()] = true
		}
		if len(tags) != 4 {
			t.Errorf("%d names for 4 pictures", len(tags))
		}
	}
}

// Transparency stays but in JPEG, which has white there; WebP keeps it to the last bit.
func TestTransparentPictures(t *testing.T) {
	l := newLibrary(t)
	m := quarters(40, 40)
	for x := range 20 {
		for y := range 20 {
			m.SetNRGBA(x, y, color.NRGBA{})
		}
	}
	name, _ := l.keep("a.png", encoded(t, "image/png", m))
	for format, want := range map[string]color.NRGBA{"png": {}, "webp": {}, "jpeg": {255, 255, 255, 255}} {
		if got := l.shown(name, Ask{Width: 20, Format: format}); !isColour(got, .2, .2, want) || !isColour(got, .9, .2, color.NRGBA{255, 0, 40, 255}) {
			t.Errorf("%s: %v", format, got.At(4, 4))
		}
	}
}

func TestTheFirstFrameOfAnAnimation(t *testing.T) {
	l := newLibrary(t)
	pal := color.Palette{color.NRGBA{255, 0, 0, 255}, color.NRGBA{0, 0, 255, 255}}
	first, second := image.NewPaletted(image.Rect(0, 0, 60, 60), pal), image.NewPaletted(image.Rect(0, 0, 60, 60), pal)
	for i := range second.Pix {
		second.Pix[i] = 1
	}
	var b bytes.Buffer
	check(t, gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{first, second}, Delay: []int{1, 1}}))
	name, _ := l.keep("a.gif", b.Bytes())
	if m := l.shown(name, Ask{Width: 30}); !isColour(m, .5, .5, color.NRGBA{255, 0, 0, 255}) {
		t.Errorf("%v", m.At(15, 15))
	}
}

// What is no picture, or none that can be read or afforded, is refused in words. Nothing
// is decoded for a bomb.
func TestPicturesThatCannotBeMade(t *testing.T) {
	l := newLibrary(t)
	drawing, _ := l.keep("a.svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>`))
	text, _ := l.keep("a.txt", []byte("text"))
	photo, _ := l.keep("a.jpg", encoded(t, "image/jpeg", drawn(600, 400)))
	for name, want := range map[string]string{
		drawing: "Pictures are made of JPEG, PNG, GIF and WebP, not of image/svg+xml", text: "Pictures are made of JPEG, PNG, GIF and WebP, not of text/plain",
		"small_" + photo: "Pictures are made of the file itself, not of its formats", "thumbnail_" + drawing: ErrNotFound.Error(), "nothing.jpg": ErrNotFound.Error(), ".": ErrNotFound.Error(),
	} {
		if _, err := l.Picture(name, Ask{Width: 9}, true); err == nil || err.Error() != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	for filename, data := range map[string][]byte{
		"bomb.png": blankPNG(t, image.Pt(20_000, 20_000), 1, false, false)[:100], "broken.jpg": encoded(t, "image/jpeg", drawn(99, 99))[:300], "broken.png": encoded(t, "image/png", drawn(99, 99))[:60],
	} {
		name, _ := l.keep(filename, data)
		p := l.picture(name, Ask{Width: 9})
		var err error
		took := allocated(func() { _, err = l.Make(t.Context(), p) })
		if refused := new(PictureError); !errors.As(err, &refused) || took > 4<<20 {
			t.Errorf("%s: %v, for %d bytes", filename, err, took)
		}
	}
	for _, size := range []image.Point{{1, 60_000}, {60_000, 1}} {
		name, _ := l.keep("thin.png", blankPNG(t, size, 8, false, false))
		for _, a := range []Ask{{Width: 800, Height: 600, Cover: true}, {Width: 800, Height: 600}, {Width: 800, Format: "webp"}, {Height: 4096, Format: "jpeg"}} {
			if m := l.shown(name, a); m.Bounds().Dx() > side(a.Width) || m.Bounds().Dy() > side(a.Height) {
				t.Errorf("%v as %+v: %v", size, a, m.Bounds())
			}
		}
	}
}

// However many ask for one picture at the same time, and however many of them go away,
// it is made once.
func TestAPictureIsMadeOnce(t *testing.T) {
	l := newLibrary(t)
	name, _ := l.keep("a.jpg", encoded(t, "image/jpeg", drawn(2000, 1000)))
	var made atomic.Int64
	l.folder.pictures.made = func() { made.Add(1) }
	p := l.picture(name, Ask{Width: 900, Format: "webp"})
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := l.Make(gone, p); !errors.Is(err, context.Canceled) {
		t.Errorf("who goes away gets %v", err)
	}
	var wg sync.WaitGroup
	sums := make([]string, 200)
	for i := range sums {
		wg.Go(func() { sums[i] = string(l.bytes(l.Make(t.Context(), p))) })
	}
	wg.Wait()
	for _, sum := range sums {
		if sum != sums[0] || sum == "" {
			t.Fatal("not all got the same picture")
		}
	}
	if n := made.Load(); n != 1 {
		t.Errorf("it was made %d times", n)
	}
	before := l.PictureCounts()
	l.bytes(l.Make(t.Context(), p))
	if n := l.PictureCounts(); n.Made != 1 || n.Kept != before.Kept+1 || n.Refused+n.Failed != 0 || n.Waiting != 0 {
		t.Errorf("it is counted as %+v", n)
	}
}

// Of many different pictures that are requested at once, a limited number wait. The
// others are refused at once, and are made when there is space again.
func TestPicturesThatWaitAreBounded(t *testing.T) {
	l := newLibrary(t)
	name, _ := l.keep("a.png", encoded(t, "image/png", drawn(200, 200)))
	s := l.folder.pictures
	check(t, s.makers.Acquire(t.Context(), int64(max(1, runtime.GOMAXPROCS(0)/2)))) // all are busy
	results := make(chan error, 200)
	for i := range 200 {
		go func() {
			_, err := l.Make(t.Context(), l.picture(name, Ask{Width: i + 1}))
			results <- err
		}()
	}
	for range 200 - mostWaiting {
		if err := <-results; !errors.Is(err, ErrBusy) {
			t.Errorf("a picture too many: %v", err)
		}
	}
	if n := l.PictureCounts(); n != (PictureCounts{Refused: 200 - mostWaiting, Waiting: mostWaiting}) {
		t.Errorf("counted: %+v", n)
	}
	s.makers.Release(int64(max(1, runtime.GOMAXPROCS(0)/2)))
	for range mostWaiting {
		check(t, <-results)
	}
	l.bytes(l.Make(t.Context(), l.picture(name, Ask{Width: 100, Height: 7})))
}

// So many wait for one picture and no more: the others are refused at once, so that those
// who ask for what is slow to make leave places for other requests.
func TestThoseWhoWaitForAPictureAreBounded(t *testing.T) {
	l := newLibrary(t)
	name, _ := l.keep("a.png", encoded(t, "image/png", drawn(200, 200)))
	s, all := l.folder.pictures, int64(max(1, runtime.GOMAXPROCS(0)/2))
	check(t, s.makers.Acquire(t.Context(), all)) // all are busy
	p, results := l.picture(name, Ask{Width: 7}), make(chan error)
	const more = 50
	for range mostAsking + more {
		go func() {
			made, err := l.Make(t.Context(), p)
			if err == nil {
				made.File.Close()
			}
			results <- err
		}()
	}
	for range more {
		if err := <-results; !errors.Is(err, ErrBusy) {
			t.Errorf("one too many who waits: %v", err)
		}
	}
	s.makers.Release(all)
	for range mostAsking {
		check(t, <-results)
	}
	l.bytes(l.Make(t.Context(), p))
}

// A folder that is closed waits for no picture that has not begun.
func TestClosingGivesWaitingPicturesUp(t *testing.T) {
	l := newLibrary(t)
	name, _ := l.keep("a.png", encoded(t, "image/png", drawn(20, 20)))
	all := int64(max(1, runtime.GOMAXPROCS(0)/2))
	check(t, l.folder.pictures.makers.Acquire(t.Context(), all))
	result := make(chan error)
	go func() {
		_, err := l.Make(t.Context(), l.picture(name, Ask{Width: 5}))
		result <- err
	}()
	l.folder.pictures.end()
	if err := <-result; !errors.Is(err, ErrBusy) {
		t.Errorf("got %v", err)
	}
	check(t, l.folder.Close())
}

// A file that is replaced or deleted takes its pictures along.
func TestPicturesFollowTheirFile(t *testing.T) {
	l := newLibrary(t)
	name, id := l.keep("a.png", encoded(t, "image/png", quarters(80, 80)))
	first := l.picture(name, Ask{Width: 40})
	l.bytes(l.Make(t.Context(), first))
	_, err := l.Replace(t.Context(), id, l.receive("b.png", encoded(t, "image/png", image.NewGray(image.Rect(0, 0, 50, 80)))))
	check(t, err)
	if l.folder.pictures.cache.has(first.file()) {
		t.Error("the picture of the former file is still there")
	}
	if _, err := l.Make(t.Context(), first); !errors.Is(err, ErrNotFound) {
		t.Errorf("a picture of the former file: %v", err)
	}
	if m := l.shown(name, Ask{Width: 40}); m.Bounds().Size() != image.Pt(40, 64) {
		t.Errorf("of the new file: %v", m.Bounds())
	}
	check(t, l.Delete(t.Context(), id))
	if _, err := l.Picture(name, Ask{Width: 40}, true); !errors.Is(err, ErrNotFound) {
		t.Errorf("of a deleted file: %v", err)
	}
	if names, _ := inCache(t, l.folder.pictures.cache); len(names) > 0 {
		t.Errorf("left are %v", names)
	}
}

// Where a picture cannot be kept it is shown all the same.
func TestAPictureThatCannotBeKept(t *testing.T) {
	l := newLibrary(t)
	name, _ := l.keep("a.png", encoded(t, "image/png", drawn(80, 80)))
	check(t, os.WriteFile(l.folder.pictures.cache.path, nil, 0o600)) // where the folder would be
	for range 2 {
		made, err := l.Make(t.Context(), l.picture(name, Ask{Width: 40}))
		if data := l.bytes(made, err); made.File != nil || len(data) == 0 {
			t.Errorf("%d bytes", len(data))
		}
	}
}

// Making a picture takes no more memory than was reckoned for it, and the pictures are no
// part of the folder of uploads.
func TestPictureCost(t *testing.T) {
	l := newLibrary(t)
	noise := image.NewNRGBA(image.Rect(0, 0, 640, 400))
	r := rand.New(rand.NewPCG(1, 2))
	for i := range noise.Pix {
		noise.Pix[i] = byte(r.Uint32())
	}
	opaque := image.NewNRGBA(noise.Rect)
	copy(opaque.Pix, noise.Pix)
	for i := 3; i < len(opaque.Pix); i += 4 {
		opaque.Pix[i] = 255
	}
	var ids []string
	for filename, data := range map[string][]byte{
		"a.jpg": encoded(t, "image/jpeg", opaque), "a.png": encoded(t, "image/png", noise), "b.png": encoded(t, "image/png", opaque), "thin.png": blankPNG(t, image.Pt(15, 30_000), 8, false, false),
	} {
		name, id := l.keep(filename, data)
		ids = append(ids, id)
		for _, a := range []Ask{{Width: 500, Height: 200, Cover: true, Quality: 100}, {Width: 630, Quality: 80}, {Width: 100, Height: 100, Quality: 1}, {Quality: 100}} {
			for _, a.Format = range []string{"jpeg", "png", "webp"} {
				p := l.picture(name, a)
				l.requireCost(p)
			}
		}
	}
	l.consistent(ids...)
}

func (l *library) requireCost(p *Picture) {
	l.t.Helper()
	file, err := l.folder.original(l.t.Context(), p.of)
	check(l.t, err)
	defer file.Close()
	info, err := file.Stat()
	check(l.t, err)
	o := &original{codec: codecs[p.kind], file: io.NewSectionReader(file, 0, info.Size())}
	o.config, err = o.codec.readConfig(o.rewound())
	check(l.t, err)
	o.header = readHeader(p.kind, o.file, o.file.Size())
	v := p.ask.view(o.header.turn.size(o.config.Width, o.config.Height), p.focal)
	reckoned := o.pictureCost(v, p)
	runtime.GC()
	runtime.GC() // empties the pools of encoders
	small, err := o.part(v)
	check(l.t, err)
	took := allocated(func() {
		m := o.header.turn.apply(resize(shrink(small, v.size), v.size))
		var out bytes.Buffer
		check(l.t, encodeAs(&out, m, p.ask))
	})
	if most := reckoned.formats[0]; took > most || testing.Verbose() {
		l.t.Logf("%s as %+v takes %d bytes, reckoned were %d", p.of, p.ask, took, most)
		if took > most {
			l.t.Fail()
		}
	}
}
