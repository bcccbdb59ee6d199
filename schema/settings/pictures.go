package settings

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"quire/schema/source"
)

// Pictures says which derived pictures can be requested. Without sizes and signed
// addresses, none can.
type Pictures struct {
	Sizes      []PictureSize // that anybody may request
	Qualities  []int         // that anybody may request; the first is the default
	Formats    []string      // that anybody may request, of PictureFormats
	Signed     bool          // whether signed addresses may request others
	CacheBytes int64         // maximum size of the pictures that are kept on disk, 1 GiB
}

// PictureSize is a box for a picture, in pixels. 0 leaves a side open.
type PictureSize struct{ Width, Height int }

// String writes the size as site.json does: "800x600", "320x", "x400".
func (s PictureSize) String() string {
	side := func(n int) string {
		if n == 0 {
			return ""
		}
		return strconv.Itoa(n)
	}
	return side(s.Width) + "x" + side(s.Height)
}

// LongestSide is the maximum length of a requested side of a picture, in pixels.
const LongestSide = 4096

// DefaultQuality is that of Strapi.
const DefaultQuality = 80

// PictureFormats are the formats in which a picture can be requested. With "auto", the
// formats that the client accepts decide.
var PictureFormats = []string{"auto", "jpeg", "png", "webp"}

// mostPictures limits the number of sizes, and of qualities, in site.json.
const mostPictures = 100

func defaultPictures() Pictures {
	return Pictures{Qualities: []int{DefaultQuality}, Formats: PictureFormats, CacheBytes: 1 << 30}
}

// On reports whether any pictures can be requested.
func (p *Pictures) On() bool { return p.Signed || len(p.Sizes) > 0 }

// read reads "pictures": {"sizes": ["800x600", "320x"], "qualities": [60, 80],
// "formats": ["auto"], "signed": true, "cacheBytes": 1073741824}.
func (p *Pictures) read(o source.Object) {
	o.Only("sizes", "qualities", "formats", "signed", "cacheBytes")
	for _, w := range o.Words("sizes") {
		size, ok := ParsePictureSize(w.Text)
		if !ok {
			w.Refuse(fmt.Sprintf("%q is not the size of a picture", w.Text), fmt.Sprintf(`write "800x600", "320x" for any height, or "x400" for any width, with sides of 1 to %d pixels`, LongestSide))
			continue
		}
		p.Sizes = append(p.Sizes, size)
	}
	p.readQualities(o)
	p.readFormats(o)
	p.Signed = o.Flag("signed", p.Signed)
	p.CacheBytes = int64(o.Whole("cacheBytes", 0, int(p.CacheBytes)))
	if len(p.Sizes) > mostPictures {
		o.RefuseAt("sizes", fmt.Sprintf("has more than %d sizes", mostPictures), "keep the sizes that pages need, or use signed addresses")
	}
}

// ParsePictureSize reads a size as String writes it.
func ParsePictureSize(text string) (PictureSize, bool) {
	width, height, found := strings.Cut(text, "x")
	var s PictureSize
	for side, digits := range map[*int]string{&s.Width: width, &s.Height: height} {
		if digits == "" {
			continue
		}
		n, err := strconv.Atoi(digits)
		if err != nil || n < 1 || n > LongestSide || strconv.Itoa(n) != digits {
			return s, false
		}
		*side = n
	}
	return s, found && s != PictureSize{}
}

func (p *Pictures) readQualities(o source.Object) {
	v, ok := o.Get("qualities")
	if !ok {
		return
	}
	items, _ := v.List()
	var list []int
	for _, item := range items {
		n, ok := item.Whole(1)
		if ok && n > 100 {
			item.Refuse(fmt.Sprintf("%d is more than 100", n), "write a quality from 1 to 100")
		}
		list = append(list, n)
	}
	if len(list) == 0 || len(list) > mostPictures {
		v.Refuse(fmt.Sprintf("has %d qualities", len(list)), fmt.Sprintf("list 1 to %d of them, such as [80]", mostPictures))
		return
	}
	p.Qualities = list
}

func (p *Pictures) readFormats(o source.Object) {
	v, ok := o.Get("formats")
	if !ok {
		return
	}
	p.Formats = nil
	for _, w := range v.Words() {
		if !slices.Contains(PictureFormats, w.Text) {
			w.Refuse(fmt.Sprintf("%q is not a format that pictures are made in", w.Text), "the formats are "+strings.Join(PictureFormats, ", "))
			continue
		}
		p.Formats = append(p.Formats, w.Text)
	}
}
