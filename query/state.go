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

// appendState appends the member with the state of the document of an entry in each locale,
// in the order of the site's locales.
func (x *run) appendState(dst []byte, rec record) []byte {
	dst = append(append(append(x.grow(dst, stateBytes), ',', '"'), rec.t.StateKey()...), `":[`...)
	start := len(dst)
	if !rec.t.Localized {
		return append(x.appendStateIn(dst, start, rec, index.NoLocale), ']')
	}
	locales := x.site.Settings.Locales
	x.worked(len(locales) / manyParts)
	for _, one := range locales {
		if l, ok := x.s.Locale(one.Code); ok && x.err == nil {
			dst = x.appendStateIn(dst, start, rec, l)
		}
	}
	if len(dst) > x.maxBytes && x.err == nil {
		x.err = x.tooMuch(len(dst))
	}
	return append(dst, ']')
}

// appendStateIn appends the state of the document in a locale, if it has that one.
func (x *run) appendStateIn(dst []byte, start int, rec record, l index.Locale) []byte {
	published, draft := x.entryIn(rec, l, store.Published), (*index.Entry)(nil)
	if rec.t.DraftAndPublish {
		draft = x.entryIn(rec, l, store.Draft)
	}
	status, updated := "published", published
	switch {
	case draft == nil && published == nil:
		return dst
	case published == nil:
		status, updated = "draft", draft
	case draft != nil && draft.Updated > published.Updated:
		status, updated = "modified", draft
	}
	dst = x.grow(dst, stateBytes)
	if len(dst) > start {
		dst = append(dst, ',')
	}
	dst = append(dst, `{"locale":`...)
	if l == index.NoLocale {
		dst = append(dst, "null"...)
	} else {
		dst = index.AppendString(dst, x.s.LocaleCode(l))
	}
	dst = append(append(dst, `,"status":"`...), status...)
	dst = index.AppendTime(append(dst, `","updatedAt":`...), updated.Updated)
	dst = append(dst, `,"publishedAt":`...)
	if published == nil {
		dst = append(dst, "null"...)
	} else {
		dst = index.AppendTime(dst, published.Published)
	}
	return append(dst, '}')
}

// entryIn returns the version of the record's document in a locale, or nil.
func (x *run) entryIn(rec record, l index.Locale, status store.Status) *index.Entry {
	tb := x.versions.tableOf(x.s, rec.t, status)
	r, ok := tb.Find(rec.entry.Doc, l)
	if !ok {
		return nil
	}
	return tb.Entry(r)
}
