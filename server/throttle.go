package server

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// admit counts a request against the limit of its route, if it has one.
func (r *Route) admit(x *exchange) error {
	if !r.Throttled {
		return nil
	}
	client := clientAddress(x.request, x.edition.site.Settings.Accounts.Proxies)
	return x.edition.auth.Throttle().Address(r.Method+" "+r.Path, client)
}

// clientAddress is where the request comes from. The header X-Forwarded-For is
// believed as far as it was written by trusted proxies: each adds the address
// that it was called from behind the others, so the client's is the last that
// is none of theirs.
func clientAddress(r *http.Request, proxies []netip.Prefix) netip.Addr {
	caller, err := netip.ParseAddrPort(r.RemoteAddr)
	address := caller.Addr().Unmap()
	if err != nil {
		return netip.Addr{}
	}
	hops := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, hop := range slices.Backward(hops) {
		if !trusted(address, proxies) {
			break
		}
		before, err := netip.ParseAddr(strings.TrimSpace(hop))
		if err != nil {
			break
		}
		address = before.Unmap()
	}
	return address
}

func trusted(address netip.Addr, proxies []netip.Prefix) bool {
	return slices.ContainsFunc(proxies, func(p netip.Prefix) bool { return p.Contains(address.WithZone("")) })
}
