package media

import (
	"bufio"
	"bytes"
	"errors"
	"image"
	"image/color"
	"io"

	"github.com/HugoSmits86/nativewebp"
	lossywebp "github.com/deepteams/webp"
	"golang.org/x/image/webp"

	"quire/schema/settings"
)

// mostUnread is the largest picture, in pixels, that is written without losses because what
// was written with losses cannot be read. That it happens was seen of single colours, twenty
// rows high and a thousand pixels wide.
const mostUnread = 1 << 18

// isRead reports whether a file with losses is read as a picture of about the brightness of
// m.
func isRead(file []byte, m *image.RGBA) bool {
	read, err := webp.Decode(bytes.NewReader(file))
	y, ok := read.(*image.YCbCr)
	if err != nil || !ok || y.Rect.Size() != m.Rect.Size() {
		return false
	}
	var got, want int64
	for row := range m.Rect.Dy() {
		for _, b := range y.Y[row*y.YStride:][:m.Rect.Dx()] {
			got += int64(b)
		}
		for pixels := m.Pix[row*m.Stride:][:4*m.Rect.Dx()]; len(pixels) > 0; pixels = pixels[4:] {
			want += 16 + (66*int64(pixels[0])+129*int64(pixels[1])+25*int64(pixels[2]))/256
		}
	}
	const most = 16 // of 219
	off := (got - want) / area(m.Rect.Size())
	return -most <= off && off <= most
}

// decodeWebP reads a picture and brings its colours into the range that package image takes
// them to be in: those of WebP with losses leave out both ends.
func decodeWebP(r io.Reader) (image.Image, error) {
	m, err := webp.Decode(r)
	switch m := m.(type) {
	case *image.YCbCr:
		widen(m)
	case *image.NYCbCrA:
		widen(&m.YCbCr)
	}
	return m, err
}

func widen(m *image.YCbCr) {
	spread := func(plane []byte, least, most int) {
		var to [256]byte
		for i := range to {
			to[i] = byte(min(max(0, ((i-least)*255+(most-least)/2)/(most-least)), 255))
		}
		for i, b := range plane {
			plane[i] = to[b]
		}
	}
	spread(m.Y, 16, 235)
	spread(m.Cb, 16, 240)
	spread(m.Cr, 16, 240)
}

func encodeWebP(w io.Writer, m *image.RGBA, _ color.Palette) error {
	return writeWebP(w, m, settings.DefaultQuality)
}

// writeWebP writes a picture with losses, or without if it is transparent somewhere or of
// few colours: what the encoder with losses makes of these is not always readable
// elsewhere, so that what it has made is read before it is taken.
func writeWebP(w io.Writer, m *image.RGBA, quality int) error {
	if m.Opaque() {
		var out bytes.Buffer
		if err := writeLossyWebP(&out, m, quality); err != nil {
			return err
		}
		if isRead(out.Bytes(), m) {
			_, err := w.Write(out.Bytes())
			return err
		}
		if area(m.Rect.Size()) > mostUnread {
			return errors.New("the WebP encoder wrote a picture that cannot be read")
		}
	}
	buffered := bufio.NewWriter(w)
	if err := nativewebp.Encode(buffered, m, nil); err != nil {
		return err
	}
	return buffered.Flush()
}

// lossyMethod is how hard the encoder with losses tries. From 3 on it works in goroutines
// of its own.
const lossyMethod = 2

// writeLossyWebP has the encoder work in this goroutine, where a panic can be recovered;
// one in a goroutine of the encoder would end the program. Whatever the options, it still
// looks in goroutines of its own for the parts of a picture that are alike: what it reads
// there depends on the size alone, and was read in the version that go.mod names.
func writeLossyWebP(w io.Writer, m *image.RGBA, quality int) error {
	o := lossywebp.DefaultOptions()
	o.Quality, o.Method = float32(quality), lossyMethod
	return lossywebp.Encode(w, plain{m}, o)
}

// plain is a picture of which the encoder knows no more than its pixels, one by one: those
// of an *image.RGBA it reads in goroutines.
type plain struct{ of *image.RGBA }

func (p plain) ColorModel() color.Model { return color.NRGBAModel }
func (p plain) Bounds() image.Rectangle { return p.of.Rect }

// At is the colour of a pixel, which must not be transparent.
func (p plain) At(x, y int) color.Color {
	i := p.of.PixOffset(x, y)
	pixel := p.of.Pix[i : i+4 : i+4]
	return color.NRGBA{R: pixel[0], G: pixel[1], B: pixel[2], A: pixel[3]}
}
