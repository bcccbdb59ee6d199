package app

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"quire/auth"
	"quire/schema"
	"quire/transfer/archive"
	"quire/transfer/strapi"
)

// locales takes the locales of the archive.
func (a *Adoption) locales(found *archive.SiteSettings) error {
	if len(found.Locales) == 0 {
		return nil
	}
	type locale struct {
		Code string `json:"code"`
		Name string `json:"name"`
	}
	var list []locale
	for _, l := range found.Locales {
		list = append(list, locale{l.Code, l.Name})
	}
	for _, one := range []struct {
		key   string
		value any
	}{{"defaultLocale", found.DefaultLocale}, {"locales", list}} {
		text, err := json.Marshal(one.value)
		if err != nil {
			return err
		}
		a.Settings = append(a.Settings, strapi.Setting{Path: []string{"i18n", one.key}, Value: text, Files: []string{filepath.Base(a.Export)}})
	}
	return nil
}

var roleType = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{2,}$`)

// roles takes what roles may do. Where the code of the project does not run, what it decides
// about in Strapi stays out: somebody has to look at it first.
func (a *Adoption) roles(site *schema.Site, found map[string][]string) {
	known, guarded := map[string]bool{}, map[string]string{}
	for _, p := range auth.AllPermissions(site) {
		known[p.String()] = true
	}
	for _, r := range a.code.routes {
		for _, name := range r.Scope {
			known[name] = true
		}
	}
	if a.code.off != "" {
		guarded = a.project.Guarded()
	}
	for _, role := range slices.Sorted(maps.Keys(found)) {
		if !roleType.MatchString(role) {
			a.left(fmt.Sprintf("roles.%.100q", role), "it cannot be the name of a role")
			continue
		}
		allowed, unknown := map[string][]string{}, 0
		for _, name := range found[role] {
			p, ok := auth.ParsePermission(name)
			owner, _, _ := strings.Cut(p.UID, ".")
			switch file := guarded[owner]; {
			case !ok || !known[name]:
				unknown++
			case file != "":
				a.left("roles."+role, "%s %s is not allowed: %s decides about it in Strapi. Look at that code before you add it", p.UID, p.Action, file)
			default:
				allowed[p.UID] = append(allowed[p.UID], string(p.Action))
			}
		}
		if unknown > 0 {
			a.left("roles."+role, "%d actions that Quire does not have", unknown)
		}
		a.drafts(site, role, allowed)
		a.role(role, allowed)
	}
}

// inDatabase notes what only the database of the project has, where there is no export and
// site.json does not say it either.
func (a *Adoption) inDatabase(site *schema.Site) {
	if a.Export != "" {
		return
	}
	localized := slices.ContainsFunc(site.Types, func(t *schema.Type) bool { return t.Localized })
	if localized && !site.Given["i18n.locales"] {
		a.left("i18n", "the locales are in the database of the project. Export it with `strapi export --no-encrypt`, and adopt it again")
	}
	if len(site.Settings.Roles) == 0 {
		a.left("roles", "the permissions are in the database of the project. Without an export of it, nobody may read anything without a token")
	}
}

// drafts notes that a role reads no drafts, which it could in Strapi.
func (a *Adoption) drafts(site *schema.Site, role string, allowed map[string][]string) {
	finds := func(uid string) bool {
		t, list := site.Type(uid), allowed[uid]
		reads := slices.Contains(list, string(schema.Find)) || slices.Contains(list, string(schema.FindOne))
		return t != nil && t.DraftAndPublish && reads && !slices.Contains(list, string(schema.ReadDraft))
	}
	if site.Settings.Roles[role] == nil && slices.ContainsFunc(slices.Sorted(maps.Keys(allowed)), finds) {
		a.left("roles."+role, "in Strapi, whoever may find documents also reads their drafts, with status=draft. In Quire that is readDraft: add it if a front end reads drafts without a token")
	}
}

// role notes what one role may do.
func (a *Adoption) role(role string, allowed map[string][]string) {
	for _, uid := range slices.Sorted(maps.Keys(allowed)) {
		value := `["` + strings.Join(allowed[uid], `", "`) + `"]`
		a.Settings = append(a.Settings, strapi.Setting{Path: []string{"roles", role, uid}, Value: json.RawMessage(value), Files: []string{filepath.Base(a.Export)}})
	}
}
