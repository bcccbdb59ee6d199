package media

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"quire/content"
	"quire/content/body"
	"quire/index"
	"quire/schema"
	"quire/store"
)

// Folders are documents of a type of their own: see package content, which keeps them a
// tree. On disk all files are in one folder.

// MostAtOnce limits the files and folders that one request moves, describes or deletes.
const MostAtOnce = 1000

// FolderForm is what people write about a folder; missing members are unchanged. Parent is
// an id or a documentId, null for none. Only signed addresses open the files of a Private
// folder and of the folders below it.
type FolderForm struct {
	Name    *string         `json:"name"`
	Parent  json.RawMessage `json:"parent"`
	Private *bool           `json:"private"`
}

// Selection names files and folders by id or documentId.
type Selection struct {
	Files   []json.RawMessage `json:"files"`
	Folders []json.RawMessage `json:"folders"`
}

// Moving says where to move files and folders: To is the id of a folder, or null for none.
type Moving struct {
	Selection
	To json.RawMessage `json:"to"`
}

// Describing sets what people write about files.
type Describing struct {
	List []Described `json:"list"`
}

// Described sets the same for several files, in the form of a form's "fileInfo".
type Described struct {
	Files []json.RawMessage `json:"files"`
	Info  json.RawMessage   `json:"info"`
}

// Deleting says what to delete, and whether to delete the content of the folders.
type Deleting struct {
	Selection
	WithContent bool `json:"withContent"`
}

// FindFolder returns the document of a folder by its documentId or numeric id.
func (l *Library) FindFolder(id string) (documentID string, ok bool) {
	return find(l.index.Snapshot(), l.site.Type(schema.FolderUID), id)
}

// find returns a document by its documentId or numeric id.
func find(s *index.Snapshot, t *schema.Type, id string) (documentID string, ok bool) {
	if len(s.Versions(t, id)) > 0 {
		return id, true
	}
	n, err := strconv.ParseUint(id, 10, 64)
	if err != nil {
		return "", false
	}
	key, ok := s.ByID(t, n)
	return key.DocumentID, ok
}

// SaveFolder creates a folder or, with a documentID, changes one. Errors:
// *body.ValidationError, ErrNotFound, and those of the Writer.
func (l *Library) SaveFolder(ctx context.Context, documentID string, form FolderForm) (content.Result, error) {
	request, err := l.folderRequest(documentID, form)
	if err != nil {
		return content.Result{}, err
	}
	if documentID == "" {
		return l.writer.Create(ctx, request)
	}
	result, err := l.writer.Update(ctx, request)
	return result, notThere(err)
}

func (l *Library) folderRequest(documentID string, form FolderForm) (content.Request, error) {
	t := l.site.Type(schema.FolderUID)
	var members []body.Field
	if form.Name != nil {
		members = append(members, body.Field{Key: "name", Value: body.Text(*form.Name)})
	}
	if form.Parent != nil {
		if !isPlace(form.Parent) {
			return content.Request{}, refuse("parent", "parent must be the id of a folder, or null")
		}
		members = append(members, body.Field{Key: "parent", Value: body.OfJSON(form.Parent)})
	}
	if form.Private != nil {
		if *form.Private && l.site.Settings.Upload.IsPublic() {
			return content.Request{}, refuse("private", "No folder can be private while upload.serve in site.json names an address at which the bucket is public")
		}
		members = append(members, body.Field{Key: "private", Value: body.Bool(*form.Private)})
	}
	input, err := body.DecodeValue(l.site, t, body.Object(members...), nil)
	return content.Request{Type: t, DocumentID: documentID, Input: input}, err
}

// isPlace reports whether a value can be the folder of something.
func isPlace(value json.RawMessage) bool {
	_, ok := idOf(value)
	return ok || string(bytes.TrimSpace(value)) == "null"
}

// idOf returns an id in JSON, a number or a text.
func idOf(value json.RawMessage) (id string, ok bool) {
	value = bytes.TrimSpace(value)
	if _, err := strconv.ParseUint(string(value), 10, 64); err == nil {
		return string(value), true
	}
	err := json.Unmarshal(value, &id)
	return id, err == nil && id != "" && value[0] == '"'
}

// named returns the documents of a selection, each once.
func (l *Library) named(s *index.Snapshot, of Selection) (files, folders []string, err error) {
	if n := len(of.Files) + len(of.Folders); n == 0 || n > MostAtOnce {
		return nil, nil, refuse("files", "Name 1 to %d files and folders", MostAtOnce)
	}
	if files, err = documents(s, l.files, of.Files, "file"); err != nil {
		return nil, nil, err
	}
	folders, err = documents(s, l.site.Type(schema.FolderUID), of.Folders, "folder")
	return files, folders, err
}

func documents(s *index.Snapshot, t *schema.Type, ids []json.RawMessage, what string) (list []string, err error) {
	for _, value := range ids {
		id, ok := idOf(value)
		documentID, found := find(s, t, id)
		if !ok || !found {
			return nil, refuse(what+"s", "There is no %s %.100s", what, value)
		}
		if !slices.Contains(list, documentID) {
			list = append(list, documentID)
		}
	}
	return list, nil
}

// Move moves files and folders into a folder, or with null into none: all of them or none.
// Errors: as for SaveFolder.
func (l *Library) Move(ctx context.Context, m Moving) error {
	files, folders, err := l.named(l.index.Snapshot(), m.Selection)
	if err != nil {
		return err
	}
	if !isPlace(m.To) {
		return refuse("to", "to must be the id of a folder, or null")
	}
	var writes []content.Write
	for _, id := range folders {
		request, err := l.folderRequest(id, FolderForm{Parent: m.To})
		if err != nil {
			return err
		}
		writes = append(writes, content.ToUpdate(request))
	}
	input, err := FileInfo{"folder": m.To}.input(l.site, nil)
	if err != nil {
		return err
	}
	for _, id := range files {
		writes = append(writes, content.ToUpdate(content.Request{Type: l.files, DocumentID: id, Input: input}))
	}
	_, err = l.writer.Together(ctx, writes)
	return notThere(err)
}

// DescribeAll changes what people write about files: all of it or nothing. Errors: as for
// ParseInfo and SaveFolder.
func (l *Library) DescribeAll(ctx context.Context, d Describing) error {
	var writes []content.Write
	s := l.index.Snapshot()
	for _, one := range d.List {
		files, err := documents(s, l.files, one.Files, "file")
		if err != nil {
			return err
		}
		if len(writes)+len(files) > MostAtOnce {
			return refuse("list", "Describe at most %d files at once", MostAtOnce)
		}
		infos, err := ParseInfo(string(one.Info), 1)
		if err != nil {
			return err
		}
		if len(infos) != 1 {
			return errInfo
		}
		input, err := infos[0].input(l.site, nil)
		if err != nil {
			return err
		}
		for _, id := range files {
			writes = append(writes, content.ToUpdate(content.Request{Type: l.files, DocumentID: id, Input: input}))
		}
	}
	if len(writes) == 0 {
		return refuse("list", "Name 1 to %d files", MostAtOnce)
	}
	_, err := l.writer.Together(ctx, writes)
	return notThere(err)
}

// DeleteAll deletes files and folders: all of them or none. A folder with content is
// refused, unless its content is deleted too. Errors: as for SaveFolder, and the file
// system's.
func (l *Library) DeleteAll(ctx context.Context, d Deleting) error {
	release, err := l.folder.lockChanges(ctx)
	if err != nil {
		return err
	}
	defer release()
	s := l.index.Snapshot()
	files, folders, err := l.named(s, d.Selection)
	if err != nil {
		return err
	}
	if d.WithContent {
		if files, folders, err = l.within(s, files, folders); err != nil {
			return err
		}
	}
	var writes []content.Write
	var gone []Stored
	for _, id := range files {
		if stored, ok := l.stored(s, id); ok {
			gone = append(gone, stored)
		}
		writes = append(writes, content.ToDelete(content.Request{Type: l.files, DocumentID: id}))
	}
	for _, id := range slices.Backward(folders) {
		writes = append(writes, content.ToDelete(content.Request{Type: l.site.Type(schema.FolderUID), DocumentID: id}))
	}
	if _, err := l.writer.Together(ctx, writes); err != nil {
		return err
	}
	for i := range gone {
		l.removeFiles(ctx, &gone[i], nil)
	}
	return nil
}

// within adds the content of folders, each folder before those in it.
func (l *Library) within(s *index.Snapshot, files, folders []string) ([]string, []string, error) {
	t := l.site.Type(schema.FolderUID)
	folders = outermost(s, t, folders)
	for i := 0; i < len(folders); i++ {
		for _, o := range s.Owners(t.Attribute("parent"), t, folders[i], store.Published) {
			if !slices.Contains(folders, o.Key.DocumentID) {
				folders = append(folders, o.Key.DocumentID)
			}
		}
		for _, o := range s.Owners(l.files.Attribute("folder"), t, folders[i], store.Published) {
			if !slices.Contains(files, o.Key.DocumentID) {
				files = append(files, o.Key.DocumentID)
			}
			if len(files)+len(folders) > MostAtOnce {
				return nil, nil, body.Refuse("The folders hold more than %d files and folders; delete some of them first", MostAtOnce)
			}
		}
	}
	return files, folders, nil
}

// outermost returns the folders of a list that are in none of the others.
func outermost(s *index.Snapshot, t *schema.Type, folders []string) []string {
	look := s.Lookup(t, store.Published)
	return slices.DeleteFunc(slices.Clone(folders), func(id string) bool {
		f, ok := look.ByDocument(id, "")
		for depth := 0; ok && depth <= content.FolderDepth; depth++ {
			parent := f.Link("parent")
			if slices.Contains(folders, parent) {
				return true
			}
			f, ok = look.ByDocument(parent, "")
		}
		return false
	})
}

// refuse returns a *body.ValidationError about one key of a request.
func refuse(key, format string, args ...any) error {
	return &body.ValidationError{Issues: []body.Issue{{Path: []string{key}, Message: fmt.Sprintf(format, args...)}}}
}

// notThere returns ErrNotFound for a document that has been deleted meanwhile.
func notThere(err error) error {
	if missing := new(content.NotFoundError); errors.As(err, &missing) {
		return ErrNotFound
	}
	return err
}
