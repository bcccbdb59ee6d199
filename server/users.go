package server

import (
	"context"
	"errors"
	"net/http"

	"quire/auth/users"
	"quire/content"
	"quire/documents"
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
	return x.call.Compile(x.edition.site.Type(schema.UserUID), documents.WithDefaults(params, defaults), query.Options{Bare: true})
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
	x.call.Latest()
	dst, found, err := x.appendWritten(q, dst, func(q *query.Query, dst []byte) ([]byte, bool, error) {
		return showUser(q, x.request.Context(), x.call.Snapshot(), documentID, dst)
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
	return x.answer(x.call.List(q), err)
}

func countUsers(x *exchange) error {
	q, err := x.userQuery(nil)
	return x.answer(x.call.BareCount(q), err)
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
	return x.respond(x.call.OneEntry(q, x.identity.User.DocumentID, userGone()))
}

// findUser shows a user. If there is none, it sends 204, as Strapi does.
func findUser(x *exchange) error {
	q, err := x.userQuery(nil)
	if err != nil {
		return err
	}
	err = x.answer(x.call.One(q, x.edition.accounts.Find(x.params[0].Value), errNoUser), nil)
	if errors.Is(err, errNoUser) {
		x.answerEmpty()
		return nil
	}
	return err
}

// errNoUser reports that there is no such user.
var errNoUser = errors.New("there is no such user")

// appendWritten appends the result of show for something that was written, or less if
// necessary.
func (x *exchange) appendWritten(q *query.Query, dst []byte, show func(*query.Query, []byte) ([]byte, bool, error)) ([]byte, bool, error) {
	dst, omitted, found, err := x.call.AppendWritten(q, dst, show)
	x.showOmitted(omitted)
	return dst, found, err
}

// prepareAnswer starts the query of the response to a write: a write whose response is
// refused is not done.
func (x *exchange) prepareAnswer(q *query.Query) error {
	return x.Begin(x.request.Context(), q.CostOfOne(x.call.Snapshot()), q)
}

// userForm is the query of the response to a write of a user, and the form.
func (x *exchange) userForm() (*query.Query, *users.Form, error) {
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
	x.buffer, err = x.call.OneEntry(q, documentID, userGone()).Append(x.request.Context(), x.scratch())
	if err != nil {
		return err
	}
	if err := x.edition.accounts.DeleteUser(x.request.Context(), documentID); err != nil {
		return err
	}
	x.json(http.StatusOK, x.buffer)
	return nil
}
