package admin

import (
	"net/http"
	"strings"

	"quire/auth"
	"quire/documents"
	"quire/server"
)

// contentRoutes returns routes to the content API, in the name of the account, including
// those of the media library.
func contentRoutes() []Route {
	const path = "/content/*rest"
	return append([]Route{
		{Method: http.MethodGet, Path: path, handler: passContent, summary: "Read content: the content API in the account's name, below /api", media: "*/*"},
		{Method: http.MethodPost, Path: path, handler: passContent, summary: "Make content, or act on it", in: map[string]any{}, media: "*/*"},
		{Method: http.MethodPut, Path: path, handler: passContent, summary: "Change content", in: map[string]any{}, media: "*/*"},
		{Method: http.MethodDelete, Path: path, handler: passContent, summary: "Delete content", media: "*/*"},
	}, mediaRoutes()...)
}

// isPassed reports whether the admin passes a path of the content API on. It does not pass
// the sign-in of the site's users, which are other accounts.
func isPassed(rest string) bool {
	return rest != "/" && !strings.HasPrefix(rest+"/", "/auth/") && !strings.HasPrefix(rest+"/", "/connect/")
}

// passContent makes the content API answer the path below /api.
func passContent(x *request) error {
	rest := x.params.ByName("rest")
	if !isPassed(rest) {
		return notFound()
	}
	u := *x.http.URL
	u.Path, u.RawPath = "/api"+rest, ""
	r := shallow(x.http)
	r.URL = &u
	if m := x.admin.Server.Site(r).Settings.Admin.Model; m != nil && r.Header.Get(suggestionsHeader) == "1" {
		r = r.WithContext(documents.Suggested(r.Context(), m.Name))
	}
	x.admin.Server.ServeAs(x.writer, r, x.admin.identify(x.token))
	return nil
}

// identify returns an Authenticator for the account of a session, valid as long as the
// session lasts.
func (a *Admin) identify(token string) server.Authenticator {
	return func() (auth.Identity, error) {
		s, err := a.People.Session(token)
		if err != nil {
			return auth.Identity{}, explain(err)
		}
		return s.Identity(), nil
	}
}
