package settings

import (
	"fmt"
	"net/netip"
	"slices"
)

// AddressError is an address to which nothing is sent. Its text leaves the address out,
// because its readers need not know where a name leads.
type AddressError struct {
	Address netip.Addr
	Why     string
}

func (e *AddressError) Error() string {
	return fmt.Sprintf("the address is %s, and events.allowPrivate in site.json does not name it", e.Why)
}

// reserved are the addresses outside the public internet, by their use. IPv6 addresses that
// are not here are public if they begin with 2 or 3.
var reserved = []struct {
	prefix netip.Prefix
	why    string
}{
	{netip.MustParsePrefix("127.0.0.0/8"), "of this machine"},
	{netip.MustParsePrefix("0.0.0.0/8"), "of this machine"},
	{netip.MustParsePrefix("::/127"), "of this machine"},
	{netip.MustParsePrefix("10.0.0.0/8"), "of a private network"},
	{netip.MustParsePrefix("172.16.0.0/12"), "of a private network"},
	{netip.MustParsePrefix("192.168.0.0/16"), "of a private network"},
	{netip.MustParsePrefix("100.64.0.0/10"), "of a provider's network"},
	{netip.MustParsePrefix("fc00::/7"), "of a private network"},
	{netip.MustParsePrefix("169.254.0.0/16"), "of the local link"},
	{netip.MustParsePrefix("fe80::/10"), "of the local link"},
	{netip.MustParsePrefix("224.0.0.0/4"), "for many receivers"},
	{netip.MustParsePrefix("ff00::/8"), "for many receivers"},
	{netip.MustParsePrefix("192.0.0.0/24"), "reserved"},
	{netip.MustParsePrefix("192.0.2.0/24"), "reserved"},
	{netip.MustParsePrefix("192.88.99.0/24"), "reserved"},
	{netip.MustParsePrefix("198.18.0.0/15"), "reserved"},
	{netip.MustParsePrefix("198.51.100.0/24"), "reserved"},
	{netip.MustParsePrefix("203.0.113.0/24"), "reserved"},
	{netip.MustParsePrefix("240.0.0.0/4"), "reserved"},
	{netip.MustParsePrefix("2001::/23"), "reserved"}, // Teredo and others
	{netip.MustParsePrefix("2001:db8::/32"), "reserved"},
	{netip.MustParsePrefix("2002::/16"), "a way to an IPv4 address"},
	{netip.MustParsePrefix("3fff::/20"), "reserved"},
}

var (
	publicIPv6 = netip.MustParsePrefix("2000::/3")
	nat64      = netip.MustParsePrefix("64:ff9b::/96") // its last 4 bytes are an IPv4 address
)

// CheckAddress refuses addresses outside the public internet with an *AddressError, unless
// allowPrivate has them. It always refuses addresses with a zone.
func (e *Events) CheckAddress(a netip.Addr) error {
	if a.Zone() != "" {
		return &AddressError{a, "of the local link"}
	}
	a = a.Unmap()
	if slices.ContainsFunc(e.AllowPrivate, func(p netip.Prefix) bool { return p.Contains(a) }) {
		return nil
	}
	for _, r := range reserved {
		if r.prefix.Contains(a) {
			return &AddressError{a, r.why}
		}
	}
	switch {
	case a.Is4() || publicIPv6.Contains(a):
		return nil
	case nat64.Contains(a):
		bytes := a.As16()
		return e.CheckAddress(netip.AddrFrom4([4]byte(bytes[12:])))
	}
	return &AddressError{a, "reserved"}
}
