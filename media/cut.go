package media

import (
	"image"
	"math"

	"quire/schema/settings"
)

// crop is the part of a picture that is taken, as it is seen, and the size of the result.
// Pictures are never enlarged.
type crop struct {
	cut  image.Rectangle
	size image.Point
}

// view returns the view of a picture of that size.
func (a Ask) view(whole image.Point, f focal) crop {
	if a.Cover && a.Width > 0 && a.Height > 0 {
		return cover(whole, image.Pt(a.Width, a.Height), f)
	}
	ratio := min(1, float64(side(a.Width))/float64(whole.X), float64(side(a.Height))/float64(whole.Y))
	return crop{image.Rectangle{Max: whole}, scaled(whole, ratio)}
}

// side returns the maximum length of a side: an open side has a limit too.
func side(requested int) int {
	if requested == 0 {
		return settings.LongestSide
	}
	return requested
}

// cover takes the largest part with the shape of the box, as near to the focal point as
// possible.
func cover(whole, box image.Point, f focal) crop {
	part := whole
	if int64(whole.X)*int64(box.Y) > int64(whole.Y)*int64(box.X) {
		part.X = proportion(whole.Y, box.X, box.Y, whole.X)
	} else {
		part.Y = proportion(whole.X, box.Y, box.X, whole.Y)
	}
	at := image.Pt(start(whole.X, part.X, f.X), start(whole.Y, part.Y, f.Y))
	return crop{image.Rectangle{at, at.Add(part)}, image.Pt(min(part.X, box.X), min(part.Y, box.Y))}
}

// proportion returns n·a/b, rounded, from 1 to most.
func proportion(n, a, b, most int) int {
	return min(max(1, int(math.Round(float64(n)*float64(a)/float64(b)))), most)
}

// start returns where a part begins whose middle is as near as possible to a percentage of
// the whole.
func start(whole, part int, percent float64) int {
	focal := min(whole-1, int(percent/100*float64(whole)))
	return min(max(0, focal-part/2), whole-part)
}

// stored converts a part of a turned picture to the coordinates of the stored picture,
// which has the given size.
func (t turn) stored(seen image.Rectangle, size image.Point) image.Rectangle {
	first := t.source(seen.Min.X, seen.Min.Y, size.X-1, size.Y-1)
	last := t.source(seen.Max.X-1, seen.Max.Y-1, size.X-1, size.Y-1)
	r := image.Rectangle{first, last}.Canon()
	r.Max = r.Max.Add(image.Pt(1, 1))
	return r
}
