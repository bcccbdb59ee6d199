package account

import (
	"quire/auth"
	"quire/schema"
)

// Role says what the accounts that have it may do. It is immutable.
type Role struct {
	ID, Name string
	Site     []Right // about the site as a whole
}

// Right is a right about the site as a whole.
type Right string

// The rights about the site as a whole.
const (
	Accounts Right = "accounts" // to change accounts and roles
	Schemas  Right = "schemas"  // to change the types of the site
	Settings Right = "settings" // to change what the site is set to
)

// builtIn are the roles that every site has, with the most rights first.
var builtIn = []*Role{
	{"owner", "Owner", []Right{Accounts, Schemas, Settings}},
	{"developer", "Developer", []Right{Schemas, Settings}},
	{"editor", "Editor", []Right{}},
	{"author", "Author", []Right{}},
	{"reader", "Reader", []Right{}},
}

// nobody is the role of accounts whose role is gone: nothing is allowed.
var nobody = &Role{Name: "none", Site: []Right{}}

// roleOf returns the role of that id.
func roleOf(id string) *Role {
	for _, r := range builtIn {
		if r.ID == id {
			return r
		}
	}
	return nobody
}

// Has reports whether the role has a right about the site.
func (r *Role) Has(right Right) bool {
	for _, own := range r.Site {
		if own == right {
			return true
		}
	}
	return false
}

// callerOf returns the caller for an account with that role.
func (r *Role) callerOf(id string, site *schema.Site) *auth.Caller {
	rights := auth.BuiltInAdminRoles()[r.ID]
	c, err := auth.NewAdminCaller(site, id, r.Name, &rights)
	if err != nil { // it names what the site does not have
		c, _ = auth.NewAdminCaller(site, id, r.Name, &auth.AdminRole{})
	}
	return c
}
