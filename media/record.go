package media

import (
	"encoding/json"
	"math"
	"strings"

	"quire/content/body"
	"quire/index"
)

// urlPrefix begins the urls of files in the folder. An import may bring records of files
// that are elsewhere.
const urlPrefix = "/uploads/"

// URL returns the url of a file in the folder.
func URL(name string) string { return urlPrefix + name }

// formatRecord is one format in a record, with Strapi's members.
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

// describe returns the values from the upload itself for its record, once it is stored
// under hash. url is where it is served, without its prefix.
func (u *Upload) describe(name, hash, url string) ([]body.Field, error) {
	name = string([]rune(name)) // what is not UTF-8 in a name becomes U+FFFD
	width, height, formats, metadata := body.Value{}, body.Value{}, body.Value{}, body.Value{}
	if u.kept != nil {
		text, err := json.Marshal(providerMetadata{u.kept})
		if err != nil {
			return nil, err
		}
		metadata = body.OfJSON(text)
	}
	if size := u.picture.size; size.X > 0 {
		width, height = body.Number(float64(size.X)), body.Number(float64(size.Y))
	}
	if records := u.formatRecords(name, hash, url); records != nil {
		text, err := json.Marshal(records)
		if err != nil {
			return nil, err
		}
		formats = body.OfJSON(text)
	}
	return []body.Field{
		{Key: "name", Value: body.Text(name)}, {Key: "hash", Value: body.Text(hash)}, {Key: "ext", Value: body.Text(u.ext)},
		{Key: "mime", Value: body.Text(u.mime)}, {Key: "size", Value: body.Number(kilobytes(u.bytes))},
		{Key: "url", Value: body.Text(urlPrefix + url)}, {Key: "provider", Value: body.Text("local")}, {Key: "provider_metadata", Value: metadata},
		{Key: "width", Value: width}, {Key: "height", Value: height}, {Key: "formats", Value: formats},
	}, nil
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

// kilobytes returns a size in thousands of bytes with two decimals, as in Strapi.
func kilobytes(bytes int64) float64 { return math.Round(float64(bytes)/10) / 100 }

// localFiles returns the files of an upload that is stored under hash.
func (u *Upload) localFiles(hash string) []LocalFile {
	files := []LocalFile{{u.folder.at(u.temp), hash + u.ext, u.mime}}
	for _, made := range u.picture.formats {
		files = append(files, LocalFile{u.folder.at(made.temp), made.name + "_" + hash + u.ext, u.mime})
	}
	return files
}

// Stored is the part of a record that says where its file is.
type Stored struct {
	Hash, Ext, Mime, URL string
	Formats              string // JSON, or empty
	FocalPoint           string // JSON, or empty
	ProviderMetadata     string // JSON, or empty
	Name                 string

	private bool // in a private folder
}

// Names returns the names on disk of the file, its formats and the original of an edited
// picture: none if the file is not in the folder.
func (s *Stored) Names() []string {
	if !strings.HasPrefix(s.URL, urlPrefix) {
		return nil
	}
	names := []string{s.Hash + s.Ext}
	if k := s.kept(); k != nil {
		names = append(names, k.Original.Hash+k.Original.Ext)
	}
	for _, f := range s.formats() {
		if strings.HasPrefix(f.URL, urlPrefix) {
			names = append(names, f.Hash+f.Ext)
		}
	}
	return names
}

// AllNames returns the names of the file and its formats by their hashes, also for files
// elsewhere: an import stores the content of files that were elsewhere.
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
		return nil // an import may have anything but a list of formats
	}
	return formats
}

// readStored reads the record that was found.
func readStored(record index.Found, ok bool) (Stored, bool) {
	if !ok {
		return Stored{}, false
	}
	return Stored{
		Hash: record.Text("hash"), Ext: record.Text("ext"), Mime: record.Text("mime"),
		URL: record.Text("url"), Formats: record.Text("formats"),
		FocalPoint: record.Text("focalPoint"), ProviderMetadata: record.Text("provider_metadata"), Name: record.Text("name"),
		private: record.IsPrivate(),
	}, true
}
