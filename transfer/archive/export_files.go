package archive

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"quire/media"
	"quire/schema"
	"quire/store"
)

// asFile returns a file's entry in the form of an archive: there the content has the name
// at the end of its url, which in Quire may differ after the file was replaced, and the
// entry has the path of its folder, which in Quire follows from the link.
func (x *exporter) asFile(e *store.Entry) *store.Entry {
	out := *e
	out.Fields = append(store.Fields(nil), e.Fields...).Set("folderPath", x.folderPath(e))
	forgetOriginal(&out)
	at := storedFile(e)
	if name, ok := strings.CutPrefix(at.URL, urlPrefix); ok && strings.HasSuffix(name, at.Ext) {
		setText(&out, "hash", strings.TrimSuffix(name, at.Ext))
	}
	var formats map[string]map[string]any
	if json.Unmarshal([]byte(at.Formats), &formats) != nil {
		return &out
	}
	changed := false
	for _, f := range formats {
		url, _ := f["url"].(string)
		ext, _ := f["ext"].(string)
		name, ok := strings.CutPrefix(url, urlPrefix)
		if hash := strings.TrimSuffix(name, ext); ok && f["hash"] != hash {
			f["hash"], changed = hash, true
		}
	}
	if changed {
		if text, err := json.Marshal(formats); err == nil {
			setValue(&out, "formats", store.Value{Kind: store.JSON, Text: string(text)})
		}
	}
	return &out
}

// folderPath returns the path of the folder of a file, "/" if it is in none.
func (x *exporter) folderPath(e *store.Entry) store.Value {
	path := "/"
	if edges := e.Value("folder").Edges; len(edges) > 0 && x.folders[edges[0].Target] != "" {
		path = x.folders[edges[0].Target]
	}
	return store.Value{Kind: store.Text, Text: path}
}

// readFolders reads the paths of all folders.
func (x *exporter) readFolders(ctx context.Context) error {
	x.folders = map[string]string{}
	return x.each(ctx, x.Site.Type(schema.FolderUID), func(e *store.Entry) error {
		x.folders[e.DocumentID] = e.Value("path").Text
		return nil
	})
}

// files writes the content of every file and of its formats, each with a description.
func (x *exporter) files(ctx context.Context) error {
	return x.each(ctx, x.Site.Type(schema.FileUID), func(e *store.Entry) error {
		is, was := x.asFile(e), storedFile(e)
		if !strings.HasPrefix(was.URL, urlPrefix) {
			x.report.leave("contents of files", 1, "they lie elsewhere; their urls are kept")
			return nil
		}
		w := &entityWriter{exporter: x, t: x.Site.Type(schema.FileUID), entry: is}
		note := beginObject(nil)
		note.number("id", e.ID)
		note.text("documentId", e.DocumentID)
		w.values(note, w.t, e.ID, is.Fields)
		now := storedFile(is)
		if err := x.file(was.Hash+was.Ext, now.Hash+now.Ext, note.end()); err != nil {
			return err
		}
		return x.formats(e.ID, was, now)
	})
}

func (x *exporter) formats(row uint64, was, now media.Stored) error {
	var before, after map[string]map[string]any
	if json.Unmarshal([]byte(was.Formats), &before) != nil || json.Unmarshal([]byte(now.Formats), &after) != nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		f := after[name]
		ext, _ := f["ext"].(string)
		hash, _ := f["hash"].(string)
		kept, _ := before[name]["hash"].(string)
		f["type"], f["id"], f["mainHash"] = name, row, now.Hash
		note, err := json.Marshal(f)
		if err != nil {
			return err
		}
		if err := x.file(kept+ext, hash+ext, note); err != nil {
			return err
		}
	}
	return nil
}

// file writes the content with the name from in the folder, with the name to in the
// archive.
func (x *exporter) file(from, to string, note []byte) error {
	if !media.SafeName(from) || !media.SafeName(to) {
		x.report.leave("contents of files", 1, "they cannot have their names")
		return nil
	}
	f, err := x.Files.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		x.report.leave("contents of files", 1, "they are missing")
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := x.header("assets/metadata/"+to+".json", int64(len(note))); err != nil {
		return err
	}
	if _, err := x.out.Write(note); err != nil {
		return err
	}
	if err := x.header(uploads+to, info.Size()); err != nil {
		return err
	}
	x.report.add("files and their formats", 1)
	_, err = io.Copy(x.out, f)
	return err
}
