package archive

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"quire/media"
	"quire/schema"
	"quire/store"
)

// importedFile is the content of a file, or of one of its formats, in an archive.
type importedFile struct {
	as   string // its name in the folder
	same bool   // it already exists
}

const uploads = "assets/uploads/"

// urlPrefix begins the urls of files that the site has.
const urlPrefix = "/uploads/"

// takeFile reads the content of a file without storing it. If the folder has another
// content under the name, as after a file was replaced, the name gets a suffix; the url of
// the file stays.
func (s *survey) takeFile(ctx context.Context, name string, m member) error {
	if limit := s.site.Settings.Upload.SizeLimit; m.size > limit {
		return s.refuse(fmt.Errorf("the file %s of %d bytes is larger than upload.sizeLimit in site.json, %d bytes", name, m.size, limit))
	}
	if s.files[name] != nil {
		return s.refuse(fmt.Errorf("the file %s occurs twice", name))
	}
	f := &importedFile{as: name}
	s.files[name] = f
	existing, _, err := s.folder.Open(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	f.same, err = media.SameContent(existing, m)
	if err == nil && !f.same {
		f.as = otherName(name)
	}
	return errors.Join(err, existing.Close())
}

// otherName returns a name that no file has yet.
func otherName(name string) string {
	var random [5]byte
	rand.Read(random[:]) // never fails
	ext := filepath.Ext(name)
	return strings.TrimSuffix(name, ext) + "_" + hex.EncodeToString(random[:]) + ext
}

// storedFile returns the part of a file's entry that says where its content is.
func storedFile(e *store.Entry) media.Stored {
	return media.Stored{
		Hash: e.Value("hash").Text, Ext: e.Value("ext").Text, Mime: e.Value("mime").Text,
		URL: e.Value("url").Text, Formats: e.Value("formats").Text,
		ProviderMetadata: e.Value("provider_metadata").Text,
	}
}

// forgetOriginal removes the original of an edited picture from an entry. An archive has
// only the picture; the name of the original in it could be that of any other file.
func forgetOriginal(e *store.Entry) {
	if at := storedFile(e); at.IsEdited() {
		e.Fields = slices.DeleteFunc(e.Fields, func(f store.Field) bool { return f.Name == "provider_metadata" })
	}
}

// putFile puts the content of a file into the folder, unless it already exists or the site
// has a newer file in its place.
func (r *restoration) putFile(ctx context.Context, name string, m member) error {
	f, file := r.files[name], r.named[name]
	if f == nil || file == "" || r.keep[version{schema.FileUID, file, ""}] {
		return nil
	}
	r.report.add("files and their formats", 1)
	if f.same || r.options.Trial {
		return nil
	}
	r.put = append(r.put, f.as)
	return r.folder.Put(ctx, f.as, "", m)
}

// relocate sets the location of the content in the entry of a file.
func (r *restoration) relocate(e *store.Entry) error {
	e.Fields = slices.DeleteFunc(e.Fields, func(f store.Field) bool { return f.Name == "folderPath" }) // computed from its folder
	at := storedFile(e)
	f := r.files[at.Hash+at.Ext]
	if f == nil {
		return nil // it stays at its url
	}
	setText(e, "hash", strings.TrimSuffix(f.as, at.Ext))
	if !strings.HasPrefix(at.URL, urlPrefix) {
		setText(e, "url", urlPrefix+f.as)
		setText(e, "provider", "local")
		e.Fields = slices.DeleteFunc(e.Fields, func(f store.Field) bool { return f.Name == "provider_metadata" })
	}
	if at.Formats == "" {
		return nil
	}
	formats, err := r.relocateFormats(at.Formats)
	if err == nil {
		setValue(e, "formats", store.Value{Kind: store.JSON, Text: formats})
	}
	return err
}

// relocateFormats is relocate for the formats of a file.
func (r *restoration) relocateFormats(text string) (string, error) {
	var formats map[string]map[string]any
	if json.Unmarshal([]byte(text), &formats) != nil {
		return text, nil // not the formats of a file in Quire
	}
	moved := false
	for _, format := range formats {
		hash, _ := format["hash"].(string)
		ext, _ := format["ext"].(string)
		url, _ := format["url"].(string)
		f := r.files[hash+ext]
		if f == nil {
			continue
		}
		if !strings.HasPrefix(url, urlPrefix) {
			format["url"], moved = urlPrefix+f.as, true
		}
		if f.as != hash+ext {
			format["hash"], moved = strings.TrimSuffix(f.as, ext), true
		}
	}
	if !moved {
		return text, nil
	}
	out, err := json.Marshal(formats)
	return string(out), err
}

func setText(e *store.Entry, name, text string) {
	setValue(e, name, store.Value{Kind: store.Text, Text: text})
}

func setValue(e *store.Entry, name string, v store.Value) {
	for i := range e.Fields {
		if e.Fields[i].Name == name {
			e.Fields[i].Value = v
			return
		}
	}
	e.Fields = append(e.Fields, store.Field{Name: name, Value: v})
}

// namesIn returns the names in the folder that the files of a data file have.
func namesIn(db *store.DB) (names map[string]bool, err error) {
	names = map[string]bool{}
	err = db.View(func(tx *store.Tx) error {
		return tx.Scan(schema.FileUID, func(e *store.Entry) error {
			at := storedFile(e)
			for _, name := range at.Names() {
				names[name] = true
			}
			return nil
		})
	})
	return names, err
}
