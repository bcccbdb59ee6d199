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

	"golang.org/x/image/draw"
	"golang.org/x/image/webp"

	"quire/schema/settings"
)

// codec reads and writes the pictures of one media type. Formats are written in
// the type of their original, without any of its metadata.
type codec struct {
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
	encode func(io.Writer, *image.RGBA, color.Palette) error // the palette of the original, if it has one

	// memory returns what decoding takes, including garbage, and how much of that the
	// picture still holds afterwards, in bytes.
	memory func(image.Config, *header) (decoding, held int64)

	encoding int64 // memory for encoding, in bytes for each pixel

	// thumbnailOnly omits all formats except the thumbnail, as Strapi does for pictures
	// that may move, because formats do not move.
	thumbnailOnly bool
}

// codecs are the codecs of the types from which formats are made.
var codecs = map[string]*codec{
	"image/jpeg": {config: jpeg.DecodeConfig, decode: jpeg.Decode, encode: encodeJPEG, memory: jpegMemory},
	"image/png":  {config: png.DecodeConfig, decode: png.Decode, encode: encodePNG, memory: pngMemory},
	"image/gif":  {config: gif.DecodeConfig, decode: gif.Decode, encode: encodeGIF, memory: gifMemory, encoding: 2, thumbnailOnly: true},
	"image/webp": {config: webp.DecodeConfig, decode: decodeWebP, encode: encodeWebP, memory: webpMemory, encoding: 96},
}

func encodeJPEG(w io.Writer, m *image.RGBA, _ color.Palette) error {
	return writeJPEG(w, m, settings.DefaultQuality)
}

func writeJPEG(w io.Writer, m *image.RGBA, quality int) error {
	return jpeg.Encode(w, m, &jpeg.Options{Quality: quality})
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

func pixelsOf(c image.Config) int64 { return int64(c.Width) * int64(c.Height) }

// jpegMemory depends on how finely each component is sampled: components are stored in
// blocks of up to 32 pixels in both directions. A progressive picture additionally has
// coefficients of four bytes.
func jpegMemory(c image.Config, h *header) (decoding, held int64) {
	blocks := func(n int) int64 { return int64(n+31) &^ 31 }
	held = int64(float64(blocks(c.Width)*blocks(c.Height)) * h.samples)
	decoding = held
	if h.progressive {
		decoding += 4 * held
	}
	if h.converted {
		held = 4 * pixelsOf(c)
		decoding += held
	}
	return decoding, held
}

// pngMemory counts two rows in addition to the picture. In an interlaced picture each of
// seven passes is a picture of its own; together they have as many pixels as the whole.
func pngMemory(c image.Config, h *header) (decoding, held int64) {
	each := bytesPerPixel(c.ColorModel)
	if gray := c.ColorModel == color.GrayModel || c.ColorModel == color.Gray16Model; gray && h.transparent {
		each *= 4 // it is converted to colours
	}
	row := int64(c.Width) * each
	held = row * int64(c.Height)
	if h.interlaced {
		return 2*held + 6*row, held
	}
	return held + 2*row, held
}

// gifMemory counts the first frame, twice if it is interlaced, and a canvas for it.
func gifMemory(c image.Config, _ *header) (decoding, held int64) {
	return 6 * pixelsOf(c), 4 * pixelsOf(c)
}

// webpMemory counts a lossless picture with the results of its transforms, and its tables;
// transparency is a separate lossless picture. A lossy picture is stored in blocks of 16
// pixels, and read completely before it is decoded.
func webpMemory(c image.Config, h *header) (decoding, held int64) {
	blocks := func(n int) int64 { return int64(n+15) &^ 15 }
	pixels := pixelsOf(c)
	lossless := 9*pixels + webpTables(c)
	lossy := blocks(c.Width)*blocks(c.Height)*2 + h.lossyBytes
	switch {
	case c.ColorModel == color.NYCbCrAModel:
		return lossless + pixels + lossy, 3 * pixels
	case h.lossless:
		return lossless, 4 * pixels
	}
	return lossy, lossy - h.lossyBytes
}

// webpTables returns the memory for the codes of a lossless picture, which may have one set
// for each square of four pixels. The decoder reads at most 2,600.
func webpTables(c image.Config) int64 {
	const set, most = 80 << 10, 2600
	return set * min(most, 1+int64(c.Width+3)/4*(int64(c.Height+3)/4))
}

// bytesPerPixel returns the number of bytes of a pixel.
func bytesPerPixel(m color.Model) int64 {
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

// pictureError is a picture that cannot be read or made smaller. The file is kept all the
// same.
type pictureError struct{ err error }

func (e *pictureError) Error() string { return "media: " + e.err.Error() }
func (e *pictureError) Unwrap() error { return e.err }

// readConfig reads the size of a picture, and refuses an empty one.
func (c *codec) readConfig(r io.Reader) (config image.Config, err error) {
	defer recoverPicture(&err)
	if config, err = c.config(bufio.NewReader(r)); err != nil {
		return image.Config{}, &pictureError{err}
	}
	if config.Width < 1 || config.Height < 1 || config.Width > maxSide || config.Height > maxSide {
		return image.Config{}, &pictureError{fmt.Errorf("a picture of %d×%d pixels", config.Width, config.Height)}
	}
	return config, nil
}

// read decodes a picture, which must not be larger than its header says.
func (c *codec) read(r io.Reader, config image.Config) (m image.Image, err error) {
	defer recoverPicture(&err)
	if m, err = c.decode(bufio.NewReader(r)); err != nil {
		return nil, &pictureError{err}
	}
	if b := m.Bounds(); b.Empty() || b.Max.X > config.Width || b.Max.Y > config.Height {
		return nil, &pictureError{fmt.Errorf("a picture of %v that was to be of %d×%d", b, config.Width, config.Height)}
	}
	return m, nil
}

// write encodes a format. An error of the encoder is a *pictureError; one of the file
// system is not.
func (c *codec) write(file *os.File, m *image.RGBA, p color.Palette) (err error) {
	defer recoverPicture(&err)
	err = c.encode(file, m, p)
	if full := new(fs.PathError); err != nil && !errors.As(err, &full) {
		err = &pictureError{err}
	}
	return err
}

// recoverPicture turns a panic of a codec into a *pictureError. It must be deferred.
func recoverPicture(err *error) {
	if fault := recover(); fault != nil {
		*err = &pictureError{fmt.Errorf("panic over a picture: %v", fault)}
	}
}
