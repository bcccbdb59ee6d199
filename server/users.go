package server

import (
	"errors"
	"net/http"

	"quire/auth/users"
	"quire/documents"
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
func (x *request) userQuery(defaults *params.Node) (*query.Query, error) {
	params, err := x.query()
	if err != nil {
		return nil, err
	}
	return x.call.Compile(x.site.schema.Type(schema.UserUID), documents.WithDefaults(params, defaults), query.Options{Bare: true})
}

// userGone is the response if somebody else deletes the user at the same time.
func userGone() error {
	return unavailable("The user has just been deleted, or the site is being reloaded; try again")
}

// appendUser appends a user that was written.
func (x *request) appendUser(dst []byte, q *query.Query, documentID string) ([]byte, error) {
	x.call.Latest()
	dst, found, err := x.appendWritten(q, dst, func(q *query.Query, dst []byte) ([]byte, bool, error) {
		return q.AppendBareEntry(x.http.Context(), x.call.Snapshot(), store.Key{DocumentID: documentID, Status: store.Published}, dst)
	})
	if err == nil && !found {
		err = userGone()
	}
	return dst, err
}

// answerUser responds with a user that was written.
func (x *request) answerUser(status int, q *query.Query, documentID string) (err error) {
	if x.buffer, err = x.appendUser(x.scratch(), q, documentID); err != nil {
		return err
	}
	x.json(status, x.buffer)
	return nil
}

func findUsers(x *request) error {
	q, err := x.userQuery(nil)
	return x.answer(x.call.List(q), err)
}

func countUsers(x *request) error {
	q, err := x.userQuery(nil)
	return x.answer(x.call.BareCount(q), err)
}

// me shows callers their own account. A token has none.
func me(x *request) error {
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
func findUser(x *request) error {
	q, err := x.userQuery(nil)
	if err != nil {
		return err
	}
	err = x.answer(x.call.One(q, x.site.accounts.Find(x.params[0].Value), errNoUser), nil)
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
func (x *request) appendWritten(q *query.Query, dst []byte, show func(*query.Query, []byte) ([]byte, bool, error)) ([]byte, bool, error) {
	dst, omitted, found, err := x.call.AppendWritten(q, dst, show)
	x.showOmitted(omitted)
	return dst, found, err
}

// prepareAnswer starts the query of the response to a write: a write whose response is
// refused is not done.
func (x *request) prepareAnswer(q *query.Query) error {
	return x.Begin(x.http.Context(), q.CostOfOne(x.call.Snapshot()), q)
}

// userForm is the query of the response to a write of a user, and the form.
func (x *request) userForm() (*query.Query, *users.Form, error) {
	q, err := x.userQuery(populateRole())
	if err != nil {
		return nil, nil, err
	}
	f, err := readForm(x, x.site.schema.Settings.Limits.BodyBytes)
	return q, f, err
}

func createUser(x *request) error {
	q, f, err := x.userForm()
	if err != nil {
		return err
	}
	documentID, err := x.site.accounts.CreateUser(x.http.Context(), f, x.caller)
	if err != nil {
		return err
	}
	return x.answerUser(http.StatusCreated, q, documentID)
}

func updateUser(x *request) error {
	q, f, err := x.userForm()
	if err != nil {
		return err
	}
	documentID := x.site.accounts.Find(x.params[0].Value)
	if err := x.site.accounts.UpdateUser(x.http.Context(), documentID, f, x.caller); err != nil {
		return err
	}
	return x.answerUser(http.StatusOK, q, documentID)
}

// deleteUser shows the deleted user, or sends 204 if there was none.
func deleteUser(x *request) error {
	q, err := x.userQuery(nil)
	if err != nil {
		return err
	}
	documentID := x.site.accounts.Find(x.params[0].Value)
	if documentID == "" {
		x.answerEmpty()
		return nil
	}
	x.buffer, err = x.call.OneEntry(q, documentID, userGone()).Append(x.http.Context(), x.scratch())
	if err != nil {
		return err
	}
	if err := x.site.accounts.DeleteUser(x.http.Context(), documentID); err != nil {
		return err
	}
	x.json(http.StatusOK, x.buffer)
	return nil
}
