package admin

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"quire/auth"
	"quire/auth/people"
	"quire/server"
)

// The content API itself changes users and roles of the site, and the admin only passes the
// requests on. Tokens, which otherwise only the command line creates, are changed here.
func accessRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/tokens", Right: people.Access, handler: listTokens, summary: "List the API tokens of the site", out: []auth.TokenInfo{}},
		{Method: http.MethodPost, Path: "/tokens", Right: people.Access, handler: taking(createToken),
			summary: "Make an API token, which the answer shows once", in: tokenForm{}, out: madeToken{}, status: http.StatusCreated},
		{Method: http.MethodPost, Path: "/tokens/revoke", Right: people.Access, handler: taking(revokeToken), summary: "Revoke an API token", in: tokenName{}},
		{Method: http.MethodGet, Path: "/permissions", Right: people.Access, handler: listPermissions, summary: "List what roles of the site and tokens may be allowed", out: permissionsOf{}},
		{Method: http.MethodGet, Path: "/as/:role/*rest", Right: people.Access, handler: answerAs,
			summary: "Read content as somebody with a role of the site would: the content API below /api", media: "*/*"},
	}
}

// listTokens describes the API tokens; no token itself is stored.
func listTokens(x *request) error {
	list, err := x.admin.Auth.Tokens()
	if err != nil {
		return err
	}
	if list == nil {
		list = []auth.TokenInfo{}
	}
	return x.data(list)
}

// tokenForm describes a new token.
type tokenForm struct {
	Name        string         `json:"name"`
	Kind        auth.TokenKind `json:"type"`
	Permissions []string       `json:"permissions"` // only for custom tokens
	Days        *int           `json:"days"`        // how long it is valid; null if it does not expire
}

// mostDays is the maximum lifetime of a token that expires, in days.
const mostDays = 3650

// madeToken is a new token. It is shown once.
type madeToken struct {
	Name  string `json:"name"`
	Token string `json:"token"`
}

func createToken(x *request, f *tokenForm) error {
	spec := auth.TokenSpec{Name: strings.TrimSpace(f.Name), Kind: f.Kind, Permissions: f.Permissions}
	if f.Days != nil {
		if *f.Days < 1 || *f.Days > mostDays {
			return &people.FieldError{Key: "days", Message: "A token is valid for 1 to 3650 days, or does not expire"}
		}
		spec.Lifetime = time.Duration(*f.Days) * 24 * time.Hour
	}
	if slices.ContainsFunc(auth.TokenOnly(), func(p auth.Permission) bool { return slices.Contains(spec.Permissions, p.String()) }) {
		if err := x.ownerOnly(); err != nil {
			return err
		}
	}
	token, err := x.admin.Auth.CreateToken(x.http.Context(), spec)
	if err != nil {
		return err
	}
	return x.answerData(http.StatusCreated, madeToken{spec.Name, token})
}

type tokenName struct {
	Name string `json:"name"`
}

// revokeToken takes the name in the body, because a name may have slashes.
func revokeToken(x *request, f *tokenName) error {
	err := x.admin.Auth.RevokeToken(x.http.Context(), f.Name)
	if missing := new(auth.NoSuchError); errors.As(err, &missing) {
		return notFound()
	}
	return x.done(err)
}

// permissionsOf has the permissions that roles of the site and tokens can get, those that the
// account can give to tokens alone, and the roles that only site.json changes.
type permissionsOf struct {
	Permissions []string `json:"permissions"`
	TokensOnly  []string `json:"tokensOnly"`
	InSite      []string `json:"inSite"` // types of roles
}

func listPermissions(x *request) error {
	out := permissionsOf{[]string{}, []string{}, []string{}}
	for _, p := range auth.AllPermissions(x.admin.Server.Site(x.http)) {
		out.Permissions = append(out.Permissions, p.String())
	}
	if x.ownerOnly() == nil {
		for _, p := range auth.TokenOnly() {
			out.TokensOnly = append(out.TokensOnly, p.String())
		}
	}
	for _, r := range x.admin.Auth.Roles() {
		if r.InSite {
			out.InSite = append(out.InSite, r.Type)
		}
	}
	return x.data(out)
}

// answerAs answers a GET of the content API with the rights of a role of the site, so that
// the person who sets the role sees what it may see.
func answerAs(x *request) error {
	role, rest := x.params.ByName("role"), x.params.ByName("rest")
	if x.admin.Auth.Role(role) == nil || !isPassed(rest) {
		return notFound()
	}
	r := shallow(x.http)
	r.URL = &url.URL{Path: "/api" + rest, RawQuery: x.http.URL.RawQuery}
	x.admin.Server.ServeAs(x.writer, r, x.admin.identifyAs(role, x.token))
	return nil
}

// identifyAs returns an Authenticator with the rights of a role of the site, valid as long
// as the session lasts and its account may ask: a stream ends with it.
func (a *Admin) identifyAs(role, token string) server.Authenticator {
	return func() (auth.Identity, error) {
		s, err := a.People.Session(token)
		if err != nil {
			return auth.Identity{}, explain(err)
		}
		identity, ok := a.Auth.RoleIdentity(role)
		switch {
		case !s.Account.Roles.Has(people.Access):
			return auth.Identity{}, refusedRight()
		case !ok:
			return auth.Identity{}, notFound()
		}
		identity.Expires = s.Identity().Expires
		return identity, nil
	}
}
