package media

import (
	"bufio"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"io/fs"
	"os"

	"github.com/HugoSmits86/nativewebp"
	"golang.org/x/image/draw"
	"golang.org/x/image/webp"
)

// codec reads and writes the pictures of one media type. Formats are written in
// the type of their original, without any of its metadata.
type codec struct {
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
	encode func(io.Writer, *image.RGBA, color.Palette) error // the palette of the original, if it has one

	// memory is what decoding takes, in bytes.
	memory func(image.Config, *header) int64

	// thumbnailOnly leaves all other formats out, as the reference does for
	// pictures that may move: what is made of one stands still.
	thumbnailOnly bool
}

// codecs are those of the types of which formats are made.
var codecs = map[string]*codec{
	"image/jpeg": {config: jpeg.DecodeConfig, decode: jpeg.Decode, encode: encodeJPEG, memory: jpegMemory},
	"image/png":  {config: png.DecodeConfig, decode: png.Decode, encode: encodePNG, memory: pngMemory},
	"image/gif":  {config: gif.DecodeConfig, decode: gif.Decode, encode: encodeGIF, memory: gifMemory, thumbnailOnly: true},
	"image/webp": {config: webp.DecodeConfig, decode: webp.Decode, encode: encodeWebP, memory: webpMemory},
}

// jpegQuality is that of the reference.
const jpegQuality = 80

func encodeJPEG(w io.Writer, m *image.RGBA, _ color.Palette) error {
	return jpeg.Encode(w, m, &jpeg.Options{Quality: jpegQuality})
}

func encodePNG(w io.Writer, m *image.RGBA, _ color.Palette) error { return png.Encode(w, m) }

// encodeGIF keeps the colours, and with them the transparency, of the original.
func encodeGIF(w io.Writer, m *image.RGBA, p color.Palette) error {
	if len(p) == 0 {
		return gif.Encode(w, m, nil)
	}
	limited := image.NewPaletted(m.Rect, p)
	draw.FloydSteinberg.Draw(limited, limited.Rect, m, m.Rect.Min)
	return gif.Encode(w, limited, nil)
}

// encodeWebP writes the lossless form, the only one that there is an encoder for
// in Go. A format of a photograph is larger than it would be with losses.
func encodeWebP(w io.Writer, m *image.RGBA, _ color.Palette) error {
	buffered := bufio.NewWriter(w)
	if err := nativewebp.Encode(buffered, m, nil); err != nil {
		return err
	}
	return buffered.Flush()
}

func pixelsOf(c image.Config) int64 { return int64(c.Width) * int64(c.Height) }

// jpegMemory follows from how finely each component is sampled. A progressive
// picture is held as coefficients of four bytes besides.
func jpegMemory(c image.Config, h *header) int64 {
	each := int64(1)
	if h.progressive {
		each += 4
	}
	bytes := int64(float64(pixelsOf(c)) * h.samples * float64(each))
	if h.converted {
		bytes += 4 * pixelsOf(c)
	}
	return bytes
}

func pngMemory(c image.Config, h *header) int64 {
	bytes := pixelsOf(c) * depth(c.ColorModel)
	if h.interlaced { // the last pass but one is half a picture
		bytes += bytes / 2
	}
	return bytes
}

// gifMemory counts the first frame, and a canvas to put it on.
func gifMemory(c image.Config, _ *header) int64 { return 5 * pixelsOf(c) }

func webpMemory(c image.Config, h *header) int64 {
	switch {
	case c.ColorModel == color.NYCbCrAModel:
		return 11 * pixelsOf(c) // transparency is a lossless picture of its own
	case h.lossless:
		return 8 * pixelsOf(c)
	}
	return 2 * pixelsOf(c)
}

// depth is how many bytes a pixel takes.
func depth(m color.Model) int64 {
	switch m {
	case color.GrayModel:
		return 1
	case color.Gray16Model:
		return 2
	case color.RGBAModel, color.NRGBAModel:
		return 4
	}
	if _, ok := m.(color.Palette); ok {
		return 1
	}
	return 8
}

// pictureError is a picture that cannot be read or made smaller. It is no reason
// not to keep the file.
type pictureError struct{ err error }

func (e *pictureError) Error() string { return "media: " + e.err.Error() }
func (e *pictureError) Unwrap() error { return e.err }

// readConfig reads the size of a picture, and refuses one without any.
func (c *codec) readConfig(r io.Reader) (config image.Config, err error) {
	defer survive(&err)
	if config, err = c.config(bufio.NewReader(r)); err != nil {
		return image.Config{}, &pictureError{err}
	}
	if config.Width < 1 || config.Height < 1 || config.Width > maxSide || config.Height > maxSide {
		return image.Config{}, &pictureError{fmt.Errorf("a picture of %d×%d pixels", config.Width, config.Height)}
	}
	return config, nil
}

// read decodes a picture, which must not be larger than its beginning says.
func (c *codec) read(r io.Reader, config image.Config) (m image.Image, err error) {
	defer survive(&err)
	if m, err = c.decode(bufio.NewReader(r)); err != nil {
		return nil, &pictureError{err}
	}
	if b := m.Bounds(); b.Empty() || b.Max.X > config.Width || b.Max.Y > config.Height {
		return nil, &pictureError{fmt.Errorf("a picture of %v that was to be of %d×%d", b, config.Width, config.Height)}
	}
	return m, nil
}

// write encodes a format. What the encoder has against it is told from what the
// file system has.
func (c *codec) write(file *os.File, m *image.RGBA, p color.Palette) (err error) {
	defer survive(&err)
	err = c.encode(file, m, p)
	if full := new(fs.PathError); err != nil && !errors.As(err, &full) {
		err = &pictureError{err}
	}
	return err
}

// survive turns a panic over a picture that nobody foresaw into an error.
func survive(err *error) {
	if fault := recover(); fault != nil {
		*err = &pictureError{fmt.Errorf("panic over a picture: %v", fault)}
	}
}
