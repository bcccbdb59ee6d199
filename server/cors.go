package server

import "net/http"

// What other origins may do, as the reference allows it by default. An origin is
// never named together with credentials: a page elsewhere can read what anybody
// can, or what a token that it holds allows, and never what a cookie would.
const (
	corsMethods = "GET,POST,PUT,PATCH,DELETE,HEAD,OPTIONS"
	corsHeaders = "Content-Type,Authorization,Origin,Accept,Strapi-Response-Format"
	corsMaxAge  = "31536000"
)

// preflight answers the request, and reports true, when that is a browser asking
// beforehand whether a script may send it.
func preflight(w http.ResponseWriter, r *http.Request) bool {
	h := w.Header()
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", corsMethods)
	h.Set("Access-Control-Allow-Headers", corsHeaders)
	h.Set("Access-Control-Max-Age", corsMaxAge)
	w.WriteHeader(http.StatusNoContent)
	return true
}
