package auth

import (
	"fmt"
	"net/netip"
	"testing"
)

func address(i int) netip.Addr {
	return netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
}

func TestHomeNetworks(t *testing.T) {
	k := &HomeNetworks{}
	home := netip.MustParseAddr("2001:db8:1:2::1")
	k.Add("ana", home)
	for from, want := range map[string]bool{
		"2001:db8:1:2::1": true, "2001:db8:1:2:ffff::7": true, "2001:db8:1:3::1": false, "192.0.2.1": false,
	} {
		if got := k.Includes("ana", netip.MustParseAddr(from)); got != want {
			t.Errorf("from %s: %v", from, got)
		}
	}
	if k.Includes("bob", home) {
		t.Error("one account knows what another does")
	}
	k.Add("ana", netip.Addr{})
	if k.Includes("ana", netip.Addr{}) {
		t.Error("who has no address is known by that")
	}
}

// Neither many networks nor many accounts make it grow without end, and whoever
// keeps coming in stays known.
func TestHomeNetworksAreBounded(t *testing.T) {
	k := &HomeNetworks{}
	for i := range 100 {
		k.Add("ana", address(i))
	}
	if n := len(k.of("ana")); n != mostNetworks || !k.Includes("ana", address(99)) || k.Includes("ana", address(0)) {
		t.Errorf("%d networks of one account", n)
	}
	for i := range 3 * mostAccounts {
		k.Add(fmt.Sprint(i), address(1))
		if i%1000 == 0 {
			k.Add("bob", address(2))
		}
	}
	if n := len(k.current) + len(k.older); n > 2*mostAccounts {
		t.Errorf("%d accounts", n)
	}
	if !k.Includes("bob", address(2)) || k.Includes("0", address(1)) {
		t.Error("not those that came in last are remembered")
	}
}
