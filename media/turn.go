package media

import (
	"encoding/binary"
	"image"
)

// turn says how a picture must be turned to be seen upright: the value of the EXIF tag
// Orientation.
type turn uint16

const upright turn = 1

const (
	orientationTag = 0x0112
	shortType      = 3
)

// readTurn finds the orientation in EXIF data, which has the form of a TIFF file: byte
// order, 42, and the offset of the first directory of tags. With invalid data the picture
// is not turned.
func readTurn(exif []byte) turn {
	if len(exif) < 8 {
		return upright
	}
	var order binary.ByteOrder = binary.LittleEndian
	switch string(exif[:2]) {
	case "II":
	case "MM":
		order = binary.BigEndian
	default:
		return upright
	}
	start := int64(order.Uint32(exif[4:]))
	if order.Uint16(exif[2:]) != 42 || start+2 > int64(len(exif)) {
		return upright
	}
	tags := exif[start+2:]
	for n := order.Uint16(exif[start:]); n > 0 && len(tags) >= 12; n-- {
		if order.Uint16(tags) == orientationTag && order.Uint16(tags[2:]) == shortType {
			if t := turn(order.Uint16(tags[8:])); t >= 1 && t <= 8 {
				return t
			}
			return upright
		}
		tags = tags[12:]
	}
	return upright
}

// then returns the turn that does what t does and then what next does.
func (t turn) then(next turn) turn {
	const width, height = 3, 2 // no two turns of such a picture look the same
	once := t.size(width, height)
	twice := next.size(once.X, once.Y)
	for both := upright; both <= 8; both++ {
		same := both.size(width, height) == twice
		for y := range twice.Y {
			for x := range twice.X {
				p := next.source(x, y, once.X-1, once.Y-1)
				same = same && both.source(x, y, width-1, height-1) == t.source(p.X, p.Y, width-1, height-1)
			}
		}
		if same {
			return both
		}
	}
	return upright // not reached: turns are a group
}

// inverse returns the turn that undoes this one: each turn is its own inverse except the
// two quarter turns.
func (t turn) inverse() turn {
	switch t {
	case 6:
		return 8
	case 8:
		return 6
	}
	return t
}

// sideways reports whether width and height change places.
func (t turn) sideways() bool { return t >= 5 && t <= 8 }

// size returns the size of the turned picture.
func (t turn) size(width, height int) image.Point {
	if t.sideways() {
		return image.Pt(height, width)
	}
	return image.Pt(width, height)
}

// apply returns the picture upright.
func (t turn) apply(m *image.RGBA) *image.RGBA {
	if t == upright {
		return m
	}
	b := m.Bounds()
	size := t.size(b.Dx(), b.Dy())
	turned := image.NewRGBA(image.Rect(0, 0, size.X, size.Y))
	for y := range size.Y {
		for x := range size.X {
			from := t.source(x, y, b.Dx()-1, b.Dy()-1)
			copy(turned.Pix[turned.PixOffset(x, y):][:4], m.Pix[m.PixOffset(b.Min.X+from.X, b.Min.Y+from.Y):][:4])
		}
	}
	return turned
}

// source returns where a pixel of the turned picture was. right and bottom are the last
// column and row of the picture before.
func (t turn) source(x, y, right, bottom int) image.Point {
	switch t {
	case 2:
		return image.Pt(right-x, y)
	case 3:
		return image.Pt(right-x, bottom-y)
	case 4:
		return image.Pt(x, bottom-y)
	case 5:
		return image.Pt(y, x)
	case 6:
		return image.Pt(y, bottom-x)
	case 7:
		return image.Pt(right-y, bottom-x)
	case 8:
		return image.Pt(right-y, x)
	}
	return image.Pt(x, y)
}
