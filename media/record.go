package media

import (
	"encoding/json"
	"math"
	"strings"

	"quire/index"
	"quire/schema"
)

// urlPrefix begins the urls of files that lie in the folder. Others, as an
// import may bring them, lie elsewhere.
const urlPrefix = "/uploads/"

// formatRecord is one format as a record lists it, with the members of the
// reference.
type formatRecord struct {
	Name        string  `json:"name"`
	Hash        string  `json:"hash"`
	Ext         string  `json:"ext"`
	Mime        string  `json:"mime"`
	Path        *string `json:"path"`
	Width       int     `json:"width"`
	Height      int     `json:"height"`
	Size        float64 `json:"size"`
	SizeInBytes int64   `json:"sizeInBytes"`
	URL         string  `json:"url"`
}

// formatRecords are the formats of a file by their names.
type formatRecords map[string]formatRecord

// describe is what the upload itself says of its file, once it lies under hash.
// url is where it is served, without its prefix.
func (u *Upload) describe(name, hash, url string) map[string]any {
	values := map[string]any{
		"name": name, "hash": hash, "ext": u.ext, "mime": u.mime, "size": kilobytes(u.bytes),
		"url": urlPrefix + url, "width": nil, "height": nil, "formats": nil, "provider": "local",
	}
	if size := u.picture.size; size.X > 0 {
		values["width"], values["height"] = size.X, size.Y
	}
	if formats := u.formatRecords(name, hash, url); formats != nil {
		values["formats"] = formats
	}
	return values
}

func (u *Upload) formatRecords(name, hash, url string) formatRecords {
	var all formatRecords
	for _, made := range u.picture.formats {
		if all == nil {
			all = formatRecords{}
		}
		all[made.name] = formatRecord{
			Name: made.name + "_" + name, Hash: made.name + "_" + hash, Ext: u.ext, Mime: u.mime,
			Width: made.size.X, Height: made.size.Y, Size: kilobytes(made.bytes), SizeInBytes: made.bytes,
			URL: urlPrefix + made.name + "_" + url,
		}
	}
	return all
}

// kilobytes is a size in thousands of bytes with two decimals, as the reference
// has it.
func kilobytes(bytes int64) float64 { return math.Round(float64(bytes)/10) / 100 }

// finalNames are the names on disk of an upload that lies under hash, by its
// passing names.
func (u *Upload) finalNames(hash string) map[string]string {
	names := map[string]string{u.temp: hash + u.ext}
	for _, made := range u.picture.formats {
		names[made.temp] = made.name + "_" + hash + u.ext
	}
	return names
}

// Stored is what a record says of where its file lies.
type Stored struct {
	Hash, Ext, Mime, URL string
	Formats              string // JSON, or empty
}

// Names are the names on disk of the file and its formats: none where the file
// does not lie in the folder.
func (s *Stored) Names() []string {
	if !strings.HasPrefix(s.URL, urlPrefix) {
		return nil
	}
	names := []string{s.Hash + s.Ext}
	for _, f := range s.formats() {
		if strings.HasPrefix(f.URL, urlPrefix) {
			names = append(names, f.Hash+f.Ext)
		}
	}
	return names
}

// AllNames are the names that the file and its formats have by their hashes,
// wherever they lie: an import brings the content of files that lay elsewhere.
func (s *Stored) AllNames() []string {
	names := []string{s.Hash + s.Ext}
	for _, f := range s.formats() {
		names = append(names, f.Hash+f.Ext)
	}
	return names
}

func (s *Stored) formats() formatRecords {
	var formats formatRecords
	if json.Unmarshal([]byte(s.Formats), &formats) != nil {
		return nil // an import may bring what is no list of formats
	}
	return formats
}

// storedAt reads from a record's values in memory where its file lies.
func storedAt(t *schema.Type, body index.Body) Stored {
	text := func(name string) string {
		slot := body.Slot(t.Attribute(name).Slot)
		if slot == nil {
			return ""
		}
		return string(index.SlotText(slot))
	}
	return Stored{Hash: text("hash"), Ext: text("ext"), Mime: text("mime"), URL: text("url"), Formats: text("formats")}
}
