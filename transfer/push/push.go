package push

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"quire/content/changeset"
	"quire/content/history"
	"quire/schema"
	"quire/store"
	"quire/transfer/compare"
)

// Limits of a push.
const (
	MostSteps     = changeset.MostSteps // so that it can be taken back
	MostDiffering = 10_000              // documents that differ, or were written on both sides and are equal
)

// Side is the content of a site at one moment.
type Side struct {
	Tx   *store.Tx
	Site *schema.Site // of the side that is pushed from
}

// Options of a push.
type Options struct {
	SkipConflicts bool // push the rest, although both sides have changed some documents
}

// Plan is what a push does.
type Plan struct {
	Steps     []changeset.Step // to be done together, after Check and before Note
	Changes   []EntryChange    // what the steps do, for people
	Conflicts []Conflict       // documents that both sides have changed
	Left      []Staying        // documents that stay as they are, although they differ
	Kept      int              // documents that only the side to has changed
	Files     []*store.Entry   // records of new files, whose bytes have to be there before the steps are done

	pushed []pushed
	equal  []named // documents that are equal, with other numbers on each side
	from   *store.Tx
	base   uint64
}

// EntryChange is what a push does to one version of a document in one locale.
type EntryChange struct {
	Type       string       `json:"type"` // uid
	DocumentID string       `json:"documentId"`
	Locale     string       `json:"locale,omitempty"`
	Status     string       `json:"status"`
	Title      string       `json:"title,omitempty"`
	Change     compare.Kind `json:"change"`
	Attributes []string     `json:"attributes,omitempty"` // of a changed one
}

// Conflict is a document that both sides have changed.
type Conflict struct {
	Type       string   `json:"type"` // uid
	DocumentID string   `json:"documentId"`
	Title      string   `json:"title,omitempty"`
	Reason     string   `json:"reason"`
	Attributes []string `json:"attributes,omitempty"` // in which the sides differ, such as "title" or "title (de, draft)"
}

// Staying is a document that stays as it is, and why.
type Staying struct {
	Type       string `json:"type"` // uid
	DocumentID string `json:"documentId"`
	Title      string `json:"title,omitempty"`
	Reason     string `json:"reason"`
}

// Reasons of conflicts, and why a document stays as it is.
const (
	BothChanged     = "both have changed it"
	FromDeleted     = "it was deleted in the first site and changed in the second"
	ToDeleted       = "it was changed in the first site and deleted in the second"
	LeftUnwritten   = "it differs, but has the same writes: a migration has changed it, or a link to a draft from the other side"
	LeftDeletedFile = "files that were deleted stay in the media library"
	LeftOtherBytes  = "the content of the file was replaced; replace it in the second site too"
	LeftFolder      = "folders that were changed or deleted stay"
	LeftUnknown     = "the first site does not have it, and its history does not say since when"
)

// ErrNoPast refuses sites that were never the same.
var ErrNoPast = errors.New("the two sites share no past: no entry of the one was written by the same write as one of the other. Make one of them as a copy of the other, with `quire backup` and `quire restore`")

// ErrOvertaken refuses a plan if a document was written since it was made.
var ErrOvertaken = errors.New("the second site was written to meanwhile, and nothing was pushed; try again")

// TooMuchError refuses a push because of a limit.
type TooMuchError struct{ Message string }

func (e *TooMuchError) Error() string { return e.Message }

// pushed is a document that is pushed.
type pushed struct {
	named
	version uint64 // number of its last write on the side to
}

// named names a document.
type named struct {
	t          *schema.Type
	documentID string
}

// differing is a document that differs, with the versions that each side has of it.
type differing struct {
	named
	from, to []history.Version
}

// making makes a plan.
type making struct {
	ctx      context.Context
	from, to Side
	base     uint64 // the last write that both sides have
	differ   []differing
	plan     *Plan
	units    []unit
}

// Make plans a push from a side to another one. The schemas of the side from have everything that
// those of the other side have. Errors: ErrNoPast, *TooMuchError, that of ctx, and the store's.
func Make(ctx context.Context, from, to Side, o Options) (*Plan, error) {
	m := &making{ctx: ctx, from: from, to: to, plan: &Plan{from: from.Tx}}
	for _, t := range m.types() {
		if err := m.compare(t); err != nil {
			return nil, err
		}
	}
	for i := range m.differ {
		if err := m.common(&m.differ[i]); err != nil {
			return nil, err
		}
	}
	if err := m.remember(); err != nil {
		return nil, err
	}
	if m.plan.base = m.base; m.base == 0 {
		return nil, ErrNoPast
	}
	for i := range m.differ {
		if err := errors.Join(ctx.Err(), m.judge(&m.differ[i])); err != nil {
			return nil, err
		}
	}
	if len(m.plan.Conflicts) > 0 && !o.SkipConflicts {
		m.plan.Changes, m.plan.Files = nil, nil
		return m.plan, nil
	}
	m.steps()
	if n := len(m.plan.Steps); n > MostSteps {
		return nil, &TooMuchError{fmt.Sprintf("That would be %d changes, and a push makes at most %d, so that it can be taken back. Restore a backup of the first site instead, or push more often", n, MostSteps)}
	}
	return m.plan, nil
}

// types returns the types that are pushed: folders and files, then the content. Users and roles
// belong to each site.
func (m *making) types() (list []*schema.Type) {
	for _, t := range m.from.Site.Types {
		if !t.BuiltIn || t.UID == schema.FileUID || t.UID == schema.FolderUID {
			list = append(list, t)
		}
	}
	rank := func(t *schema.Type) int { return slices.Index([]string{"", schema.FileUID, schema.FolderUID}, t.UID) }
	slices.SortStableFunc(list, func(a, b *schema.Type) int { return cmp.Compare(rank(b), rank(a)) })
	return list
}

// compare finds the documents of a type that differ.
func (m *making) compare(t *schema.Type) error {
	differ, equal := map[string]bool{}, map[string]bool{}
	err := compare.Pairs(m.ctx, m.from.Tx, m.to.Tx, t.UID, func(p compare.SideBySide) error {
		for i := range p.From {
			a, b := p.From[i], p.To[i]
			switch {
			case a == nil && b == nil:
			case a == nil || b == nil || len(compare.Names(t, a, b)) > 0:
				differ[p.DocumentID] = true
			case a.Stamp.Version != b.Stamp.Version || a.UpdatedAt != b.UpdatedAt:
				equal[p.DocumentID] = true
			default:
				m.base = max(m.base, a.Stamp.Version)
			}
		}
		return m.bounded(len(m.differ) + len(differ))
	})
	for _, id := range slices.Sorted(maps.Keys(differ)) {
		m.differ = append(m.differ, differing{named: named{t, id}})
	}
	for _, id := range slices.Sorted(maps.Keys(equal)) {
		if !differ[id] && len(m.plan.equal) < MostDiffering { // of the others, the next change is a conflict
			m.plan.equal = append(m.plan.equal, named{t, id})
		}
	}
	return err
}

func (m *making) bounded(differing int) error {
	if differing <= MostDiffering {
		return nil
	}
	return &TooMuchError{fmt.Sprintf("More than %d documents differ; restore a backup of the first site instead", MostDiffering)}
}

// common reads the versions of a document, and finds the last write that both sides have.
func (m *making) common(d *differing) (err error) {
	if d.from, err = history.Versions(m.from.Tx, d.t.UID, d.documentID); err != nil {
		return err
	}
	if d.to, err = history.Versions(m.to.Tx, d.t.UID, d.documentID); err != nil {
		return err
	}
	for _, a := range d.from {
		for _, b := range d.to {
			if a.Key == b.Key && a.ID == b.ID && a.Revision() == b.Revision() && a.UpdatedAt == b.UpdatedAt && a.CreatedAt == b.CreatedAt {
				m.base = max(m.base, a.Revision())
			}
		}
	}
	return m.ctx.Err()
}
