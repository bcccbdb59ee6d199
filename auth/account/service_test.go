package account

import (
	"fmt"
	"net/netip"
	"testing"
)

func address(i int) netip.Addr {
	return netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)})
}

func TestHomeNetworks(t *testing.T) {
	k := &homeNetworks{}
	home := netip.MustParseAddr("2001:db8:1:2::1")
	k.add("ana", home)
	for from, want := range map[string]bool{
		"2001:db8:1:2::1": true, "2001:db8:1:2:ffff::7": true, "2001:db8:1:3::1": false, "192.0.2.1": false,
	} {
		if got := k.includes("ana", netip.MustParseAddr(from)); got != want {
			t.Errorf("from %s: %v", from, got)
		}
	}
	if k.includes("bob", home) {
		t.Error("one account knows what another does")
	}
	k.add("ana", netip.Addr{})
	if k.includes("ana", netip.Addr{}) {
		t.Error("who has no address is known by that")
	}
}

// Neither many networks nor many accounts make it grow without end, and whoever
// keeps coming in stays known.
func TestHomeNetworksAreBounded(t *testing.T) {
	k := &homeNetworks{}
	for i := range 100 {
		k.add("ana", address(i))
	}
	if n := len(k.of("ana")); n != mostNetworks || !k.includes("ana", address(99)) || k.includes("ana", address(0)) {
		t.Errorf("%d networks of one account", n)
	}
	for i := range 3 * mostAccounts {
		k.add(fmt.Sprint(i), address(1))
		if i%1000 == 0 {
			k.add("bob", address(2))
		}
	}
	if n := len(k.current) + len(k.older); n > 2*mostAccounts {
		t.Errorf("%d accounts", n)
	}
	if !k.includes("bob", address(2)) || k.includes("0", address(1)) {
		t.Error("not those that came in last are remembered")
	}
}

// A session that changes, which takes a commit, keeps nobody from changing others.
func TestSessionsDoNotWaitForEachOther(t *testing.T) {
	b := &sessionBook{}
	reached := 0
	var nest func(turn int) error
	nest = func(turn int) error {
		if reached++; reached == 5 {
			return nil
		}
		return b.withLock(fmt.Sprint("session ", turn), func() error { return nest(turn + 1) })
	}
	if err := nest(0); err != nil || reached != 5 {
		t.Errorf("%d sessions changed at a time, %v", reached, err)
	}
}
