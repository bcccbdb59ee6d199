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

// uploadForm is a multipart body of the media library. Its files are on disk when it has
// been read.
type uploadForm struct {
	uploads []*media.Upload  // of the field "files", in the order of the body
	infos   []media.FileInfo // of the field "fileInfo"

	ref, refID, field string

	buffered bool // whether memory for copying files was reserved
}

// maxParts is the maximum number of fields and files in a body.
const maxParts = 1000

// partHeader limits the bytes between the contents of two parts.
const partHeader = 64 << 10

// readForm reads the body. As in Strapi, a body that is not a form counts as one without
// files. The caller discards the form, whatever the outcome.
func (x *request) readForm() (*uploadForm, error) {
	x.watch.lap()
	defer func() { x.watch.receive = x.watch.lap() }()
	f := &uploadForm{}
	boundary := formBoundary(x.http.Header.Get("Content-Type"))
	if boundary == "" {
		return f, nil
	}
	err := x.share.Receive(true, func(b *edge.Body) error { return f.read(x, b, boundary) })
	return f, err
}

// formBoundary returns the boundary between the parts of a form; empty for a body of
// another type.
func formBoundary(contentType string) string {
	kind, parameters, err := mime.ParseMediaType(contentType)
	if err != nil || kind != "multipart/form-data" && kind != "multipart/mixed" {
		return ""
	}
	return parameters["boundary"]
}

// read reads all parts. Everything except files stays in memory, and is counted as it
// arrives.
func (f *uploadForm) read(x *request, b *edge.Body, boundary string) error {
	left := x.site.schema.Settings.Limits.BodyBytes
	if err := eachPart(b, boundary, func(part *multipart.Part) error { return f.part(x, part, &left) }); err != nil {
		return err
	}
	return f.pair()
}

// eachPart calls take for each part of a form, in order.
func eachPart(b *edge.Body, boundary string, take func(*multipart.Part) error) error {
	parts := multipart.NewReader(b, boundary)
	for n := 0; ; n++ {
		b.Buffer(partHeader)
		part, err := parts.NextPart()
		b.Stream()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case explainEdge(err) != nil:
			return err
		case err != nil:
			return invalid("The form could not be read to its end")
		case n == maxParts:
			return invalid(fmt.Sprintf("The form has more than %d parts", maxParts))
		}
		if err := take(part); err != nil {
			return err
		}
	}
}

// part reads one part. left is the number of bytes that texts may still have.
func (f *uploadForm) part(x *request, part *multipart.Part, left *int64) error {
	filename := part.FileName()
	switch {
	case filename == "":
		return f.text(x, part, left)
	case part.FormName() == "files":
		if err := f.reserveBuffers(x); err != nil {
			return err
		}
		u, err := x.site.library.Receive(x.http.Context(), part, filename)
		if err == nil {
			f.uploads = append(f.uploads, u)
		}
		return err
	}
	return skip(part, x.site.schema.Settings.Upload.SizeLimit)
}

// fileBuffers is the memory for copying a file to the disk, in bytes. Files arrive one
// after the other.
const fileBuffers = 40 << 10

func (f *uploadForm) reserveBuffers(x *request) error {
	if f.buffered {
		return nil
	}
	f.buffered = true
	return x.share.ReserveBody(fileBuffers)
}

// skip skips a file in a field that accepts none.
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

// text reads a field. As in Strapi, unknown fields have no effect.
func (f *uploadForm) text(x *request, part *multipart.Part, left *int64) error {
	value, err := x.readField(part, left)
	if err != nil {
		return err
	}
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

// readField reads the text of a field. left is the number of bytes that texts may still have.
func (x *request) readField(part *multipart.Part, left *int64) ([]byte, error) {
	value, err := x.share.ReadAll(part, -1, *left)
	switch {
	case errors.Is(err, edge.ErrTooLong):
		return nil, &problem{http.StatusRequestEntityTooLarge, "PayloadTooLargeError", "The fields of the form are too large", none{}}
	case explainEdge(err) != nil:
		return nil, err
	case err != nil:
		return nil, &media.ReadError{Err: err}
	}
	*left -= int64(len(value))
	return value, nil
}

// pair assigns the information to the files: the first fileInfo belongs to the first file.
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

// discard removes files that were not stored.
func (f *uploadForm) discard() {
	for _, u := range f.uploads {
		u.Discard() // quire check finds strays that cannot be removed here
	}
}

// destination returns the entry to attach new files to, or nil if the form does not name
// one. It also refuses a form without files.
func (x *request) destination(f *uploadForm) (*content.Attachment, error) {
	if len(f.uploads) == 0 {
		return nil, media.ErrEmpty
	}
	if f.ref == "" && f.refID == "" && f.field == "" {
		return nil, nil
	}
	t := x.site.schema.Type(f.ref)
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

// entryOf finds the entry of an id: a numeric id is one version of a document, a documentId
// all versions in the default locale.
func (x *request) entryOf(t *schema.Type, id string) (store.Key, bool) {
	snapshot := x.site.index.Snapshot()
	if len(snapshot.Versions(t, id)) > 0 {
		return store.Key{DocumentID: id, Status: store.Published}, true
	}
	n, err := strconv.ParseUint(id, 10, 64)
	if err != nil {
		return store.Key{}, false
	}
	return snapshot.ByID(t, n)
}
