package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"quire/schema"
	"quire/store"
	"quire/transfer/compare"
	"quire/transfer/stream"
)

// ComparedSide is one of two moments of a site that are compared.
type ComparedSide struct {
	At     time.Time `json:"at"`
	Source string    `json:"source"` // "stream", "history" or "now"

	// Schemas says that the schema files were others when the image was made from which the stream
	// restores the moment; which changed, no past knows.
	Schemas bool `json:"schemasChanged,omitempty"`
}

// moments compares a site at two moments. See Comparing.At.
func (c *Comparing) moments(ctx context.Context) (counts []compare.Count, err error) {
	l := Location{Site: c.To, Data: c.Data}
	site, err := l.Load()
	if err != nil {
		return nil, err
	}
	db, done, _, err := l.OpenData(ctx)
	if err != nil {
		return nil, err
	}
	closing := []func() error{done}
	defer func() {
		for _, done := range closing {
			err = errors.Join(err, done())
		}
	}()
	sides := [2]compare.DataFile{{DB: db, Site: site}, {DB: db, Site: site}}
	moments := []ComparedSide{{At: c.At}, {At: c.Until}}
	for i, m := range moments {
		if m.At.IsZero() {
			moments[i] = ComparedSide{At: time.Now().UTC(), Source: "now"}
			continue
		}
		past, done, err := l.sideAt(ctx, &moments[i], sides[i])
		if err != nil {
			return nil, err
		}
		sides[i], closing = past, append(closing, done)
	}
	if err := c.Moments(moments); err != nil {
		return nil, err
	}
	return compare.Walk(ctx, sides[0], sides[1], c.Options, c.Each)
}

// sideAt returns what a site was at a moment: from its stream if that has the moment, otherwise from
// the data file of now, as far as that goes back.
func (l Location) sideAt(ctx context.Context, m *ComparedSide, now compare.DataFile) (past compare.DataFile, done func() error, err error) {
	c, err := l.streamOf(ctx, m.At, now.Site)
	if err != nil {
		return past, nil, err
	}
	if c != nil {
		return l.restored(ctx, c, m, now.Site)
	}
	m.Source, past = "history", now
	err = now.DB.View(func(tx *store.Tx) (err error) {
		past.Past, err = compare.ReadPast(tx, m.At, now.Site.Settings.History)
		return err
	})
	return past, func() error { return nil }, err
}

// streamOf returns the stream of a site if it has a moment; otherwise nil.
func (l Location) streamOf(ctx context.Context, at time.Time, site *schema.Site) (*stream.Catalog, error) {
	if !site.Settings.Backup.Stream.InUse() {
		return nil, nil
	}
	own, err := l.id()
	if err != nil {
		return nil, err
	}
	c, _, err := l.catalog(ctx, Streamed{Of: own})
	if errors.As(err, new(*stream.NothingError)) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	ranges, err := c.Ranges(ctx)
	for _, r := range ranges {
		if !at.Before(r.From) && !at.After(r.To) {
			return c, err
		}
	}
	return nil, err
}

// restored restores the data file of a moment, without uploads, into a temporary folder.
func (l Location) restored(ctx context.Context, c *stream.Catalog, m *ComparedSide, site *schema.Site) (past compare.DataFile, done func() error, err error) {
	folder, err := os.MkdirTemp("", "quire-diff-")
	if err != nil {
		return past, nil, err
	}
	remove := func() error { return os.RemoveAll(folder) }
	r, err := c.Restore(ctx, m.At, folder, func(*store.Tx) ([]string, error) { return nil, nil })
	if err == nil {
		past.DB, err = store.Open(filepath.Join(folder, "quire.db"), store.Options{ReadOnly: true, Existing: true})
	}
	if err != nil {
		return past, nil, errors.Join(err, remove())
	}
	past.Site = site
	*m = ComparedSide{At: r.At, Source: "stream", Schemas: r.Schemas != "" && r.Schemas != fingerprintOf(site)}
	return past, func() error { return errors.Join(past.DB.Close(), remove()) }, nil
}
