package server

import (
	"fmt"
	"slices"
	"strings"

	"quire/auth"
	"quire/documents"
	"quire/schema"
)

// CheckSite lists what prevents the server from serving a site with correct schemas: routes
// that exclude each other, paths of other processes that are the server's own, and defaults
// that are not a valid query of their type.
func CheckSite(site *schema.Site) []error {
	var problems []error
	if _, err := newRouter(site, allRoutes(site)); err != nil {
		problems = append(problems, err)
	}
	problems = append(problems, checkRoles(site)...)
	problems = append(problems, checkProxy(site, allRoutes(site))...)
	wrong := documents.CheckDefaults(site)
	for t := range site.Served() {
		if err := wrong[t.UID]; err != nil {
			problems = append(problems, err)
		}
	}
	return problems
}

// checkRoles lists the actions of roles in site.json for which the server has no endpoint.
// Actions on content types are checked with the schemas.
func checkRoles(site *schema.Site) []error {
	known := auth.AllPermissions(site)
	var problems []error
	for role, permissions := range site.Settings.Roles {
		for uid, actions := range permissions {
			for _, a := range actions {
				if p := (auth.Permission{UID: uid, Action: schema.Action(a)}); strings.HasPrefix(uid, "plugin::") && !slices.Contains(known, p) {
					problems = append(problems, fmt.Errorf("roles.%s: there is no action %s; `quire routes` lists those that there are", role, p))
				}
			}
		}
	}
	slices.SortFunc(problems, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return problems
}
