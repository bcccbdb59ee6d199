package admin

import (
	"net/http"

	"quire/auth"
	"quire/auth/people"
)

func roleRoutes() []Route {
	const one = "/roles/:id"
	return []Route{
		{Method: http.MethodGet, Path: "/roles", Right: people.Accounts, handler: listRoles, summary: "List the roles", out: []roleLine{}},
		{Method: http.MethodPost, Path: "/roles", Right: people.Accounts, handler: taking(createRole), summary: "Make a role", in: people.RoleForm{}, out: roleLine{}, status: http.StatusCreated},
		{Method: http.MethodPut, Path: one, Right: people.Accounts, handler: taking(changeRole), summary: "Change a role", in: people.RoleForm{}, out: roleLine{}},
		{Method: http.MethodDelete, Path: one, Right: people.Accounts, handler: removeRole, summary: "Remove a role"},
	}
}

// roleLine is a role as shown to accounts that may change roles.
type roleLine struct {
	roleOf
	BuiltIn  bool           `json:"builtIn"`
	Accounts int            `json:"accounts"` // number of accounts with the role
	Rights   auth.AdminRole `json:"rights"`
	Second   bool           `json:"secondFactor"` // its accounts need one
}

func showRole(r *people.Role, accounts int) roleLine {
	return roleLine{roleOf{r.ID, r.Name}, r.BuiltIn, accounts, r.Rights, r.SecondFactor}
}

func listRoles(x *request) error {
	list, accounts := []roleLine{}, x.admin.People.HowMany()
	s := &x.admin.Server.Site(x.http).Settings.Admin
	for _, r := range x.admin.People.Roles() {
		line := showRole(r, accounts[r.ID])
		line.Second = r.SecondFactor || r.BuiltIn && people.Roles{r}.NeedsFactor(s)
		list = append(list, line)
	}
	return x.data(list)
}

func createRole(x *request, f *people.RoleForm) error {
	r, err := x.admin.People.CreateRole(x.by(), *f)
	if err != nil {
		return err
	}
	return x.answerData(http.StatusCreated, showRole(r, 0))
}

func changeRole(x *request, f *people.RoleForm) error {
	r, err := x.admin.People.ChangeRole(x.by(), x.params.ByName("id"), *f)
	if err != nil {
		return err
	}
	return x.data(showRole(r, x.admin.People.HowMany()[r.ID]))
}

func removeRole(x *request) error {
	return x.done(x.admin.People.RemoveRole(x.by(), x.params.ByName("id")))
}
