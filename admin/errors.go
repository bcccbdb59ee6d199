package admin

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"quire/admin/model"
	"quire/auth"
	"quire/auth/people"
	"quire/auth/people/desk"
	"quire/server"
)

// explain translates an error of accounts for a client. The server explains other errors.
func explain(err error) error {
	var field *people.FieldError
	var full *desk.FullError
	var refused *people.RefusedError
	var step *people.StepError
	var rights *auth.AdminRoleError
	var token *auth.TokenError
	var silent *model.Error
	switch {
	case errors.As(err, &field):
		return server.KeyProblem(field.Key, field.Message)
	case errors.As(err, &full):
		return noSpace(full.Message)
	case errors.Is(err, people.ErrNoSession):
		return server.Problem(http.StatusUnauthorized, "SessionExpired", "You are not signed in, or your session has ended; sign in", nil)
	case errors.Is(err, people.ErrFactorNeeded):
		return server.Problem(http.StatusForbidden, "SecondFactorNeeded", "Set up a second factor first; the site requires one", nil)
	case errors.Is(err, people.ErrClosed):
		return server.Problem(http.StatusForbidden, "PasswordsClosed", "People sign in at the provider here; passwords, passkeys and links sign nobody in", nil)
	case errors.Is(err, people.ErrStep):
		return server.Problem(http.StatusUnauthorized, "SignInExpired", "The sign-in took too long; begin again", nil)
	case errors.Is(err, people.ErrPasskey):
		return invalid("This passkey is not known here")
	case errors.As(err, &step):
		return server.Problem(http.StatusUnauthorized, "SecondFactor", "Say the code of your second factor as well", nil)
	case errors.Is(err, people.ErrCredentials):
		return invalid("The email or the password is wrong")
	case errors.As(err, &rights):
		return server.KeyProblem(strings.Join(append([]string{"rights"}, rights.Path...), "."), rights.Message)
	case errors.As(err, &token):
		return server.KeyProblem(token.Key, "No token was made: "+token.Problem)
	case errors.As(err, &silent):
		return server.Problem(http.StatusBadGateway, "ModelError", silent.Message, nil)
	case errors.Is(err, model.ErrBusy):
		return server.Problem(http.StatusServiceUnavailable, "ServiceUnavailableError", "The language model is busy with other requests; try again in a moment", nil)
	case errors.As(err, &refused):
		return invalid(refused.Message)
	case errors.Is(err, people.ErrForbidden):
		return server.Problem(http.StatusForbidden, "ForbiddenError", "This needs rights that your role does not have", nil)
	case errors.Is(err, people.ErrNotFound):
		return notFound()
	case errors.Is(err, people.ErrLink):
		return invalid("This link is not valid any more; ask for another one")
	case errors.Is(err, people.ErrSetUp):
		return invalid("The site has an account already; sign in")
	}
	return err
}

// problemBelow refuses a key, which is below another key of the body unless that is empty.
func problemBelow(at, key, message string) error {
	if at != "" {
		key = at + "." + key
	}
	return server.KeyProblem(key, fmt.Sprintf("%s: %s", key, message))
}

// noSpace refuses what would be more than may be stored.
func noSpace(message string) error {
	return server.Problem(http.StatusInsufficientStorage, "InsufficientStorageError", message, nil)
}

func invalid(message string) error {
	return server.Problem(http.StatusBadRequest, "ValidationError", message, nil)
}

// queryProblem refuses a parameter of the request.
func queryProblem(key, message string) error {
	return server.Problem(http.StatusBadRequest, "ValidationError", message, struct {
		Key    string `json:"key"`
		Source string `json:"source"`
	}{key, "query"})
}

func notFound() error {
	return server.Problem(http.StatusNotFound, "NotFoundError", "Not Found", nil)
}

// refuse returns a handler that answers every request with a problem.
func (a *Admin) refuse(status int, name, message string) http.Handler {
	return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		a.Server.Fail(r, server.Problem(status, name, message, nil))
	})
}
