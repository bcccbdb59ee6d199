package media

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/draw"
	"golang.org/x/image/webp"
)

// Of some pictures the encoder with losses makes what cannot be read, or has other colours:
// they are written without.
func TestWebPOfOneColour(t *testing.T) {
	for _, test := range []struct{ width, height, quality, colour int }{
		{1940, 20, 42, 241}, {1960, 17, 23, 86}, {1992, 17, 34, 183}, {1124, 20, 19, 163}, {1797, 19, 37, 186}, {1142, 17, 77, 222}, {1757, 17, 59, 251}, {300, 300, 1, 0}, {300, 300, 1, 255}, {16, 16, 1, 77},
	} {
		m := image.NewRGBA(image.Rect(0, 0, test.width, test.height))
		c := color.NRGBA{uint8(test.colour), uint8(test.colour), uint8(test.colour), 255}
		draw.Draw(m, m.Rect, image.NewUniform(c), image.Point{}, draw.Src)
		var b bytes.Buffer
		check(t, writeWebP(&b, m, test.quality))
		back, err := decodeWebP(&b)
		if err != nil || !isColour(back, .01, .1, c) || !isColour(back, .99, .9, c) {
			t.Errorf("%+v: %v", test, err)
		}
	}
}

// The encoder with losses does not panic over any picture, however small, and what it writes
// is read elsewhere.
func TestLossyWebPOfAnySize(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 1))
	for range 300 {
		size := image.Pt(1+r.IntN(70), 1+r.IntN(70))
		m := image.NewRGBA(image.Rectangle{Max: size})
		flat := r.IntN(2) == 0
		for i := range m.Pix {
			if m.Pix[i] = byte(r.Uint32()); i%4 == 3 {
				m.Pix[i] = 255
			} else if flat {
				m.Pix[i] = 200
			}
		}
		var b bytes.Buffer
		quality := 1 + r.IntN(100)
		check(t, writeWebP(&b, m, quality))
		back, err := webp.Decode(&b)
		if err != nil || back.Bounds().Size() != size {
			t.Fatalf("seed %d: %v at quality %d: %v", seed, size, quality, err)
		}
	}
}

// A panic of the encoder is an error: it works in the goroutine of its caller.
func TestPanicOfTheEncoderOfWebP(t *testing.T) {
	short := image.NewRGBA(image.Rect(0, 0, 200, 200))
	short.Pix = slices.Clip(short.Pix[:len(short.Pix)/2])
	for _, write := range []func() error{
		func() error { return writeLossyWebP(io.Discard, short, 80) },
		func() error { return encodeAs(io.Discard, short, Ask{Format: "webp", Quality: 80}) },
	} {
		err := func() (err error) {
			defer recoverPicture(&err)
			return write()
		}()
		if unreadable := new(pictureError); !errors.As(err, &unreadable) || !strings.Contains(err.Error(), "panic") {
			t.Error(err)
		}
	}
}

// The encoder begins goroutines for nothing but the parts of a picture that are alike, one
// for each processor. What it does there was read in this version: it indexes by the place
// of a block alone, and cannot panic over any pixels. Read computeAlphas of another version
// before you change the number.
func TestGoroutinesOfTheEncoderOfWebP(t *testing.T) {
	file, err := os.ReadFile("../go.mod")
	check(t, err)
	if !strings.Contains(string(file), "\tgithub.com/deepteams/webp v1.2.5\n") {
		t.Error("the encoder of WebP is of another version, whose goroutines were not read")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	begun := func() uint64 {
		s := []metrics.Sample{{Name: "/sched/goroutines-created:goroutines"}}
		metrics.Read(s)
		return s[0].Value.Uint64()
	}
	m := image.NewRGBA(image.Rect(0, 0, 320, 320))
	draw.Draw(m, m.Rect, drawn(320, 320), image.Point{}, draw.Src)
	least := uint64(math.MaxUint64)
	for range 5 { // the runtime and other tests begin some as well
		before := begun()
		check(t, writeLossyWebP(io.Discard, m, 80))
		least = min(least, begun()-before)
	}
	if least > 4 {
		t.Errorf("the encoder began %d goroutines", least)
	}
}
