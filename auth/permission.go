package auth

import (
	"slices"
	"strings"

	"quire/schema"
)

// Permission is the right to perform one action on one uid.
type Permission struct {
	UID    string // of a content type, or of a plugin's controller: "plugin::i18n.locales"
	Action schema.Action
}

// The controllers of the built-in endpoints, as the reference names them. Users
// and roles have their content types' uids.
const (
	signing     = "plugin::users-permissions.auth"
	permissions = "plugin::users-permissions.permissions"
	uploads     = "plugin::upload.content-api"
	locales     = "plugin::i18n.locales"
)

// The permissions of the built-in endpoints.
var (
	ListLocales = Permission{locales, "listLocales"}

	// ReadDescription is what reading the description of the API needs. It is a
	// find, so that tokens that may read everything may read it.
	ReadDescription = Permission{"plugin::quire.openapi", schema.Find}

	// ReadMetrics is no find: what goes on in the server is not content.
	ReadMetrics = Permission{"plugin::quire.metrics", "read"}

	FindFiles   = Permission{uploads, "find"}
	FindOneFile = Permission{uploads, "findOne"}
	Upload      = Permission{uploads, "upload"}
	DeleteFile  = Permission{uploads, "destroy"}

	SignIn           = Permission{signing, "callback"}
	Register         = Permission{signing, "register"}
	ChangePassword   = Permission{signing, "changePassword"}
	ForgotPassword   = Permission{signing, "forgotPassword"}
	ResetPassword    = Permission{signing, "resetPassword"}
	ConfirmEmail     = Permission{signing, "emailConfirmation"}
	SendConfirmation = Permission{signing, "sendEmailConfirmation"}
	Refresh          = Permission{signing, "refresh"}
	Logout           = Permission{signing, "logout"}

	Me         = Permission{schema.UserUID, "me"}
	CountUsers = Permission{schema.UserUID, "count"}
	FindUsers  = Permission{schema.UserUID, schema.Find}
	FindUser   = Permission{schema.UserUID, schema.FindOne}
	CreateUser = Permission{schema.UserUID, schema.Create}
	UpdateUser = Permission{schema.UserUID, schema.Update}
	DeleteUser = Permission{schema.UserUID, "destroy"}

	FindRoles       = Permission{schema.RoleUID, schema.Find}
	FindRole        = Permission{schema.RoleUID, schema.FindOne}
	CreateRole      = Permission{schema.RoleUID, "createRole"}
	UpdateRole      = Permission{schema.RoleUID, "updateRole"}
	DeleteRole      = Permission{schema.RoleUID, "deleteRole"}
	ListPermissions = Permission{permissions, "getPermissions"}
)

// builtIn lists the permissions of the built-in endpoints.
func builtIn() []Permission {
	return []Permission{
		ListLocales, ReadDescription, ReadMetrics, FindFiles, FindOneFile, Upload, DeleteFile,
		SignIn, Register, ChangePassword, ForgotPassword, ResetPassword, ConfirmEmail, SendConfirmation, Refresh, Logout,
		Me, CountUsers, FindUsers, FindUser, CreateUser, UpdateUser, DeleteUser,
		FindRoles, FindRole, CreateRole, UpdateRole, DeleteRole, ListPermissions,
	}
}

// String returns the action's full name, "api::dish.dish.find", as the
// reference API writes it.
func (p Permission) String() string { return p.UID + "." + string(p.Action) }

// ParsePermission reads a full action name. It reports false when the text does
// not have the form of one; whether the site has such an action is for Known.
func ParsePermission(text string) (Permission, bool) {
	dot := strings.LastIndexByte(text, '.')
	if dot <= 0 || dot == len(text)-1 {
		return Permission{}, false
	}
	return Permission{text[:dot], schema.Action(text[dot+1:])}, true
}

// Known lists every permission that can be given on the site, ordered by uid:
// the actions of its own content types and those of the built-in endpoints.
func Known(site *schema.Site) []Permission {
	known := builtIn()
	for t := range site.Served() {
		known = append(known, ofType(t)...)
	}
	slices.SortStableFunc(known, func(a, b Permission) int { return strings.Compare(a.UID, b.UID) })
	return known
}

func ofType(t *schema.Type) []Permission {
	actions := []schema.Action{schema.Find, schema.FindOne, schema.Create, schema.Update, schema.Delete}
	if t.Kind == schema.Single {
		actions = []schema.Action{schema.Find, schema.Update, schema.Delete}
	}
	if t.DraftAndPublish {
		actions = append(actions, schema.ReadDraft)
	}
	permissions := make([]Permission, len(actions))
	for i, a := range actions {
		permissions[i] = Permission{t.UID, a}
	}
	return permissions
}
