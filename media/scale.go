package media

import (
	"image"
	"math"

	"golang.org/x/image/draw"
)

// target is a format to be made: its name and its size as it will be seen.
type target struct {
	name string
	size image.Point
}

// The formats of the reference. A thumbnail fits into a box; the others are
// bounded by their longer side. Each is made only of pictures that are larger.
const (
	thumbnail       = "thumbnail"
	thumbnailWidth  = 245
	thumbnailHeight = 156
)

var sides = []struct {
	name   string
	longer int
}{{"large", 1000}, {"medium", 750}, {"small", 500}}

// targets are the formats of a picture, the largest first.
func targets(size image.Point, thumbnailOnly bool) []target {
	var list []target
	longer := max(size.X, size.Y)
	for _, side := range sides {
		if longer > side.longer && !thumbnailOnly {
			list = append(list, target{side.name, scaled(size, float64(side.longer)/float64(longer))})
		}
	}
	if size.X > thumbnailWidth || size.Y > thumbnailHeight {
		ratio := min(thumbnailWidth/float64(size.X), thumbnailHeight/float64(size.Y))
		list = append(list, target{thumbnail, scaled(size, ratio)})
	}
	return list
}

func scaled(size image.Point, ratio float64) image.Point {
	side := func(n int) int { return max(1, int(math.Round(float64(n)*ratio))) }
	return image.Pt(side(size.X), side(size.Y))
}

// scaleMemory is what scaling takes, in bytes, when the largest format has that
// size: a picture less than twice as large in both directions, half of it in
// floating point while it is scaled, the format, and the format turned upright.
func scaleMemory(largest image.Point) int64 {
	pixels := int64(largest.X) * int64(largest.Y)
	const before, halfway, after = 4 * 4, 2 * 32, 2 * 4
	return pixels * (before + halfway + after)
}

// shrink makes a picture smaller by a whole factor, as long as it stays at least
// as large as size. It averages, and takes no more memory than its result and a
// few rows.
func shrink(m image.Image, size image.Point) image.Image {
	b := m.Bounds()
	factor := min(b.Dx()/max(size.X, 1), b.Dy()/max(size.Y, 1))
	if factor < 2 {
		return m
	}
	small := image.NewRGBA(image.Rect(0, 0, b.Dx()/factor, b.Dy()/factor))
	rows := image.NewRGBA(image.Rect(0, 0, b.Dx(), factor))
	for y := range small.Rect.Dy() {
		draw.Draw(rows, rows.Rect, m, image.Pt(b.Min.X, b.Min.Y+y*factor), draw.Src)
		average(small.Pix[y*small.Stride:], rows, factor)
	}
	return small
}

// average turns rows into one row: each square of pixels becomes one.
func average(row []byte, rows *image.RGBA, factor int) {
	area := uint32(factor * factor)
	for x := range rows.Rect.Dx() / factor {
		var sum [4]uint32
		for dy := range factor {
			square := rows.Pix[dy*rows.Stride+x*factor*4:][:factor*4]
			for i, sample := range square {
				sum[i%4] += uint32(sample)
			}
		}
		for i := range sum {
			row[x*4+i] = uint8((sum[i] + area/2) / area)
		}
	}
}

// resize makes a picture of that size.
func resize(m image.Image, size image.Point) *image.RGBA {
	small := image.NewRGBA(image.Rectangle{Max: size})
	draw.CatmullRom.Scale(small, small.Rect, m, m.Bounds(), draw.Src, nil)
	return small
}
