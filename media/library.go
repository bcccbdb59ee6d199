package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"quire/content"
	"quire/content/body"
	"quire/index"
	"quire/schema"
	"quire/store"
)

// Library keeps files and their records together. It serves one version of a
// site and is safe for use by many goroutines.
type Library struct {
	folder *Folder
	site   *schema.Site
	files  *schema.Type
	index  *index.Index
	writer *content.Writer
}

// New returns the library of a site with its files in the folder.
func New(folder *Folder, site *schema.Site, x *index.Index, w *content.Writer) *Library {
	return &Library{folder: folder, site: site, files: site.Type(schema.FileUID), index: x, writer: w}
}

// Receive is [Folder.Receive] with the rules of the site.
func (l *Library) Receive(ctx context.Context, r io.Reader, filename string) (*Upload, error) {
	return l.folder.Receive(ctx, r, filename, &l.site.Settings.Upload)
}

// KeepTemporary is [Folder.KeepTemporary].
func (l *Library) KeepTemporary(r io.Reader, filename string, limit int64) (path string, size int64, err error) {
	return l.folder.KeepTemporary(r, filename, limit)
}

// Drop is [Folder.Drop].
func (l *Library) Drop(path string) error { return l.folder.Drop(path) }

// Find returns the document of a file by its documentId or numeric id.
func (l *Library) Find(id string) (documentID string, ok bool) {
	return find(l.index.Snapshot(), l.files, id)
}

// Name returns the name of a file in its url, by its documentId or numeric id. The error is
// ErrNotFound if the file does not exist, or is not in the folder.
func (l *Library) Name(id string) (string, error) {
	documentID, ok := l.Find(id)
	if !ok {
		return "", ErrNotFound
	}
	stored, ok := l.stored(l.index.Snapshot(), documentID)
	name, ours := strings.CutPrefix(stored.URL, urlPrefix)
	if !ok || !ours {
		return "", ErrNotFound
	}
	return name, nil
}

// Save stores uploads, creates their records and, unless to is nil, attaches them there:
// all of this or, if something fails, nothing. Pictures come first, each kind in the given
// order, and so do the results.
//
// Errors: *body.ValidationError for an Info that no record can hold, those of the Writer,
// and the file system's.
func (l *Library) Save(ctx context.Context, uploads []*Upload, to *content.Attachment) (results []content.Result, err error) {
	for _, u := range uploads {
		if _, err := u.Info.input(l.site, nil); err != nil {
			return nil, err
		}
	}
	uploads = picturesFirst(uploads)
	requests := make([]content.Request, len(uploads))
	var files []LocalFile
	for i, u := range uploads {
		name := u.Info.name(u.filename)
		hash := newHash(name)
		input, err := l.describe(u, name, hash, hash+u.ext)
		if err != nil {
			return nil, err
		}
		requests[i] = content.Request{Type: l.files, DocumentID: u.documentID, Input: input}
		files = append(files, u.localFiles(hash)...)
	}
	err = l.commit(ctx, uploads, files, func() (err error) {
		results, err = l.writer.CreateAll(ctx, requests, to)
		return err
	})
	return results, err
}

// picturesFirst returns uploads in the order of Strapi's responses.
func picturesFirst(uploads []*Upload) []*Upload {
	uploads = slices.Clone(uploads)
	rank := func(u *Upload) int {
		if strings.HasPrefix(u.mime, "image/") {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(uploads, func(a, b *Upload) int { return rank(a) - rank(b) })
	return uploads
}

// commit gives uploads their final names and then writes their records. If that fails, it
// removes the files, unless it is unknown whether the records were stored: then the files
// stay, so that no record can be without its file.
func (l *Library) commit(ctx context.Context, uploads []*Upload, files []LocalFile, write func() error) error {
	if err := l.folder.put(ctx, files); err != nil {
		return err
	}
	for _, u := range uploads {
		u.temp = ""
	}
	err := storageError(l.folder.flushed())
	if err == nil {
		err = write()
	}
	if store.Uncertain(err) {
		return err
	}
	if err != nil {
		if left := l.folder.Remove(context.WithoutCancel(ctx), namesOf(files)...); left != nil {
			return errors.Join(err, left)
		}
	}
	l.folder.unclaim(namesOf(files)...)
	return err
}

// Describe changes what people have written about a file. The error is ErrNotFound if the
// file does not exist, and otherwise as for Save.
func (l *Library) Describe(ctx context.Context, documentID string, info FileInfo) (content.Result, error) {
	input, err := info.input(l.site, nil)
	if err != nil {
		return content.Result{}, err
	}
	return l.update(ctx, documentID, input)
}

// describe returns the record of an upload: values from the file itself, and what people
// write about it.
func (l *Library) describe(u *Upload, name, hash, url string) (*body.Input, error) {
	own, err := u.describe(name, hash, url)
	if err != nil {
		return nil, err
	}
	return u.Info.input(l.site, own)
}

func (l *Library) update(ctx context.Context, documentID string, input *body.Input) (content.Result, error) {
	result, err := l.writer.Update(ctx, content.Request{Type: l.files, DocumentID: documentID, Input: input})
	return result, notThere(err)
}

// Replace replaces a file with an upload. The file keeps its id, its url and the links to
// it. Errors: as for Describe, and the context's.
func (l *Library) Replace(ctx context.Context, documentID string, u *Upload) (content.Result, error) {
	release, err := l.folder.lockChanges(ctx)
	if err != nil {
		return content.Result{}, err
	}
	defer release()
	former, ok := l.stored(l.index.Snapshot(), documentID)
	if !ok {
		return content.Result{}, ErrNotFound
	}
	return l.swap(ctx, documentID, &former, u, u.Info.name(u.filename))
}

// swap replaces a file with an upload, under a name. The Folder must be held.
func (l *Library) swap(ctx context.Context, documentID string, former *Stored, u *Upload, name string) (content.Result, error) {
	hash := newHash(name)
	url, ours := strings.CutPrefix(former.URL, urlPrefix)
	if !ours {
		url = hash + u.ext
	}
	input, err := l.describe(u, name, hash, url)
	if err != nil {
		return content.Result{}, err
	}
	var result content.Result
	err = l.commit(ctx, []*Upload{u}, u.localFiles(hash), func() (err error) {
		result, err = l.update(ctx, documentID, input)
		return err
	})
	if err != nil {
		return content.Result{}, err
	}
	l.removeFiles(ctx, former, u.kept)
	return result, nil
}

// Delete deletes a file: first its record, then its files on disk. Errors: ErrNotFound,
// those of the Writer, the context's, and the file system's.
func (l *Library) Delete(ctx context.Context, documentID string) error {
	release, err := l.folder.lockChanges(ctx)
	if err != nil {
		return err
	}
	defer release()
	stored, ok := l.stored(l.index.Snapshot(), documentID)
	if !ok {
		return ErrNotFound
	}
	if err := l.writer.Delete(ctx, content.Request{Type: l.files, DocumentID: documentID}); err != nil {
		return err
	}
	l.removeFiles(ctx, &stored, nil)
	return nil
}

// removeFiles removes files that no record names any more. If a file cannot be removed, the
// write remains: the file becomes a stray, which Check finds. The original of an edited
// picture stays.
func (l *Library) removeFiles(ctx context.Context, s *Stored, k *originalRecord) {
	names := s.Names()
	if k != nil {
		names = slices.DeleteFunc(names, func(name string) bool { return name == k.Original.Hash+k.Original.Ext })
	}
	_ = l.folder.Remove(context.WithoutCancel(ctx), names...)
}

// stored returns the part of a record about its file.
func (l *Library) stored(s *index.Snapshot, documentID string) (Stored, bool) {
	return readStored(s.Lookup(l.files, store.Published).ByDocument(documentID, ""))
}

// ErrEmpty refuses a file of no bytes.
var ErrEmpty = errors.New("media: the file is empty")

// ErrNotFound reports a file without a record.
var ErrNotFound = errors.New("media: there is no such file")

// ErrLink reports a folder that is, or is in, a link: no stray behind it is removed.
var ErrLink = errors.New("media: the folder is behind a link, and what it leads to may belong to others")

// TooLargeError refuses a file that is larger than the site accepts.
type TooLargeError struct {
	Filename string
	Limit    int64 // bytes
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s is larger than %d bytes", e.Filename, e.Limit)
}

// TypeError refuses a file of a type that the site does not accept.
type TypeError struct{ Filename, Mime string }

func (e *TypeError) Error() string {
	return fmt.Sprintf("%s is of the type %s, which is not taken here", e.Filename, e.Mime)
}

// ReadError reports a file that did not arrive completely.
type ReadError struct{ Err error }

func (e *ReadError) Error() string { return "media: the file could not be read: " + e.Err.Error() }
func (e *ReadError) Unwrap() error { return e.Err }
