package query

import (
	"quire/index"
	"quire/query/params"
	"quire/schema"
	"quire/store"
)

// A read with include=state shows with each entry the state of its document in each locale:
// a draft, published, or published and modified since. A change of a draft is as secret as
// the draft.

// compileInclude resolves the include parameter of a read. Writes do not have it, nor do
// the reads of users, roles and files.
func (c *Compiler) compileInclude(t *schema.Type, n *params.Node, access schema.Access, o Options) (state bool, err error) {
	switch {
	case o.Write || t.BuiltIn || n == nil || n.IsNull():
		return false, nil
	case !n.IsText() || n.Text != "state":
		return false, refuseParam("include", "include", "Invalid include parameter. Expected state")
	case t.DraftAndPublish && !access.Allows(t, schema.ReadDraft):
		return false, &DraftError{t.UID}
	}
	return true, nil
}

// stateBytes is a little more than the maximum size of the state of one locale in a
// response.
const stateBytes = 256

// State is the state of a document in one locale.
type State struct {
	Locale    string // empty if the type is not localized
	Status    string // draft, published, or modified: published, with a later draft
	Updated   int64  // in milliseconds since 1970
	Published int64  // in milliseconds since 1970; 0 if it is not published
}

// eachState calls fn with the state of the document of an entry in each locale that it has,
// in the order of the site's locales.
func (x *run) eachState(rec record, fn func(State)) {
	if !rec.t.Localized {
		x.stateIn(rec, index.NoLocale, "", fn)
		return
	}
	locales := x.site.Settings.Locales
	x.worked(len(locales) / manyParts)
	for _, one := range locales {
		if l, ok := x.s.Locale(one.Code); ok && x.err == nil {
			x.stateIn(rec, l, one.Code, fn)
		}
	}
}

// stateIn calls fn with the state of the document in a locale, if it has that one.
func (x *run) stateIn(rec record, l index.Locale, code string, fn func(State)) {
	published, draft := x.entryIn(rec, l, store.Published), (*index.Entry)(nil)
	if rec.t.DraftAndPublish {
		draft = x.entryIn(rec, l, store.Draft)
	}
	switch {
	case draft == nil && published == nil:
	case published == nil:
		fn(State{Locale: code, Status: "draft", Updated: draft.Updated})
	case draft != nil && draft.Updated > published.Updated:
		fn(State{code, "modified", draft.Updated, published.Published})
	default:
		fn(State{code, "published", published.Updated, published.Published})
	}
}

// appendState appends the member with the states of the document of an entry.
func (x *run) appendState(dst []byte, rec record) []byte {
	dst = append(append(append(x.grow(dst, stateBytes), ',', '"'), rec.t.StateKey()...), `":[`...)
	start := len(dst)
	x.eachState(rec, func(s State) {
		dst = x.grow(dst, stateBytes)
		if len(dst) > start {
			dst = append(dst, ',')
		}
		dst = s.append(dst)
	})
	if len(dst) > x.maxBytes && x.err == nil {
		x.err = x.tooMuch(len(dst))
	}
	return append(dst, ']')
}

func (s State) append(dst []byte) []byte {
	dst = append(dst, `{"locale":`...)
	if s.Locale == "" {
		dst = append(dst, "null"...)
	} else {
		dst = index.AppendString(dst, s.Locale)
	}
	dst = append(append(dst, `,"status":"`...), s.Status...)
	dst = index.AppendTime(append(dst, `","updatedAt":`...), s.Updated)
	dst = append(dst, `,"publishedAt":`...)
	if s.Published == 0 {
		dst = append(dst, "null"...)
	} else {
		dst = index.AppendTime(dst, s.Published)
	}
	return append(dst, '}')
}

// entryIn returns the version of the record's document in a locale, or nil.
func (x *run) entryIn(rec record, l index.Locale, status store.Status) *index.Entry {
	tb := x.tableOf(rec.t, status)
	r, ok := tb.Find(rec.entry.Doc, l)
	if !ok {
		return nil
	}
	return tb.Entry(r)
}
