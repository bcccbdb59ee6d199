package media

import (
	"encoding/json"
	"slices"

	"quire/content"
	"quire/schema"
)

// Info is what people say about a file: its name, alternativeText, caption and
// focalPoint, each only where it is given. null takes a text away, but never a
// name.
type Info map[string]json.RawMessage

// infoKeys are what a client may say. A folder is known to the reference's admin
// panel only; here it has no effect.
var infoKeys = []string{"name", "alternativeText", "caption", "focalPoint", "folder"}

// ParseInfo reads a form's "fileInfo": one object, or a list with one for each
// file. The error is a *content.KeyError for a key that a file does not have, or
// a *content.ValidationError.
func ParseInfo(text string) ([]Info, error) {
	var list []Info
	if err := json.Unmarshal([]byte(text), &list); err == nil {
		return list, checkInfo(list)
	}
	var one Info
	if err := json.Unmarshal([]byte(text), &one); err != nil {
		return nil, &content.ValidationError{Message: "fileInfo must be an object, or a list of objects, in JSON"}
	}
	list = []Info{one}
	return list, checkInfo(list)
}

func checkInfo(list []Info) error {
	for _, info := range list {
		for key := range info {
			if !slices.Contains(infoKeys, key) {
				return &content.KeyError{Key: key, Path: "fileInfo", Fault: content.UnknownKey}
			}
		}
	}
	return nil
}

// name is the file's name after the info: the one that is given, or otherwise.
func (i Info) name(otherwise string) string {
	var name string
	if err := json.Unmarshal(i["name"], &name); err != nil || name == "" {
		return otherwise
	}
	return name
}

// input is the info, and what the file itself says, as values of a record.
func (i Info) input(site *schema.Site, of map[string]any) (*content.Input, error) {
	values := map[string]any{}
	for _, key := range infoKeys {
		if value, given := i[key]; given && key != "folder" && (key != "name" || i.name("") != "" || !isBlank(value)) {
			values[key] = value
		}
	}
	for key, value := range of {
		values[key] = value
	}
	data, err := json.Marshal(values)
	if err != nil {
		return nil, err
	}
	return content.Decode(site, site.Type(schema.FileUID), data, nil)
}

// isBlank reports whether a name says nothing: null or the empty text.
func isBlank(value json.RawMessage) bool {
	return string(value) == "null" || string(value) == `""`
}
