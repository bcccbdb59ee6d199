package account

import (
	"net/netip"
	"quire/auth"
	"slices"
	"sync"
)

// homeNetworks has the networks from which the owner of each account has signed in, so
// that strangers who try its name do not lock the owner out. It is empty when the server
// starts.
//
// It is bounded: it has the latest networks of each account, in two generations of
// accounts. When the current generation is full, it replaces the older one.
type homeNetworks struct {
	mu             sync.Mutex
	current, older map[string][]netip.Addr // by documentId; the latest network comes last
}

const (
	mostAccounts = 25_000
	mostNetworks = 8 // of each account
)

// add stores that the owner of the account has signed in from there.
func (k *homeNetworks) add(account string, from netip.Addr) {
	if !from.IsValid() {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	from = auth.Network(from)
	list := slices.DeleteFunc(slices.Clone(k.of(account)), func(n netip.Addr) bool { return n == from })
	if len(list) == mostNetworks {
		list = list[1:]
	}
	if len(k.current) >= mostAccounts || k.current == nil {
		k.current, k.older = map[string][]netip.Addr{}, k.current
	}
	k.current[account] = append(list, from)
}

// includes reports whether the owner of the account has signed in from there.
func (k *homeNetworks) includes(account string, from netip.Addr) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return from.IsValid() && slices.Contains(k.of(account), auth.Network(from))
}

func (k *homeNetworks) of(account string) []netip.Addr {
	if list, ok := k.current[account]; ok {
		return list
	}
	return k.older[account]
}
