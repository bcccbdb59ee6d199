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

// mostUnread is the size of the largest picture, in pixels, that is written losslessly
// because its lossy form cannot be read. This has been seen for pictures of a single
// colour, twenty rows high and a thousand pixels wide.
const mostUnread = 1 << 18

// isRead reports whether a lossy file is read as a picture of about the brightness of m.
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

// decodeWebP reads a picture and converts its colours to the range that package image
// expects: lossy WebP leaves out both ends.
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

// writeWebP writes a lossy picture, or a lossless one if it is transparent somewhere or has
// few colours: other programs cannot always read the lossy form of these, so the lossy
// result is read before it is used.
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

// lossyMethod is the effort of the lossy encoder. From 3 on it uses goroutines of its own.
const lossyMethod = 2

// writeLossyWebP makes the encoder work in this goroutine, where a panic can be recovered;
// a panic in a goroutine of the encoder would end the program. With any options, it still
// searches for similar parts of a picture in goroutines of its own: the code for that
// depends only on the size, and was reviewed in the version that go.mod names.
func writeLossyWebP(w io.Writer, m *image.RGBA, quality int) error {
	o := lossywebp.DefaultOptions()
	o.Quality, o.Method = float32(quality), lossyMethod
	return lossywebp.Encode(w, plain{m}, o)
}

// plain is a picture whose pixels the encoder can only read one by one: it reads those of
// an *image.RGBA in goroutines.
type plain struct{ of *image.RGBA }

func (p plain) ColorModel() color.Model { return color.NRGBAModel }
func (p plain) Bounds() image.Rectangle { return p.of.Rect }

// At returns the colour of a pixel, which must not be transparent.
func (p plain) At(x, y int) color.Color {
	i := p.of.PixOffset(x, y)
	pixel := p.of.Pix[i : i+4 : i+4]
	return color.NRGBA{R: pixel[0], G: pixel[1], B: pixel[2], A: pixel[3]}
}
