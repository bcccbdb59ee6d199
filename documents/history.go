package documents

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"quire/content"
	"quire/content/body"
	"quire/content/history"
	"quire/index"
	"quire/query"
	"quire/query/params"
	"quire/schema"
	"quire/store"
)

// The history shows former versions with the current schema, to callers with readHistory:
// versions of drafts only to callers who may read drafts, and of each version what a read
// of the type would show.

// History has the former versions of a document that a caller may see. Each step that reads
// the history takes a turn of heavy queries, because a version is computed from all later
// ones.
type History struct {
	call       *Call
	t          *schema.Type
	documentID string
	tree       *params.Node
	page       query.Page        // of the versions, if it is a list
	versions   []history.Version // newest first; at least one
	held       int               // bytes of memory for views and the response
}

// History finds the versions of the document that the caller may see. If there are none,
// the document looks like one that never existed.
func (c *Call) History(ctx context.Context, t *schema.Type, documentID string, a Arguments) (*History, error) {
	return c.openHistory(ctx, t, documentID, a, nil)
}

// openHistory is History. read, unless nil, reads some of the versions at the same moment.
func (c *Call) openHistory(ctx context.Context, t *schema.Type, documentID string, a Arguments, read func(*History, *store.Tx) error) (*History, error) {
	if err := c.allow(t, schema.ReadHistory); err != nil {
		return nil, err
	}
	h := &History{call: c, t: t, documentID: documentID}
	var err error
	if h.tree, err = c.tree(a); err != nil {
		return nil, err
	}
	if h.page, err = query.ReadPage(h.tree, &c.Site.Settings); err != nil {
		return nil, err
	}
	locale, status, err := h.only()
	if err != nil {
		return nil, err
	}
	c.Budget.Start()
	if err := c.Budget.Enter(ctx); err != nil {
		return nil, err
	}
	defer c.Budget.End()
	return h, c.DB.View(func(tx *store.Tx) error {
		if err := h.list(tx, locale, status); err != nil || read == nil {
			return err
		}
		return read(h, tx)
	})
}

// list finds the versions. All comes from the file: the content in memory may be of another
// moment. A single type has one document at a time: the current one, or else the last one.
func (h *History) list(tx *store.Tx, locale string, status store.Status) (err error) {
	if h.t.Kind == schema.Single {
		if h.documentID, err = history.LastDocument(tx, h.t.UID); err != nil {
			return err
		}
	}
	if h.versions, err = history.Versions(tx, h.t.UID, h.documentID); err != nil {
		return err
	}
	h.versions = slices.DeleteFunc(h.versions, func(v history.Version) bool {
		return !h.call.showsVersion(h.t, v.Key) || locale != "" && v.Key.Locale != locale || status != 0 && v.Key.Status != status
	})
	if err := h.reached(tx); err != nil {
		return err
	}
	if len(h.versions) == 0 {
		return notFound()
	}
	slices.SortStableFunc(h.versions, newestFirst)
	return nil
}

// reached leaves out the versions of entries that do not exist for the caller, by their last values.
// A former version whose own values are out of its reach is listed, and cannot be read.
func (h *History) reached(tx *store.Tx) error {
	if h.call.Caller.Filter(h.t) == nil {
		return nil
	}
	last := map[store.Key]*history.Version{}
	for i := range h.versions {
		if v := &h.versions[i]; last[v.Key] == nil || v.Revision() > last[v.Key].Revision() {
			last[v.Key] = v
		}
	}
	gone := map[store.Key]bool{}
	for k, v := range last {
		_, err := h.read(tx, v)
		gone[k] = errors.As(err, new(*Problem)) || errors.As(err, new(*history.UnreadableError))
		if err != nil && !gone[k] {
			return err
		}
	}
	h.versions = slices.DeleteFunc(h.versions, func(v history.Version) bool { return gone[v.Key] })
	return nil
}

// newestFirst orders versions; among those of one write, drafts come last.
func newestFirst(a, b history.Version) int {
	switch {
	case a.Revision() > b.Revision():
		return -1
	case a.Revision() < b.Revision():
		return 1
	}
	return int(b.Key.Status) - int(a.Key.Status)
}

// showsVersion reports whether the caller may see versions of an entry.
func (c *Call) showsVersion(t *schema.Type, k store.Key) bool {
	if !t.TakesLocale(k.Locale) {
		return false // it is from a time when localization was switched differently
	}
	if k.Status == store.Draft {
		return t.DraftAndPublish && c.seesDrafts(t)
	}
	return true
}

// only reads locale and status, which limit the versions; without them, there is no limit.
func (h *History) only() (locale string, status store.Status, err error) {
	switch n := h.tree.Get("locale"); {
	case n == nil || n.IsNull() || !h.t.Localized || n.IsText() && n.Text == content.AllLocales:
	case n.IsText() && h.call.Site.Settings.HasLocale(n.Text):
		locale = n.Text
	default:
		return "", 0, invalid(`"locale" must be a locale of the site, or *`)
	}
	switch n := h.tree.Get("status"); {
	case n == nil || n.IsNull():
	case n.IsText() && n.Text == "draft":
		status = store.Draft
	case n.IsText() && n.Text == "published":
		status = store.Published
	default:
		return "", 0, invalid(`"status" must be draft or published`)
	}
	if status == store.Draft && !h.call.seesDrafts(h.t) {
		return "", 0, forbidden()
	}
	return locale, status, nil
}

// Append appends the response with the list of versions, newest first.
func (h *History) Append(dst []byte) []byte {
	dst = append(dst, `{"data":[`...)
	start, end := h.page.Range(len(h.versions))
	for i, v := range h.versions[start:end] {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(h.describe(append(dst, '{'), &v), '}')
	}
	dst = append(dst, `],"meta":{"pagination":`...)
	dst = append(h.page.Append(dst, len(h.versions)), `,"createdBy":`...)
	return append(h.Creator().append(dst), "}}"...)
}

// Creator returns who created the document.
func (h *History) Creator() *Author { return h.call.Author(h.versions[0].Stamp.CreatedBy) }

// Editor returns who wrote the newest version.
func (h *History) Editor() *Author { return h.call.Author(h.versions[0].Stamp.UpdatedBy) }

// describe appends the members that identify a version.
func (h *History) describe(dst []byte, v *history.Version) []byte {
	dst = strconv.AppendUint(append(dst, `"revision":`...), v.Revision(), 10)
	dst = index.AppendTime(append(dst, `,"at":`...), v.At)
	dst = appendAction(append(dst, `,"action":`...), v.Stamp.Action)
	dst = h.actor(append(dst, `,"actor":`...), v.Stamp.UpdatedBy)
	dst = append(dst, `,"locale":`...)
	if v.Key.Locale == "" {
		dst = append(dst, "null"...)
	} else {
		dst = index.AppendString(dst, v.Key.Locale)
	}
	dst = index.AppendString(append(dst, `,"status":`...), v.Key.Status.String())
	dst = strconv.AppendBool(append(dst, `,"current":`...), v.Current())
	if v.End.Removed {
		dst = strconv.AppendUint(append(dst, `,"removed":{"revision":`...), v.End.Version, 10)
		dst = index.AppendTime(append(dst, `,"at":`...), v.End.At)
		dst = appendAction(append(dst, `,"action":`...), v.End.Action)
		dst = append(h.actor(append(dst, `,"actor":`...), v.End.By), '}')
	}
	return dst
}

func appendAction(dst []byte, a store.Action) []byte {
	if a == store.ActionUnknown {
		return append(dst, "null"...)
	}
	return index.AppendString(dst, a.String())
}

// actor appends the author, as the caller may see it.
func (h *History) actor(dst []byte, a store.Actor) []byte {
	return h.call.Author(a).append(dst)
}

// version finds the version of a revision. If one write made several, it is the draft in
// the default locale.
func (h *History) version(text string) (*history.Version, error) {
	revision, err := strconv.ParseUint(text, 10, 64)
	if err != nil || strconv.FormatUint(revision, 10) != text {
		return nil, notFound()
	}
	var found *history.Version
	for i := range h.versions {
		v := &h.versions[i]
		if v.Since > revision || revision > v.Revision() {
			continue
		}
		if found == nil || h.before(v, found) {
			found = v
		}
	}
	if found == nil {
		return nil, notFound()
	}
	return found, nil
}

// before reports whether a is preferred to b if a request allows both.
func (h *History) before(a, b *history.Version) bool {
	standard := h.call.Site.Settings.DefaultLocale
	if a.Key.Locale != b.Key.Locale {
		return a.Key.Locale == standard || b.Key.Locale != standard && a.Key.Locale < b.Key.Locale
	}
	return a.Key.Status == store.Draft
}

// AppendVersion appends the response with the version of a document of a revision, or with
// the differences between two.
func (c *Call) AppendVersion(ctx context.Context, t *schema.Type, documentID, revision string, a Arguments, dst []byte) ([]byte, error) {
	var one, other *history.Version
	var entry, otherEntry *store.Entry
	h, err := c.openHistory(ctx, t, documentID, a, func(h *History, tx *store.Tx) (err error) {
		if one, err = h.version(revision); err != nil {
			return err
		}
		if entry, err = h.read(tx, one); err != nil {
			return err
		}
		if other, err = h.other(one); err == nil && other != nil {
			otherEntry, err = h.read(tx, other)
		}
		return err
	})
	if err != nil {
		return dst, err
	}
	view, err := h.view(entry)
	if err != nil {
		return dst, err
	}
	if other != nil {
		return h.appendDifference(one, other, view, otherEntry, dst)
	}
	dst = view.Append(append(dst, `{"data":`...))
	dst = h.describe(append(dst, `,"meta":{`...), one)
	return h.limited(append(appendNames(append(dst, `,"gone":`...), view.Gone), "}}"...))
}

// other finds the version of the same entry with which a version is to be compared; nil if
// it is not.
func (h *History) other(one *history.Version) (*history.Version, error) {
	n := h.tree.Get("diff")
	if n == nil {
		return nil, nil
	}
	if !n.IsText() {
		return nil, invalid(`"diff" must be a revision`)
	}
	same := *h
	same.versions = slices.DeleteFunc(slices.Clone(h.versions), func(o history.Version) bool { return o.Key != one.Key })
	other, err := same.version(n.Text)
	if err != nil {
		return nil, invalid(fmt.Sprintf(`"diff": there is no revision %.30q of this locale and status`, n.Text))
	}
	return other, nil
}

// limited refuses a response beyond the usual limit.
func (h *History) limited(dst []byte) ([]byte, error) {
	if most := h.call.Site.Settings.Limits.ResponseBytes; len(dst) > most {
		return dst, invalid(fmt.Sprintf("The answer would hold more than %d bytes", most))
	}
	return dst, nil
}

// appendDifference appends the paths in which two versions of an entry differ.
func (h *History) appendDifference(one, other *history.Version, view *query.View, otherEntry *store.Entry, dst []byte) ([]byte, error) {
	otherView, err := h.view(otherEntry)
	if err != nil {
		return dst, err
	}
	d := query.Compare(view, otherView)
	dst = d.Append(append(dst, `{"data":`...))
	dst = h.describe(append(dst, `,"meta":{`...), one)
	dst = append(h.describe(append(dst, `,"other":{`...), other), '}')
	dst = strconv.AppendBool(append(dst, `,"more":`...), d.More)
	return h.limited(append(dst, "}}"...))
}

func appendNames(dst []byte, names []string) []byte {
	dst = append(dst, '[')
	for i, name := range names {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = index.AppendString(dst, name)
	}
	return append(dst, ']')
}

// read returns the entry in a version.
func (h *History) read(tx *store.Tx, v *history.Version) (*store.Entry, error) {
	e, err := history.Read(tx, h.t.UID, v.Key, v.Revision(), h.call.Budget.OnTime)
	if err == nil && (e == nil || !h.call.compiler.Viewer(h.call.Caller, h.call.Snapshot()).Shows(h.t, e)) {
		err = notFound() // only what comes before it can be read, or it does not exist for the caller
	}
	return e, err
}

// view returns an entry as the caller sees it.
func (h *History) view(e *store.Entry) (*query.View, error) {
	view := h.call.compiler.Viewer(h.call.Caller, h.call.Snapshot()).View(h.t, e)
	h.held += 2 * view.Size() // the version, and its part of the response
	return view, h.call.Budget.Reserve(h.held)
}

// Restore prepares to restore the version of a revision.
func (h *History) Restore(revision string, g Change) (*Write, error) {
	c := h.call
	v, err := h.version(revision)
	if err != nil {
		return nil, err
	}
	r := content.Restoration{Locale: v.Key.Locale, Status: v.Key.Status, Revision: v.Revision()}
	r.Step = content.Step{Type: h.t, DocumentID: h.documentID, Access: c.Caller, Beside: g.Beside, Match: c.match(h.t, g.Match)}
	if r.Create, err = h.mayRestore(); err != nil {
		return nil, err
	}
	q, err := c.Compile(h.t, h.tree.WithText("locale", v.Key.Locale), query.Options{V4: c.V4, Write: true, Draft: true})
	var dropped []content.Dropped
	sent := &body.Input{Type: h.t} // empty, also for what it creates again
	return &Write{
		call: c, Type: h.t, write: content.ToRestore(r, c.Budget.OnTime, &dropped), DocumentID: h.documentID,
		query: q, known: sent.Gives, dropped: func() string { return h.dropped(dropped) },
	}, err
}

// mayRestore requires that the caller may write the draft or, if there are no drafts, the
// entry, and that it may create a deleted document.
func (h *History) mayRestore() (create bool, err error) {
	can := func(whole, draft schema.Action) bool {
		return h.call.Caller.Allows(h.t, whole) || h.t.DraftAndPublish && h.call.Caller.Allows(h.t, draft)
	}
	create = can(schema.Create, schema.CreateDraft) || h.t.Kind == schema.Single
	exists := len(h.call.Snapshot().Versions(h.t, h.documentID)) > 0
	if !can(schema.Update, schema.UpdateDraft) || !exists && !create {
		return false, forbidden()
	}
	return create, nil
}

// dropped is the meta object with the links that could not be restored, if the caller may
// know about them.
func (h *History) dropped(list []content.Dropped) string {
	dst := []byte(`{"dropped":[`)
	shown := 0
	for _, d := range list {
		if !h.mayKnow(&d) {
			continue
		}
		if shown > 0 {
			dst = append(dst, ',')
		}
		shown++
		dst = index.AppendString(append(dst, `{"path":`...), d.Path)
		dst = append(index.AppendString(append(dst, `,"documentId":`...), d.Edge.Target), '}')
	}
	return string(append(dst, "]}"...))
}

// mayKnow reports whether the caller may know about a link. Its target no longer exists,
// and may always have been a draft.
func (h *History) mayKnow(d *content.Dropped) bool {
	switch {
	case d.Private || d.Target == nil:
		return false
	case d.Attribute.Kind != schema.RelationKind:
		return true
	}
	return h.call.Caller.Allows(d.Target, schema.Find) && h.call.seesDrafts(d.Target)
}
