package server

import (
	"errors"
	"fmt"
	"io"
	"math"
	"mime/multipart"
	"net/http"
	"strconv"

	"quire/content"
	"quire/media"
	"quire/schema"
	"quire/store"
)

// uploadForm is a multipart body of the media library. Its files are on disk by
// the time it has been read.
type uploadForm struct {
	uploads []*media.Upload // of the field "files", in the order of the body
	infos   []media.Info    // of the field "fileInfo"

	ref, refID, field string
}

// maxParts bounds how many fields and files one body may have.
const maxParts = 1000

// partHeader bounds the bytes from one part to the content of the next.
const partHeader = 64 << 10

// readForm reads the body. A body that is no form counts as one without files,
// as in the reference. The form is to be discarded, whatever came of it.
func (x *exchange) readForm() (*uploadForm, error) {
	x.watch.lap()
	defer func() { x.watch.receive = x.watch.lap() }()
	f := &uploadForm{}
	deadlines := x.deadlines()
	defer deadlines.answer()
	patient := &patientBody{ReadCloser: x.request.Body, deadlines: deadlines}
	x.request.Body = patient
	body, err := x.request.MultipartReader()
	if errors.Is(err, http.ErrNotMultipart) || errors.Is(err, http.ErrMissingBoundary) {
		return f, nil
	}
	left := x.edition.site.Settings.Limits.BodyBytes
	for n := 0; err == nil; n++ {
		var part *multipart.Part
		patient.bound(partHeader)
		if part, err = body.NextPart(); err != nil {
			break
		}
		patient.bound(math.MaxInt64)
		if n == maxParts {
			return f, invalid(fmt.Sprintf("The form has more than %d parts", maxParts))
		}
		if err := f.part(x, part, &left); err != nil {
			return f, err
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return f, invalid("The form could not be read to its end")
	}
	return f, f.pair()
}

// part reads one part. left is how much text there may still be, in bytes.
func (f *uploadForm) part(x *exchange, part *multipart.Part, left *int64) error {
	filename := part.FileName()
	switch {
	case filename == "":
		return f.text(part, left)
	case part.FormName() == "files":
		u, err := x.edition.library.Receive(x.request.Context(), part, filename)
		if err == nil {
			f.uploads = append(f.uploads, u)
		}
		return err
	}
	return skip(part, x.edition.site.Settings.Upload.SizeLimit)
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

// text reads a field. Unknown ones have no effect, as in the reference.
func (f *uploadForm) text(part *multipart.Part, left *int64) error {
	value, err := io.ReadAll(io.LimitReader(part, *left+1))
	if err != nil {
		return &media.ReadError{Err: err}
	}
	if *left -= int64(len(value)); *left < 0 {
		return &problem{http.StatusRequestEntityTooLarge, "PayloadTooLargeError", "The fields of the form are too large", none{}}
	}
	switch part.FormName() {
	case "fileInfo":
		infos, err := media.ParseInfo(string(value))
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
	if a == nil || a.Kind != schema.Media || a.Hidden() {
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
