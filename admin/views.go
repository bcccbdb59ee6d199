package admin

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"quire/auth/people"
	"quire/content/arrange"
	"quire/schema"
	"quire/server"
)

// Saved views of lists: each account has its own, and sees those that are shared. A view is
// only a question. Its answer is what the account may read, and an account that does not see
// one of the attributes that it asks about does not see the view: its filters may have values
// of them.

func viewRoutes() []Route {
	const all, one = "/views/:uid", "/views/:uid/:id"
	return []Route{
		{Method: http.MethodGet, Path: all, handler: listViews, summary: "List the views of a list: the account's own, and shared ones", out: []*arrange.View{}},
		{Method: http.MethodPost, Path: all, Quiet: true, handler: addView, summary: "Save a view of a list", in: arrange.View{}, out: arrange.View{}, status: http.StatusCreated},
		{Method: http.MethodPut, Path: one, Quiet: true, handler: setView, summary: "Change a view of a list", in: arrange.View{}, out: arrange.View{}},
		{Method: http.MethodDelete, Path: one, Quiet: true, handler: removeView, summary: "Remove a view of a list", query: []string{"shared"}},
	}
}

// listed finds a type that has a list, and what the account sees of it.
func (x *request) listed() (*schema.Type, *schemaView, error) {
	t, err := x.readableType(x.params.ByName("uid"))
	if err != nil {
		return nil, nil, err
	}
	if t.Kind == schema.Single {
		return nil, nil, notFound()
	}
	return t, &schemaView{site: x.admin.Server.Site(x.http), caller: x.session.Identity().Caller}, nil
}

func listViews(x *request) error {
	t, sees, err := x.listed()
	if err != nil {
		return err
	}
	all, err := x.admin.Arrange.Views(x.session.Account.ID, t.UID)
	if err != nil {
		return err
	}
	list := []*arrange.View{}
	for _, v := range all {
		if sees.lacks(t, v) == nil {
			v.Columns = slices.DeleteFunc(v.Columns, func(c arrange.Column) bool { return !sees.showsColumn(t, c.Key) })
			list = append(list, v)
		}
	}
	return x.data(list)
}

func addView(x *request) error {
	t, v, err := x.readView()
	if err == nil {
		err = x.admin.Arrange.AddView(x.session.Account.ID, t.UID, v)
	}
	if err != nil {
		return below("", err)
	}
	return x.answerData(http.StatusCreated, v)
}

func setView(x *request) error {
	t, v, err := x.readView()
	if err == nil {
		v.ID = x.params.ByName("id")
		err = x.admin.Arrange.SetView(x.session.Account.ID, t.UID, v)
	}
	if err != nil {
		return below("", err)
	}
	return x.data(v)
}

func removeView(x *request) error {
	t, _, err := x.listed()
	if err != nil {
		return err
	}
	shared := x.http.URL.Query().Get("shared") == "true"
	if err := x.mayShare(shared); err != nil {
		return err
	}
	if err := x.admin.Arrange.RemoveView(x.session.Account.ID, t.UID, x.params.ByName("id"), shared); err != nil {
		return below("", err)
	}
	return x.empty()
}

// mayShare refuses changes of shared views by accounts without the right to them.
func (x *request) mayShare(shared bool) error {
	if shared && !x.session.Account.Roles.Has(people.Arrange) {
		return refusedRight()
	}
	return nil
}

// readView reads the view in the body, of which the account must see everything.
func (x *request) readView() (*schema.Type, *arrange.View, error) {
	t, sees, err := x.listed()
	if err != nil {
		return nil, nil, err
	}
	v := new(arrange.View)
	if err := x.readForm(v); err != nil {
		return nil, nil, err
	}
	if err := v.Check(); err != nil {
		return nil, nil, err
	}
	if err := x.mayShare(v.Shared); err != nil {
		return nil, nil, err
	}
	for i, c := range v.Columns {
		if !sees.showsColumn(t, c.Key) {
			key := fmt.Sprintf("columns[%d].key", i)
			return nil, nil, server.KeyProblem(key, fmt.Sprintf("%s: %.100q is no column of this list", key, c.Key))
		}
	}
	return t, v, sees.lacks(t, v)
}

// lacks reports a path of a view at which the account sees no attribute.
func (v *schemaView) lacks(t *schema.Type, view *arrange.View) error {
	for i, path := range view.Paths() {
		filters := i < len(view.Filters)
		if filters && len(path) == 1 && slices.Contains(ofReview, path[0]) && seesReviews(v.caller, t) {
			continue
		}
		if !v.reaches(t, path) {
			key := "order"
			if filters {
				key = fmt.Sprintf("filters[%d].path", i)
			}
			return &arrange.MisfitError{Key: key, Message: fmt.Sprintf("there is no attribute %.100q", strings.Join(path, "."))}
		}
	}
	return nil
}

// ofReview are the filters of a list about the review of documents. No attribute has such a name.
var ofReview = []string{"__stage", "__assignee"}

// reaches reports whether the account sees the attributes on a path, through relations and
// components.
func (v *schemaView) reaches(t *schema.Type, path []string) bool { return v.reached(t, path) != nil }

// reached returns the last attribute on a path; nil if the account does not see each of them.
func (v *schemaView) reached(t *schema.Type, path []string) *schema.Attribute {
	sight := v.caller.Sight(t)
	for i, step := range path {
		a := t.Attribute(step)
		last := i == len(path)-1
		switch {
		case a == nil || a.Kind == schema.Password:
			return nil
		case a.System != schema.NotSystem:
			if last && sight.Sees(a) {
				return a
			}
			return nil
		case !slices.Contains(v.seen(t, sight), a):
			return nil
		case last:
			return a
		case a.ComponentType != nil:
			t, sight = a.ComponentType, sight.Within(a)
		case a.Kind == schema.RelationKind && a.Relation.Target != nil:
			t = a.Relation.Target
			sight = v.caller.Sight(t)
		default:
			return nil
		}
	}
	return nil
}

// showsColumn reports whether the account can have a column of a list.
func (v *schemaView) showsColumn(t *schema.Type, key string) bool {
	return key == "status" || key == "locales" || key == "__review" && seesReviews(v.caller, t) || v.reaches(t, []string{key})
}
