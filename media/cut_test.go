package media

import (
	"fmt"
	"image"
	"math/rand/v2"
	"testing"
)

func TestViews(t *testing.T) {
	for _, test := range []struct {
		whole image.Point
		ask   Ask
		focal focal
		want  string
	}{
		{image.Pt(4000, 3000), Ask{Width: 800}, centre, "(0,0)-(4000,3000) to (800,600)"},
		{image.Pt(4000, 3000), Ask{Height: 300}, centre, "(0,0)-(4000,3000) to (400,300)"},
		{image.Pt(4000, 3000), Ask{Width: 800, Height: 100}, centre, "(0,0)-(4000,3000) to (133,100)"},
		{image.Pt(400, 300), Ask{Width: 800}, centre, "(0,0)-(400,300) to (400,300)"},
		{image.Pt(4000, 3000), Ask{}, centre, "(0,0)-(4000,3000) to (4000,3000)"},
		{image.Pt(8192, 3000), Ask{}, centre, "(0,0)-(8192,3000) to (4096,1500)"},
		{image.Pt(1, 60000), Ask{Width: 320}, centre, "(0,0)-(1,60000) to (1,4096)"},
		{image.Pt(60000, 1), Ask{Width: 320, Height: 320}, centre, "(0,0)-(60000,1) to (320,1)"},
		{image.Pt(4000, 3000), Ask{Width: 800, Height: 600, Cover: true}, centre, "(0,0)-(4000,3000) to (800,600)"},
		{image.Pt(4000, 3000), Ask{Width: 300, Height: 300, Cover: true}, centre, "(500,0)-(3500,3000) to (300,300)"},
		{image.Pt(4000, 3000), Ask{Width: 300, Height: 300, Cover: true}, focal{0, 50}, "(0,0)-(3000,3000) to (300,300)"},
		{image.Pt(4000, 3000), Ask{Width: 300, Height: 300, Cover: true}, focal{100, 50}, "(1000,0)-(4000,3000) to (300,300)"},
		{image.Pt(4000, 3000), Ask{Width: 300, Height: 300, Cover: true}, focal{60, 50}, "(900,0)-(3900,3000) to (300,300)"},
		{image.Pt(3000, 4000), Ask{Width: 300, Height: 100, Cover: true}, focal{50, 10}, "(0,0)-(3000,1000) to (300,100)"},
		{image.Pt(3000, 4000), Ask{Width: 300, Height: 100, Cover: true}, focal{50, 90}, "(0,3000)-(3000,4000) to (300,100)"},
		{image.Pt(200, 100), Ask{Width: 800, Height: 800, Cover: true}, centre, "(50,0)-(150,100) to (100,100)"},
		{image.Pt(1, 60000), Ask{Width: 800, Height: 600, Cover: true}, focal{50, 100}, "(0,59999)-(1,60000) to (1,1)"},
		{image.Pt(60000, 1), Ask{Width: 1, Height: 4096, Cover: true}, focal{100, 100}, "(59999,0)-(60000,1) to (1,1)"},
	} {
		v := test.ask.view(test.whole, test.focal)
		if got := fmt.Sprintf("%v to %v", v.cut, v.size); got != test.want {
			t.Errorf("%v of %v around %v: %s, want %s", test.ask, test.whole, test.focal, got, test.want)
		}
	}
}

// Whatever is asked of whatever picture: the result fits into what was asked and is not
// enlarged, it shows a part that there is, and the focal point is in it.
func TestViewsOfAnything(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	anySide := func(most int) int { return 1 + int(float64(most-1)*r.Float64()*r.Float64()*r.Float64()) }
	for range 100_000 {
		whole := image.Pt(anySide(maxSide), anySide(maxSide))
		a := Ask{Width: anySide(4096), Height: anySide(4096), Cover: r.IntN(2) == 0}
		if !a.Cover && r.IntN(3) == 0 {
			a.Width = 0
		}
		f := focal{r.Float64() * 100, float64(r.IntN(3)) * 50}
		v := a.view(whole, f)
		at := image.Pt(min(whole.X-1, int(f.X/100*float64(whole.X))), min(whole.Y-1, int(f.Y/100*float64(whole.Y))))
		switch {
		case v.size.X > side(a.Width) || v.size.Y > side(a.Height) || v.size.X < 1 || v.size.Y < 1,
			v.size.X > v.cut.Dx() || v.size.Y > v.cut.Dy(),
			v.cut.Empty() || !v.cut.In(image.Rectangle{Max: whole}),
			!at.In(v.cut),
			!a.Cover && v.cut.Size() != whole:
			t.Fatalf("seed %d: %+v of %v around %v: %+v", seed, a, whole, f, v)
		}
	}
}

// A part of a picture that is stored turned is the part that is seen.
func TestStoredParts(t *testing.T) {
	for turned := turn(1); turned <= 8; turned++ {
		size := image.Pt(7, 5)
		seen := turned.size(size.X, size.Y)
		part := image.Rect(1, 2, 4, seen.Y-1)
		stored := turned.stored(part, size)
		var all image.Rectangle
		for y := part.Min.Y; y < part.Max.Y; y++ {
			for x := part.Min.X; x < part.Max.X; x++ {
				p := turned.source(x, y, size.X-1, size.Y-1)
				all = all.Union(image.Rectangle{p, p.Add(image.Pt(1, 1))})
			}
		}
		if stored != all || !stored.In(image.Rectangle{Max: size}) {
			t.Errorf("turn %d: %v, want %v", turned, stored, all)
		}
	}
}

func TestFocalPoints(t *testing.T) {
	for text, want := range map[string]focal{
		`{"x":10,"y":90}`: {10, 90}, `{"x":0,"y":100}`: {0, 100}, `{"x":12.5,"y":7.25,"z":1}`: {12.5, 7.25},
		"": centre, "null": centre, "{}": centre, `{"x":10}`: centre, `{"x":-1,"y":5}`: centre, `{"x":5,"y":100.1}`: centre,
		`{"x":"5","y":5}`: centre, "[1,2]": centre, `{"x":1e400,"y":5}`: centre, `"x"`: centre, "{": centre,
	} {
		if got, given := readFocal(text); got != want || given != (want != centre) {
			t.Errorf("%s: %v", text, got)
		}
	}
}
