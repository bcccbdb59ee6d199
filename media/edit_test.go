package media

import (
	"context"
	"encoding/json"
	"errors"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// edited is the picture that a file has after an edit, as people see it.
func (l *library) edited(id string, e *Edit) image.Image {
	l.t.Helper()
	_, err := l.Edit(l.t.Context(), id, e)
	check(l.t, err)
	stored := l.record(id)
	file, err := l.folder.original(l.t.Context(), stored.Hash+stored.Ext)
	check(l.t, err)
	defer file.Close()
	m, err := codecs[stored.Mime].decode(file)
	check(l.t, err)
	l.consistent(id)
	return m
}

// A picture is turned as it is seen and then cut, in its own format and without its
// metadata; what follows starts from the original again, which comes back as it was.
func TestEdits(t *testing.T) {
	for _, kind := range []string{"image/jpeg", "image/png", "image/webp"} {
		l := newLibrary(t)
		seen := quarters(600, 400)
		data := encoded(t, kind, seen)
		if kind == "image/jpeg" {
			lying := image.NewNRGBA(image.Rect(0, 0, 400, 600)) // as orientation 6 has it
			for y := range 400 {
				for x := range 600 {
					lying.SetNRGBA(y, 599-x, seen.NRGBAAt(x, y))
				}
			}
			data = withEXIF(encoded(t, kind, lying), 6)
		}
		name, id := l.keep("a", data)
		first := l.record(id)
		blue, red, green, yellow := color.NRGBA{0, 0, 40, 255}, color.NRGBA{255, 0, 40, 255}, color.NRGBA{0, 255, 40, 255}, color.NRGBA{255, 255, 40, 255}
		for _, test := range []struct {
			edit Edit
			size image.Point
			want [4]color.NRGBA // of the quarters
		}{
			{Edit{Rotate: 90}, image.Pt(400, 600), [4]color.NRGBA{green, blue, yellow, red}},
			{Edit{Rotate: 180}, image.Pt(600, 400), [4]color.NRGBA{yellow, green, red, blue}},
			{Edit{Rotate: 270}, image.Pt(400, 600), [4]color.NRGBA{red, yellow, blue, green}},
			{Edit{Crop: &Crop{300, 0, 300, 200}}, image.Pt(300, 200), [4]color.NRGBA{red, red, red, red}},
			{Edit{Rotate: 90, Crop: &Crop{0, 0, 400, 300}}, image.Pt(400, 300), [4]color.NRGBA{green, blue, green, blue}},
			{Edit{Crop: &Crop{599, 399, 1, 1}}, image.Pt(1, 1), [4]color.NRGBA{yellow, yellow, yellow, yellow}},
		} {
			m := l.edited(id, &test.edit)
			if m.Bounds().Size() != test.size {
				t.Fatalf("%s, %+v: %v", kind, test.edit, m.Bounds())
			}
			for i, want := range test.want {
				if !isColour(m, .25+.5*float64(i%2), .25+.5*float64(i/2), want) {
					t.Errorf("%s, %+v: quarter %d is not %v", kind, test.edit, i, want)
				}
			}
			now := l.record(id)
			if now.URL != first.URL || now.Hash == first.Hash || now.Mime != first.Mime || now.Name != first.Name || now.kept().Edit.Rotate != test.edit.Rotate {
				t.Errorf("%s: %+v", kind, now)
			}
			if content, err := os.ReadFile(l.folder.at(now.Hash + now.Ext)); err != nil || strings.Contains(string(content), "4711") || strings.Contains(string(content), "Exif") {
				t.Errorf("%s keeps metadata, or %v", kind, err)
			}
		}
		if served, err := l.Open(t.Context(), first.Hash+first.Ext); name != first.Hash+first.Ext || err != nil || served.Name == first.Hash+first.Ext {
			t.Errorf("the url leads to the original: %v", err)
		}
		check(t, second(l.Edit(t.Context(), id, nil)))
		back := l.record(id)
		content, err := os.ReadFile(l.folder.at(back.Hash + back.Ext))
		if check(t, err); string(content) != string(data) || back.IsEdited() || back.URL != first.URL {
			t.Errorf("%s: the original is not back: %+v", kind, back)
		}
		l.consistent(id)
		if _, err := l.Edit(t.Context(), id, nil); err == nil || err.Error() != "The file is as it was uploaded" {
			t.Errorf("putting back what is there: %v", err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// The original goes with its file, and when another file takes the place.
func TestOriginalsGoWithTheirFile(t *testing.T) {
	l := newLibrary(t)
	_, id := l.keep("a.png", encoded(t, "image/png", drawn(300, 200)))
	l.edited(id, &Edit{Rotate: 90})
	edited := l.record(id)
	if names := l.onDisk(); !slices.Contains(names, edited.kept().Original.Hash+".png") || !slices.Contains(edited.Names(), edited.kept().Original.Hash+".png") {
		t.Errorf("the original is not kept: %v", names)
	}
	check(t, second(l.Replace(t.Context(), id, l.receive("b.txt", []byte("text")))))
	if now := l.record(id); now.IsEdited() || len(l.onDisk()) != 1 {
		t.Errorf("%+v, %v", now, l.onDisk())
	}
	_, another := l.keep("c.png", encoded(t, "image/png", drawn(300, 200)))
	check(t, second(l.Edit(t.Context(), another, &Edit{Rotate: 90})))
	check(t, l.Delete(t.Context(), another))
	l.consistent(id)
}

func TestEditsThatCannotBe(t *testing.T) {
	l := newLibrary(t)
	_, gif := l.keep("a.gif", encoded(t, "image/gif", image.NewPaletted(image.Rect(0, 0, 9, 9), color.Palette{color.Black})))
	_, text := l.keep("a.txt", []byte("text"))
	_, bomb := l.keep("bomb.png", blankPNG(t, image.Pt(20_000, 20_000), 1, false, false)[:100])
	_, wide := l.keep("wide.png", blankPNG(t, image.Pt(12_000, 6_000), 1, false, false)[:100])
	_, broken := l.keep("broken.png", encoded(t, "image/png", drawn(99, 99))[:60])
	_, picture := l.keep("a.png", encoded(t, "image/png", drawn(30, 20)))
	before := l.onDisk()
	for _, test := range []struct {
		id   string
		edit Edit
		want string
	}{
		{gif, Edit{Rotate: 90}, "JPEG, PNG and WebP can be turned and cut, not image/gif"},
		{text, Edit{Rotate: 90}, "JPEG, PNG and WebP can be turned and cut, not text/plain"},
		{bomb, Edit{Crop: &Crop{0, 0, 1, 1}}, "The picture would take more than 256 MiB of memory to turn or cut; parts can be taken of one like it of up to about 263 megapixels"},
		{wide, Edit{Rotate: 90}, "The picture would take more than 256 MiB of memory to turn or cut; a part of up to about 4842 × 9684 pixels can be taken, or upload a smaller picture"},
		{broken, Edit{Rotate: 90}, "The file cannot be read as a picture"},
		{"nothing", Edit{Rotate: 90}, ErrNotFound.Error()},
		{picture, Edit{Crop: &Crop{0, 0, 31, 20}}, "crop must be a part of the picture, which is 30 × 20 pixels when it is turned"},
		{picture, Edit{Rotate: 90, Crop: &Crop{0, 0, 30, 20}}, "crop must be a part of the picture, which is 20 × 30 pixels when it is turned"},
		{picture, Edit{Crop: &Crop{-1, 0, 5, 5}}, "crop must be a part of the picture, which is 30 × 20 pixels when it is turned"},
		{picture, Edit{Crop: &Crop{math.MaxInt, 0, math.MaxInt, 1}}, "crop must be a part of the picture, which is 30 × 20 pixels when it is turned"},
		{picture, Edit{Crop: &Crop{}}, "crop must be a part of the picture, which is 30 × 20 pixels when it is turned"},
	} {
		var err error
		took := allocated(func() { _, err = l.Edit(t.Context(), test.id, &test.edit) })
		if err == nil || err.Error() != test.want || took > 4<<20 {
			t.Errorf("%s: %v, for %d bytes", test.id, err, took)
		}
	}
	if after := l.onDisk(); !slices.Equal(before, after) {
		t.Errorf("left are %v, were %v", after, before)
	}
	gone, leave := context.WithCancel(t.Context())
	leave()
	if _, err := l.Edit(gone, picture, &Edit{Rotate: 90}); err == nil {
		t.Error("who goes away has edited")
	}
	l.consistent(gif, text, bomb, wide, broken, picture)
}

// Of edits at the same time each is done or refused, and nothing is left over.
func TestEditsAtTheSameTime(t *testing.T) {
	l := newLibrary(t)
	_, id := l.keep("a.png", encoded(t, "image/png", drawn(300, 200)))
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			edit := &Edit{Rotate: 90 * (i % 4), Crop: &Crop{i, i, 100, 100}}
			if _, err := l.Edit(t.Context(), id, edit); err != nil && !errors.Is(err, ErrChanged) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	l.consistent(id)
	if stored := l.record(id); !stored.IsEdited() {
		t.Error("nothing was done")
	}
}

// The focal point stays where it is in the picture, whatever is done to it and undone.
func TestFocalPointsOfEdits(t *testing.T) {
	l := newLibrary(t)
	_, id := l.keep("a.png", encoded(t, "image/png", drawn(600, 400)))
	check(t, second(l.Describe(t.Context(), id, FileInfo{"focalPoint": []byte(`{"x": 25, "y": 10}`)})))
	for _, test := range []struct {
		edit *Edit
		want string
	}{
		{&Edit{Rotate: 90}, `{"x":90,"y":25}`}, {&Edit{Rotate: 270}, `{"x":10,"y":75}`}, {&Edit{Crop: &Crop{0, 0, 300, 200}}, `{"x":50,"y":20}`}, {nil, `{"x":25,"y":10}`},
		{&Edit{Crop: &Crop{300, 200, 300, 200}}, `{"x":0,"y":0}`},
	} {
		check(t, second(l.Edit(t.Context(), id, test.edit)))
		if got := l.record(id).FocalPoint; got != test.want {
			t.Errorf("%+v: %s, want %s", test.edit, got, test.want)
		}
	}
	_, without := l.keep("b.png", encoded(t, "image/png", drawn(60, 40)))
	check(t, second(l.Edit(t.Context(), without, &Edit{Rotate: 90})))
	if got := l.record(without).FocalPoint; got != "" && got != "null" {
		t.Errorf("a focal point out of nothing: %s", got)
	}
}

// What an edit brings somewhere comes from there; turns add up.
func TestPlacesOfEdits(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	for range 1000 {
		size := image.Pt(1+r.IntN(900), 1+r.IntN(900))
		e := &Edit{Rotate: 90 * r.IntN(4)}
		f := focal{r.Float64() * 100, r.Float64() * 100}
		if back := e.saw(e.sees(f, size), size); math.Abs(back.X-f.X) > .1 || math.Abs(back.Y-f.Y) > .1 {
			t.Fatalf("seed %d: %+v of %v: %v comes back as %v", seed, e, size, f, back)
		}
	}
	for t1 := upright; t1 <= 8; t1++ {
		for t2 := upright; t2 <= 8; t2++ {
			both, size := t1.then(t2), image.Pt(5, 7)
			once := t1.size(size.X, size.Y)
			twice := t2.size(once.X, once.Y)
			for y := range twice.Y {
				for x := range twice.X {
					p := t2.source(x, y, once.X-1, once.Y-1)
					if both.source(x, y, size.X-1, size.Y-1) != t1.source(p.X, p.Y, size.X-1, size.Y-1) {
						t.Fatalf("%d and then %d is not %d", t1, t2, both)
					}
				}
			}
		}
	}
}

// Metadata of other providers are no edits.
func TestMetadataOfOthers(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "null": false, `{"public_id": "x", "resource_type": "image"}`: false, `[1]`: false, `{"quire": null}`: false, `"quire"`: false,
		`{"quire": {"original": {"hash": "a", "ext": ".png"}, "edit": {"rotate": 90, "crop": null}}}`: true,
	} {
		s := Stored{ProviderMetadata: text, URL: "/uploads/x", Hash: "x"}
		if s.IsEdited() != want {
			t.Errorf("%s: %t", text, !want)
		}
	}
	text, err := json.Marshal(providerMetadata{&originalRecord{}})
	if check(t, err); string(text) != `{"quire":{"original":{"hash":"","ext":""},"edit":{"rotate":0,"crop":null}}}` {
		t.Errorf("%s", text)
	}
}

// Photos of today's cameras can be turned; what is larger is refused before it is decoded.
func TestHowLargePicturesCanBeEdited(t *testing.T) {
	photo := func(width, height int) *original {
		return &original{codec: codecs["image/jpeg"], config: image.Config{Width: width, Height: height, ColorModel: color.YCbCrModel}, header: header{samples: 1.5}}
	}
	for _, test := range []struct {
		kind          string
		width, height int
		fits          bool
	}{{"image/jpeg", 8192, 5464, true}, {"image/jpeg", 9504, 6336, false}, {"image/webp", 2300, 1600, true}, {"image/webp", 2800, 2000, false}} {
		o := photo(test.width, test.height)
		o.codec = codecs[test.kind]
		if cost := o.editCost(image.Pt(test.width, test.height), test.kind); cost <= pictureMemory != test.fits {
			t.Errorf("%+v takes %d MiB", test, cost>>20)
		}
	}
}
