package auth

import (
	"maps"
	"slices"

	"quire/schema"
)

// The roles that every site has.
const (
	PublicRole        = "public"        // of callers that show no credential
	AuthenticatedRole = "authenticated" // of users, unless site.json says otherwise
)

// freely is what the two roles may do where nobody has said anything about the
// controller: come in, and look after the own account.
func freely(role string) []Permission {
	switch role {
	case PublicRole:
		return []Permission{SignIn, Register, ForgotPassword, ResetPassword, ConfirmEmail, SendConfirmation, Refresh}
	case AuthenticatedRole:
		return []Permission{Me, ChangePassword, Logout, Refresh}
	}
	return nil
}

// fromSite is what site.json gives a role. A controller that it names has the
// actions that it lists and no other, an empty list none at all.
func fromSite(site *schema.Site, role string) []Permission {
	said := site.Settings.Roles[role]
	var list []Permission
	for uid, actions := range said {
		for _, a := range actions {
			list = append(list, Permission{uid, a})
		}
	}
	for _, p := range freely(role) {
		if _, named := said[p.UID]; !named {
			list = append(list, p)
		}
	}
	return list
}

// SiteRoles returns what the roles that are set in the site folder may do, by
// type, and of public and authenticated what they may do without further ado.
func SiteRoles(site *schema.Site) map[string]*Caller {
	callers := map[string]*Caller{}
	for _, role := range siteRoles(site) {
		callers[role] = newRole(role, fromSite(site, role))
	}
	return callers
}

// siteRoles names the roles that a site has whatever the data file holds.
func siteRoles(site *schema.Site) []string {
	types := []string{AuthenticatedRole, PublicRole}
	for _, role := range slices.Sorted(maps.Keys(site.Settings.Roles)) {
		if !slices.Contains(types, role) {
			types = append(types, role)
		}
	}
	return types
}
