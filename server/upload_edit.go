package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"quire/documents"
	"quire/media"
)

// editFile answers PUT: it rotates and crops a picture, and keeps the original.
func editFile(x *request) error {
	e, err := readEdit(x)
	if err != nil {
		return err
	}
	return x.editPicture(e)
}

// restoreFile answers DELETE: it restores the original of an edited picture.
func restoreFile(x *request) error { return x.editPicture(nil) }

func (x *request) editPicture(e *media.Edit) error {
	documentID, err := x.changedID(x.params[0].Value)
	if err != nil {
		return err
	}
	result, err := x.site.library.Edit(x.http.Context(), documentID, e)
	if err != nil {
		return err
	}
	return x.changedFile(result)
}

// readEdit reads the body {"rotate": 90, "crop": {"x": 0, "y": 0, "width": 400, "height": 300}}.
func readEdit(x *request) (*media.Edit, error) {
	kind, data, err := openBody(x, x.site.schema.Settings.Limits.BodyBytes)
	if err != nil {
		return nil, err
	}
	if kind != jsonBody {
		return nil, refuseEdit("", "The body must be JSON")
	}
	return parseEdit(data)
}

// parseEdit returns an error that names the wrong key.
func parseEdit(data []byte) (*media.Edit, error) {
	e := new(media.Edit)
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	err := d.Decode(e)
	var wrong *json.UnmarshalTypeError
	if unknown, found := strings.CutPrefix(errorText(err), "json: unknown field "); found {
		return nil, refuseEdit(strings.Trim(unknown, `"`), "An edit has rotate and crop, and crop has x, y, width and height")
	}
	switch {
	case errors.As(err, &wrong):
		return nil, refuseEdit(wrong.Field, "An edit has whole numbers")
	case err != nil || !endsThere(d):
		return nil, refuseEdit("", `The body must be JSON such as {"rotate": 90, "crop": {"x": 0, "y": 0, "width": 400, "height": 300}}`)
	case e.Rotate != 0 && e.Rotate != 90 && e.Rotate != 180 && e.Rotate != 270:
		return nil, refuseEdit("rotate", "rotate must be 0, 90, 180 or 270")
	case e.Rotate == 0 && e.Crop == nil:
		return nil, refuseEdit("rotate", "This changes nothing; DELETE puts the original back")
	}
	return e, nil
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func endsThere(d *json.Decoder) bool {
	_, err := d.Token()
	return errors.Is(err, io.EOF)
}

// refuseEdit names the wrong key of the body, if there is one.
func refuseEdit(key, message string) *problem {
	if key == "" {
		return invalid(message)
	}
	return &problem{http.StatusBadRequest, "ValidationError", message, documents.BodyKey{Key: key[:min(len(key), 100)], Source: "body"}}
}
