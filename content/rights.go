package content

import (
	"context"
	"fmt"
	"slices"

	"quire/content/body"
	"quire/schema"
	"quire/store"
)

// What a caller may change is checked while its write is planned, against the content as
// the writes before it leave it. Callers of the content API may change whatever their
// permissions allow; those with a Sight or a Reach only part of it. What follows from
// publishing, such as links that come with it, is part of the action and not checked.

// accessKey is where a context keeps who its writes are for.
type accessKey struct{}

// For returns a context whose writes change only what the caller may change.
func For(ctx context.Context, access schema.Access) context.Context {
	return context.WithValue(ctx, accessKey{}, access)
}

func accessOf(ctx context.Context) schema.Access {
	access, _ := ctx.Value(accessKey{}).(schema.Access)
	return access
}

// ForbiddenError refuses a write of something that its caller may not change.
type ForbiddenError struct {
	Message string
	Path    string // of the attribute, "seo.title"; empty where none is at fault
	Locale  string // empty where none is at fault
}

func (e *ForbiddenError) Error() string { return e.Message }

// sight is what the caller sees and sets of the entries of a type.
func (op *operation) sight(t *schema.Type) *schema.Sight {
	if op.access == nil {
		return nil
	}
	return op.access.Sight(t)
}

// reach is which documents of a type the caller changes; nil for all.
func (op *operation) reach(t *schema.Type) *schema.Reach {
	if op.access == nil {
		return nil
	}
	return op.access.Reach(t)
}

// mayChange refuses the write of a document, in one locale or in AllLocales, that the
// caller may not change. A document that is still to be made is nobody else's.
func (op *operation) mayChange(t *schema.Type, documentID, locale string) error {
	r := op.reach(t)
	if r == nil {
		return nil
	}
	if err := op.mayChangeLocale(t, locale); err != nil || !r.Own {
		return err
	}
	creator, err := op.creator(t, documentID)
	if err != nil {
		return err
	}
	return op.mayChangeOf(t, creator)
}

// mayChangeOf refuses the write of a document that somebody else has made.
func (op *operation) mayChangeOf(t *schema.Type, creator store.Actor) error {
	if r := op.reach(t); r == nil || !r.Own || creator == op.actor && creator != "" {
		return nil
	}
	return &ForbiddenError{Message: "You may change only documents that you have made yourself"}
}

// mayChangeLocale refuses the write of a locale, or of AllLocales.
func (op *operation) mayChangeLocale(t *schema.Type, locale string) error {
	switch {
	case !op.limitsLocales(t):
		return nil
	case locale == AllLocales:
		return &ForbiddenError{Message: "You may not change all locales", Locale: locale}
	case !slices.Contains(op.reach(t).Locales, locale):
		return &ForbiddenError{Message: fmt.Sprintf("You may not change the locale %q", locale), Locale: locale}
	}
	return nil
}

// limitsLocales reports whether there are locales of a type that the caller may not change.
func (op *operation) limitsLocales(t *schema.Type) bool {
	r := op.reach(t)
	if r == nil || r.Locales == nil || !t.Localized {
		return false
	}
	for _, l := range op.site.Settings.Locales {
		if !slices.Contains(r.Locales, l.Code) {
			return true
		}
	}
	return false
}

// creator is who made a document: its oldest entry. A document that is still to be made is
// the caller's.
func (op *operation) creator(t *schema.Type, documentID string) (store.Actor, error) {
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
	if oldest == nil {
		return op.actor, nil
	}
	return oldest.Stamp.CreatedBy, nil
}

// mayShare refuses to carry shared values to a sibling in a locale that the caller may not
// change.
func (op *operation) mayShare(t *schema.Type, e *store.Entry, sibling store.Key) error {
	err := op.mayChangeLocale(t, sibling.Locale)
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

// mayLink refuses to change the links of an owner from their other side: they are the
// owner's content.
func (op *operation) mayLink(a *schema.Attribute, owner store.Key) error {
	t, sight := a.Owner, op.sight(a.Owner)
	if sight == nil {
		return nil
	}
	may := op.access.Allows(t, schema.Update) || owner.Status == store.Draft && op.access.Allows(t, schema.UpdateDraft)
	if !may || !sight.Sets(a) {
		return &ForbiddenError{Message: fmt.Sprintf("This changes links of %s %s, which you may not change", t.UID, owner.DocumentID)}
	}
	return op.mayChange(t, owner.DocumentID, owner.Locale)
}

// mayRelink refuses to change the links of an owner where the write asks for that itself.
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

// holds reports whether a component holds something that a caller with this sight of it
// may not set, and that is not there by itself.
func (op *operation) holds(t *schema.Type, sight *schema.Sight, fields store.Fields) bool {
	if t == nil || !sight.Limited() {
		return false
	}
	return slices.ContainsFunc(t.Attributes, func(a *schema.Attribute) bool {
		v := fields.Value(a.Name)
		if !sight.Sets(a) {
			return !v.IsEmpty() && !v.Equal(op.defaults[a])
		}
		return slices.ContainsFunc(v.Instances, func(r store.Instance) bool {
			return op.holds(op.site.Type(r.Component), sight.Within(a), r.Fields)
		})
	})
}

// mayLose refuses to take components away that hold what the caller may not set: those
// that were before, and are not among those after.
func (op *operation) mayLose(before, after []store.Instance, sight *schema.Sight, at string) error {
	if !sight.Limited() {
		return nil
	}
	stay := byID(after)
	for _, r := range before {
		_, stays := stay[instanceID{r.Component, r.ID}]
		if !stays && op.holds(op.site.Type(r.Component), sight, r.Fields) {
			return &ForbiddenError{Message: fmt.Sprintf("You may not remove the component with the id %d from %s: it holds something that you may not change", r.ID, at), Path: at}
		}
	}
	return nil
}

// isOne reports whether a list holds one component of that uid.
func isOne(list []store.Instance, uid string) bool { return len(list) == 1 && list[0].Component == uid }

// stayingID is the id under which a former component comes back: where the caller may not
// set all of a single one, that of the one that is there now.
func stayingID(a *schema.Attribute, sight *schema.Sight, now []store.Instance, then store.Instance) uint64 {
	if !a.IsList() && sight.Limited() && isOne(now, then.Component) {
		return now[0].ID
	}
	return then.ID
}

// discarded is the fields of a published version for the draft that goes back to it: what
// the caller may not change stays as it is in the draft.
func (op *operation) discarded(t *schema.Type, sight *schema.Sight, now, then store.Fields, at string) (store.Fields, error) {
	fields := slices.Clone(then)
	for _, a := range t.Attributes {
		was, v := now.Value(a.Name), then.Value(a.Name)
		switch shared := !t.IsComponent() && a.IsShared() && op.limitsLocales(t); {
		case shared || !sight.Sets(a):
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
			if r.Fields, err = op.discarded(t, sight, here.Fields, r.Fields, at+"."); err != nil {
				return nil, err
			}
		}
	}
	return list, op.mayLose(now, list, sight, at)
}

// MayChange refuses what a Step for a document would be refused for: that its context is
// for a caller who may not change the document in all of the locales, which are as in a
// Step. It is for what is to be done later, when there is no caller. Errors are
// *ForbiddenError and the store's.
func (w *Writer) MayChange(ctx context.Context, t *schema.Type, documentID string, locales []string) error {
	return w.db.View(func(tx *store.Tx) error {
		op := w.planner.operation(tx, w.index().Snapshot(), w.planner.now())
		op.actor, op.access = actorOf(ctx), accessOf(ctx)
		if t.Kind == schema.Single {
			documentID, _ = op.singleDocument(t)
		}
		if len(op.versions(t, documentID)) == 0 { // whoever makes it is not known yet
			if err := op.mayChangeOf(t, ""); err != nil {
				return err
			}
		}
		_, err := op.localesFor(Step{Type: t, Locales: locales}, documentID)
		return err
	})
}

// concealed is an error without what is hidden from the caller.
func (op *operation) concealed(err error) error {
	wrong, ok := err.(*body.ValidationError)
	if !ok || op.about == nil || op.sight(op.about) == nil {
		return err
	}
	return body.Concealed(op.sight(op.about), wrong)
}
