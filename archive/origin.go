package archive

import (
	"cmp"
	"context"
	"io/fs"
	"slices"

	"quire/content/audit"
	"quire/history"
	"quire/schema"
	"quire/store"
)

// Origin is where an export comes from. Nobody may write to the data file while
// the export runs: it is a copy, or not in use.
type Origin struct {
	Site   *schema.Site
	Folder fs.FS // the site folder
	DB     *store.DB
	Files  fs.FS // the folder of the files' content

	// Types are the uids of the content types that ExportLines takes; empty for all. An
	// archive always has all of them, since they link to each other by numbers.
	Types []string
}

// takes reports whether lines of a type are asked for.
func (from *Origin) takes(t *schema.Type) bool {
	return len(from.Types) == 0 || slices.Contains(from.Types, t.UID)
}

// contents reads the entries of an export.
type contents struct {
	Origin
	tx    *store.Tx
	meter *Meter
	keys  [][]numberedKey    // by type ordinal, in the order of their ids
	rows  map[rowName]uint64 // numeric ids of entries
	aside map[string]int     // entries that the site does not serve, by type
}

type rowName struct {
	uid string
	key store.Key
}

type numberedKey struct {
	id  uint64
	key store.Key
}

// read calls fn with what the origin holds.
func (from Origin) read(meter *Meter, fn func(*contents) error) error {
	return from.DB.View(func(tx *store.Tx) error {
		if err := audit.CheckLocalization(from.Site, tx); err != nil {
			return err
		}
		c := &contents{Origin: from, tx: tx, meter: meter, keys: make([][]numberedKey, len(from.Site.Types)), rows: map[rowName]uint64{}, aside: map[string]int{}}
		for i, t := range from.Site.Types {
			if err := tx.Scan(t.UID, func(e *store.Entry) error {
				if !t.TakesLocale(e.Locale) {
					c.aside[t.UID]++
					return nil
				}
				c.keys[i] = append(c.keys[i], numberedKey{e.ID, e.Key()})
				c.rows[rowName{t.UID, e.Key()}] = e.ID
				return nil
			}); err != nil {
				return err
			}
			slices.SortFunc(c.keys[i], func(a, b numberedKey) int { return cmp.Compare(a.id, b.id) })
		}
		return fn(c)
	})
}

// each calls fn for every entry of a type, in the order of their ids, which is
// the order of answers.
func (c *contents) each(ctx context.Context, t *schema.Type, fn func(*store.Entry) error) error {
	for _, k := range c.keys[c.Site.TypeOrdinal(t)] {
		if err := ctx.Err(); err != nil {
			return err
		}
		e, err := c.tx.Entry(t.UID, k.key)
		if err != nil {
			return err
		}
		if err := fn(e); err != nil {
			return err
		}
		c.meter.count(1)
	}
	return nil
}

// targets are the rows that an edge of an attribute leads to, draft first. The
// edge is stored with an entry in that locale.
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
	var rows []targetRow
	for _, k.Status = range []store.Status{store.Draft, store.Published} {
		if id, ok := c.rows[rowName{t.UID, k}]; ok && (e.Only == 0 || e.Only == k.Status) {
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

// leftover reports what the data file holds that the site no longer has a type or a
// locale for.
func (c *contents) leftover(r *Report) error {
	for uid, n := range c.aside {
		r.leave(uid, n, "they are in other locales, and the type is not localized")
	}
	for _, uid := range c.tx.Types() {
		if c.Site.Type(uid) != nil {
			continue
		}
		n := 0
		if err := c.tx.Scan(uid, func(*store.Entry) error { n++; return nil }); err != nil {
			return err
		}
		r.leave(uid, n, "the site has no such content type")
	}
	former, err := history.Count(c.tx)
	r.leave("former versions", former, "an export holds what content is; a backup holds its history too")
	return err
}
