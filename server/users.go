package server

import (
	"context"
	"net/http"
	"strconv"

	"quire/auth/account"
	"quire/content"
	"quire/index"
	"quire/query"
	"quire/query/params"
	"quire/schema"
	"quire/store"
)

// populateRole is populate=role, the default of responses to writes of users.
func populateRole() *params.Node {
	return &params.Node{Kind: params.Object, Keys: []string{"populate"}, Items: []*params.Node{{Kind: params.Text, Text: "role"}}}
}

// userQuery compiles the query of a request for users. defaults supplies missing
// parameters.
func (x *exchange) userQuery(defaults *params.Node) (*query.Query, error) {
	params, err := x.query()
	if err != nil {
		return nil, err
	}
	user := x.edition.site.Type(schema.UserUID)
	return x.compile(user, withDefaults(params, defaults), query.Options{Bare: true})
}

// showUser appends a user, whatever the filters of the query say.
func showUser(q *query.Query, ctx context.Context, s *index.Snapshot, documentID string, dst []byte) ([]byte, bool, error) {
	return q.AppendBareEntry(ctx, s, store.Key{DocumentID: documentID, Status: store.Published}, dst)
}

// userGone is the response if somebody else deletes the user at the same time.
func userGone() error {
	return unavailable("The user has just been deleted, or the site is being reloaded; try again")
}

// appendUser appends a user that was written.
func (x *exchange) appendUser(dst []byte, q *query.Query, documentID string) ([]byte, error) {
	s := x.edition.index.Snapshot()
	dst, found, err := x.appendWritten(q, dst, func(q *query.Query, dst []byte) ([]byte, bool, error) {
		return showUser(q, x.request.Context(), s, documentID, dst)
	})
	if err == nil && !found {
		err = userGone()
	}
	return dst, err
}

// answerUser responds with a user that was written.
func (x *exchange) answerUser(status int, q *query.Query, documentID string) (err error) {
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
	return x.answerList(q, (*query.Query).AppendBare)
}

func countUsers(x *exchange) error {
	q, err := x.userQuery(nil)
	if err != nil {
		return err
	}
	return x.answerList(q, appendCount)
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
	return x.answerOne(q, x.edition.index.Snapshot(), x.identity.User.DocumentID, showUser, userGone())
}

// findUser shows a user. If there is none, it sends 204, as Strapi does.
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
	if err := x.beginQuery(q, q.CostOfOne(s)); err != nil {
		return err
	}
	x.buffer, found, err = q.AppendBareOne(x.request.Context(), s, documentID, x.scratch())
	err = x.endQuery(err)
	switch {
	case err != nil:
		return err
	case !found:
		x.answerEmpty()
	default:
		x.json(http.StatusOK, x.buffer)
	}
	return nil
}

// userForm is the query of the response to a write of a user, and the form.
func (x *exchange) userForm() (*query.Query, *account.Form, error) {
	q, err := x.userQuery(populateRole())
	if err != nil {
		return nil, nil, err
	}
	f, err := readForm(x, x.edition.site.Settings.Limits.BodyBytes)
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
	return x.answerUser(http.StatusCreated, q, documentID)
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
	return x.answerUser(http.StatusOK, q, documentID)
}

// deleteUser shows the deleted user, or sends 204 if there was none.
func deleteUser(x *exchange) error {
	q, err := x.userQuery(nil)
	if err != nil {
		return err
	}
	documentID := x.edition.accounts.Find(x.params[0].Value)
	if documentID == "" {
		x.answerEmpty()
		return nil
	}
	if err := x.prepareAnswer(q); err != nil {
		return err
	}
	last, found, err := showUser(q, x.request.Context(), x.edition.index.Snapshot(), documentID, x.scratch())
	x.buffer = last
	switch err := x.endQuery(err); {
	case err != nil:
		return err
	case !found:
		return userGone()
	}
	if err := x.edition.accounts.DeleteUser(x.request.Context(), documentID); err != nil {
		return err
	}
	x.json(http.StatusOK, last)
	return nil
}
