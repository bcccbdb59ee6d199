package people

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"quire/auth"
	"quire/schema"
	"quire/schema/settings"
)

const rolesBucket = "admin.roles"

// Role says what its accounts may do. It is immutable.
type Role struct {
	ID, Name string
	BuiltIn  bool
	Rights   auth.AdminRole

	SecondFactor bool // its accounts need one; site.json sets this for built-in roles
}

// Right is a right about the site as a whole.
type Right string

// The rights about the site as a whole.
const (
	Accounts Right = "accounts" // change accounts and roles
	Access   Right = "access"   // change users, roles and tokens of the site
	Schemas  Right = "schemas"  // change the types of the site
	Settings Right = "settings" // run the site: settings, status, backups, audit log
	Arrange  Right = "arrange"  // arrange forms and lists, and share views
)

// owner is the built-in role of the first account. There is always an account with it.
const owner = "owner"

// builtIn are the roles that every site has, with the most rights first.
var builtIn = sync.OnceValue(func() (list []*Role) {
	rights := auth.BuiltInAdminRoles()
	for _, id := range settings.AdminRoleIDs {
		list = append(list, &Role{ID: id, Name: strings.ToUpper(id[:1]) + id[1:], BuiltIn: true, Rights: rights[id]})
	}
	return list
})

// nobody is the role of accounts with a deleted role: nothing is allowed.
var nobody = &Role{Name: "none"}

// roleRecord is the stored form of a role of the site's own. Its key is the id.
type roleRecord struct {
	Name   string         `json:"name"`
	Rights auth.AdminRole `json:"rights"`
	Second bool           `json:"secondFactor,omitempty"`
}

func readRole(id string, value []byte) (*Role, error) {
	r := new(roleRecord)
	if err := json.Unmarshal(value, r); err != nil {
		return nil, err
	}
	return &Role{ID: id, Name: r.Name, Rights: r.Rights, SecondFactor: r.Second}, nil
}

// fitting returns the rights that are valid on a site, which may have lost a type or a
// locale since they were given.
func fitting(r auth.AdminRole, site *schema.Site) auth.AdminRole {
	r.Types = maps.Clone(r.Types)
	for uid, rights := range r.Types {
		if uid != auth.EveryType && auth.NamedType(site, uid) == nil {
			delete(r.Types, uid)
			continue
		}
		if rights.Locales != nil { // an empty list allows no change, and nil allows all
			rights.Locales = slices.DeleteFunc(append([]string{}, rights.Locales...), func(code string) bool { return !site.Settings.HasLocale(code) })
		}
		r.Types[uid] = rights
	}
	return r
}
