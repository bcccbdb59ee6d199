package server

import (
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"os"

	"quire/media"
	"quire/server/edge"
)

// A route of the project's code takes forms with files. They are on disk, under temporary
// names, until the request ends.

// CodeFile is a file of a form.
type CodeFile struct {
	Field, Name string // as the client calls them
	Type        string // as the client says, such as "image/png"
	Path        string
	Size        int64
}

// codeForm is a form that a route of the project's code takes.
type codeForm struct {
	names  []string // of the fields, in the order of the form
	values []string
	files  []CodeFile
}

// readCodeForm reads a form. The caller drops its files, whatever the outcome.
func (x *request) readCodeForm(boundary string) (*codeForm, error) {
	f := &codeForm{}
	texts, files := x.site.schema.Settings.Limits.BodyBytes, x.site.schema.Settings.Upload.SizeLimit
	if err := x.share.ReserveBody(fileBuffers); err != nil {
		return f, err
	}
	err := x.share.Receive(true, func(b *edge.Body) error {
		return eachPart(b, boundary, func(part *multipart.Part) error {
			if part.FileName() == "" {
				value, err := x.readField(part, &texts)
				f.names, f.values = append(f.names, part.FormName()), append(f.values, string(value))
				return err
			}
			path, size, err := x.site.library.KeepTemporary(part, part.FileName(), files)
			if err != nil {
				return err
			}
			files -= size
			f.files = append(f.files, CodeFile{part.FormName(), part.FileName(), part.Header.Get("Content-Type"), path, size})
			return nil
		})
	})
	return f, err
}

// fields returns the texts of the form as an object, a list for a name that occurs several
// times.
func (f *codeForm) fields() json.RawMessage {
	all := map[string]any{}
	for i, name := range f.names {
		switch former := all[name].(type) {
		case nil:
			all[name] = f.values[i]
		case string:
			all[name] = []string{former, f.values[i]}
		case []string:
			all[name] = append(former, f.values[i])
		}
	}
	text, _ := json.Marshal(all) // of texts
	return text
}

// drop removes the files of a form.
func (f *codeForm) drop(l *media.Library) {
	if f == nil {
		return
	}
	for _, file := range f.files {
		_ = l.Drop(file.Path) // the next start removes what is left
	}
}

// asBody makes a request carry the form again, for a handler of the server.
func (f *codeForm) asBody(r *http.Request) {
	from, to := io.Pipe()
	w := multipart.NewWriter(to)
	r.Header.Set("Content-Type", w.FormDataContentType())
	r.Body, r.ContentLength = from, -1
	go func() { to.CloseWithError(f.write(w)) }()
}

func (f *codeForm) write(w *multipart.Writer) error {
	for i, name := range f.names {
		if err := w.WriteField(name, f.values[i]); err != nil {
			return err
		}
	}
	for _, file := range f.files {
		part, err := w.CreatePart(textproto.MIMEHeader{
			"Content-Disposition": {multipart.FileContentDisposition(file.Field, file.Name)}, "Content-Type": {file.Type},
		})
		if err != nil {
			return err
		}
		if err := copyFile(part, file.Path); err != nil {
			return err
		}
	}
	return w.Close()
}

func copyFile(to io.Writer, path string) error {
	from, err := os.Open(path)
	if err != nil {
		return err
	}
	defer from.Close()
	_, err = io.Copy(to, from)
	return err
}
