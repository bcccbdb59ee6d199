package auth

import (
	"maps"
	"slices"

	"quire/schema"
)

// The roles that every site has.
const (
	PublicRole        = "public"        // of callers without a credential
	AuthenticatedRole = "authenticated" // of users, unless site.json says otherwise
)

// DefaultPermissions returns what public and authenticated may do on controllers that
// neither site.json nor an editor has configured: sign in, and manage one's own account.
func DefaultPermissions(role string) []Permission {
	switch role {
	case PublicRole:
		return []Permission{SignIn, Connect, Register, ForgotPassword, ResetPassword, ConfirmEmail, SendConfirmation, Refresh}
	case AuthenticatedRole:
		return []Permission{Me, ChangePassword, Logout, Refresh}
	}
	return nil
}

// sitePermissions returns what site.json grants a role. For a controller that site.json
// names, exactly the listed actions are granted, for an empty list none.
func sitePermissions(site *schema.Site, role string) []Permission {
	listed := site.Settings.Roles[role]
	var list []Permission
	for uid, actions := range listed {
		for _, a := range actions {
			list = append(list, Permission{uid, schema.Action(a)})
		}
	}
	for _, p := range DefaultPermissions(role) {
		if _, named := listed[p.UID]; !named {
			list = append(list, p)
		}
	}
	return list
}

// ListedRoles returns what the roles that site.json names may do, by type: the full names
// of permissions, in order.
func ListedRoles(site *schema.Site) map[string][]string {
	roles := map[string][]string{}
	for role := range site.Settings.Roles {
		names := []string{}
		for _, p := range sitePermissions(site, role) {
			names = append(names, p.String())
		}
		slices.Sort(names)
		roles[role] = names
	}
	return roles
}

// SiteRoles returns what the roles in the site folder may do, by type, including the
// defaults of public and authenticated.
func SiteRoles(site *schema.Site) map[string]*Caller {
	callers := map[string]*Caller{}
	for _, role := range SiteRoleTypes(site) {
		callers[role] = newRole(role, sitePermissions(site, role))
	}
	return callers
}

// SiteRoleTypes returns the types of the roles that a site always has, also without the
// data file.
func SiteRoleTypes(site *schema.Site) []string {
	types := []string{AuthenticatedRole, PublicRole}
	for _, role := range slices.Sorted(maps.Keys(site.Settings.Roles)) {
		if !slices.Contains(types, role) {
			types = append(types, role)
		}
	}
	return types
}
