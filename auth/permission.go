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

// The controllers of the built-in endpoints, with Strapi's names. Users and roles have the
// uids of their content types.
const (
	authUID        = "plugin::users-permissions.auth"
	permissionsUID = "plugin::users-permissions.permissions"
	uploadUID      = "plugin::upload.content-api"
	releasesUID    = "plugin::quire.releases"
	schedulesUID   = "plugin::quire.schedules"
	webhooksUID    = "plugin::quire.webhooks"
	adminUID       = "plugin::quire.admin"
	followUID      = "plugin::quire.follow"
	pushUID        = "plugin::quire.push"
	streamsUID     = "plugin::quire.streams"
	localesUID     = "plugin::i18n.locales"
)

// The permissions of the built-in endpoints.
var (
	ListLocales = Permission{localesUID, "listLocales"}

	// ReadDescription is required to read the description of the API. It is a find, so that
	// tokens that may read everything may read it.
	ReadDescription = Permission{"plugin::quire.openapi", schema.Find}

	// ReadMetrics is not a find: metrics are not content, so read-only tokens do not hold
	// it.
	ReadMetrics = Permission{"plugin::quire.metrics", "read"}

	// ReadBackups is the right to download a backup, which holds everything: password
	// hashes and keys, too. Only a custom token that names it holds it. Full access does
	// not include it, and no role, account of the admin or user can have it.
	ReadBackups = Permission{"plugin::quire.backups", "read"}

	// ReadFollow is the right to follow this server: to copy all of its data as it changes,
	// and to pass on requests in the name of their clients. FenceFollow is the right to end
	// its writing, because a follower takes its place. Both are held like ReadBackups.
	ReadFollow  = Permission{followUID, "read"}
	FenceFollow = Permission{followUID, "fence"}

	// WritePush is the right to make the changes of another site in this one. It is held like
	// ReadBackups, because the values of the other site are stored as they are.
	WritePush = Permission{pushUID, "write"}

	// WriteStreams is the right to store the streams of other servers in this one, to read them
	// and to remove them. It is held like ReadBackups.
	WriteStreams = Permission{streamsUID, "write"}

	FindReleases   = Permission{releasesUID, schema.Find}
	CreateRelease  = Permission{releasesUID, schema.Create}
	UpdateRelease  = Permission{releasesUID, schema.Update}
	DeleteRelease  = Permission{releasesUID, schema.Delete}
	PublishRelease = Permission{releasesUID, schema.Publish}

	FindSchedules  = Permission{schedulesUID, schema.Find}
	DeleteSchedule = Permission{schedulesUID, schema.Delete}

	// ReadWebhooks is not a find: addresses of receivers are not content, so read-only
	// tokens do not hold it.
	ReadWebhooks  = Permission{webhooksUID, "read"}
	CreateWebhook = Permission{webhooksUID, schema.Create}
	UpdateWebhook = Permission{webhooksUID, schema.Update}
	DeleteWebhook = Permission{webhooksUID, schema.Delete}
	SendWebhook   = Permission{webhooksUID, "send"}

	// The rights of accounts of the admin in addition to content. Tokens and roles of the
	// content API never have them.
	ManageAccounts = Permission{adminUID, "accounts"}
	ManageSchemas  = Permission{adminUID, "schemas"}
	ManageSettings = Permission{adminUID, "settings"}
	ManageAccess   = Permission{adminUID, "access"}
	ArrangeForms   = Permission{adminUID, "arrange"}

	// ExploreContent allows an account that reads content to build queries on the page of
	// the API. It sees only the content that it may read; the description as a whole
	// requires ReadDescription.
	ExploreContent = Permission{adminUID, "explore"}

	FindFiles   = Permission{uploadUID, "find"}
	FindOneFile = Permission{uploadUID, "findOne"}
	Upload      = Permission{uploadUID, "upload"}
	DeleteFile  = Permission{uploadUID, "destroy"}

	// SignPictures is not a find, because it makes the server work.
	SignPictures = Permission{"plugin::quire.pictures", "sign"}

	SignIn           = Permission{authUID, "callback"}
	Connect          = Permission{authUID, "connect"}
	Register         = Permission{authUID, "register"}
	ChangePassword   = Permission{authUID, "changePassword"}
	ForgotPassword   = Permission{authUID, "forgotPassword"}
	ResetPassword    = Permission{authUID, "resetPassword"}
	ConfirmEmail     = Permission{authUID, "emailConfirmation"}
	SendConfirmation = Permission{authUID, "sendEmailConfirmation"}
	Refresh          = Permission{authUID, "refresh"}
	Logout           = Permission{authUID, "logout"}

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
	ListPermissions = Permission{permissionsUID, "getPermissions"}
)

// String returns the action's full name in Strapi's form, "api::dish.dish.find".
func (p Permission) String() string { return p.UID + "." + string(p.Action) }

// ParsePermission reads a full action name. It reports false if the text does not have that
// form. AllPermissions has the actions of a site.
func ParsePermission(text string) (Permission, bool) {
	dot := strings.LastIndexByte(text, '.')
	if dot <= 0 || dot == len(text)-1 {
		return Permission{}, false
	}
	return Permission{text[:dot], schema.Action(text[dot+1:])}, true
}

// TokenPermissions returns every permission that a custom token can name: those of
// AllPermissions, and those that only tokens can have.
func TokenPermissions(site *schema.Site) []Permission {
	return append(AllPermissions(site), TokenOnly()...)
}

// TokenOnly returns the permissions that only a custom token that names them can hold.
func TokenOnly() []Permission {
	return []Permission{ReadBackups, ReadFollow, FenceFollow, WritePush, WriteStreams}
}

// isTokenOnly reports whether only a custom token can hold the permission.
func (p Permission) isTokenOnly() bool {
	return p == ReadBackups || p == WritePush || p == WriteStreams || p.UID == followUID
}

// AllPermissions returns every permission that roles and tokens can have on the site,
// ordered by uid: the actions of its own content types and those of the built-in endpoints.
func AllPermissions(site *schema.Site) []Permission {
	known := []Permission{
		ListLocales, ReadDescription, ReadMetrics, FindReleases, CreateRelease, UpdateRelease, DeleteRelease, PublishRelease, FindSchedules, DeleteSchedule, ReadWebhooks, CreateWebhook, UpdateWebhook, DeleteWebhook, SendWebhook,
		FindFiles, FindOneFile, Upload, DeleteFile, SignPictures,
		SignIn, Connect, Register, ChangePassword, ForgotPassword, ResetPassword, ConfirmEmail, SendConfirmation, Refresh, Logout,
		Me, CountUsers, FindUsers, FindUser, CreateUser, UpdateUser, DeleteUser,
		FindRoles, FindRole, CreateRole, UpdateRole, DeleteRole, ListPermissions,
	}
	for t := range site.Served() {
		for _, a := range t.Actions() {
			known = append(known, Permission{t.UID, a})
		}
	}
	slices.SortStableFunc(known, func(a, b Permission) int { return strings.Compare(a.UID, b.UID) })
	return known
}
