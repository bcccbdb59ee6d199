package media

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
)

// Ask is what somebody wants to have made of a picture: smaller, perhaps cut, in a
// format.
type Ask struct {
	Width, Height int    // pixels of the box; 0 leaves a side open
	Cover         bool   // cut to the shape of the box; otherwise all of the picture is shown
	Quality       int    // 1 to 100
	Format        string // "jpeg", "png", "webp", "auto", or "" for that of the original
}

// pictureKind is a format that pictures are made in.
type pictureKind struct{ mime, ext string }

var pictureKinds = map[string]pictureKind{
	"jpeg": {"image/jpeg", ".jpg"},
	"png":  {"image/png", ".png"},
	"webp": {"image/webp", ".webp"},
}

// sameFormats are what pictures are made in when nobody asks for a format. A picture of
// a GIF stands still, and has more colours as PNG.
var sameFormats = map[string]string{"image/jpeg": "jpeg", "image/png": "png", "image/gif": "png", "image/webp": "webp"}

// settled is what is asked of a file of a media type by a client that takes WebP or does
// not: its format is one that pictures are made in. Quality means nothing to PNG.
func (a Ask) settled(kind string, takesWebP bool) Ask {
	switch {
	case a.Format == "":
		a.Format = sameFormats[kind]
	case a.Format == "auto" && takesWebP:
		a.Format = "webp"
	case a.Format == "auto" && (kind == "image/jpeg" || kind == "image/webp"):
		a.Format = "jpeg"
	case a.Format == "auto":
		a.Format = "png"
	}
	if a.Format == "png" {
		a.Quality = 0
	}
	return a
}

// picturesForm is part of each key, so that a program that makes other pictures of the
// same originals gives them other names.
const picturesForm = "pictures, form 2"

// Picture is a picture to be made of a file, and the name that the result goes by:
// nothing else has the same.
type Picture struct {
	of    string // the original on disk
	kind  string // its media type
	ask   Ask    // settled
	focal focal
	shelf int64 // how many bytes of what was made are kept
}

// Picture finds what the url /uploads/NAME stands for and settles what is to be made of
// it. It makes nothing yet. The error is ErrNotFound for what no record names, and a
// *PictureError for what is no picture of which others are made.
func (l *Library) Picture(name string, a Ask, takesWebP bool) (*Picture, error) {
	s := l.index.Snapshot()
	stored, ok := l.byURL(s, urlPrefix+name)
	if !ok {
		if _, isFormat := l.locate(s, name); isFormat {
			return nil, &PictureError{Reason: "Pictures are made of the file itself, not of its formats"}
		}
		return nil, ErrNotFound
	}
	if codecs[stored.Mime] == nil {
		return nil, &PictureError{Reason: fmt.Sprintf("Pictures are made of JPEG, PNG, GIF and WebP, not of %s", stored.Mime)}
	}
	focal, _ := readFocal(stored.FocalPoint)
	return &Picture{
		of: stored.Hash + stored.Ext, kind: stored.Mime, ask: a.settled(stored.Mime, takesWebP),
		focal: focal, shelf: l.site.Settings.Upload.Pictures.CacheBytes,
	}, nil
}

// Mime is the media type of what will be made.
func (p *Picture) Mime() string { return pictureKinds[p.ask.Format].mime }

// Key is the name of what will be made, in hex digits. Another original has another one,
// and so has another focal point if it matters.
func (p *Picture) Key() string {
	focal := p.focal
	if !p.ask.Cover {
		focal = centre
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %q %v %v", picturesForm, p.of, p.ask, focal))
	return hex.EncodeToString(sum[:20])
}

// file is the name of what will be made on disk. It begins with what all pictures of one
// original have in common.
func (p *Picture) file() string {
	return shelfPrefix(p.of) + p.Key() + pictureKinds[p.ask.Format].ext
}

// focal is the place of a picture that has to stay when it is cut, in percent of its
// width and height.
type focal struct{ X, Y float64 }

var centre = focal{50, 50}

// readFocal reads the focal point of a record, and reports whether there is one: what
// makes no sense is the centre.
func readFocal(text string) (f focal, given bool) {
	var read struct{ X, Y *float64 }
	if json.Unmarshal([]byte(text), &read) != nil || read.X == nil || read.Y == nil {
		return centre, false
	}
	f = focal{*read.X, *read.Y}
	if f.X < 0 || f.X > 100 || f.Y < 0 || f.Y > 100 {
		return centre, false
	}
	return f, true
}

// PictureError is a picture that cannot be made. The reason is for whoever asked.
type PictureError struct {
	Reason string
	Key    string // what of the request is wrong, if anything
	Err    error  // what the codec says, if anything
}

func (e *PictureError) Error() string { return e.Reason }
func (e *PictureError) Unwrap() error { return e.Err }

// ErrBusy is a picture that is not made because too many others wait to be.
var ErrBusy = errors.New("media: too many pictures are being made")
