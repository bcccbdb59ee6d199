package people

import (
	"slices"

	"quire/auth"
	"quire/schema"
)

// covers reports whether a role has all rights of another one, so that its accounts may
// give the other.
func (r *Role) covers(other *Role, site *schema.Site) bool {
	mine, theirs := &r.Rights, &other.Rights
	switch {
	case mine.Full:
		return true
	case theirs.Full, theirs.Releases && !mine.Releases:
		return false
	case !within(theirs.Site, mine.Site), !within(theirs.Files, mine.Files):
		return false
	}
	for uid := range theirs.Types { // and those that the site does not have now, but may get again
		if !coversType(mine, theirs, uid) {
			return false
		}
	}
	for t := range site.Served() {
		if !coversType(mine, theirs, t.UID) {
			return false
		}
	}
	return coversType(mine, theirs, auth.EveryType)
}

// coversType is covers for one type.
func coversType(mine, theirs *auth.AdminRole, uid string) bool {
	a, b := mine.On(uid), theirs.On(uid)
	if !within(b.Actions, a.Actions) {
		return false
	}
	hides := len(b.Actions) == 0 || within(a.Hidden, b.Hidden)
	if within(b.Actions, []string{"read"}) {
		return hides
	}
	switch {
	case a.Own && !b.Own && !within(b.Actions, []string{"read", "create"}):
		return false
	case a.Locales != nil && (b.Locales == nil || !within(b.Locales, a.Locales)):
		return false
	}
	return hides && within(a.ReadOnly, slices.Concat(b.ReadOnly, b.Hidden))
}

// within reports whether others contains all of some.
func within(some, others []string) bool {
	for _, one := range some {
		if !slices.Contains(others, one) {
			return false
		}
	}
	return true
}
