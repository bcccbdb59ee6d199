package server

import (
	"context"
	"net/http"
	"strconv"

	"quire/auth"
	"quire/content"
	"quire/index"
	"quire/query"
	"quire/schema"
	"quire/store"
)

// roleShown is populate=role, which answers to writes of users have by default.
func roleShown() *query.Node {
	return &query.Node{Kind: query.Object, Keys: []string{"populate"}, Items: []*query.Node{{Kind: query.Text, Text: "role"}}}
}

// userQuery compiles the query of the request for users. What it does not ask
// for comes from defaults.
func (x *exchange) userQuery(defaults *query.Node) (*query.Query, error) {
	params, err := x.query()
	if err != nil {
		return nil, err
	}
	user := x.edition.site.Type(schema.UserUID)
	return x.compile(user, withDefaults(params, defaults), query.Options{Bare: true})
}

// appendUser appends a user that there is.
func (x *exchange) appendUser(dst []byte, q *query.Query, documentID string) ([]byte, error) {
	key := store.Key{DocumentID: documentID, Status: store.Published}
	dst, found, err := q.AppendBareEntry(x.request.Context(), x.edition.index.Snapshot(), key, dst)
	if err == nil && !found {
		err = unavailable("The user has just been deleted, or the site is being reloaded; try again")
	}
	return dst, err
}

// user answers with a user that there is.
func (x *exchange) user(status int, q *query.Query, documentID string) (err error) {
	if x.buffer, err = x.appendUser(x.scratch(), q, documentID); err != nil {
		return err
	}
	x.json(status, x.buffer)
	return nil
}

func findUsers(x *exchange) error {
	q, err := x.userQuery(nil)
	if err != nil {
		return err
	}
	return x.list(q, (*query.Query).AppendBare)
}

func countUsers(x *exchange) error {
	q, err := x.userQuery(nil)
	if err != nil {
		return err
	}
	return x.list(q, appendCount)
}

func appendCount(q *query.Query, ctx context.Context, s *index.Snapshot, dst []byte) ([]byte, error) {
	n, err := q.Count(ctx, s)
	return strconv.AppendInt(dst, int64(n), 10), err
}

// me shows callers their own account. A token has none.
func me(x *exchange) error {
	q, err := x.userQuery(nil)
	if err != nil {
		return err
	}
	if x.identity.User == nil {
		return &problem{http.StatusUnauthorized, "UnauthorizedError", "Unauthorized", none{}}
	}
	if err := x.weigh(q, q.CostOfOne(x.edition.index.Snapshot())); err != nil {
		return err
	}
	x.buffer, err = x.appendUser(x.scratch(), q, x.identity.User.DocumentID)
	if err := x.weighed(err); err != nil {
		return err
	}
	x.json(http.StatusOK, x.buffer)
	return nil
}

// findUser answers 204 for a user that there is not, as the reference does.
func findUser(x *exchange) error {
	q, err := x.userQuery(nil)
	if err != nil {
		return err
	}
	var found bool
	documentID := x.edition.accounts.Find(x.params[0].Value)
	s := x.edition.index.Snapshot()
	if x.unchanged(q, s) {
		return nil
	}
	if err := x.weigh(q, q.CostOfOne(s)); err != nil {
		return err
	}
	x.buffer, found, err = q.AppendBareOne(x.request.Context(), s, documentID, x.scratch())
	err = x.weighed(err)
	switch {
	case err != nil:
		return err
	case !found:
		x.empty()
	default:
		x.json(http.StatusOK, x.buffer)
	}
	return nil
}

// userForm is the query that shapes the answer to a write of a user, and the form.
func (x *exchange) userForm() (*query.Query, *auth.Form, error) {
	q, err := x.userQuery(roleShown())
	if err != nil {
		return nil, nil, err
	}
	f, err := readForm(x)
	return q, f, err
}

func createUser(x *exchange) error {
	q, f, err := x.userForm()
	if err != nil {
		return err
	}
	documentID, err := x.edition.accounts.CreateUser(x.request.Context(), f, x.caller)
	if err != nil {
		return err
	}
	return x.user(http.StatusCreated, q, documentID)
}

func updateUser(x *exchange) error {
	q, f, err := x.userForm()
	if err != nil {
		return err
	}
	documentID := x.edition.accounts.Find(x.params[0].Value)
	if documentID == "" {
		return &content.NotFoundError{Type: schema.UserUID, DocumentID: x.params[0].Value}
	}
	if err := x.edition.accounts.UpdateUser(x.request.Context(), documentID, f, x.caller); err != nil {
		return err
	}
	return x.user(http.StatusOK, q, documentID)
}

// deleteUser shows the user as it was, or answers 204 when there was none.
func deleteUser(x *exchange) error {
	q, err := x.userQuery(nil)
	if err != nil {
		return err
	}
	documentID := x.edition.accounts.Find(x.params[0].Value)
	if documentID == "" {
		x.empty()
		return nil
	}
	last, err := x.appendUser(x.scratch(), q, documentID)
	if err != nil {
		return err
	}
	if err := x.edition.accounts.DeleteUser(x.request.Context(), documentID); err != nil {
		return err
	}
	x.buffer = last
	x.json(http.StatusOK, x.buffer)
	return nil
}
