package replay

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/textproto"
	"os"
	"path/filepath"
)

// multipart returns the body of a step that uploads files of testdata/media.
func (s *Session) multipart(step Step) (data []byte, kind string, err error) {
	var out bytes.Buffer
	w := multipart.NewWriter(&out)
	filled, err := s.Fill(step.Form)
	if err != nil {
		return nil, "", err
	}
	form, _ := filled.(map[string]any)
	for name, value := range form {
		if err := writeField(w, name, value); err != nil {
			return nil, "", err
		}
	}
	for _, file := range step.Files {
		if err := writeFile(w, s.testdata, file[0], file[1]); err != nil {
			return nil, "", err
		}
	}
	err = w.Close()
	return out.Bytes(), w.FormDataContentType(), err
}

// writeField sends a text unchanged and everything else as JSON.
func writeField(w *multipart.Writer, name string, value any) error {
	text, ok := value.(string)
	if !ok {
		var err error
		if text, err = encodeJSON(value); err != nil {
			return err
		}
	}
	return w.WriteField(name, text)
}

// fileTypes are the types that clients send for the files of testdata/media.
var fileTypes = map[string]string{
	".gif": "image/gif", ".jpg": "image/jpeg", ".png": "image/png", ".svg": "image/svg+xml", ".txt": "text/plain",
}

func writeFile(w *multipart.Writer, testdata, field, name string) error {
	kind, ok := fileTypes[filepath.Ext(name)]
	if !ok {
		return fmt.Errorf("the type of %s is not known here", name)
	}
	content, err := os.ReadFile(filepath.Join(testdata, "media", name))
	if err != nil {
		return err
	}
	part, err := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {fmt.Sprintf(`form-data; name="%s"; filename="%s"`, field, name)},
		"Content-Type":        {kind},
	})
	if err == nil {
		_, err = part.Write(content)
	}
	return err
}
