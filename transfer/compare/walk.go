package compare

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"strings"

	"quire/schema"
	"quire/store"
)

// DataFile is one of two data files.
type DataFile struct {
	DB   *store.DB
	Site *schema.Site // nil if the schemas are unknown
	Past *Past        // what it had at a moment; nil for what it has
}

// documents iterates over the documents of a type in the order of their keys.
func (f DataFile) documents(ctx context.Context, tx *store.Tx, uid string) iter.Seq2[document, error] {
	if f.Past == nil {
		return documents(tx, uid)
	}
	return f.Past.documents(ctx, tx, uid)
}

// types returns the types of which it has documents.
func (f DataFile) types(tx *store.Tx) []string {
	if f.Past == nil {
		return tx.Types()
	}
	return slices.AppendSeq(tx.Types(), maps.Keys(f.Past.changed))
}

// Kind says what happened to a document or to one version of it.
type Kind string

const (
	Added   Kind = "added"
	Removed Kind = "removed"
	Changed Kind = "changed"
)

// Change is a document in one locale that differs.
type Change struct {
	Type       string    `json:"type"`
	Locale     string    `json:"locale,omitempty"` // empty if the type is not localized
	DocumentID string    `json:"documentId"`
	Change     Kind      `json:"change"`
	Versions   []Version `json:"versions"` // draft, published; those that differ

	// Unknown is set if the history of the document does not say what it was; then there are no
	// versions.
	Unknown bool `json:"unknown,omitempty"`
}

// Version is the difference of one version of a document.
type Version struct {
	Status     string      `json:"status"` // draft or published
	Change     Kind        `json:"change"`
	Attributes []Attribute `json:"attributes,omitempty"` // of a changed one, by name
}

// Options configure the comparison of two sides.
type Options struct {
	Values bool // show values, of attributes that nothing hides
}

// Walk calls fn for every document in one locale that differs between the sides, by type,
// locale and documentId. It ignores numeric ids. It returns the number of each type and
// locale. Errors: fn's, that of ctx, and those of store.Tx.Scan.
func Walk(ctx context.Context, from, to DataFile, o Options, fn func(Change) error) (counts []Count, err error) {
	err = from.DB.View(func(a *store.Tx) error {
		return to.DB.View(func(b *store.Tx) error {
			types := slices.Concat(from.types(a), to.types(b))
			slices.Sort(types)
			for _, uid := range slices.Compact(types) {
				w := typeWalk{uid: uid, sights: []*schema.Site{from.Site, to.Site}, Options: o}
				err := merge(ctx, from.documents(ctx, a, uid), to.documents(ctx, b, uid), func(a, b document, order int) error { return w.judge(a, b, order, fn) })
				if err != nil {
					return err
				}
				counts = append(counts, w.counts...)
			}
			return nil
		})
	})
	return counts, err
}

// Count is how many documents of a type and locale differ.
type Count struct {
	Type    string `json:"type"`
	Locale  string `json:"locale,omitempty"`
	Added   int    `json:"added"`
	Removed int    `json:"removed"`
	Changed int    `json:"changed"`
	Same    int    `json:"same"`
}

// typeWalk compares the documents of one type.
type typeWalk struct {
	Options
	uid    string
	sights []*schema.Site
	counts []Count // by locale
}

// SideBySide is a document in one locale, as each of two sides has it: the draft and the published
// version, nil for none.
type SideBySide struct {
	Locale, DocumentID string
	From, To           [2]*store.Entry
}

// Pairs calls fn for the documents of a type that are on either side. Errors: fn's, that of ctx,
// and those of store.Tx.Scan.
func Pairs(ctx context.Context, from, to *store.Tx, uid string, fn func(SideBySide) error) error {
	return merge(ctx, documents(from, uid), documents(to, uid), func(a, b document, order int) error {
		p := SideBySide{Locale: a.locale, DocumentID: a.id}
		if order > 0 {
			p.Locale, p.DocumentID = b.locale, b.id
		}
		if order <= 0 {
			p.From = [2]*store.Entry{a.draft, a.published}
		}
		if order >= 0 {
			p.To = [2]*store.Entry{b.draft, b.published}
		}
		return fn(p)
	})
}

// merge goes through the documents of both sides, which come in the same order. See orderOf.
func merge(ctx context.Context, from, to iter.Seq2[document, error], fn func(a, b document, order int) error) error {
	nextFrom, stopFrom := iter.Pull2(from)
	defer stopFrom()
	nextTo, stopTo := iter.Pull2(to)
	defer stopTo()
	a, errA, moreA := nextFrom()
	b, errB, moreB := nextTo()
	for moreA || moreB {
		if err := cmp.Or(errA, errB, ctx.Err()); err != nil {
			return err
		}
		order := orderOf(a, moreA, b, moreB)
		if err := fn(a, b, order); err != nil {
			return err
		}
		if order <= 0 {
			a, errA, moreA = nextFrom()
		}
		if order >= 0 {
			b, errB, moreB = nextTo()
		}
	}
	return nil
}

// orderOf is negative if a comes first, positive if b does, and 0 for the same document.
func orderOf(a document, moreA bool, b document, moreB bool) int {
	switch {
	case !moreA:
		return 1
	case !moreB:
		return -1
	}
	return cmp.Or(strings.Compare(stored(a.locale), stored(b.locale)), strings.Compare(a.id, b.id))
}

// stored returns a locale in the form that has the order of a data file.
func stored(locale string) string {
	if locale == "" {
		return "-"
	}
	return locale
}
