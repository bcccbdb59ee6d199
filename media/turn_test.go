package media

import (
	"image"
	"image/color"
	"testing"
)

func TestReadTurn(t *testing.T) {
	for _, order := range []string{"II", "MM"} {
		for n := uint16(0); n <= 9; n++ {
			want := turn(n)
			if n == 0 || n == 9 {
				want = upright
			}
			if got := readTurn(tiff(order, n)); got != want {
				t.Errorf("%s %d: got %d", order, n, got)
			}
		}
		whole := tiff(order, 6)
		for end := range whole {
			if got := readTurn(whole[:end]); got != upright && end < 20 {
				t.Errorf("%s cut off at %d: got %d", order, end, got)
			}
		}
	}
	if got := readTurn([]byte("II*\x00\xFF\xFF\xFF\xFF\xFF\xFF")); got != upright {
		t.Errorf("a directory that is nowhere: got %d", got)
	}
}

// A picture of two colours in two corners, as cameras store it when they are held
// so and so: upright, the red corner is at the top left and the blue one right of it.
func TestTurn(t *testing.T) {
	red, blue := color.RGBA{255, 0, 0, 255}, color.RGBA{0, 0, 255, 255}
	for orientation, corners := range map[turn][2]image.Point{
		1: {{0, 0}, {2, 0}}, 2: {{2, 0}, {0, 0}}, 3: {{2, 1}, {0, 1}}, 4: {{0, 1}, {2, 1}},
		5: {{0, 0}, {0, 2}}, 6: {{0, 2}, {0, 0}}, 7: {{1, 2}, {1, 0}}, 8: {{1, 0}, {1, 2}},
	} {
		stored := image.NewRGBA(image.Rectangle{Max: orientation.size(3, 2)})
		stored.SetRGBA(corners[0].X, corners[0].Y, red)
		stored.SetRGBA(corners[1].X, corners[1].Y, blue)
		m := orientation.apply(stored)
		if m.Rect.Size() != image.Pt(3, 2) || m.RGBAAt(0, 0) != red || m.RGBAAt(2, 0) != blue {
			t.Errorf("orientation %d: %v %v", orientation, m.Rect, m.Pix)
		}
	}
}

func FuzzTurn(f *testing.F) {
	f.Add(tiff("II", 6))
	f.Add(tiff("MM", 3))
	f.Fuzz(func(t *testing.T, exif []byte) {
		if got := readTurn(exif); got < 1 || got > 8 {
			t.Errorf("orientation %d", got)
		}
	})
}

// After a turn and its inverse every place is where it was.
func TestInverseTurns(t *testing.T) {
	for one := turn(1); one <= 8; one++ {
		if both := one.then(one.inverse()); both != upright {
			t.Errorf("after %d and %d a picture is turned by %d", one, one.inverse(), both)
		}
	}
}
