package server

import (
	"maps"
	"net"
	"net/http"
	"net/url"

	"quire/query/params"
	"quire/schema/settings"
)

// Redirect redirects clients without TLS to the same URL over TLS, at a port, if serves
// reports that the host belongs to this site. Other methods are refused, because their
// bodies may be secret and must not be sent again this way.
func Redirect(serves func(host string) bool, port string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := hostOf(r.Host)
		switch {
		case !serves(host):
			refuseWith(w, &problem{http.StatusMisdirectedRequest, "MisdirectedRequestError", "This host is not served here", none{}})
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			refuseWith(w, &problem{http.StatusForbidden, "ForbiddenError", "This site is served over TLS only; use https", none{}})
		default:
			if port != "443" {
				host = net.JoinHostPort(host, port)
			}
			to := url.URL{Scheme: "https", Host: host, Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}
			w.Header().Set("Location", to.String())
			if _, _, found, _ := params.Cut(r.URL.RawQuery, settings.TokenParameter); found {
				maps.Copy(w.Header(), previewHeaders)
			}
			w.WriteHeader(http.StatusPermanentRedirect)
		}
	})
}

// hostOf returns the name in a Host header, without the port.
func hostOf(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return host
}

func refuseWith(w http.ResponseWriter, p *problem) {
	w.Header()["Content-Type"] = jsonType
	w.WriteHeader(p.Status)
	w.Write(p.body()) // an error means that the client has disconnected
}
