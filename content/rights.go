package content

import (
	"context"
	"fmt"
	"slices"

	"quire/content/body"
	"quire/index"
	"quire/schema"
	"quire/schema/settings"
	"quire/store"
)

// What a caller may change is checked while the write is planned, against the content after
// the writes before it. Callers of the content API may change whatever their permissions
// allow. Callers with a Sight or a Reach may change only a part. Consequences of
// publishing, such as published links, are part of the action and not checked.

// accessKey is the key of the caller's rights in a context.
type accessKey struct{}

// For returns a context whose writes change only what the caller may change.
func For(ctx context.Context, access schema.Access) context.Context {
	return context.WithValue(ctx, accessKey{}, access)
}

// Owned returns a context whose writes have the rights of the site's owner, whatever those of
// the caller are.
func Owned(ctx context.Context) context.Context {
	return While(For(ctx, nil), func() error { return nil })
}

func accessOf(ctx context.Context) schema.Access {
	access, _ := ctx.Value(accessKey{}).(schema.Access)
	return access
}

// ForbiddenError refuses a write of something that its caller may not change.
type ForbiddenError struct {
	Message string
	Path    string // of the attribute, "seo.title"; empty if none caused it
	Locale  string // empty if no locale caused it
}

func (e *ForbiddenError) Error() string { return e.Message }

// sight returns what the caller may see and set in entries of a type.
func (op *operation) sight(t *schema.Type) *schema.Sight {
	if op.access == nil {
		return nil
	}
	return op.access.Sight(t)
}

// reach returns which documents of a type the caller may change; nil for all.
func (op *operation) reach(t *schema.Type) *schema.Reach {
	if op.access == nil {
		return nil
	}
	return op.access.Reach(t)
}

// acting is what a write does with the document that it is about. Other documents are only
// changed by links, which is an update.
type acting struct {
	t          *schema.Type
	documentID string
	locale     string // of a save
	actions    []schema.Action

	creator store.Actor // of the document before the write; the caller if it is new
	known   bool        // whether creator is set
}

// isAbout reports whether the write is about a document.
func (a *acting) isAbout(t *schema.Type, documentID string) bool {
	return a.t == t && a.documentID == documentID
}

// act says what the write does with the document that it is about.
func (op *operation) act(t *schema.Type, documentID, locale string, actions ...schema.Action) {
	op.acting = acting{t: t, documentID: documentID, locale: locale, actions: actions}
}

// actionsOn returns what the write does with a document.
func (op *operation) actionsOn(t *schema.Type, documentID string) []schema.Action {
	if op.acting.isAbout(t, documentID) {
		return op.acting.actions
	}
	return []schema.Action{schema.Update}
}

// mayChange refuses the write of a document, in one locale or in AllLocales, that the
// caller may not change. A new document belongs to the caller.
func (op *operation) mayChange(t *schema.Type, documentID, locale string) (err error) {
	if about := &op.acting; (op.reach(t) != nil || op.filter(t) != nil) && about.isAbout(t, documentID) && !about.known {
		if err = op.find(t, documentID); err != nil {
			return err
		}
		if about.creator, err = op.creator(t, documentID); err != nil {
			return err
		}
		about.known = true
	}
	return op.may(t, documentID, locale, op.actionsOn(t, documentID)...)
}

// may refuses actions on a document, in one locale or in AllLocales, that the caller may not do.
func (op *operation) may(t *schema.Type, documentID, locale string, actions ...schema.Action) error {
	if err := op.mayAs(t, locale, func() (store.Actor, error) { return op.creator(t, documentID) }, actions...); err != nil {
		return err
	}
	r := op.reach(t)
	for _, action := range actions {
		if r == nil {
			break
		}
		ways, err := op.waysWithin(t, r, action, documentID, locale)
		if err != nil {
			return err
		}
		if len(ways) == 0 {
			return op.outside(t)
		}
	}
	return nil
}

// mayAs is may for a document with that creator, whatever its values.
func (op *operation) mayAs(t *schema.Type, locale string, creator func() (store.Actor, error), actions ...schema.Action) error {
	r := op.reach(t)
	if r == nil {
		return nil
	}
	for _, action := range actions {
		if err := op.mayIn(t, locale, r.For(action)); err != nil {
			return err
		}
		ways, err := op.waysTo(r, action, creator)
		switch {
		case err != nil:
			return err
		case len(ways) == 0:
			return &ForbiddenError{Message: "You may change only documents that you have created"}
		}
		if err := op.mayIn(t, locale, ways); err != nil {
			return err
		}
	}
	return nil
}

// waysTo returns the ways in which the caller may do an action with a document.
func (op *operation) waysTo(r *schema.Reach, action schema.Action, creator func() (store.Actor, error)) ([]schema.RoleReach, error) {
	ways := r.For(action)
	own := func(w schema.RoleReach) bool { return w.Own }
	if !slices.ContainsFunc(ways, own) {
		return ways, nil
	}
	by, err := creator()
	if err != nil || op.owns(by) {
		return ways, err
	}
	return slices.DeleteFunc(ways, own), nil
}

// waysWithin is waysTo without the ways whose conditions no version of the document in the locale
// meets.
func (op *operation) waysWithin(t *schema.Type, r *schema.Reach, action schema.Action, documentID, locale string) ([]schema.RoleReach, error) {
	ways, err := op.waysTo(r, action, func() (store.Actor, error) { return op.creator(t, documentID) })
	var within []schema.RoleReach
	for _, w := range ways {
		meets := len(w.Where) == 0
		if !meets && err == nil {
			meets, err = op.some(t, documentID, locale, func(fields store.Fields) bool { return index.MeetsAll(w.Where, t, fields) })
		}
		if meets {
			within = append(within, w)
		}
	}
	return within, err
}

// owns reports whether what somebody has created is the caller's own: by the account itself or
// one of its assistants.
func (op *operation) owns(creator store.Actor) bool {
	account := op.actor.Account()
	return creator == op.actor && creator != "" || account != "" && account == creator.Account()
}

// sightOn returns what the caller sees and may set of a document in a locale, for what the write
// does with it.
func (op *operation) sightOn(t *schema.Type, documentID, locale string) (*schema.Sight, error) {
	r := op.reach(t)
	if r == nil || len(r.Ways) == 0 {
		return op.sight(t), nil
	}
	ways, err := op.waysWithin(t, r, op.actionsOn(t, documentID)[0], documentID, locale)
	if err != nil {
		return nil, err
	}
	return r.Sight(slices.DeleteFunc(slices.Clone(ways), func(w schema.RoleReach) bool {
		return t.Localized && w.Locales != nil && !slices.Contains(w.Locales, locale)
	})), nil
}

// mayRemove refuses to remove a version that is published, for a caller who may not change
// what is.
func (op *operation) mayRemove(t *schema.Type, k store.Key) error {
	if r := op.reach(t); r != nil && r.KeepsPublished && k.Status == store.Published {
		return &ForbiddenError{Message: "You may delete only documents that are not published"}
	}
	return nil
}

// mayIn refuses the write of a locale, or of AllLocales, in which none of the ways leads.
func (op *operation) mayIn(t *schema.Type, locale string, ways []schema.RoleReach) error {
	closed := func(code string) bool {
		return !slices.ContainsFunc(ways, func(w schema.RoleReach) bool { return w.Locales == nil || slices.Contains(w.Locales, code) })
	}
	limited := t.Localized && slices.ContainsFunc(op.site.Settings.Locales, func(l settings.Locale) bool { return closed(l.Code) })
	switch {
	case !limited || len(ways) == 0:
		return nil
	case locale == AllLocales:
		return &ForbiddenError{Message: "You may not change all locales", Locale: locale}
	case closed(locale):
		return &ForbiddenError{Message: fmt.Sprintf("You may not change the locale %q", locale), Locale: locale}
	}
	return nil
}

// limitsLocales reports whether the caller may not change a document in all locales.
func (op *operation) limitsLocales(t *schema.Type, documentID string) bool {
	r := op.reach(t)
	if r == nil || r.Locales == nil && len(r.Ways) == 0 || !t.Localized {
		return false
	}
	return op.mayChange(t, documentID, AllLocales) != nil
}

// creator returns who created a document: the creator of its oldest entry. A new document
// belongs to the caller.
func (op *operation) creator(t *schema.Type, documentID string) (store.Actor, error) {
	if op.acting.known && op.acting.isAbout(t, documentID) {
		return op.acting.creator, nil
	}
	var oldest *store.Entry
	for _, k := range op.versions(t, documentID) {
		e, err := op.entry(t, k)
		if err != nil {
			return "", err
		}
		if oldest == nil || e.CreatedAt < oldest.CreatedAt || e.CreatedAt == oldest.CreatedAt && e.ID < oldest.ID {
			oldest = e
		}
	}
	if oldest == nil || op.made[store.Name{Type: t.UID, Key: oldest.Key()}] {
		return op.actor, nil
	}
	return oldest.Stamp.CreatedBy, nil
}

// made are the entries that operations of one caller have created in the same transaction. They
// belong to the caller, whoever is recorded as their author.
type made map[store.Name]bool

func (m *made) follow(op *operation) {
	if op.author == op.actor {
		return
	}
	if *m == nil {
		*m = made{}
	}
	for _, c := range op.changes {
		if c.Before == nil && c.After != nil {
			(*m)[store.Name{Type: c.Type, Key: c.After.Key()}] = true
		}
	}
}

// mayShare refuses to copy shared values to a sibling in a locale that the caller may not
// change.
func (op *operation) mayShare(t *schema.Type, e *store.Entry, sibling store.Key) error {
	err := op.mayChange(t, e.DocumentID, sibling.Locale)
	if err == nil {
		return nil
	}
	was, stored := op.entry(t, sibling)
	if stored != nil {
		return stored
	}
	for _, a := range t.Attributes {
		if a.IsShared() && op.sight(t).Knows(a) && !e.Value(a.Name).Equal(was.Value(a.Name)) {
			return &ForbiddenError{fmt.Sprintf("%s is the same in all locales, and you may not change the locale %q", a.Name, sibling.Locale), a.Name, sibling.Locale}
		}
	}
	return err
}

// mayLink refuses to change the links of an owner from their other side, because they are
// the owner's content.
func (op *operation) mayLink(a *schema.Attribute, owner store.Key) error {
	t := a.Owner
	if op.sight(t) == nil {
		return nil
	}
	if op.filter(t) != nil {
		has, err := op.hasKey(t, owner)
		if err == nil && !has {
			err = op.outside(t)
		}
		if err != nil {
			return err
		}
	}
	sight, err := op.sightOn(t, owner.DocumentID, owner.Locale)
	if err != nil {
		return err
	}
	may := op.access.Allows(t, schema.Update) || owner.Status == store.Draft && op.access.Allows(t, schema.UpdateDraft)
	if !may || !sight.Sets(a) {
		return &ForbiddenError{Message: fmt.Sprintf("This changes links of %s %s, which you may not change", t.UID, owner.DocumentID)}
	}
	if owner.Status == store.Published && t.DraftAndPublish {
		return op.may(t, owner.DocumentID, owner.Locale, schema.Update, schema.Publish)
	}
	return op.may(t, owner.DocumentID, owner.Locale, schema.Update)
}

// mayRelink refuses to change the links of an owner if the write itself requests the
// change.
func (op *operation) mayRelink(a *schema.Attribute, owner store.Key) error {
	switch {
	case op.fixed != nil:
		return readOnly(body.At(op.fixed.Name))
	case op.asking:
		return op.mayLink(a, owner)
	}
	return nil
}

// readOnly refuses another value of an attribute that the caller may not set.
func readOnly(at body.Path) error {
	return &ForbiddenError{Message: fmt.Sprintf("You may not change %s", at), Path: at.String()}
}

// hasUnsettable reports whether a component has a value that a caller with this sight may not set,
// and that is not a default.
func (op *operation) hasUnsettable(t *schema.Type, sight *schema.Sight, fields store.Fields) bool {
	if t == nil || !sight.Limited() {
		return false
	}
	return slices.ContainsFunc(t.Attributes, func(a *schema.Attribute) bool {
		v := fields.Value(a.Name)
		if !sight.Sets(a) {
			return !v.IsEmpty() && !v.Equal(op.defaults[a])
		}
		return slices.ContainsFunc(v.Instances, func(r store.Instance) bool {
			return op.hasUnsettable(op.site.Type(r.Component), sight.Within(a), r.Fields)
		})
	})
}

// mayLose refuses to remove components with values that the caller may not set: those that
// are in before and not in after.
func (op *operation) mayLose(before, after []store.Instance, sight *schema.Sight, at string) error {
	if !sight.Limited() {
		return nil
	}
	stay := byID(after)
	for _, r := range before {
		_, stays := stay[instanceID{r.Component, r.ID}]
		if !stays && op.hasUnsettable(op.site.Type(r.Component), sight, r.Fields) {
			return &ForbiddenError{Message: fmt.Sprintf("You may not remove the component with the id %d from %s: it holds something that you may not change", r.ID, at), Path: at}
		}
	}
	return nil
}

// isOne reports whether a list holds one component of that uid.
func isOne(list []store.Instance, uid string) bool { return len(list) == 1 && list[0].Component == uid }

// stayingID returns the id under which a former component is restored. If the caller may
// not set all of a single component, it is the id of the current one.
func stayingID(a *schema.Attribute, sight *schema.Sight, now []store.Instance, then store.Instance) uint64 {
	if !a.IsList() && sight.Limited() && isOne(now, then.Component) {
		return now[0].ID
	}
	return then.ID
}

// discarded returns the fields of a published version for a draft that is discarded. What
// the caller may not change stays as it is in the draft, and with shared what all locales have.
func (op *operation) discarded(t *schema.Type, sight *schema.Sight, shared bool, now, then store.Fields, at string) (store.Fields, error) {
	fields := slices.Clone(then)
	for _, a := range t.Attributes {
		was, v := now.Value(a.Name), then.Value(a.Name)
		switch {
		case shared && !t.IsComponent() && a.IsShared() || !sight.Sets(a):
			v = was
		case sight.Within(a).Limited():
			var err error
			if v.Instances, err = op.discardedIn(a, sight.Within(a), was.Instances, v.Instances, at+a.Name); err != nil {
				return nil, err
			}
		default:
			continue
		}
		fields = fields.Set(a.Name, v)
	}
	return fields, nil
}

// discardedIn is discarded for the components in an attribute.
func (op *operation) discardedIn(a *schema.Attribute, sight *schema.Sight, now, then []store.Instance, at string) ([]store.Instance, error) {
	present := byID(now)
	list := slices.Clone(then)
	for i := range list {
		r := &list[i]
		r.ID = stayingID(a, sight, now, *r)
		here, ok := present[instanceID{r.Component, r.ID}]
		if t := op.site.Type(r.Component); ok && t != nil {
			var err error
			if r.Fields, err = op.discarded(t, sight, false, here.Fields, r.Fields, at+"."); err != nil {
				return nil, err
			}
		}
	}
	return list, op.mayLose(now, list, sight, at)
}

// MayChange returns the error that an action on a document would get if the caller of the
// context may not do it in all of the locales, which are as in a Step. It is for scheduled
// steps, which have no caller. Errors are *ForbiddenError and the store's.
func (w *Writer) MayChange(ctx context.Context, t *schema.Type, documentID string, locales []string, action schema.Action) error {
	return w.db.View(func(tx *store.Tx) error {
		op := w.planner.operation(tx, w.index().Snapshot(), w.planner.now())
		op.actor, op.access = actorOf(ctx), accessOf(ctx)
		if t.Kind == schema.Single {
			documentID, _ = op.singleDocument(t)
		}
		op.act(t, documentID, "", action)
		of, err := op.localesFor(Step{Type: t, Locales: locales}, documentID)
		if err != nil || len(op.versions(t, documentID)) > 0 {
			return err
		}
		for _, locale := range append(of, op.site.Settings.DefaultLocale)[:max(1, len(of))] { // its creator is not known yet
			if err := op.mayAs(t, locale, func() (store.Actor, error) { return "", nil }, action); err != nil {
				return err
			}
		}
		return nil
	})
}

// concealed returns an error without what is hidden from the caller.
func (op *operation) concealed(err error) error {
	wrong, ok := err.(*body.ValidationError)
	if !ok || op.about == nil || op.sight(op.about) == nil {
		return err
	}
	return body.Concealed(op.sight(op.about), wrong)
}
