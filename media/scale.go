package media

import (
	"image"
	"math"

	"golang.org/x/image/draw"
)

// target is a format to be made: its name and its visible size.
type target struct {
	name string
	size image.Point
}

// The formats of Strapi. A thumbnail fits into a box; the others have a maximum longer
// side. Each is made only of larger pictures.
const (
	thumbnail       = "thumbnail"
	thumbnailWidth  = 245
	thumbnailHeight = 156
)

var sides = []struct {
	name   string
	longer int
}{{"large", 1000}, {"medium", 750}, {"small", 500}}

// targets returns the formats of a picture, the largest first.
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

// shrunk returns the size after shrink: smaller by whole factors, one for each direction,
// and not smaller than to.
func shrunk(from, to image.Point) image.Point {
	factor := factors(from, to)
	return image.Pt(from.X/factor.X, from.Y/factor.Y)
}

func factors(from, to image.Point) image.Point {
	return image.Pt(max(1, from.X/max(to.X, 1)), max(1, from.Y/max(to.Y, 1)))
}

// shrink makes a picture smaller by whole factors, and keeps it at least as large as size.
// It averages, and needs memory only for its result and a row.
func shrink(m image.Image, size image.Point) image.Image {
	b := m.Bounds()
	factor := factors(b.Size(), size)
	if factor == image.Pt(1, 1) {
		return m
	}
	small := image.NewRGBA(image.Rectangle{Max: shrunk(b.Size(), size)})
	row := image.NewRGBA(image.Rect(0, 0, b.Dx(), 1))
	sums := make([]uint32, 4*small.Rect.Dx())
	for y := range small.Rect.Dy() {
		clear(sums)
		for dy := range factor.Y {
			draw.Draw(row, row.Rect, m, image.Pt(b.Min.X, b.Min.Y+y*factor.Y+dy), draw.Src)
			addRow(sums, row.Pix, factor.X)
		}
		count := uint32(factor.X * factor.Y)
		for i, sum := range sums {
			small.Pix[y*small.Stride+i] = uint8((sum + count/2) / count)
		}
	}
	return small
}

// addRow adds each run of pixels to the four sums of one pixel.
func addRow(sums []uint32, row []byte, run int) {
	for x := 0; x < len(sums); x += 4 {
		pixels := row[x*run : (x+4)*run]
		for i := 0; i < len(pixels); i += 4 {
			sums[x] += uint32(pixels[i])
			sums[x+1] += uint32(pixels[i+1])
			sums[x+2] += uint32(pixels[i+2])
			sums[x+3] += uint32(pixels[i+3])
		}
	}
}

// resize returns a picture of that size.
func resize(m image.Image, size image.Point) *image.RGBA {
	small := image.NewRGBA(image.Rectangle{Max: size})
	draw.CatmullRom.Scale(small, small.Rect, m, m.Bounds(), draw.Src, nil)
	return small
}
