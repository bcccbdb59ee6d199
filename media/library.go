package media

import (
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"quire/content"
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

// New returns the library of a site whose files lie in the folder.
func New(folder *Folder, site *schema.Site, x *index.Index, w *content.Writer) *Library {
	return &Library{folder: folder, site: site, files: site.Type(schema.FileUID), index: x, writer: w}
}

// Receive is [Folder.Receive] with the rules of the site.
func (l *Library) Receive(ctx context.Context, r io.Reader, filename string) (*Upload, error) {
	return l.folder.Receive(ctx, r, filename, &l.site.Settings.Upload)
}

// Find returns the document of a file by its documentId or numeric id.
func (l *Library) Find(id string) (documentID string, ok bool) {
	s := l.index.Snapshot()
	if len(s.Versions(l.files, id)) > 0 {
		return id, true
	}
	n, err := strconv.ParseUint(id, 10, 64)
	if err != nil {
		return "", false
	}
	key, ok := s.ByID(l.files, n)
	return key.DocumentID, ok
}

// Keep keeps uploads, makes their records and, unless to is nil, attaches them
// there: all of this or, when something fails, none. Pictures come first, each
// kind in the order given, which is also that of the results.
//
// Errors: *content.ValidationError for an Info that no record can hold, what the
// Writer answers, and the file system's.
func (l *Library) Keep(ctx context.Context, uploads []*Upload, to *content.Attachment) ([]content.Result, error) {
	for _, u := range uploads {
		if _, err := u.Info.input(l.site, nil); err != nil {
			return nil, err
		}
	}
	results, err := l.keepAll(ctx, picturesFirst(uploads))
	if err == nil && to != nil {
		for _, r := range results {
			to.Files = append(to.Files, r.DocumentID)
		}
		_, err = l.writer.Attach(ctx, *to)
	}
	if err != nil {
		return nil, errors.Join(err, l.undo(results))
	}
	return results, nil
}

func (l *Library) keepAll(ctx context.Context, uploads []*Upload) (results []content.Result, err error) {
	for _, u := range uploads {
		result, err := l.keep(ctx, u)
		if err != nil {
			return results, err
		}
		results = append(results, result)
	}
	return results, nil
}

// picturesFirst is the order in which the reference was seen to answer.
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

func (l *Library) keep(ctx context.Context, u *Upload) (content.Result, error) {
	name := u.Info.name(u.filename)
	hash := newHash(name)
	return l.settle(u, hash, func() (content.Result, error) {
		input, err := u.Info.input(l.site, u.describe(name, hash, hash+u.ext))
		if err != nil {
			return content.Result{}, err
		}
		return l.writer.Create(ctx, content.Request{Type: l.files, Input: input})
	})
}

// settle gives an upload its final names and then has its record written. Where
// that fails the files are gone again, unless it is unknown whether the record
// was stored: then they stay, so that no record can be without its file.
func (l *Library) settle(u *Upload, hash string, write func() (content.Result, error)) (content.Result, error) {
	names := u.finalNames(hash)
	if err := l.folder.keep(names); err != nil {
		return content.Result{}, err
	}
	u.temp = ""
	result, err := l.record(write)
	if err != nil && !store.Uncertain(err) {
		for _, name := range names {
			err = errors.Join(err, l.folder.remove(name))
		}
	}
	return result, err
}

// record has a record written, its files being on the disk.
func (l *Library) record(write func() (content.Result, error)) (content.Result, error) {
	if err := l.folder.settled(); err != nil {
		return content.Result{}, err
	}
	return write()
}

// undo takes back what was kept before something else failed.
func (l *Library) undo(results []content.Result) error {
	var errs []error
	for _, r := range results {
		errs = append(errs, l.Delete(context.Background(), r.DocumentID))
	}
	return errors.Join(errs...)
}

// Describe changes what is said about a file. It fails with ErrNotFound when
// there is no such file, and otherwise like Keep.
func (l *Library) Describe(ctx context.Context, documentID string, info Info) (content.Result, error) {
	input, err := info.input(l.site, nil)
	if err != nil {
		return content.Result{}, err
	}
	return l.update(ctx, documentID, input)
}

func (l *Library) update(ctx context.Context, documentID string, input *content.Input) (content.Result, error) {
	result, err := l.writer.Update(ctx, content.Request{Type: l.files, DocumentID: documentID, Input: input})
	if missing := new(content.NotFoundError); errors.As(err, &missing) {
		err = ErrNotFound
	}
	return result, err
}

// Replace puts an upload in the place of a file, which keeps its id, its url and
// the links to it. Errors: as for Describe.
func (l *Library) Replace(ctx context.Context, documentID string, u *Upload) (content.Result, error) {
	l.folder.changes.Lock()
	defer l.folder.changes.Unlock()
	former, ok := l.stored(l.index.Snapshot(), documentID)
	if !ok {
		return content.Result{}, ErrNotFound
	}
	name := u.Info.name(u.filename)
	hash := newHash(name)
	url, ours := strings.CutPrefix(former.URL, urlPrefix)
	if !ours {
		url = hash + u.ext
	}
	result, err := l.settle(u, hash, func() (content.Result, error) {
		input, err := u.Info.input(l.site, u.describe(name, hash, url))
		if err != nil {
			return content.Result{}, err
		}
		return l.update(ctx, documentID, input)
	})
	if err != nil {
		return result, err
	}
	l.removeFiles(&former)
	return result, nil
}

// Delete deletes a file: first its record, then what lies on disk. Errors:
// ErrNotFound, what the Writer answers, and the file system's.
func (l *Library) Delete(ctx context.Context, documentID string) error {
	l.folder.changes.Lock()
	defer l.folder.changes.Unlock()
	stored, ok := l.stored(l.index.Snapshot(), documentID)
	if !ok {
		return ErrNotFound
	}
	if err := l.writer.Delete(ctx, content.Request{Type: l.files, DocumentID: documentID}); err != nil {
		return err
	}
	l.removeFiles(&stored)
	return nil
}

// removeFiles removes what no record names any more. The write is done by then:
// what cannot be removed does not undo it, and is a stray that Check finds.
func (l *Library) removeFiles(s *Stored) { _ = l.folder.remove(s.Names()...) }

// stored is what a record says of its file.
func (l *Library) stored(s *index.Snapshot, documentID string) (Stored, bool) {
	versions := s.Versions(l.files, documentID)
	if len(versions) == 0 {
		return Stored{}, false
	}
	tb, row, ok := s.Find(l.files, versions[0])
	if !ok {
		return Stored{}, false
	}
	return storedAt(l.files, tb.Entry(row).Body), true
}
