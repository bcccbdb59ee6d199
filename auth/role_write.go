package auth

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"quire/content"
	"quire/store"
)

// EnsureRoles makes the roles that the site needs and the data file does not
// have yet: public, authenticated, and those that are set in site.json.
func (a *Accounts) EnsureRoles(ctx context.Context) error {
	for _, kind := range siteRoles(a.site) {
		if a.auth.Role(kind) != nil {
			continue
		}
		v := values{"type": kind, "name": strings.ToUpper(kind[:1]) + kind[1:]}
		switch kind {
		case AuthenticatedRole:
			v["description"] = "Default role given to authenticated user."
		case PublicRole:
			v["description"] = "Default role given to unauthenticated user."
		}
		v["permissions"] = names(freely(kind))
		if _, err := a.save(ctx, a.role, "", v); err != nil {
			return fmt.Errorf("making the role %s: %w", kind, err)
		}
	}
	return nil
}

func names(permissions []Permission) []string {
	list := make([]string, len(permissions))
	for i, p := range permissions {
		list[i] = p.String()
	}
	slices.Sort(list)
	return list
}

// FindRole returns the role whom a path names, by numeric id or by documentId,
// or nil.
func (a *Accounts) FindRole(name string) *Role {
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

// CountUsers is how many users have the role.
func (a *Accounts) CountUsers(r *Role) int { return len(a.usersOf(r)) }

func (a *Accounts) usersOf(r *Role) []string {
	var ids []string
	for _, o := range a.index.Snapshot().Owners(a.user.Attribute("role"), a.role, r.DocumentID, store.Published) {
		ids = append(ids, o.Key.DocumentID)
	}
	return ids
}

// CreateRole takes {"name", "description", "permissions"}, the last in the form
// of Tree. Its type follows from its name. Errors are *content.ValidationError
// and *content.ApplicationError.
func (a *Accounts) CreateRole(ctx context.Context, f *Form) error {
	if !f.names("name") {
		f.refuse("name", "name is a required field")
	}
	v, err := a.roleValues(f)
	if err != nil {
		return err
	}
	name, _ := v["name"].(string)
	if v["type"] = typeOf(name); v["type"] == "" {
		return invalid("name needs a letter or digit")
	}
	if v["permissions"] == nil {
		v["permissions"] = []string{}
	}
	_, err = a.save(ctx, a.role, "", v)
	return roleTaken(err)
}

// UpdateRole changes a role by a form like that of CreateRole; what it does not
// say stays, and so does the role's type. A role that site.json sets is a
// *content.ApplicationError.
func (a *Accounts) UpdateRole(ctx context.Context, r *Role, f *Form) error {
	if err := changeable(r); err != nil {
		return err
	}
	v, err := a.roleValues(f)
	if err != nil {
		return err
	}
	_, err = a.save(ctx, a.role, r.DocumentID, v)
	return roleTaken(err)
}

// DeleteRole deletes a role. Its users get the role that new users get. The
// roles that cannot go, and those that site.json sets, are a
// *content.ApplicationError.
func (a *Accounts) DeleteRole(ctx context.Context, r *Role) error {
	if err := changeable(r); err != nil {
		return err
	}
	heir := a.auth.Role(a.settings.Register.Role)
	if r.Type == PublicRole || r.Type == AuthenticatedRole || heir == r {
		return &content.ApplicationError{Message: "Cannot delete " + r.Type + " role"}
	}
	if heir == nil {
		return &content.ApplicationError{Message: "There is no role that its users could get"}
	}
	if users := a.usersOf(r); len(users) > 0 {
		connect := values{"users": map[string]any{"connect": users}}
		if _, err := a.save(ctx, a.role, heir.DocumentID, connect); err != nil {
			return err
		}
	}
	return a.writer.Delete(ctx, content.Request{Type: a.role, DocumentID: r.DocumentID})
}

func changeable(r *Role) error {
	if r.InSite {
		return &content.ApplicationError{Message: fmt.Sprintf(`The role %q is set under "roles" in site.json of the site folder; change it there`, r.Type)}
	}
	return nil
}

// roleValues reads what a form says of a role.
func (a *Accounts) roleValues(f *Form) (values, error) {
	v := values{}
	if f.names("name") {
		v["name"] = f.text("name")
	}
	if f.has("description") && string(f.members["description"]) != `""` {
		v["description"] = f.text("description")
	} else if f.names("description") {
		v["description"] = ""
	}
	if f.has("permissions") {
		granted, err := ReadTree(a.site, f.members["permissions"])
		if err != nil {
			return nil, err
		}
		v["permissions"] = names(granted)
	}
	return v, f.err()
}

func roleTaken(err error) error {
	if _, refused := taken(err); refused {
		return &content.ApplicationError{Message: "There is a role of that name already"}
	}
	return err
}

// typeOf makes the type of a role from its name: "Éditeur en chef" is
// "editeur-en-chef".
func typeOf(name string) string {
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
