package server

import (
	"fmt"

	"quire/auth/users"
	"quire/content"
	"quire/documents"
	"quire/index"
	"quire/media"
	"quire/schema"
	"quire/server/graphql"
	"quire/store"
)

// graphqlHost serves the fields of GraphQL that are not content.
type graphqlHost struct{ *request }

// Explain returns what an error is for the client, and logs a defect.
func (h *graphqlHost) Explain(err error) *documents.Problem {
	p := explain(err)
	if p == nil {
		p = h.server.report(h.id[0], err, nil)
	}
	h.setRetryAfter(err)
	return &documents.Problem{Name: p.Name, Message: p.Message, Details: p.Details}
}

// pluginRoutes are the routes of REST whose permissions these fields need, and against whose
// limits they count.
var pluginRoutes = map[string]string{
	"me": "GET /api/users/me", "login": "POST /api/auth/local", "register": "POST /api/auth/local/register",
	"forgotPassword": "POST /api/auth/forgot-password", "resetPassword": "POST /api/auth/reset-password",
	"changePassword": "POST /api/auth/change-password", "emailConfirmation": "GET /api/auth/email-confirmation",
	"i18NLocale": "GET /api/i18n/locales", "i18NLocales": "GET /api/i18n/locales", "i18NLocales_connection": "GET /api/i18n/locales",
	"createUsersPermissionsUser": "POST /api/users", "updateUsersPermissionsUser": "PUT /api/users/:id", "deleteUsersPermissionsUser": "DELETE /api/users/:id",
	"createUsersPermissionsRole": "POST /api/users-permissions/roles", "updateUsersPermissionsRole": "PUT /api/users-permissions/roles/:id",
	"deleteUsersPermissionsRole": "DELETE /api/users-permissions/roles/:id",
	"updateUploadFile":           "POST /api/upload", "deleteUploadFile": "DELETE /api/upload/files/:id",
}

// findPluginRoutes finds these routes, by the names of the fields.
func findPluginRoutes(routes []Route) map[string]*Route {
	byName, found := map[string]*Route{}, map[string]*Route{}
	for i := range routes {
		byName[routes[i].Method+" "+routes[i].Path] = &routes[i]
	}
	for name, route := range pluginRoutes {
		found[name] = byName[route]
	}
	return found
}

// Resolve serves a field for a caller who may use its route.
func (h *graphqlHost) Resolve(t *graphql.PluginField, dst []byte) ([]byte, error) {
	route := h.site.pluginRoutes[t.Name]
	if route == nil {
		return dst, notFound()
	}
	if err := route.permit(h.request); err != nil {
		return dst, err
	}
	if err := route.admit(h.request); err != nil {
		return dst, err
	}
	switch t.Name {
	case "createUsersPermissionsUser", "updateUsersPermissionsUser":
		return h.writeUser(t, dst)
	case "deleteUsersPermissionsUser":
		return h.removeUser(t, dst)
	case "updateUploadFile":
		return h.describeFile(t, dst)
	case "deleteUploadFile":
		return h.removeFile(t, dst)
	case "i18NLocale", "i18NLocales", "i18NLocales_connection":
		v, err := h.findLocales(t)
		return t.Project(v, dst), err
	}
	v, err := h.resolvePlain(t)
	return t.Project(v, dst), err
}

// resolvePlain serves the fields of sign-in and roles.
func (h *graphqlHost) resolvePlain(t *graphql.PluginField) (any, error) {
	f, err := h.form(t)
	if err != nil {
		return nil, err
	}
	accounts, ctx := h.site.accounts, h.http.Context()
	switch t.Name {
	case "me":
		if h.identity.User == nil {
			return nil, forbidden()
		}
		return h.profile(h.identity.User.DocumentID)
	case "login":
		if provider, _ := t.Value("input").Member("provider").Text(); provider != "local" {
			return nil, invalid("Only the provider local signs in with a password")
		}
		return h.session(accounts.SignIn(ctx, f))
	case "register":
		return h.session(accounts.Register(ctx, f, h.caller))
	case "resetPassword":
		return h.session(accounts.ResetPassword(ctx, f))
	case "changePassword":
		return h.session(accounts.ChangePassword(ctx, h.identity, f))
	case "forgotPassword":
		return succeeded, accounts.ForgotPassword(ctx, f)
	case "emailConfirmation":
		return nil, accounts.Confirm(ctx, t.Text("confirmation"), false) // the session of REST begins with a sign-in
	case "createUsersPermissionsRole":
		return succeeded, accounts.CreateRole(ctx, f)
	case "updateUsersPermissionsRole":
		return succeeded, accounts.UpdateRole(ctx, accounts.FindRole(t.Text("id")), f)
	case "deleteUsersPermissionsRole":
		return succeeded, accounts.DeleteRole(ctx, accounts.FindRole(t.Text("id")))
	}
	return nil, fmt.Errorf("GraphQL: nothing serves the field %s", t.Name)
}

// succeeded is the response to a write that has nothing to show.
var succeeded any = map[string]any{"ok": true}

// form returns what a field says about accounts: its input, its data, or all its arguments.
func (h *graphqlHost) form(t *graphql.PluginField) (*users.Form, error) {
	v := t.Value("data")
	if v.IsNull() {
		v = t.Value("input")
	}
	if v.IsNull() {
		v = t.Form()
	}
	f, err := users.NewForm(v)
	return h.sent(f), err
}

// session returns the credentials of a session and its user.
func (h *graphqlHost) session(s *users.Session, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	h.call.Latest()
	user, err := h.profile(s.DocumentID)
	payload := map[string]any{"user": user}
	if s.JWT != "" {
		payload["jwt"] = s.JWT
	}
	return payload, err
}

// profile returns what users see of themselves: with their role, as in Strapi whether or not
// they may read roles.
func (h *graphqlHost) profile(documentID string) (map[string]any, error) {
	user := h.site.schema.Type(schema.UserUID)
	e, ok := h.find(user, documentID)
	if !ok {
		return nil, userGone()
	}
	members := map[string]any{"id": e.ID(), "documentId": documentID}
	for _, name := range []string{"username", "email", "confirmed", "blocked"} {
		if text := e.Text(name); text != "" && h.caller.Sight(user).Sees(user.Attribute(name)) {
			members[name] = text
		}
	}
	if r := h.site.auth.RoleByID(e.Link("role")); r != nil {
		role := map[string]any{"name": r.Name, "description": r.Description, "type": r.Type}
		if e, ok := h.find(h.site.schema.Type(schema.RoleUID), r.DocumentID); ok {
			role["id"] = e.ID()
		}
		members["role"] = role
	}
	return members, nil
}

func (h *graphqlHost) find(t *schema.Type, documentID string) (index.Found, bool) {
	return h.call.Snapshot().Lookup(t, store.Published).ByDocument(documentID, "")
}

// writeUser creates or updates a user.
func (h *graphqlHost) writeUser(t *graphql.PluginField, dst []byte) ([]byte, error) {
	ctx, accounts := h.http.Context(), h.site.accounts
	q, err := t.Compile(ctx)
	if err != nil {
		return dst, err
	}
	f, err := h.form(t)
	if err != nil {
		return dst, err
	}
	documentID := ""
	if t.Name == "createUsersPermissionsUser" {
		documentID, err = accounts.CreateUser(ctx, f, h.caller)
	} else {
		documentID = accounts.Find(t.Text("id"))
		err = accounts.UpdateUser(ctx, documentID, f, h.caller)
	}
	if err != nil {
		return dst, err
	}
	h.call.Latest()
	return t.Show(ctx, q, h.call.Snapshot(), documentID, dst)
}

// removeUser deletes a user, and shows what it was.
func (h *graphqlHost) removeUser(t *graphql.PluginField, dst []byte) ([]byte, error) {
	documentID := h.site.accounts.Find(t.Text("id"))
	if documentID == "" {
		return dst, notFound()
	}
	return h.remove(t, documentID, dst, func() error { return h.site.accounts.DeleteUser(h.http.Context(), documentID) })
}

// describeFile changes what people have written about a file.
func (h *graphqlHost) describeFile(t *graphql.PluginField, dst []byte) ([]byte, error) {
	ctx, library := h.http.Context(), h.site.library
	documentID, err := h.changedID(t.Text("id"))
	if err != nil {
		return dst, err
	}
	q, err := t.Compile(ctx)
	if err != nil {
		return dst, err
	}
	infos, err := media.ParseInfo(string(t.Value("info").JSON()), 1)
	if err != nil {
		return dst, err
	}
	h.call.Latest()
	result := content.Result{Snapshot: h.call.Snapshot()}
	if len(infos) > 0 {
		if result, err = library.Describe(ctx, documentID, infos[0]); err != nil {
			return dst, err
		}
	}
	return t.Show(ctx, q, result.Snapshot, documentID, dst)
}

// removeFile deletes a file, and shows its last record; null if there is none, as in Strapi.
func (h *graphqlHost) removeFile(t *graphql.PluginField, dst []byte) ([]byte, error) {
	documentID, ok := h.site.library.Find(t.Text("id"))
	if !ok {
		return t.Project(nil, dst), nil
	}
	return h.remove(t, documentID, dst, func() error { return h.site.library.Delete(h.http.Context(), documentID) })
}

// remove shows a record, and deletes it.
func (h *graphqlHost) remove(t *graphql.PluginField, documentID string, dst []byte, remove func() error) ([]byte, error) {
	ctx := h.http.Context()
	h.call.Latest()
	q, err := t.Compile(ctx)
	if err != nil {
		return dst, err
	}
	if dst, err = t.Show(ctx, q, h.call.Snapshot(), documentID, dst); err != nil {
		return dst, err
	}
	err = remove()
	h.call.Latest()
	return dst, err
}
