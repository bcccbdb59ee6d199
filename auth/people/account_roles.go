package people

import (
	"fmt"
	"slices"
	"strings"

	"quire/auth"
	"quire/schema"
	"quire/schema/settings"
)

// mostRolesOf is the maximum number of roles of an account.
const mostRolesOf = 10

// Roles are the roles of one account, which may do what one of them allows. There is at least
// one: an account whose roles were deleted has one that allows nothing.
type Roles []*Role

// Site lists the rights of the roles about the site.
func (all Roles) Site() []Right {
	list := []Right{}
	for _, right := range []Right{Accounts, Access, Schemas, Settings, Arrange} {
		if all.Has(right) {
			list = append(list, right)
		}
	}
	return list
}

// Has reports whether one of the roles has a right about the site.
func (all Roles) Has(right Right) bool {
	return all.any(func(r *Role) bool { return r.Rights.Full || slices.Contains(r.Rights.Site, string(right)) })
}

// Full reports whether the roles allow everything.
func (all Roles) Full() bool { return all.any(func(r *Role) bool { return r.Rights.Full }) }

// Include reports whether one of the roles has one of these ids.
func (all Roles) Include(ids ...string) bool {
	return all.any(func(r *Role) bool { return slices.Contains(ids, r.ID) })
}

// NeedsFactor reports whether one of the roles needs a second factor on a site.
func (all Roles) NeedsFactor(s *settings.Admin) bool {
	return s.SecondFactor || all.Include(s.FactorRoles...) || all.any(func(r *Role) bool { return r.SecondFactor })
}

func (all Roles) any(holds func(*Role) bool) bool { return slices.ContainsFunc(all, holds) }

// Names returns the names of the roles, with commas between them.
func (all Roles) Names() string {
	names := make([]string, len(all))
	for i, r := range all {
		names[i] = r.Name
	}
	return strings.Join(names, ", ")
}

// caller returns a caller with these roles, of no account. Types and locales of a role that the
// site no longer has allow nothing; attributes stay hidden.
func (all Roles) caller(site *schema.Site) *auth.Caller {
	return all.callerWith(func(r *Role) auth.AdminRole { return fitting(r.Rights, site) }, func(rights ...*auth.AdminRole) (*auth.Caller, error) {
		return auth.NewAdminCaller(site, "", all.Names(), rights...)
	})
}

// of returns the roles as they are for an account with these values.
func (all Roles) of(values auth.AccountValues) Roles {
	if !all.any(func(r *Role) bool { return r.Rights.NamesValues() }) {
		return all
	}
	own := make(Roles, len(all))
	for i, r := range all {
		one := *r
		one.Rights = r.Rights.For(values)
		own[i] = &one
	}
	return own
}

// callerWith makes a caller with the rights of the roles, without those that are not valid.
func (all Roles) callerWith(of func(*Role) auth.AdminRole, newCaller func(...*auth.AdminRole) (*auth.Caller, error)) *auth.Caller {
	var rights []*auth.AdminRole
	for _, r := range all {
		one := of(r)
		rights = append(rights, &one)
	}
	c, err := newCaller(rights...)
	if err != nil {
		c, _ = newCaller(slices.DeleteFunc(rights, func(one *auth.AdminRole) bool { _, err := newCaller(one); return err != nil })...)
	}
	return c
}

// roles returns the ids of the roles of an account; none if it has lost its role.
func (r *record) roles() []string {
	if r.Role == "" {
		return nil
	}
	return append([]string{r.Role}, r.Others...)
}

// setRoles gives an account other roles. That of owners comes first, because former versions of
// the program read only one.
func (r *record) setRoles(ids []string) {
	if i := slices.Index(ids, owner); i > 0 {
		ids = append([]string{owner}, slices.Delete(slices.Clone(ids), i, i+1)...)
	}
	if r.Role, r.Others = "", nil; len(ids) > 0 {
		r.Role, r.Others = ids[0], ids[1:]
	}
}

// isOwner reports whether an account is an owner.
func (r *record) isOwner() bool { return slices.Contains(r.roles(), owner) }

// chosenRoles returns the roles that a form gives an account: role alone means one role. It
// returns nil if the form has neither. The error is a *FieldError.
func chosenRoles(role *string, roles *[]string) ([]string, error) {
	switch {
	case roles == nil && role == nil:
		return nil, nil
	case roles == nil && *role == "":
		return nil, &FieldError{"role", errNoRole}
	case roles == nil:
		return []string{*role}, nil
	case len(*roles) == 0 || len(*roles) > mostRolesOf:
		return nil, &FieldError{"roles", fmt.Sprintf("An account has between 1 and %d roles", mostRolesOf)}
	case role != nil && !slices.Contains(*roles, *role):
		return nil, &FieldError{"role", "This is one of the roles; leave it out, or name one of them"}
	}
	for i, id := range *roles {
		if id == "" {
			return nil, &FieldError{"roles", errNoRole}
		}
		if slices.Contains((*roles)[:i], id) {
			return nil, &FieldError{"roles", fmt.Sprintf("The role %.100q is there twice", id)}
		}
	}
	return *roles, nil
}

const errNoRole = "There is no such role"

// idsOf joins the ids of roles, for the audit log.
func idsOf(ids []string) string { return strings.Join(ids, " ") }
