package edge

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// ClientAddress is where the request comes from; the zero address where that is not
// known. The header X-Forwarded-For is believed as far as it was written by trusted
// proxies: each adds the address that it was called from behind the others, so the
// client's is the last that is none of theirs.
func ClientAddress(r *http.Request, proxies []netip.Prefix) netip.Addr {
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

// OverTLS reports whether the client uses TLS, up to this server or, as
// X-Forwarded-Proto says, up to a trusted proxy.
func OverTLS(r *http.Request, proxies []netip.Prefix) bool {
	if r.TLS != nil {
		return true
	}
	caller, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !trusted(caller.Addr().Unmap(), proxies) {
		return false
	}
	first, _, _ := strings.Cut(r.Header.Get("X-Forwarded-Proto"), ",")
	return strings.EqualFold(strings.TrimSpace(first), "https")
}

func trusted(address netip.Addr, proxies []netip.Prefix) bool {
	return slices.ContainsFunc(proxies, func(p netip.Prefix) bool { return p.Contains(address.WithZone("")) })
}

// network is what one client has: an address, or with IPv6 the network of 64
// bits around it.
func network(address netip.Addr) netip.Addr {
	if address = address.Unmap().WithZone(""); address.Is6() {
		around, _ := address.Prefix(64)
		return around.Addr()
	}
	return address
}
