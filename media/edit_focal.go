package media

import (
	"encoding/json"
	"image"
	"math"
	"os"
)

// movedFocal returns the FileInfo of an edited picture that keeps its focal point at the same
// place of the picture; empty if there is none.
func movedFocal(text string, before, after *Edit, from *os.File, kind string) FileInfo {
	f, given := readFocal(text)
	if after == nil {
		after = &Edit{}
	}
	o, err := readOriginal(from, kind)
	if err != nil || !given {
		return nil
	}
	size := o.header.turn.size(o.config.Width, o.config.Height)
	moved, err := json.Marshal(struct {
		X float64 `json:"x"`
		Y float64 `json:"y"`
	}(after.sees(before.saw(f, size), size)))
	if err != nil {
		return nil
	}
	return FileInfo{"focalPoint": moved}
}

// sees returns where the edit moves a point of a picture of that size, or the nearest
// visible point. Points are in percent of the visible picture, before and after.
func (e *Edit) sees(f focal, size image.Point) focal {
	switch e.Rotate {
	case 90:
		f = focal{100 - f.Y, f.X}
	case 180:
		f = focal{100 - f.X, 100 - f.Y}
	case 270:
		f = focal{f.Y, 100 - f.X}
	}
	turned := rotations[e.Rotate].size(size.X, size.Y)
	if part, err := e.part(turned); err == nil {
		place := func(percent float64, whole, from, length int) float64 {
			moved := (percent*float64(whole) - 100*float64(from)) / float64(length)
			return math.Round(100*min(max(0, moved), 100)) / 100
		}
		f = focal{place(f.X, turned.X, part.Min.X, part.Dx()), place(f.Y, turned.Y, part.Min.Y, part.Dy())}
	}
	return f
}

// saw returns the point that the edit has moved to another.
func (e *Edit) saw(f focal, size image.Point) focal {
	turned := rotations[e.Rotate].size(size.X, size.Y)
	if part, err := e.part(turned); err == nil {
		f.X = (f.X*float64(part.Dx()) + 100*float64(part.Min.X)) / float64(turned.X)
		f.Y = (f.Y*float64(part.Dy()) + 100*float64(part.Min.Y)) / float64(turned.Y)
	}
	switch e.Rotate {
	case 90:
		return focal{f.Y, 100 - f.X}
	case 180:
		return focal{100 - f.X, 100 - f.Y}
	case 270:
		return focal{100 - f.Y, f.X}
	}
	return f
}
