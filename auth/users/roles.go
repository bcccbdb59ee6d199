package users

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"quire/auth"
	"quire/content"
	"quire/content/body"
	"quire/schema"
	"quire/store"
)

// EnsureRoles creates the required roles that the data file does not have: public,
// authenticated, and those of site.json.
func (a *Accounts) EnsureRoles(ctx context.Context) error {
	for _, kind := range auth.SiteRoleTypes(a.site) {
		if a.auth.Role(kind) != nil {
			continue
		}
		v := values{"type": body.Text(kind), "name": body.Text(strings.ToUpper(kind[:1]) + kind[1:])}
		switch kind {
		case auth.AuthenticatedRole:
			v["description"] = body.Text("Default role given to authenticated user.")
		case auth.PublicRole:
			v["description"] = body.Text("Default role given to unauthenticated user.")
		}
		v["permissions"] = permissionNames(auth.DefaultPermissions(kind))
		// One that another node has created meanwhile is fine.
		if _, err := a.save(ctx, a.role, "", v); err != nil && a.auth.Role(kind) == nil {
			return fmt.Errorf("making the role %s: %w", kind, err)
		}
	}
	return nil
}

// permissionNames lists the full names of permissions, sorted, as roles store them.
func permissionNames(permissions []auth.Permission) body.Value {
	names := make([]string, len(permissions))
	for i, p := range permissions {
		names[i] = p.String()
	}
	slices.Sort(names)
	return listOf(names)
}

func listOf(texts []string) body.Value {
	list := make([]body.Value, len(texts))
	for i, s := range texts {
		list[i] = body.Text(s)
	}
	return body.List(list...)
}

// FindRole returns the role with that numeric id or documentId, or nil.
func (a *Accounts) FindRole(name string) *auth.Role {
	if r := a.auth.RoleByID(name); r != nil {
		return r
	}
	id, err := strconv.ParseUint(name, 10, 64)
	if err != nil {
		return nil
	}
	key, _ := a.index.Snapshot().ByID(a.role, id)
	return a.auth.RoleByID(key.DocumentID)
}

// CountUsers returns how many users have the role.
func (a *Accounts) CountUsers(r *auth.Role) int {
	return a.lookup(a.index.Snapshot()).CountLinked("role", r.DocumentID)
}

func (a *Accounts) usersOf(r *auth.Role) []string {
	var ids []string
	for _, o := range a.index.Snapshot().Owners(a.user.Attribute("role"), a.role, r.DocumentID, store.Published) {
		ids = append(ids, o.Key.DocumentID)
	}
	return ids
}

// CreateRole takes {"name", "description", "permissions"}, the last in the form of
// auth.Tree. The role's type is made from its name. Errors are *body.ValidationError
// and *content.ApplicationError.
func (a *Accounts) CreateRole(ctx context.Context, f *Form) error {
	if !f.names("name") {
		f.refuse("name", "name is a required field")
	}
	v, err := a.roleValues(f)
	if err != nil {
		return err
	}
	name, _ := v["name"].Text()
	kind := roleTypeOf(name)
	if kind == "" {
		return invalidError("name needs a letter or digit")
	}
	v["type"] = body.Text(kind)
	if v["permissions"].IsNull() {
		v["permissions"] = body.List()
	}
	_, err = a.save(ctx, a.role, "", v)
	return roleTakenError(err)
}

// UpdateRole changes a role by a form like that of CreateRole. Missing members and the
// role's type are unchanged. A nil role is a *content.NotFoundError, and one that site.json
// sets a *content.ApplicationError.
func (a *Accounts) UpdateRole(ctx context.Context, r *auth.Role, f *Form) error {
	if err := checkChangeable(r); err != nil {
		return err
	}
	v, err := a.roleValues(f)
	if err != nil {
		return err
	}
	_, err = a.save(ctx, a.role, r.DocumentID, v)
	return roleTakenError(err)
}

// DeleteRole deletes a role. Its users get the role for new users. A nil role is a
// *content.NotFoundError, and one that cannot be deleted or that site.json sets a
// *content.ApplicationError.
func (a *Accounts) DeleteRole(ctx context.Context, r *auth.Role) error {
	if err := checkChangeable(r); err != nil {
		return err
	}
	heir := a.auth.Role(a.settings.Register.Role)
	if r.Type == auth.PublicRole || r.Type == auth.AuthenticatedRole || heir == r {
		return &content.ApplicationError{Message: "Cannot delete " + r.Type + " role"}
	}
	if heir == nil {
		return &content.ApplicationError{Message: "There is no role that its users could get"}
	}
	if users := a.usersOf(r); len(users) > 0 {
		connect := values{"users": body.Object(body.Field{Key: "connect", Value: listOf(users)})}
		if _, err := a.save(ctx, a.role, heir.DocumentID, connect); err != nil {
			return err
		}
	}
	return a.writer.Delete(ctx, content.Request{Type: a.role, DocumentID: r.DocumentID})
}

// checkChangeable refuses a role that does not exist, or that site.json sets.
func checkChangeable(r *auth.Role) error {
	if r == nil {
		return &content.NotFoundError{Type: schema.RoleUID}
	}
	if r.InSite {
		return &content.ApplicationError{Message: fmt.Sprintf(`The role %q is set under "roles" in site.json of the site folder; change it there`, r.Type)}
	}
	return nil
}

// roleValues returns the attributes of a role in a form.
func (a *Accounts) roleValues(f *Form) (values, error) {
	v := values{}
	if f.names("name") {
		v["name"] = body.Text(f.text("name"))
	}
	if description, isText := f.members["description"].Text(); f.has("description") && (!isText || description != "") {
		v["description"] = body.Text(f.text("description"))
	} else if f.names("description") {
		v["description"] = body.Text("")
	}
	if f.has("permissions") {
		granted, err := auth.ReadTree(a.site, json.RawMessage(f.members["permissions"].JSON()))
		if err != nil {
			return nil, err
		}
		v["permissions"] = permissionNames(granted)
	}
	return v, f.err()
}

func roleTakenError(err error) error {
	if _, refused := takenAttribute(err); refused {
		return &content.ApplicationError{Message: "A role with that name already exists"}
	}
	return err
}

// roleTypeOf makes the type of a role from its name: "Éditeur en chef" is
// "editeur-en-chef".
func roleTypeOf(name string) string {
	var b strings.Builder
	for _, r := range norm.NFD.String(strings.ToLower(name)) {
		switch {
		case r <= unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			b.WriteRune(r)
		case !unicode.Is(unicode.Mn, r) && b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.TrimSuffix(b.String(), "-")
}
