package settings

import (
	"cmp"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"quire/schema/source"
)

// ProxyRoute is one of site.json's "proxy": a path that a process beside the site answers.
type ProxyRoute struct {
	Prefix string // "/api/reserve", for this path and all below it
	Target string // "http://127.0.0.1:4000", without a path
}

const (
	mostProxyRoutes    = 50
	longestProxyPrefix = 200 // bytes
)

// proxyPrefix is a path of plain segments, none of which is empty, "." or "..".
var proxyPrefix = regexp.MustCompile(`^(?:/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)+$`)

// readProxy reads "proxy": {"/api/reserve": "http://127.0.0.1:4000"}. The longest prefixes
// come first.
func (s *Settings) readProxy(config source.Object) {
	o := config.Object("proxy")
	if len(o.Members) > mostProxyRoutes {
		o.Refuse(fmt.Sprintf("has %d paths, more than %d", len(o.Members), mostProxyRoutes), "name a path above several of them")
		return
	}
	for _, m := range o.Members {
		text, ok := m.Text()
		switch {
		case !proxyPrefix.MatchString(m.Key) || len(m.Key) > longestProxyPrefix:
			m.Refuse(fmt.Sprintf("%.100q is not a path that can be passed on", m.Key), `write a path of letters, digits, ".", "_", "~" and "-" without a slash at its end, such as "/api/reserve"`)
			continue
		case !ok:
			continue
		}
		if why := s.checkProxyTarget(text); why != "" {
			m.Refuse(why, `write where the process listens, such as "http://127.0.0.1:4000"`)
			continue
		}
		s.Proxy = append(s.Proxy, ProxyRoute{m.Key, strings.TrimSuffix(text, "/")})
	}
	slices.SortFunc(s.Proxy, func(a, b ProxyRoute) int {
		return cmp.Or(cmp.Compare(len(b.Prefix), len(a.Prefix)), cmp.Compare(a.Prefix, b.Prefix))
	})
}

func (s *Settings) checkProxyTarget(text string) string {
	if why := s.Events.beside(text).checkReceiver(text); why != "" {
		return why
	}
	if u, err := url.Parse(text); err != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.ForceQuery {
		return "has a path or a query; requests are passed on with the path that they have"
	}
	return ""
}
