package server

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"quire/auth"
	"quire/content"
	"quire/content/body"
	"quire/event"
	"quire/history"
	"quire/index"
	"quire/query"
	"quire/query/params"
	"quire/schema"
	"quire/store"
)

// The history shows former versions with the current schema, to callers with readHistory:
// versions of drafts only to callers who may read drafts, and of each version what a read
// of the type would show.

// historyRoutes are the routes of the former versions of a type. path leads to a document.
func historyRoutes(t *schema.Type, path string) []Route {
	h := &contentType{t}
	p := auth.Permission{UID: t.UID, Action: schema.ReadHistory}
	return []Route{
		{Method: http.MethodGet, Path: path + "/history", Permission: p, handler: h.listHistory},
		{Method: http.MethodGet, Path: path + "/history/:revision", Permission: p, handler: h.findVersion},
		{Method: http.MethodPost, Path: path + "/history/:revision/restore", Permission: p, versioned: true, handler: preparation(h.restore).handle},
	}
}

// past is a request for former versions of a document. It reads the history in a slot of
// heavy queries, because a version is computed from all later ones.
type past struct {
	*exchange
	t          *schema.Type
	params     *params.Node
	page       query.Page // of the versions, if it is a list
	documentID string
	versions   []history.Version // visible to the caller, newest first
	held       int               // bytes of memory for views and the response
}

// openPast finds the versions of the document that the caller may see. If there are none,
// the document looks like one that never existed.
func (c *contentType) openPast(x *exchange) (p *past, err error) {
	p = &past{exchange: x, t: c.t}
	if p.params, err = x.query(); err != nil {
		return nil, err
	}
	if p.page, err = query.ReadPage(p.params, &x.edition.site.Settings); err != nil {
		return nil, err
	}
	locale, status, err := p.only()
	if err != nil {
		return nil, err
	}
	x.startClock()
	if err := x.share.TakeSlots(x.request.Context(), x.edition.slots, 1); err != nil {
		return nil, err
	}
	defer x.share.ReturnSlots()
	err = x.edition.db.View(func(tx *store.Tx) (err error) {
		s := x.edition.index.Snapshot()
		if p.documentID, err = c.pastDocument(x, tx, s); err == nil {
			p.versions, err = history.Versions(tx, c.t.UID, p.documentID, s.Versions(c.t, p.documentID))
		}
		return err
	})
	p.versions = slices.DeleteFunc(p.versions, func(v history.Version) bool {
		return !p.shows(v.Key) || locale != "" && v.Key.Locale != locale || status != 0 && v.Key.Status != status
	})
	if err == nil && len(p.versions) == 0 {
		err = notFound()
	}
	slices.SortStableFunc(p.versions, newestFirst)
	return p, err
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

// shows reports whether the caller may see versions of an entry.
func (p *past) shows(k store.Key) bool {
	if !p.t.TakesLocale(k.Locale) {
		return false // it is from a time when localization was switched differently
	}
	if k.Status == store.Draft {
		return p.t.DraftAndPublish && p.seesDrafts(p.t)
	}
	return true
}

// pastDocument returns the document of the request. A single type has one document at a
// time: the current one, or else the last one.
func (c *contentType) pastDocument(x *exchange, tx *store.Tx, s *index.Snapshot) (string, error) {
	if c.t.Kind != schema.Single {
		return x.params.ByName("documentId"), nil
	}
	if documentID, ok := s.SingleDocument(c.t); ok {
		return documentID, nil
	}
	return history.LastDocument(tx, c.t.UID)
}

// only reads locale and status, which limit the versions; without them, there is no limit.
func (p *past) only() (locale string, status store.Status, err error) {
	switch n := p.params.Get("locale"); {
	case n == nil || n.IsNull() || !p.t.Localized || n.IsText() && n.Text == content.AllLocales:
	case n.IsText() && p.edition.site.Settings.HasLocale(n.Text):
		locale = n.Text
	default:
		return "", 0, invalid(`"locale" must be a locale of the site, or *`)
	}
	switch n := p.params.Get("status"); {
	case n == nil || n.IsNull():
	case n.IsText() && n.Text == "draft":
		status = store.Draft
	case n.IsText() && n.Text == "published":
		status = store.Published
	default:
		return "", 0, invalid(`"status" must be draft or published`)
	}
	if status == store.Draft && !p.seesDrafts(p.t) {
		return "", 0, forbidden()
	}
	return locale, status, nil
}

// listHistory responds with the versions of a document, newest first.
func (c *contentType) listHistory(x *exchange) error {
	p, err := c.openPast(x)
	if err != nil {
		return err
	}
	dst := append(x.scratch(), `{"data":[`...)
	start, end := p.page.Range(len(p.versions))
	for i, v := range p.versions[start:end] {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(p.describe(append(dst, '{'), &v), '}')
	}
	dst = append(dst, `],"meta":{"pagination":`...)
	dst = append(p.page.Append(dst, len(p.versions)), `,"createdBy":`...)
	x.buffer = append(p.actor(dst, p.versions[0].Stamp.CreatedBy), "}}"...)
	x.json(http.StatusOK, x.buffer)
	return nil
}

// describe appends the members that identify a version.
func (p *past) describe(dst []byte, v *history.Version) []byte {
	dst = strconv.AppendUint(append(dst, `"revision":`...), v.Revision(), 10)
	dst = index.AppendTime(append(dst, `,"at":`...), v.At)
	dst = appendAction(append(dst, `,"action":`...), v.Stamp.Action)
	dst = p.actor(append(dst, `,"actor":`...), v.Stamp.UpdatedBy)
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
		dst = append(p.actor(append(dst, `,"actor":`...), v.End.By), '}')
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
func (p *past) actor(dst []byte, a store.Actor) []byte {
	return p.edition.appendActor(dst, p.caller, a)
}

// names reports whether a caller who may see what an author has written may also see the
// name, and not only the kind. Callers who may find users see the names of users. Callers
// of full access and accounts of the admin see all names.
func (e *edition) names(c *auth.Caller, a store.Actor) bool {
	if a.Kind() == store.ByUser {
		return c.Allows(e.site.Type(schema.UserUID), schema.Find)
	}
	return c.Full() || c.IsAdmin()
}

// appendActor appends the author. Everybody sees the kind; see names.
func (e *edition) appendActor(dst []byte, c *auth.Caller, a store.Actor) []byte {
	if a == "" {
		return append(dst, "null"...)
	}
	dst = index.AppendString(append(dst, `{"kind":`...), a.Kind())
	if !e.names(c, a) || a.ID() == "" {
		return append(dst, '}')
	}
	dst = index.AppendString(append(dst, `,"id":`...), a.ID())
	name := a.ID()
	if a.Kind() == store.ByAdmin && e.adminName != nil {
		name = cmp.Or(e.adminName(name), name)
	}
	if a.Kind() == store.ByUser {
		users := e.site.Type(schema.UserUID)
		user, ok := e.index.Snapshot().Lookup(users, store.Published).ByDocument(a.ID(), "")
		if !ok || !c.Sight(users).Sees(users.Attribute("username")) {
			return append(dst, '}')
		}
		name = user.Text("username")
	}
	return append(index.AppendString(append(dst, `,"name":`...), name), '}')
}

// version finds the version in the path. If one write made several, it is the draft in the
// default locale.
func (p *past) version(text string) (*history.Version, error) {
	revision, err := strconv.ParseUint(text, 10, 64)
	if err != nil || strconv.FormatUint(revision, 10) != text {
		return nil, notFound()
	}
	var found *history.Version
	for i := range p.versions {
		v := &p.versions[i]
		if v.Since > revision || revision > v.Revision() {
			continue
		}
		if found == nil || p.before(v, found) {
			found = v
		}
	}
	if found == nil {
		return nil, notFound()
	}
	return found, nil
}

// before reports whether a is preferred to b if a request allows both.
func (p *past) before(a, b *history.Version) bool {
	standard := p.edition.site.Settings.DefaultLocale
	if a.Key.Locale != b.Key.Locale {
		return a.Key.Locale == standard || b.Key.Locale != standard && a.Key.Locale < b.Key.Locale
	}
	return a.Key.Status == store.Draft
}

// findVersion responds with one version of a document, or with the differences between two.
func (c *contentType) findVersion(x *exchange) error {
	p, err := c.openPast(x)
	if err != nil {
		return err
	}
	v, err := p.version(x.params.ByName("revision"))
	if err != nil {
		return err
	}
	if n := p.params.Get("diff"); n != nil {
		return p.compare(v, n)
	}
	view, err := p.view(v)
	if err != nil {
		return err
	}
	dst := view.Append(append(x.scratch(), `{"data":`...))
	dst = p.describe(append(dst, `,"meta":{`...), v)
	return p.answer(append(appendNames(append(dst, `,"gone":`...), view.Gone), "}}"...))
}

// answer sends a response within the usual limit.
func (p *past) answer(dst []byte) error {
	p.buffer = dst
	if most := p.edition.site.Settings.Limits.ResponseBytes; len(dst) > most {
		return invalid(fmt.Sprintf("The answer would hold more than %d bytes", most))
	}
	p.json(http.StatusOK, dst)
	return nil
}

// compare responds with the paths in which two versions of an entry differ.
func (p *past) compare(v *history.Version, n *params.Node) error {
	if !n.IsText() {
		return invalid(`"diff" must be a revision`)
	}
	key := v.Key
	same := *p
	same.versions = slices.DeleteFunc(slices.Clone(p.versions), func(o history.Version) bool { return o.Key != key })
	other, err := same.version(n.Text)
	if err != nil {
		return invalid(fmt.Sprintf(`"diff": there is no revision %.30q of this locale and status`, n.Text))
	}
	one, err := p.view(v)
	if err != nil {
		return err
	}
	two, err := p.view(other)
	if err != nil {
		return err
	}
	d := query.Compare(one, two)
	dst := d.Append(append(p.scratch(), `{"data":`...))
	dst = p.describe(append(dst, `,"meta":{`...), v)
	dst = append(p.describe(append(dst, `,"other":{`...), other), '}')
	dst = strconv.AppendBool(append(dst, `,"more":`...), d.More)
	return p.answer(append(dst, "}}"...))
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

// view reads a version as the caller sees it.
func (p *past) view(v *history.Version) (*query.View, error) {
	if err := p.share.TakeSlots(p.request.Context(), p.edition.slots, 1); err != nil {
		return nil, err
	}
	defer p.share.ReturnSlots()
	var e *store.Entry
	err := p.edition.db.View(func(tx *store.Tx) (err error) {
		e, err = history.Read(tx, p.t.UID, v.Key, v.Revision(), p.OnTime)
		return err
	})
	if err == nil && e == nil {
		err = notFound() // it was removed meanwhile
	}
	if err != nil {
		return nil, err
	}
	view := p.edition.compiler.Viewer(p.caller, p.edition.index.Snapshot()).View(p.t, e)
	p.held += 2 * view.Size() // the version, and its part of the response
	return view, p.Hold(p.held)
}

// restore prepares to restore a version of the document.
func (c *contentType) restore(x *exchange) (*writing, error) {
	p, err := c.openPast(x)
	if err != nil {
		return nil, err
	}
	v, err := p.version(x.params.ByName("revision"))
	if err != nil {
		return nil, err
	}
	r := content.Restoration{Locale: v.Key.Locale, Status: v.Key.Status, Revision: v.Revision()}
	r.Step = content.Step{Type: c.t, DocumentID: p.documentID, Access: x.caller, Beside: x.beside()}
	if r.Create, err = p.mayRestore(); err != nil {
		return nil, err
	}
	if r.Match, err = x.match(c.t); err != nil {
		return nil, err
	}
	if _, err := readWhen(x, false); err != nil {
		return nil, err
	}
	q, err := x.compile(c.t, p.params.WithText("locale", v.Key.Locale), query.Options{V4: x.v4(), Write: true, Draft: true})
	var dropped []content.Dropped
	sent := &body.Input{Type: c.t} // empty, also for what it creates again
	return &writing{
		t: c.t, write: content.ToRestore(r, x.OnTime, &dropped), documentID: p.documentID, status: http.StatusOK,
		query: q, known: sent.Gives, meta: func() string { return p.dropped(dropped) },
	}, err
}

// mayRestore requires that the caller may write the draft or, if there are no drafts, the
// entry, and that it may create a deleted document.
func (p *past) mayRestore() (create bool, err error) {
	can := func(whole, draft schema.Action) bool {
		return p.caller.Allows(p.t, whole) || p.t.DraftAndPublish && p.caller.Allows(p.t, draft)
	}
	create = can(schema.Create, schema.CreateDraft) || p.t.Kind == schema.Single
	exists := len(p.edition.index.Snapshot().Versions(p.t, p.documentID)) > 0
	if !can(schema.Update, schema.UpdateDraft) || !exists && !create {
		return false, forbidden()
	}
	return create, nil
}

// dropped is the meta object with the links that could not be restored, if the caller may
// know about them.
func (p *past) dropped(list []content.Dropped) string {
	dst := []byte(`{"dropped":[`)
	shown := 0
	for _, d := range list {
		if !p.mayKnow(&d) {
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
func (p *past) mayKnow(d *content.Dropped) bool {
	switch {
	case d.Private || d.Target == nil:
		return false
	case d.Attribute.Kind != schema.RelationKind:
		return true
	}
	return p.caller.Allows(d.Target, schema.Find) && p.seesDrafts(d.Target)
}

// explainHistory is for versions that can no longer be read.
func explainHistory(err error) *problem {
	var unreadable *history.UnreadableError
	var gone *event.GoneError
	switch {
	case errors.As(err, &unreadable):
		return &problem{http.StatusGone, "GoneError", "This version can no longer be read", none{}}
	case errors.As(err, &gone):
		return &problem{http.StatusGone, "GoneError", "The changes since this revision are not known any more; read the content anew, and go on from now", none{}}
	}
	return nil
}
