package archive

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"slices"

	"quire/content/history"
	"quire/content/verify"
	"quire/schema"
	"quire/store"
)

// Origin is the source of an export. Nobody may write to the data file while the export
// runs: it is a copy, or not in use.
type Origin struct {
	Site   *schema.Site
	Folder fs.FS // the site folder
	DB     *store.DB
	Files  fs.FS // the folder of the files' content

	// Roles are the permissions of the roles in site.json, by their types: full names like
	// "api::dish.dish.find". An archive has them instead of the stored permissions of these
	// roles.
	Roles map[string][]string

	// Types are the uids of the content types that ExportLines exports; empty for all. An
	// archive always has all types, because their links are numbers.
	Types []string
}

// takes reports whether lines of a type are exported.
func (from *Origin) takes(t *schema.Type) bool {
	return len(from.Types) == 0 || slices.Contains(from.Types, t.UID)
}

// contents reads the entries of an export. Its memory does not grow with their number.
type contents struct {
	Origin
	tx     *store.Tx
	meter  *Meter
	finder *store.Finder
}

// read calls fn with what the origin holds.
func (from Origin) read(meter *Meter, fn func(*contents) error) error {
	return from.DB.View(func(tx *store.Tx) error {
		if err := verify.CheckLocalization(from.Site, tx); err != nil {
			return err
		}
		return fn(&contents{Origin: from, tx: tx, meter: meter, finder: tx.Finder()})
	})
}

// scan calls fn for every entry of a type that the site serves, in the order of the data
// file. The entry is lent.
func (c *contents) scan(ctx context.Context, t *schema.Type, fn func(*store.Entry) error) error {
	return c.tx.Lend(t.UID, func(e *store.Entry) error {
		if !t.TakesLocale(e.Locale) {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		return fn(e)
	})
}

// each calls fn for every entry of a type, in the order of their ids, which is the order of
// responses.
func (c *contents) each(ctx context.Context, t *schema.Type, fn func(*store.Entry) error) (err error) {
	keys := c.tx.NewSorter()
	defer func() { err = errors.Join(err, keys.Close()) }()
	var record []byte
	if err := c.scan(ctx, t, func(e *store.Entry) error {
		record = append(append(append(record[:0], byte(e.Status)), e.Locale...), 0)
		return keys.Put(e.ID, append(record, e.DocumentID...))
	}); err != nil {
		return err
	}
	return keys.All(func(_ uint64, record []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		locale, id, _ := bytes.Cut(record[1:], []byte{0})
		e, err := c.finder.Entry(t.UID, store.Key{DocumentID: string(id), Locale: string(locale), Status: store.Status(record[0])})
		if err != nil {
			return err
		}
		c.meter.count(1)
		return fn(e)
	})
}

// served returns how many entries of a type the site serves.
func (c *contents) served(t *schema.Type) (int, error) {
	n, err := c.tx.Count(t.UID, func(locale string) bool { return !t.TakesLocale(locale) })
	return n.Draft + n.Published, err
}

// targets returns the rows that an edge of an attribute leads to, draft first. The edge is
// stored with an entry in that locale.
func (c *contents) targets(a *schema.Attribute, e store.Edge, locale string) []targetRow {
	t := a.Relation.Target
	if a.Relation.Morph() {
		t = c.Site.Type(e.Type)
	}
	if t == nil || t.IsComponent() {
		return nil
	}
	k := store.Key{DocumentID: e.Target}
	if t.Localized {
		k.Locale = e.Locale
		if locale != "" {
			k.Locale = locale
		}
	}
	if !t.TakesLocale(k.Locale) {
		return nil
	}
	var rows []targetRow
	for _, k.Status = range []store.Status{store.Draft, store.Published} {
		if e.Only != 0 && e.Only != k.Status {
			continue
		}
		if id, found := c.finder.ID(t.UID, k); found {
			rows = append(rows, targetRow{t, id, k.Status})
		}
	}
	return rows
}

// targetRow is an entry that an edge leads to.
type targetRow struct {
	t      *schema.Type
	id     uint64
	status store.Status
}

// leftover reports entries of the data file for which the site no longer has a type or a
// locale.
func (c *contents) leftover(r *Report) error {
	for _, t := range c.Site.Types {
		aside, err := c.tx.Count(t.UID, t.TakesLocale)
		if err != nil {
			return err
		}
		r.leave(t.UID, aside.Draft+aside.Published, "they are in other locales, and the type is not localized")
	}
	for _, uid := range c.tx.Types() {
		if c.Site.Type(uid) != nil {
			continue
		}
		n, err := c.tx.Count(uid, func(string) bool { return false })
		if err != nil {
			return err
		}
		r.leave(uid, n.Draft+n.Published, "the site has no such content type")
	}
	former, err := history.Count(c.tx)
	r.leave("former versions", former, "an export holds what content is; a backup holds its history too")
	return err
}
