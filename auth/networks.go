package auth

import (
	"net/netip"
	"slices"
	"sync"
)

// HomeNetworks has the networks from which the owner of each account has signed in, so that
// strangers who try its name cannot lock the owner out. It is empty when the server starts.
//
// Its size is limited: it has the latest networks of each account, in two generations of
// accounts. When the current generation is full, it replaces the older one.
type HomeNetworks struct {
	mu             sync.Mutex
	current, older map[string][]netip.Addr // by the id of the account; the latest network comes last
}

const (
	mostAccounts = 25_000
	mostNetworks = 8 // of each account
)

// Add stores that the owner of the account has signed in from an address.
func (k *HomeNetworks) Add(account string, from netip.Addr) {
	if !from.IsValid() {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	from = Network(from)
	list := slices.DeleteFunc(slices.Clone(k.of(account)), func(n netip.Addr) bool { return n == from })
	if len(list) == mostNetworks {
		list = list[1:]
	}
	if len(k.current) >= mostAccounts || k.current == nil {
		k.current, k.older = map[string][]netip.Addr{}, k.current
	}
	k.current[account] = append(list, from)
}

// Includes reports whether the owner of the account has signed in from an address.
func (k *HomeNetworks) Includes(account string, from netip.Addr) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return from.IsValid() && slices.Contains(k.of(account), Network(from))
}

func (k *HomeNetworks) of(account string) []netip.Addr {
	if list, ok := k.current[account]; ok {
		return list
	}
	return k.older[account]
}
