package auth

import (
	"fmt"
	"slices"
	"strings"

	"quire/schema"
)

// AdminRole says what admin accounts with the role may do. The admin stores and sends it as
// this JSON. The zero value allows nothing.
type AdminRole struct {
	// Full allows everything, as for owners. The rest of the role is then ignored.
	Full bool `json:"full,omitempty"`

	// Types are the rights on content types by uid; those under EveryType apply to types
	// without an entry. EveryType covers the site's own types, but never the users of the
	// site, which have no rights but read, create, update and delete.
	Types map[string]TypeRights `json:"types,omitempty"`

	Files    []string `json:"files,omitempty"`    // of "read", "upload", "delete"
	Releases bool     `json:"releases,omitempty"` // planning releases, and publishing what the Types allow
	Site     []string `json:"site,omitempty"`     // of "accounts", "access", "schemas", "settings", "arrange"
}

// EveryType stands for the content types that a role does not name.
const EveryType = "*"

// TypeRights is what a role may do with the documents of one type.
type TypeRights struct {
	Actions []string `json:"actions"` // of "read", "create", "update", "delete", "publish", "unpublish"

	// Own limits all changes other than create to documents that the account has created.
	Own bool `json:"own,omitempty"`

	// Locales are the codes of the locales that may be changed; nil for all. All locales
	// can be read.
	Locales []string `json:"locales"`

	// Where has the conditions that an entry meets: for the role, others do not exist.
	Where []Where `json:"where,omitempty"`

	// Hidden are the attributes that are not visible at all, and ReadOnly those that are
	// visible but cannot be changed: by name, or by a path through components, as in
	// schema.SightOf.
	Hidden   []string `json:"hidden,omitempty"`
	ReadOnly []string `json:"readOnly,omitempty"`
}

// AdminRoleError reports an error in a role.
type AdminRoleError struct {
	Path    []string // to the value: "types", "api::dish.dish", "hidden"
	Message string
}

func (e *AdminRoleError) Error() string { return strings.Join(e.Path, ".") + ": " + e.Message }

// Limits of a role.
const (
	maxRoleTypes = 1000 // types in a role
	maxRolePaths = 500  // hidden or read-only attributes of a type
	maxRoleWhere = 20   // conditions of all types
)

// adminActions are the actions of a role on a type, and their meaning for types with drafts
// and for types without.
var adminActions = map[string]struct{ drafts, plain []schema.Action }{
	"read":      {[]schema.Action{schema.Find, schema.FindOne, schema.ReadDraft, schema.ReadHistory}, []schema.Action{schema.Find, schema.FindOne, schema.ReadHistory}},
	"create":    {[]schema.Action{schema.CreateDraft, schema.Duplicate}, []schema.Action{schema.Create, schema.Duplicate}},
	"update":    {[]schema.Action{schema.UpdateDraft, schema.DiscardDraft, schema.PreviewLink}, []schema.Action{schema.Update}},
	"delete":    {[]schema.Action{schema.Delete}, []schema.Action{schema.Delete}},
	"publish":   {[]schema.Action{schema.Publish}, nil},
	"unpublish": {[]schema.Action{schema.Unpublish}, nil},
}

// userActions are the actions of a role on the users of the site. Reading users includes
// the roles that users can have.
var userActions = map[string][]Permission{
	"read":   {FindUsers, FindUser, CountUsers, FindRoles},
	"create": {CreateUser},
	"update": {UpdateUser},
	"delete": {DeleteUser},
}

// neededByUsers are the attributes that must be set to create a user.
var neededByUsers = []string{"username", "email", "password", "provider", "role"}

// fileActions are what a role may do with files.
var fileActions = map[string][]Permission{
	"read":   {FindFiles, FindOneFile},
	"upload": {Upload},
	"delete": {DeleteFile},
}

// siteRights are what a role may do in addition to content.
var siteRights = map[string][]Permission{
	"accounts": {ManageAccounts},
	"access": {ManageAccess, ListPermissions, FindRoles, FindRole, CreateRole, UpdateRole, DeleteRole,
		CountUsers, FindUsers, FindUser, CreateUser, UpdateUser, DeleteUser},
	"schemas":  {ManageSchemas, ReadDescription},
	"settings": {ManageSettings, ReadMetrics, ReadWebhooks, CreateWebhook, UpdateWebhook, DeleteWebhook, SendWebhook},
	"arrange":  {ArrangeForms},
}

// Check validates a role on a site: it reports names that the site or the program does not
// have, and more than a role may contain. Its error is an *AdminRoleError.
func (r *AdminRole) Check(site *schema.Site) error {
	if err := r.checkNames(site); err != nil {
		return err
	}
	for uid, rights := range r.Types {
		if err := rights.checkPaths(site, uid); err != nil {
			return err
		}
	}
	return r.checkWhere(site)
}

// checkNames is Check without the paths of attributes.
func (r *AdminRole) checkNames(site *schema.Site) error {
	if err := checkNames([]string{"files"}, r.Files, fileActions); err != nil {
		return err
	}
	if err := checkNames([]string{"site"}, r.Site, siteRights); err != nil {
		return err
	}
	if slices.Contains(r.Site, "access") && !r.mayDoAll() {
		return &AdminRoleError{[]string{"site"}, "access lets give tokens and roles that may do anything with content: it needs all actions on all types, without limits, all of files, and releases"}
	}
	if len(r.Types) > maxRoleTypes {
		return &AdminRoleError{[]string{"types"}, fmt.Sprintf("a role names %d types at most", maxRoleTypes)}
	}
	for uid, rights := range r.Types {
		if err := rights.checkNames(site, uid); err != nil {
			return err
		}
	}
	return nil
}

// mayDoAll reports whether the role has all rights on the content.
func (r *AdminRole) mayDoAll() bool {
	_, others := r.Types[EveryType]
	if !others || !r.Releases || !hasAll(r.Files, fileActions) {
		return false
	}
	for _, rights := range r.Types {
		if !hasAll(rights.Actions, adminActions) || rights.Own || rights.Locales != nil || len(rights.Where) > 0 || len(rights.Hidden)+len(rights.ReadOnly) > 0 {
			return false
		}
	}
	return true
}

// hasAll reports whether names includes all keys of known.
func hasAll[T any](names []string, known map[string]T) bool {
	for name := range known {
		if !slices.Contains(names, name) {
			return false
		}
	}
	return true
}

func checkNames[T any](at, names []string, known map[string]T) error {
	for _, name := range names {
		if _, ok := known[name]; !ok {
			return &AdminRoleError{at, fmt.Sprintf("%.100q is unknown", name)}
		}
	}
	return nil
}

// at returns the path of a member of the rights on a type.
func at(uid, key string) []string { return []string{"types", uid, key} }

func (r *TypeRights) checkNames(site *schema.Site, uid string) error {
	if len(typesOf(site, uid)) == 0 && uid != EveryType {
		return &AdminRoleError{[]string{"types", uid}, fmt.Sprintf("the site has no content type %.100q", uid)}
	}
	if uid == schema.UserUID {
		return r.checkUsers(site.Type(uid))
	}
	if err := checkNames(at(uid, "actions"), r.Actions, adminActions); err != nil {
		return err
	}
	for _, code := range r.Locales {
		if !site.Settings.HasLocale(code) {
			return &AdminRoleError{at(uid, "locales"), fmt.Sprintf("the site has no locale %.100q", code)}
		}
	}
	return nil
}

// checkUsers is checkNames for the users of the site.
func (r *TypeRights) checkUsers(users *schema.Type) error {
	if err := checkNames(at(schema.UserUID, "actions"), r.Actions, userActions); err != nil {
		return err
	}
	if r.Own {
		return &AdminRoleError{at(schema.UserUID, "own"), "users are nobody's own"}
	}
	if len(r.Where) > 0 {
		return &AdminRoleError{at(schema.UserUID, "where"), "rights on users of the site have no conditions"}
	}
	for _, name := range slices.Concat(r.Hidden, r.ReadOnly) {
		switch a := users.Attribute(name); {
		case a != nil && a.Reserved():
			return &AdminRoleError{at(schema.UserUID, "hidden"), fmt.Sprintf("nobody sees or sets %s; leave it out", name)}
		case slices.Contains(r.Actions, "create") && slices.Contains(neededByUsers, name):
			return &AdminRoleError{at(schema.UserUID, "actions"), fmt.Sprintf("whoever creates users sets %s", name)}
		}
	}
	return nil
}

func (r *TypeRights) checkPaths(site *schema.Site, uid string) error {
	types := typesOf(site, uid)
	if err := checkPaths(at(uid, "hidden"), r.Hidden, types); err != nil {
		return err
	}
	return checkPaths(at(uid, "readOnly"), r.ReadOnly, types)
}

// checkPaths requires that each path leads to an attribute of one of the types.
func checkPaths(at, paths []string, types []*schema.Type) error {
	if len(paths) > maxRolePaths {
		return &AdminRoleError{at, fmt.Sprintf("a role names %d attributes of a type at most", maxRolePaths)}
	}
	for _, path := range paths {
		if !slices.ContainsFunc(types, func(t *schema.Type) bool { return schema.HasPath(t, path) }) {
			return &AdminRoleError{at, fmt.Sprintf("there is no attribute %.100q", path)}
		}
	}
	return nil
}

// typesOf returns the types that a key of AdminRole.Types can mean: all types with
// endpoints for EveryType.
func typesOf(site *schema.Site, uid string) []*schema.Type {
	if uid == EveryType {
		return slices.Collect(site.Served())
	}
	if t := NamedType(site, uid); t != nil {
		return []*schema.Type{t}
	}
	return nil
}

// NamedType returns the type with a uid that a role of the admin can name: a content type
// of the site, or its users. It is nil if there is none.
func NamedType(site *schema.Site, uid string) *schema.Type {
	t := site.Type(uid)
	if t == nil || t.IsComponent() || t.BuiltIn && uid != schema.UserUID {
		return nil
	}
	return t
}

// On returns what a role may do with a type. EveryType does not cover users.
func (r *AdminRole) On(uid string) TypeRights {
	if rights, named := r.Types[uid]; named || uid == schema.UserUID {
		return rights
	}
	return r.Types[EveryType]
}

// BuiltInAdminRoles returns the roles that every site has, by id.
func BuiltInAdminRoles() map[string]AdminRole {
	all := []string{"read", "create", "update", "delete", "publish", "unpublish"}
	files := []string{"read", "upload", "delete"}
	every := func(r TypeRights) map[string]TypeRights { return map[string]TypeRights{EveryType: r} }
	return map[string]AdminRole{
		"owner":     {Full: true},
		"developer": {Types: every(TypeRights{Actions: all}), Files: files, Releases: true, Site: []string{"access", "schemas", "settings", "arrange"}},
		"editor":    {Types: every(TypeRights{Actions: all}), Files: files, Releases: true},
		"author":    {Types: every(TypeRights{Actions: []string{"read", "create", "update", "delete"}, Own: true}), Files: []string{"read", "upload"}},
		"reader":    {Types: every(TypeRights{Actions: []string{"read"}}), Files: []string{"read"}},
	}
}
