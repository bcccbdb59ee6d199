package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"quire/schema"
	"quire/store"
	"quire/transfer/archive"
)

// UnknownTypeError names a content type that a site does not serve.
type UnknownTypeError struct{ Name string }

func (e *UnknownTypeError) Error() string {
	return fmt.Sprintf("there is no content type %q whose documents come as a table; name it as in dish, dishes or api::dish.dish", e.Name)
}

// ServedType is the content type of a uid, a singular or a plural name. The error is an
// *UnknownTypeError.
func ServedType(site *schema.Site, name string) (*schema.Type, error) {
	for t := range site.Served() {
		if name != "" && (name == t.UID || name == t.Singular || name == t.Plural) {
			return t, nil
		}
	}
	return nil, &UnknownTypeError{name}
}

// LinesOfCSV writes the JSON lines that mean the same as a table of documents of a type; see
// archive.LinesOfCSV. It reads the data of the site only where a column names links by a
// unique attribute.
func (l Location) LinesOfCSV(ctx context.Context, name, path, typeName string, o archive.CSVOptions, w io.Writer) (err error) {
	site, err := l.Load()
	if err != nil {
		return err
	}
	t, err := ServedType(site, typeName)
	if err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	needed, err := archive.NeedsFinder(name, f, t, o)
	if err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if !needed {
		return archive.LinesOfCSV(ctx, name, f, t, o, nil, w)
	}
	db, done, _, err := l.OpenData(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	return db.View(func(tx *store.Tx) error {
		return archive.LinesOfCSV(ctx, name, f, t, o, finderOf(tx), w)
	})
}

// finderOf finds documents by the texts of attributes, each of which is read once.
func finderOf(tx *store.Tx) archive.Finder {
	type attribute struct {
		t *schema.Type
		a *schema.Attribute
	}
	known := map[attribute]map[string][]string{}
	return func(t *schema.Type, a *schema.Attribute, text string) ([]string, error) {
		ids := known[attribute{t, a}]
		if ids == nil {
			ids = map[string][]string{}
			if err := tx.Scan(t.UID, func(e *store.Entry) error { addNamed(ids, e, a); return nil }); err != nil {
				return nil, err
			}
			known[attribute{t, a}] = ids
		}
		return ids[text], nil
	}
}

// addNamed notes the documentId of an entry by what it has in an attribute.
func addNamed(ids map[string][]string, e *store.Entry, a *schema.Attribute) {
	text := ""
	switch v := e.Value(a.Name); v.Kind {
	case store.Text:
		text = v.Text
	case store.Int:
		text = strconv.FormatInt(v.Num, 10)
	default:
		return
	}
	for _, id := range ids[text] {
		if id == e.DocumentID { // another version of it
			return
		}
	}
	ids[text] = append(ids[text], e.DocumentID)
}

// TryImport brings a delivery of JSON lines into a copy of the data, which it removes: what
// Import would take and refuse. who made the copy: the running server or this process.
func (l Location) TryImport(ctx context.Context, in *Delivery, meter *archive.Meter) (report *archive.Report, who string, err error) {
	site, err := l.Load()
	if err != nil {
		return nil, "", err
	}
	folder, err := os.MkdirTemp("", "quire-try-")
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	path := filepath.Join(folder, "quire.db")
	if who, err = l.copyTo(ctx, path); err != nil {
		return nil, "", err
	}
	db, err := store.Open(path, store.Options{Hasty: true})
	if err != nil {
		return nil, "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	unhashed := func(context.Context, string) (string, error) { return "", nil } // in a copy that nobody keeps
	report, err = in.into(ctx, archive.Target{Site: site, DB: db}, archive.Options{HashPassword: unhashed, Meter: meter, Trial: true})
	return report, who, err
}

// copyTo copies the data file as it is now; where there is none, nothing is made.
func (l Location) copyTo(ctx context.Context, path string) (who string, err error) {
	if _, err := os.Stat(l.DataFile()); errors.Is(err, os.ErrNotExist) {
		return ByProcess, nil
	}
	db, done, who, err := l.OpenData(ctx)
	if err != nil {
		return "", err
	}
	err = db.View(func(tx *store.Tx) error { return tx.CopyTo(path) })
	return who, errors.Join(err, done())
}
