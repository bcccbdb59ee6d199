package people

import (
	"fmt"
	"slices"

	"quire/auth"
	"quire/schema"
)

// Limits say which part of the rights of its owner an assistant has.
type Limits struct {
	// Types are the uids of the content types that it may work on; empty for all that its
	// owner may. Users of the site have to be named, and are only read.
	Types []string `json:"types,omitempty"`

	// Publish says whether it may change what is published: publish, unpublish, plan that,
	// write published versions, and write documents of types without drafts. Delete says
	// whether it may delete documents; those that are published only if Publish allows it.
	Publish Allowed `json:"publish"`
	Delete  Allowed `json:"delete"`

	// Most is how many documents it may change at once before a person has to approve it; 0
	// for any number.
	Most int `json:"most,omitempty"`

	Files    bool `json:"files,omitempty"`    // it may upload and describe files, which have no drafts
	ReadOnly bool `json:"readOnly,omitempty"` // it may change nothing
}

// Allowed says whether an assistant may do something: not at all, after a person has
// approved it, or by itself.
type Allowed string

// The values of Allowed.
const (
	No  Allowed = "no"
	Ask Allowed = "ask"
	Yes Allowed = "yes"
)

// mostAtOnce is the largest value of Limits.Most.
const mostAtOnce = 100_000

// check checks limits on a site, and sets what was left out. The error is a *FieldError.
func (l *Limits) check(site *schema.Site) error {
	for _, one := range []struct {
		key   string
		value *Allowed
	}{{"limits.publish", &l.Publish}, {"limits.delete", &l.Delete}} {
		switch *one.value {
		case "":
			*one.value = No
		case No, Ask, Yes:
		default:
			return &FieldError{one.key, `This is "no", "ask" or "yes"`}
		}
	}
	if l.Most < 0 || l.Most > mostAtOnce {
		return &FieldError{"limits.most", fmt.Sprintf("This is a number between 0 and %d", mostAtOnce)}
	}
	slices.Sort(l.Types)
	l.Types = slices.Compact(l.Types)
	for _, uid := range l.Types {
		if auth.NamedType(site, uid) == nil {
			return &FieldError{"limits.types", fmt.Sprintf("The site has no content type %.100q", uid)}
		}
	}
	return nil
}

// Caller returns the caller of an assistant whose owner has these roles: what one of the roles
// and the limits both allow, and nothing about accounts, access, schemas and settings.
func (l *Limits) Caller(site *schema.Site, id string, roles ...*Role) *auth.Caller {
	return Roles(roles).callerWith(func(r *Role) auth.AdminRole { return l.within(site, fitting(r.Rights, site)) }, func(rights ...*auth.AdminRole) (*auth.Caller, error) {
		return auth.NewAssistantCaller(site, id, Roles(roles).Names(), l.Publish != Yes, rights...)
	})
}

// within returns the part of a role that the limits allow.
func (l *Limits) within(site *schema.Site, role auth.AdminRole) auth.AdminRole {
	if role.Full {
		role = everything()
	}
	part := auth.AdminRole{
		Types: map[string]auth.TypeRights{}, Releases: role.Releases && l.Publish == Yes && !l.ReadOnly,
		Files: slices.DeleteFunc(slices.Clone(role.Files), func(action string) bool { return !l.allowsFiles(action) }),
	}
	for t := range site.Served() {
		if len(l.Types) == 0 || slices.Contains(l.Types, t.UID) {
			r := role.On(t.UID)
			r.Actions = slices.DeleteFunc(slices.Clone(r.Actions), func(action string) bool { return !l.allows(t, action) })
			part.Types[t.UID] = r
		}
	}
	if slices.Contains(l.Types, schema.UserUID) {
		users := role.On(schema.UserUID)
		users.Actions = slices.DeleteFunc(slices.Clone(users.Actions), func(action string) bool { return action != "read" })
		part.Types[schema.UserUID] = users
	}
	return part
}

// everything returns the rights of an owner on the content, one by one.
func everything() auth.AdminRole {
	all := auth.BuiltInAdminRoles()["developer"]
	all.Types[schema.UserUID] = auth.TypeRights{Actions: []string{"read"}}
	return all
}

// allows reports whether the limits allow an action of a role on a type.
func (l *Limits) allows(t *schema.Type, action string) bool {
	switch {
	case action == "read":
		return true
	case l.ReadOnly, !t.DraftAndPublish && l.Publish != Yes:
		return false
	case action == "create", action == "update":
		return true
	case action == "delete":
		return l.Delete == Yes
	}
	return l.Publish == Yes
}

// allowsFiles reports whether the limits allow an action of a role on files.
func (l *Limits) allowsFiles(action string) bool {
	switch action {
	case "read":
		return true
	case "upload":
		return l.Files && !l.ReadOnly
	}
	return l.Files && !l.ReadOnly && l.Delete == Yes && l.Publish == Yes
}
