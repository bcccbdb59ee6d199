package media

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"quire/content/body"
	"quire/schema"
)

// FileInfo is what people write about a file: its name, alternativeText, caption, focalPoint
// and folder; missing ones are unchanged. null removes a text, but never a name. A folder
// is an id or a documentId, or null for none.
type FileInfo map[string]json.RawMessage

// infoKeys are the keys that a client may send.
var infoKeys = []string{"name", "alternativeText", "caption", "focalPoint", "folder"}

// ParseInfo reads a form's "fileInfo": one object, or a list with one for each file, up to
// a maximum. The error is a *body.KeyError for a key that a file does not have, or a
// *body.ValidationError. It stops reading at the first error, so that a text with many
// members takes no memory for them.
func ParseInfo(text string, most int) ([]FileInfo, error) {
	d := json.NewDecoder(strings.NewReader(text))
	first, err := d.Token()
	var list []FileInfo
	switch {
	case err != nil:
		return nil, errInfo
	case first == json.Delim('['):
		list, err = readInfos(d, most)
	case first != nil:
		list = make([]FileInfo, 1)
		list[0], err = readInfo(d, first)
	}
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errInfo
	}
	return list, nil
}

var errInfo = &body.ValidationError{Message: "fileInfo must be an object, or a list of objects, in JSON"}

// readInfos reads the rest of a list.
func readInfos(d *json.Decoder, most int) (list []FileInfo, err error) {
	for d.More() {
		if len(list) == most {
			return nil, &body.ValidationError{Message: fmt.Sprintf("fileInfo describes more than %d files", most)}
		}
		first, err := d.Token()
		if err != nil {
			return nil, errInfo
		}
		info, err := readInfo(d, first)
		if err != nil {
			return nil, err
		}
		list = append(list, info)
	}
	if _, err := d.Token(); err != nil {
		return nil, errInfo
	}
	return list, nil
}

// readInfo reads the rest of an object. null is an empty Info.
func readInfo(d *json.Decoder, first json.Token) (FileInfo, error) {
	if first == nil {
		return nil, nil
	}
	if first != json.Delim('{') {
		return nil, errInfo
	}
	info := FileInfo{}
	for d.More() {
		token, err := d.Token()
		key, _ := token.(string)
		if err != nil {
			return nil, errInfo
		}
		if !slices.Contains(infoKeys, key) {
			return nil, &body.KeyError{Key: key, Path: "fileInfo", Fault: body.UnknownKey}
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			return nil, errInfo
		}
		info[key] = value
	}
	if _, err := d.Token(); err != nil {
		return nil, errInfo
	}
	return info, nil
}

// name returns the name in the info, or otherwise if there is none.
func (i FileInfo) name(otherwise string) string {
	var name string
	if err := json.Unmarshal(i["name"], &name); err != nil || name == "" {
		return otherwise
	}
	return name
}

// input returns the info, and the values that come from the file itself, as the input of a
// record.
func (i FileInfo) input(site *schema.Site, of []body.Field) (*body.Input, error) {
	members := slices.Clone(of)
	for _, key := range infoKeys {
		value, given := i[key]
		named := slices.ContainsFunc(of, func(m body.Field) bool { return m.Key == key })
		if given && key == "folder" && !isPlace(value) {
			return nil, body.Refuse("folder must be the id of a folder, or null")
		}
		if given && !named && (key != "name" || i.name("") != "" || !isBlank(value)) {
			members = append(members, body.Field{Key: key, Value: body.OfJSON(value)})
		}
	}
	return body.DecodeValue(site, site.Type(schema.FileUID), body.Object(members...), nil)
}

// isBlank reports whether a name is null or the empty text.
func isBlank(value json.RawMessage) bool {
	return string(value) == "null" || string(value) == `""`
}
