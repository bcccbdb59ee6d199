package people

import (
	"slices"

	"quire/auth"
	"quire/schema"
)

// covers reports whether roles allow all that another one allows, so that their accounts may
// give the other. Each of its actions on a type must be allowed by one of the roles, with no more
// limits.
func (all Roles) covers(other *Role, site *schema.Site) bool {
	theirs := &other.Rights
	switch {
	case all.Full():
		return true
	case theirs.Full, theirs.Releases && !all.any(func(r *Role) bool { return r.Rights.Releases }):
		return false
	case slices.ContainsFunc(theirs.Site, func(right string) bool { return !all.Has(Right(right)) }):
		return false
	case slices.ContainsFunc(theirs.Files, func(action string) bool {
		return !all.any(func(r *Role) bool { return slices.Contains(r.Rights.Files, action) })
	}):
		return false
	}
	for uid := range theirs.Types { // and those that the site does not have now, but may get again
		if !all.coversType(theirs, uid) {
			return false
		}
	}
	for t := range site.Served() {
		if !all.coversType(theirs, t.UID) {
			return false
		}
	}
	return all.coversType(theirs, auth.EveryType)
}

// coversType is covers for one type.
func (all Roles) coversType(theirs *auth.AdminRole, uid string) bool {
	b := theirs.On(uid)
	return !slices.ContainsFunc(b.Actions, func(action string) bool {
		return !all.any(func(r *Role) bool {
			a := r.Rights.On(uid)
			return coversAction(&a, &b, action)
		})
	})
}

// coversAction reports whether rights on a type allow an action at least as far as others do.
func coversAction(a, b *auth.TypeRights, action string) bool {
	switch {
	case !slices.Contains(a.Actions, action), !within(a.Hidden, b.Hidden), !within(a.Where, b.Where):
		return false
	case action == "read":
		return true
	case a.Own && !b.Own && action != "create":
		return false
	case a.Locales != nil && (b.Locales == nil || !within(b.Locales, a.Locales)):
		return false
	}
	return within(a.ReadOnly, slices.Concat(b.ReadOnly, b.Hidden))
}

// within reports whether others contains all of some.
func within[T comparable](some, others []T) bool {
	for _, one := range some {
		if !slices.Contains(others, one) {
			return false
		}
	}
	return true
}
