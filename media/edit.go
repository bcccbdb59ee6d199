package media

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"

	"golang.org/x/image/draw"

	"quire/content"
)

// Edit is an edit of a picture whose original is kept: it is turned clockwise as it is
// seen, and then a part of it is taken.
type Edit struct {
	Rotate int   `json:"rotate"` // degrees: 0, 90, 180 or 270
	Crop   *Crop `json:"crop"`   // nil for the whole picture
}

// Crop is a part of a picture, in pixels of the turned one.
type Crop struct {
	X      int `json:"x"`
	Y      int `json:"y"`
	Width  int `json:"width"`
	Height int `json:"height"`
}

// editQuality is the quality of lossy edited pictures, from which others are made.
const editQuality = 92

// rotations are the turns by degrees.
var rotations = map[int]turn{0: upright, 90: 6, 180: 3, 270: 8}

// originalRecord is the part of a record about the original of an edited picture, a member of its
// provider_metadata. No url leads to the original.
type originalRecord struct {
	Original struct {
		Hash string `json:"hash"`
		Ext  string `json:"ext"`
	} `json:"original"`
	Edit Edit `json:"edit"`
}

type providerMetadata struct {
	Quire *originalRecord `json:"quire"`
}

// kept returns the part of the record about the original of an edited picture; nil if the
// file is as it was uploaded.
func (s *Stored) kept() *originalRecord {
	var m providerMetadata
	if json.Unmarshal([]byte(s.ProviderMetadata), &m) != nil || m.Quire == nil {
		return nil // from another provider, after an import
	}
	return m.Quire
}

// IsEdited reports whether the file is a picture whose original is kept.
func (s *Stored) IsEdited() bool { return s.kept() != nil }

// Edit makes a picture from the original of a file and replaces the file with it. It keeps
// the original, the id, the url and the links to the file. Without an edit it restores the
// original. Errors: a *PictureError, ErrChanged, and those of Replace.
func (l *Library) Edit(ctx context.Context, documentID string, e *Edit) (result content.Result, err error) {
	former, ok := l.stored(l.index.Snapshot(), documentID)
	if !ok {
		return result, ErrNotFound
	}
	if e == nil && !former.IsEdited() {
		return result, &PictureError{Reason: "The file is as it was uploaded"}
	}
	u, err := l.folder.remake(ctx, &former, e)
	defer func() { err = errors.Join(err, u.Discard()) }()
	if err != nil {
		return result, err
	}
	release, err := l.folder.lockChanges(ctx)
	if err != nil {
		return result, err
	}
	defer release()
	now, ok := l.stored(l.index.Snapshot(), documentID)
	switch {
	case !ok:
		return result, ErrNotFound
	case now.Hash != former.Hash:
		return result, ErrChanged
	}
	return l.swap(ctx, documentID, &now, u, now.Name)
}

// ErrChanged reports that a file was replaced while a picture was made of it.
var ErrChanged = errors.New("media: the file was changed meanwhile")

// remake makes the replacement of a file.
func (f *Folder) remake(ctx context.Context, former *Stored, e *Edit) (u *Upload, err error) {
	u = &Upload{folder: f, filename: former.Name, mime: former.Mime, ext: former.Ext}
	before := former.kept()
	if before == nil {
		before = new(originalRecord)
		before.Original.Hash, before.Original.Ext = former.Hash, former.Ext
	}
	if e != nil {
		u.kept = &originalRecord{Original: before.Original, Edit: *e}
	}
	from, err := f.original(ctx, before.Original.Hash+before.Original.Ext)
	if errors.Is(err, fs.ErrNotExist) {
		return u, ErrNotFound
	}
	if err != nil {
		return u, err
	}
	defer from.Close()
	to, err := f.create()
	if err != nil {
		return u, err
	}
	u.temp = filepath.Base(to.Name())
	defer func() { err = errors.Join(err, to.Close()) }()
	if err := u.rewrite(ctx, to, from, e); err != nil {
		return u, explainPicture(err)
	}
	u.Info = movedFocal(former.FocalPoint, &before.Edit, e, from, former.Mime)
	u.picture, err = f.process(ctx, u.mime, to, u.bytes)
	return u, err
}

// rewrite writes the edited picture, or the original as it is.
func (u *Upload) rewrite(ctx context.Context, to, from *os.File, e *Edit) (err error) {
	if e == nil {
		_, err = io.Copy(to, from)
	} else {
		err = u.folder.edit(ctx, to, from, u.mime, e)
	}
	if err != nil {
		return storageIfFile(err)
	}
	if u.bytes, err = to.Seek(0, io.SeekCurrent); err == nil {
		err = to.Sync()
	}
	return storageError(err)
}

// storageIfFile is storageError for errors of the file system among errors of pictures.
func storageIfFile(err error) error {
	if full := new(fs.PathError); errors.As(err, &full) {
		return storageError(err)
	}
	return err
}

// edit writes the edited picture in the format of its original, without any metadata.
func (f *Folder) edit(ctx context.Context, to io.Writer, from *os.File, kind string, e *Edit) error {
	if kind != "image/jpeg" && kind != "image/png" && kind != "image/webp" {
		return &PictureError{Reason: fmt.Sprintf("JPEG, PNG and WebP can be turned and cut, not %s", kind)}
	}
	o, err := readOriginal(from, kind)
	if err != nil {
		return err
	}
	t := o.header.turn.then(rotations[e.Rotate])
	part, err := e.part(t.size(o.config.Width, o.config.Height))
	if err != nil {
		return err
	}
	memory := o.editCost(part.Size(), kind)
	if memory > pictureMemory {
		return o.tooLargeToEdit(part.Size(), kind)
	}
	leave, err := f.work.enter(ctx, memory)
	if err != nil {
		return err
	}
	defer leave()
	m, err := o.taken(t.stored(part, image.Pt(o.config.Width, o.config.Height)), t)
	if err != nil {
		return err
	}
	return encodeAs(to, m, Ask{Format: sameFormats[kind], Quality: editQuality})
}

// tooLargeToEdit returns an error that says what would be possible: a part of the same
// shape or, if reading the picture already takes too much, a picture with fewer pixels.
func (o *original) tooLargeToEdit(part image.Point, kind string) error {
	const steps = 1000
	fits := sort.Search(steps, func(n int) bool { return o.editCost(part.Mul(n+1).Div(steps), kind) > pictureMemory })
	size := part.Mul(fits).Div(steps)
	advice := fmt.Sprintf("a part of up to about %d × %d pixels can be taken, or upload a smaller picture", size.X, size.Y)
	if least := o.editCost(image.Pt(1, 1), kind); least > pictureMemory {
		most := float64(pixelsOf(o.config)) * pictureMemory / float64(least) / 1e6
		advice = fmt.Sprintf("parts can be taken of one like it of up to about %.0f megapixels", most)
	}
	return &PictureError{Reason: fmt.Sprintf("The picture would take more than %d MiB of memory to turn or cut; %s", pictureMemory>>20, advice)}
}

// part returns the part that the edit takes of a picture of that size.
func (e *Edit) part(size image.Point) (image.Rectangle, error) {
	whole := image.Rectangle{Max: size}
	if e.Crop == nil {
		return whole, nil
	}
	c := e.Crop
	if c.X < 0 || c.Y < 0 || c.Width < 1 || c.Height < 1 || c.X > size.X-c.Width || c.Y > size.Y-c.Height {
		return whole, &PictureError{Key: "crop", Reason: fmt.Sprintf("crop must be a part of the picture, which is %d × %d pixels when it is turned", size.X, size.Y)}
	}
	return image.Rect(c.X, c.Y, c.X+c.Width, c.Y+c.Height), nil
}

// taken returns a part of the picture, given as it is stored, after a turn. It turns row by
// row, so that there is one copy of the part.
func (o *original) taken(part image.Rectangle, t turn) (*image.RGBA, error) {
	m, err := o.decode()
	if err != nil {
		return nil, err
	}
	size, back := t.size(part.Dx(), part.Dy()), t.inverse()
	to := image.NewRGBA(image.Rectangle{Max: size})
	row := image.NewRGBA(image.Rect(0, 0, part.Dx(), 1))
	for y := range part.Dy() {
		draw.Draw(row, row.Rect, m, m.Bounds().Min.Add(part.Min).Add(image.Pt(0, y)), draw.Src)
		for x := range part.Dx() {
			at := back.source(x, y, size.X-1, size.Y-1)
			copy(to.Pix[to.PixOffset(at.X, at.Y):][:4], row.Pix[4*x:])
		}
	}
	return to, nil
}

// editCost returns the maximum memory for an edit: decoding; the picture, the part and a
// row; the part, and encoding it to a file.
func (o *original) editCost(part image.Point, kind string) int64 {
	decoding, held := o.codec.memory(o.config, &o.header)
	encoding := int64(0)
	if kind == "image/webp" {
		encoding = o.encodingCost(part, Ask{Format: "webp", Quality: editQuality})
	}
	return max(decoding, held+4*area(part)+4*int64(part.X+part.Y), 4*area(part)+encoding) + buffers
}
