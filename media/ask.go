package media

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
)

// Ask is a request for a derived picture: smaller, perhaps cut, in a format.
type Ask struct {
	Width, Height int    // pixels of the box; 0 leaves a side open
	Cover         bool   // cut to the shape of the box; otherwise the whole picture is shown
	Quality       int    // 1 to 100
	Format        string // "jpeg", "png", "webp", "auto", or "" for the format of the original
}

// pictureKind is a format that pictures are made in.
type pictureKind struct{ mime, ext string }

var pictureKinds = map[string]pictureKind{
	"jpeg": {"image/jpeg", ".jpg"},
	"png":  {"image/png", ".png"},
	"webp": {"image/webp", ".webp"},
}

// sameFormats are the default formats of derived pictures. A picture made of a GIF does not
// move, and has more colours as PNG.
var sameFormats = map[string]string{"image/jpeg": "jpeg", "image/png": "png", "image/gif": "png", "image/webp": "webp"}

// settled returns the request for a file of a media type with its final format, by whether
// the client accepts WebP. PNG ignores the quality.
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

// picturesForm is part of each key, so that a version of the program that makes other
// pictures of the same originals gives them other names.
const picturesForm = "pictures, form 2"

// Picture is a picture to be made of a file, and the name of the result, which is unique.
type Picture struct {
	of    string // the original on disk
	kind  string // its media type
	ask   Ask    // settled
	focal focal
	cache int64 // maximum bytes of stored pictures
}

// Picture finds the file with the url /uploads/NAME and settles what will be made of it. It
// makes nothing yet. The error is ErrNotFound if no record names the file, and a
// *PictureError if it is not a picture from which others are made.
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
		focal: focal, cache: l.site.Settings.Upload.Pictures.CacheBytes,
	}, nil
}

// Mime returns the media type of the result.
func (p *Picture) Mime() string { return pictureKinds[p.ask.Format].mime }

// Key returns the name of the result, in hex digits. It depends on the original, and on its
// focal point if that matters.
func (p *Picture) Key() string {
	focal := p.focal
	if !p.ask.Cover {
		focal = centre
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %q %v %v", picturesForm, p.of, p.ask, focal))
	return hex.EncodeToString(sum[:20])
}

// file returns the file name of the result. All pictures of one original have the same
// prefix.
func (p *Picture) file() string {
	return cachePrefix(p.of) + p.Key() + pictureKinds[p.ask.Format].ext
}

// focal is the point of a picture that must stay when it is cut, in percent of its width
// and height.
type focal struct{ X, Y float64 }

var centre = focal{50, 50}

// readFocal reads the focal point of a record, and reports whether there is one: an invalid
// one counts as the centre.
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

// PictureError is a picture that cannot be made. The reason is for the client.
type PictureError struct {
	Reason string
	Key    string // the wrong part of the request, if any
	Err    error  // error of the codec, if any
}

func (e *PictureError) Error() string { return e.Reason }
func (e *PictureError) Unwrap() error { return e.Err }

// ErrBusy refuses a picture because too many others wait to be made.
var ErrBusy = errors.New("media: too many pictures are being made")
