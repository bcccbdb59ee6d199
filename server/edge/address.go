package edge

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// ClientAddress returns the address that the request comes from, or the zero address if
// it is unknown. It believes X-Forwarded-For as far as trusted proxies have written it:
// each appends the address of its client. So the client is the last address in it that
// is not a proxy's.
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
		before, ok := parseHop(strings.TrimSpace(hop))
		if !ok {
			break
		}
		address = before
	}
	return address
}

// parseHop reads one address of X-Forwarded-For. Some proxies append the port of their
// client, and write an IPv6 address in brackets then. A zone means something only on the
// machine that wrote it, so an address with one is none.
func parseHop(hop string) (netip.Addr, bool) {
	address, err := netip.ParseAddr(hop)
	if inner, ok := strings.CutPrefix(hop, "["); err != nil && ok && strings.HasSuffix(inner, "]") {
		hop += ":0"
	}
	if err != nil {
		var withPort netip.AddrPort
		withPort, err = netip.ParseAddrPort(hop)
		address = withPort.Addr()
	}
	return address.Unmap(), err == nil && address.Zone() == ""
}

// OverTLS reports whether the client uses TLS, up to this server or, according to
// X-Forwarded-Proto, up to a trusted proxy.
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

// network returns what belongs to one client: an address or, with IPv6, its /64
// network.
func network(address netip.Addr) netip.Addr {
	if address = address.Unmap().WithZone(""); address.Is6() {
		around, _ := address.Prefix(64)
		return around.Addr()
	}
	return address
}
