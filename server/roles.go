package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"quire/auth"
	"quire/auth/users"
	"quire/query"
	"quire/query/params"
	"quire/schema"
)

// appendRole appends a role as the query shows it, followed by further members; found is
// false if a filter of the query excludes it.
func (x *request) appendRole(dst []byte, params *params.Node, r *auth.Role, extra string) (_ []byte, found bool, err error) {
	role := x.site.schema.Type(schema.RoleUID)
	q, err := x.call.Compile(role, params, query.Options{Bare: true, Extra: extra})
	if err != nil || r == nil {
		return dst, false, err
	}
	dst, err = x.call.One(q, r.DocumentID, errNoRole).Append(x.http.Context(), dst)
	if errors.Is(err, errNoRole) {
		return dst, false, nil
	}
	return dst, err == nil, err
}

// errNoRole reports that a filter excludes a role.
var errNoRole = errors.New("no such role")

// findRoles lists the roles, oldest first, with the number of their users.
func findRoles(x *request) error {
	params, err := x.query()
	if err != nil {
		return err
	}
	if _, _, err := x.appendRole(nil, params, nil, ""); err != nil {
		return err
	}
	dst := append(x.scratch(), `{"roles":[`...)
	empty := len(dst)
	for _, r := range x.site.auth.Roles() {
		if len(dst) > empty {
			dst = append(dst, ',')
		}
		var found bool
		extra := fmt.Sprintf(`,"nb_users":%d`, x.site.accounts.CountUsers(r))
		if dst, found, err = x.appendRole(dst, params, r, extra); err != nil {
			return err
		}
		if !found && len(dst) > empty {
			dst = dst[:len(dst)-1]
		}
	}
	x.buffer = append(dst, "]}"...)
	x.json(http.StatusOK, x.buffer)
	return nil
}

// findRole shows a role with all its permissions.
func findRole(x *request) error {
	params, err := x.query()
	if err != nil {
		return err
	}
	r := x.site.accounts.FindRole(x.params[0].Value)
	extra := ""
	if r != nil {
		tree, err := json.Marshal(auth.NewTree(x.site.schema, r.HasPermission))
		if err != nil {
			return err
		}
		extra = `,"permissions":` + string(tree)
	}
	dst, found, err := x.appendRole(append(x.scratch(), `{"role":`...), params, r, extra)
	switch {
	case err != nil:
		return err
	case !found:
		return notFound()
	}
	x.buffer = append(dst, '}')
	x.json(http.StatusOK, x.buffer)
	return nil
}

func createRole(x *request) error {
	return x.changeRole(func(f *users.Form) error {
		return x.site.accounts.CreateRole(x.http.Context(), f)
	})
}

func updateRole(x *request) error {
	return x.changeRole(func(f *users.Form) error {
		return x.site.accounts.UpdateRole(x.http.Context(), x.site.accounts.FindRole(x.params[0].Value), f)
	})
}

func deleteRole(x *request) error {
	return x.changeRole(func(*users.Form) error {
		return x.site.accounts.DeleteRole(x.http.Context(), x.site.accounts.FindRole(x.params[0].Value))
	})
}

// changeRole answers a write of a role. Its query has no effect, but is checked like that
// of any other write.
func (x *request) changeRole(change func(*users.Form) error) error {
	params, err := x.query()
	if err != nil {
		return err
	}
	if _, _, err := x.appendRole(nil, params, nil, ""); err != nil {
		return err
	}
	f, err := readForm(x, x.site.schema.Settings.Limits.BodyBytes)
	if err != nil {
		return err
	}
	return x.answerOK(change(f))
}

// listPermissions lists every action of the site, and whether the caller may perform it.
func listPermissions(x *request) error {
	tree, err := json.Marshal(struct {
		Permissions auth.Tree `json:"permissions"`
	}{auth.NewTree(x.site.schema, x.caller.HasPermission)})
	if err != nil {
		return err
	}
	x.json(http.StatusOK, tree)
	return nil
}
