package admin

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/julienschmidt/httprouter"

	"quire/auth/people"
	"quire/documents"
	"quire/server"
)

// request is one request for a route and its response.
type request struct {
	writer  http.ResponseWriter // the server's, which ServeAs needs
	http    *http.Request
	params  httprouter.Params
	admin   *Admin
	session *people.Session // nil on open routes
	token   string          // of the session
}

// call returns the call of documents in the name of the account.
func (x *request) call() (*documents.Call, error) {
	return x.admin.Server.CallAs(x.http, x.admin.identify(x.token))
}

// cookieName is the cookie with the token of a session.
const cookieName = "quire_admin"

// mostCookies is how many cookies of that name are tried. A neighbouring domain can set one
// for the whole parent domain, which must not lock anybody out.
const mostCookies = 4

// recognize finds the session of the request: the first cookie with the token of one. An
// early session may be of an account that still needs a second factor. Errors are
// people.ErrNoSession and people.ErrFactorNeeded.
func (x *request) recognize(early bool) error {
	find := x.admin.People.Session
	if early {
		find = x.admin.People.AnySession
	}
	for _, token := range x.cookies(cookieName) {
		session, err := find(token)
		if err == nil {
			x.session, x.token = session, token
		}
		if !errors.Is(err, people.ErrNoSession) {
			return err
		}
	}
	return people.ErrNoSession
}

// cookies returns the values of the cookies of a name that are tried.
func (x *request) cookies(name string) (values []string) {
	cookies := x.http.CookiesNamed(x.cookieInBrowser(name))
	for _, c := range cookies[:min(len(cookies), mostCookies)] {
		values = append(values, c.Value)
	}
	return values
}

// setCookie stores the token of a session in the browser, or removes it if it is empty.
func (x *request) setCookie(token string) { x.putCookie(cookieName, token, people.Longest) }

// putCookie stores a value in the browser for a time, or removes it if it is empty.
func (x *request) putCookie(name, value string, life time.Duration) {
	age := int(life.Seconds())
	if value == "" {
		age = -1
	}
	http.SetCookie(x.writer, &http.Cookie{
		Name: x.cookieInBrowser(name), Value: value, Path: Path, MaxAge: age,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: x.admin.Server.OverTLS(x.http),
	})
}

// cookieInBrowser returns the name under which a browser has a cookie. Browsers store a name
// that begins with __Secure- only if the response came over TLS, so that nobody can plant
// such a cookie over a connection that is not secure.
func (x *request) cookieInBrowser(name string) string {
	if x.admin.Server.OverTLS(x.http) {
		return "__Secure-" + name
	}
	return name
}

// formBytes limits the body of a request with a form: names, passwords, rights.
const formBytes = 64 << 10

// readForm reads the body of the request, a JSON object, into form. An unknown key or a
// value of a wrong type is a 400 with the key.
func (x *request) readForm(form any) error {
	text, err := x.admin.Server.ReadJSON(x.http, formBytes)
	if err != nil {
		return err
	}
	return decode(text, form)
}

// decode reads a JSON object into form.
func decode(text []byte, form any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(form)
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = errors.New("something follows it")
		}
	}
	var wrong *json.UnmarshalTypeError
	var coded base64.CorruptInputError
	switch {
	case errors.As(err, &coded):
		key := badBytes(text, form)
		return server.KeyProblem(key, key+" must be bytes in base 64")
	case err == nil && bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")):
		return nil
	case errors.As(err, &wrong) && wrong.Field != "":
		return server.KeyProblem(wrong.Field, fmt.Sprintf("%s must not be a JSON %s", wrong.Field, wrong.Value))
	case err != nil:
		if name, unknown := strings.CutPrefix(err.Error(), "json: unknown field "); unknown {
			name = strings.Trim(name, `"`)
			return server.KeyProblem(name, fmt.Sprintf("The key %.100q does not belong here", name))
		}
	}
	return server.Problem(http.StatusBadRequest, "ValidationError", "The body must be one JSON object", nil)
}

// badBytes finds the key of an object whose value must be bytes, and is not in base 64.
func badBytes(text []byte, form any) string {
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil {
		return ""
	}
	for _, key := range slices.Sorted(maps.Keys(members)) {
		alone, err := json.Marshal(map[string]json.RawMessage{key: members[key]})
		if err == nil && errors.As(json.Unmarshal(alone, form), new(base64.CorruptInputError)) {
			return key
		}
	}
	return ""
}

// data answers with a value in the envelope. The response to a GET has an ETag.
func (x *request) data(value any) error { return x.answerData(http.StatusOK, value) }

func (x *request) answerData(status int, value any) error {
	return x.answerWith(status, value, struct{}{})
}

// answerWith is answerData with a meta in the envelope.
func (x *request) answerWith(status int, value, meta any) error {
	text, err := json.Marshal(struct {
		Data any `json:"data"`
		Meta any `json:"meta"`
	}{value, meta})
	if err != nil {
		return err
	}
	if m := x.http.Method; m != http.MethodGet && m != http.MethodHead {
		x.writer.Header().Set("Cache-Control", "no-store")
	}
	x.admin.Server.SendJSON(x.http, status, text)
	return nil
}

// done answers 204, unless there is an error.
func (x *request) done(err error) error {
	if err != nil {
		return err
	}
	return x.empty()
}

// empty answers 204.
func (x *request) empty() error {
	x.writer.Header().Set("Cache-Control", "no-store")
	x.writer.WriteHeader(http.StatusNoContent)
	return nil
}
