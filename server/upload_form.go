package server

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strconv"

	"quire/content"
	"quire/media"
	"quire/schema"
	"quire/server/edge"
	"quire/store"
)

// uploadForm is a multipart body of the media library. Its files are on disk by
// the time it has been read.
type uploadForm struct {
	uploads []*media.Upload // of the field "files", in the order of the body
	infos   []media.Info    // of the field "fileInfo"

	ref, refID, field string

	buffered bool // memory for copying files has been taken
}

// maxParts bounds how many fields and files one body may have.
const maxParts = 1000

// partHeader bounds the bytes from one part to the content of the next.
const partHeader = 64 << 10

// readForm reads the body. A body that is no form counts as one without files,
// as in Strapi. The form is to be discarded, whatever came of it.
func (x *exchange) readForm() (*uploadForm, error) {
	x.watch.lap()
	defer func() { x.watch.receive = x.watch.lap() }()
	f := &uploadForm{}
	boundary := formBoundary(x.request.Header.Get("Content-Type"))
	if boundary == "" {
		return f, nil
	}
	err := x.share.Receive(true, func(b *edge.Body) error { return f.read(x, b, boundary) })
	return f, err
}

// formBoundary is what stands between the parts of a form; empty for a body of
// another type.
func formBoundary(contentType string) string {
	kind, parameters, err := mime.ParseMediaType(contentType)
	if err != nil || kind != "multipart/form-data" && kind != "multipart/mixed" {
		return ""
	}
	return parameters["boundary"]
}

// read reads all parts. What stands around them stays in memory, and counts from
// when it arrives.
func (f *uploadForm) read(x *exchange, b *edge.Body, boundary string) error {
	left := x.edition.site.Settings.Limits.BodyBytes
	parts := multipart.NewReader(b, boundary)
	for n := 0; ; n++ {
		b.Buffer(partHeader)
		part, err := parts.NextPart()
		b.Stream()
		switch {
		case errors.Is(err, io.EOF):
			return f.pair()
		case explainEdge(err) != nil:
			return err
		case err != nil:
			return invalid("The form could not be read to its end")
		case n == maxParts:
			return invalid(fmt.Sprintf("The form has more than %d parts", maxParts))
		}
		if err := f.part(x, part, &left); err != nil {
			return err
		}
	}
}

// part reads one part. left is how much text there may still be, in bytes.
func (f *uploadForm) part(x *exchange, part *multipart.Part, left *int64) error {
	filename := part.FileName()
	switch {
	case filename == "":
		return f.text(x, part, left)
	case part.FormName() == "files":
		if err := f.reserveBuffers(x); err != nil {
			return err
		}
		u, err := x.edition.library.Receive(x.request.Context(), part, filename)
		if err == nil {
			f.uploads = append(f.uploads, u)
		}
		return err
	}
	return skip(part, x.edition.site.Settings.Upload.SizeLimit)
}

// fileBuffers is what copying a file to the disk takes, in bytes. Files come one
// after the other.
const fileBuffers = 40 << 10

func (f *uploadForm) reserveBuffers(x *exchange) error {
	if f.buffered {
		return nil
	}
	f.buffered = true
	return x.share.ReserveBody(fileBuffers)
}

// skip reads past a file of a field that takes none.
func skip(part *multipart.Part, limit int64) error {
	n, err := io.CopyN(io.Discard, part, limit+1)
	if n > limit {
		return &media.TooLargeError{Filename: part.FileName(), Limit: limit}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return &media.ReadError{Err: err}
	}
	return nil
}

// text reads a field. Unknown ones have no effect, as in Strapi.
func (f *uploadForm) text(x *exchange, part *multipart.Part, left *int64) error {
	value, err := x.share.ReadAll(part, -1, *left)
	switch {
	case errors.Is(err, edge.ErrTooLong):
		return &problem{http.StatusRequestEntityTooLarge, "PayloadTooLargeError", "The fields of the form are too large", none{}}
	case explainEdge(err) != nil:
		return err
	case err != nil:
		return &media.ReadError{Err: err}
	}
	*left -= int64(len(value))
	switch part.FormName() {
	case "fileInfo":
		infos, err := media.ParseInfo(string(value), maxParts-len(f.infos))
		f.infos = append(f.infos, infos...)
		return err
	case "ref":
		f.ref = string(value)
	case "refId":
		f.refID = string(value)
	case "field":
		f.field = string(value)
	}
	return nil
}

// pair gives each file what is said about it: the first fileInfo belongs to the
// first file.
func (f *uploadForm) pair() error {
	if len(f.infos) > max(1, len(f.uploads)) {
		return invalid(fmt.Sprintf("fileInfo describes %d files, and there are %d", len(f.infos), len(f.uploads)))
	}
	for i, u := range f.uploads {
		if i < len(f.infos) {
			u.Info = f.infos[i]
		}
	}
	return nil
}

// discard removes files that were not kept.
func (f *uploadForm) discard() {
	for _, u := range f.uploads {
		u.Discard() // what cannot be removed is a stray, which quire check finds
	}
}

// destination is where new files are to be shown: nil where the form does not
// say. It also refuses a form without files.
func (x *exchange) destination(f *uploadForm) (*content.Attachment, error) {
	if len(f.uploads) == 0 {
		return nil, media.ErrEmpty
	}
	if f.ref == "" && f.refID == "" && f.field == "" {
		return nil, nil
	}
	t := x.edition.site.Type(f.ref)
	if t == nil || t.IsComponent() {
		return nil, invalid(fmt.Sprintf("ref must be the uid of a content type, not %q", f.ref))
	}
	if !x.caller.Allows(t, schema.Update) {
		return nil, forbidden()
	}
	a := t.Attribute(f.field)
	if a == nil || a.Kind != schema.Media || !x.caller.Sight(t).Sees(a) {
		return nil, invalid(fmt.Sprintf("field must be a media attribute of %s, not %q", t.UID, f.field))
	}
	key, ok := x.entryOf(t, f.refID)
	if !ok {
		return nil, invalid(fmt.Sprintf("refId must be the id or documentId of an entry of %s, not %q", t.UID, f.refID))
	}
	return &content.Attachment{Attribute: a, DocumentID: key.DocumentID, Locale: key.Locale, Status: key.Status}, nil
}

// entryOf finds what an id stands for: a numeric one for one version of a
// document, a documentId for all versions in the default locale.
func (x *exchange) entryOf(t *schema.Type, id string) (store.Key, bool) {
	snapshot := x.edition.index.Snapshot()
	if len(snapshot.Versions(t, id)) > 0 {
		return store.Key{DocumentID: id, Status: store.Published}, true
	}
	n, err := strconv.ParseUint(id, 10, 64)
	if err != nil {
		return store.Key{}, false
	}
	return snapshot.ByID(t, n)
}
