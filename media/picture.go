package media

import (
	"context"
	"errors"
	"image"
	"image/color"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/image/draw"
)

// picture is what is known of an uploaded picture, and what was made of it.
type picture struct {
	size    image.Point // as it is seen; zero if unknown
	formats []format
}

// format is a smaller picture made of an uploaded one.
type format struct {
	target
	temp  string // its temporary name
	bytes int64
}

// process finds the size of a picture and makes its formats. A picture that cannot be read,
// or would take too much memory, has none and is no error: the file is kept unchanged.
func (f *Folder) process(ctx context.Context, kind string, file *os.File, bytes int64) (picture, error) {
	whole := io.NewSectionReader(file, 0, bytes)
	if kind == "image/svg+xml" {
		width, height := svgSize(whole)
		return picture{size: image.Pt(width, height)}, nil
	}
	c := codecs[kind]
	if c == nil {
		return picture{}, nil
	}
	o := original{codec: c, file: whole}
	p, err := f.raster(ctx, &o, kind)
	if unreadable := new(pictureError); errors.As(err, &unreadable) {
		return p, nil
	}
	return p, err
}

// original is an uploaded picture while formats are made of it.
type original struct {
	codec   *codec
	file    *io.SectionReader
	config  image.Config
	header  header
	small   image.Image // as it is stored, no larger than necessary
	palette color.Palette
}

func (f *Folder) raster(ctx context.Context, o *original, kind string) (p picture, err error) {
	if o.config, err = o.codec.readConfig(o.rewound()); err != nil {
		return p, err
	}
	o.header = readHeader(kind, o.file, o.file.Size())
	p.size = o.header.turn.size(o.config.Width, o.config.Height)
	list := targets(p.size, o.codec.thumbnailOnly)
	if len(list) == 0 {
		return p, nil
	}
	memory := o.cost(list).most()
	if memory > pictureMemory {
		return p, nil
	}
	leave, err := f.work.enter(ctx, memory)
	if err != nil {
		return p, err
	}
	defer leave()
	if err := o.read(list[0].size); err != nil {
		return p, err
	}
	p.formats, err = f.makeFormats(ctx, o, list)
	return p, err
}

func (o *original) rewound() io.Reader { return io.NewSectionReader(o.file, 0, o.file.Size()) }

// read decodes the picture and shrinks it to the size that the largest format needs.
func (o *original) read(largest image.Point) error {
	m, err := o.decode()
	if err != nil {
		return err
	}
	o.small = shrink(m, o.header.turn.size(largest.X, largest.Y))
	return nil
}

func (o *original) decode() (image.Image, error) {
	m, err := o.codec.read(o.rewound(), o.config)
	if err != nil {
		return nil, err
	}
	whole := image.Rect(0, 0, o.config.Width, o.config.Height)
	if frame, ok := m.(*image.Paletted); ok {
		o.palette = frame.Palette
		if frame.Rect != whole { // a first frame that is smaller than its picture
			canvas := image.NewRGBA(whole)
			draw.Draw(canvas, frame.Rect, frame, frame.Rect.Min, draw.Src)
			return canvas, nil
		}
	}
	return m, nil
}

// makeFormats makes all formats or none.
func (f *Folder) makeFormats(ctx context.Context, o *original, list []target) ([]format, error) {
	var formats []format
	for _, target := range list {
		made, err := f.makeFormat(ctx, o, target)
		if err != nil {
			return nil, errors.Join(err, f.remove(temporaryNames(formats)...))
		}
		formats = append(formats, made)
	}
	return formats, nil
}

func (f *Folder) makeFormat(ctx context.Context, o *original, target target) (made format, err error) {
	if err := ctx.Err(); err != nil {
		return format{}, err
	}
	file, err := f.create()
	if err != nil {
		return format{}, err
	}
	made = format{target: target, temp: filepath.Base(file.Name())}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.remove(made.temp))
		}
	}()
	t := o.header.turn
	size := t.size(target.size.X, target.size.Y)
	m := t.apply(resize(shrink(o.small, size), size))
	if err = o.codec.write(file, m, o.palette); err == nil {
		made.bytes, err = file.Seek(0, io.SeekCurrent)
	}
	return made, errors.Join(storageError(err), finish(file))
}

func temporaryNames(formats []format) []string {
	var names []string
	for _, made := range formats {
		names = append(names, made.temp)
	}
	return names
}
