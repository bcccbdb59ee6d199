package server

import (
	"net/http"

	"quire/auth"
	"quire/auth/users"
)

// accountRoutes are the routes of sign-in, users and roles. Their responses have no
// envelope, as in Strapi.
func accountRoutes() []Route {
	const users, roles = "/api/users", "/api/users-permissions/roles"
	return []Route{
		throttled("/api/auth/local", auth.SignIn, signIn),
		throttled("/api/auth/local/register", auth.Register, signUp),
		throttled("/api/auth/change-password", auth.ChangePassword, changePassword),
		throttled("/api/auth/forgot-password", auth.ForgotPassword, forgotPassword),
		throttled("/api/auth/reset-password", auth.ResetPassword, resetPassword),
		throttled("/api/auth/send-email-confirmation", auth.SendConfirmation, sendConfirmation),
		{Method: http.MethodGet, Path: "/api/auth/email-confirmation", Permission: auth.ConfirmEmail, handler: confirmEmail},
		{Method: http.MethodPost, Path: "/api/auth/refresh", Permission: auth.Refresh, handler: refresh},
		{Method: http.MethodPost, Path: "/api/auth/logout", Permission: auth.Logout, handler: logout},

		{Method: http.MethodGet, Path: users, Permission: auth.FindUsers, handler: findUsers},
		{Method: http.MethodPost, Path: users, Permission: auth.CreateUser, handler: createUser},
		{Method: http.MethodGet, Path: users + "/me", Permission: auth.Me, handler: me},
		{Method: http.MethodGet, Path: users + "/count", Permission: auth.CountUsers, handler: countUsers},
		{Method: http.MethodGet, Path: users + "/:id", Permission: auth.FindUser, handler: findUser},
		{Method: http.MethodPut, Path: users + "/:id", Permission: auth.UpdateUser, handler: updateUser},
		{Method: http.MethodDelete, Path: users + "/:id", Permission: auth.DeleteUser, handler: deleteUser},

		{Method: http.MethodGet, Path: roles, Permission: auth.FindRoles, handler: findRoles},
		{Method: http.MethodPost, Path: roles, Permission: auth.CreateRole, handler: createRole},
		{Method: http.MethodGet, Path: roles + "/:id", Permission: auth.FindRole, handler: findRole},
		{Method: http.MethodPut, Path: roles + "/:id", Permission: auth.UpdateRole, handler: updateRole},
		{Method: http.MethodDelete, Path: roles + "/:id", Permission: auth.DeleteRole, handler: deleteRole},
		{Method: http.MethodGet, Path: "/api/users-permissions/permissions", Permission: auth.ListPermissions, handler: listPermissions},
	}
}

// throttled is a route that takes passwords or sends mail.
func throttled(path string, p auth.Permission, h handler) Route {
	return Route{Method: http.MethodPost, Path: path, Permission: p, Throttled: true, handler: h}
}

// credentialBytes is the maximum size of a body that anybody may send: names, passwords and
// codes.
const credentialBytes = 64 << 10

// readForm reads the body of a request about accounts, up to the given number of bytes.
func readForm(x *request, most int64) (*users.Form, error) {
	kind, body, err := openBody(x, min(most, x.site.schema.Settings.Limits.BodyBytes))
	if err != nil {
		return nil, err
	}
	var f *users.Form
	if kind == formBody {
		tree, err := x.site.documents.Parse(string(body))
		if err != nil {
			return nil, err
		}
		f, err = users.NewForm(valueOf(tree))
		if err != nil {
			return nil, err
		}
	} else if f, err = users.ReadForm(body); err != nil {
		return nil, err
	}
	return x.sent(f), nil
}

// sent returns the form as one that the caller has sent.
func (x *request) sent(f *users.Form) *users.Form {
	if f != nil {
		f.From, f.By = x.client(), x.identity
	}
	return f
}
