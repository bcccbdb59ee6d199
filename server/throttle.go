package server

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"time"

	"quire/auth"
	"quire/auth/users"
	"quire/server/edge"
)

// admit counts a request against the limit of its route, if it has one.
func (r *Route) admit(x *request) error {
	if !r.Throttled {
		return nil
	}
	return x.site.auth.Throttle().TryAddress(r.Method+" "+r.Path, x.client())
}

// tryCredential carries out an attempt. It counts against the client if the credential was
// refused. A client that was refused too often is refused at once.
func (x *request) tryCredential(endpoint string, try func() error) error {
	throttle := x.site.auth.Throttle()
	client := x.client()
	if err := throttle.CheckAddress(endpoint, client); err != nil {
		return err
	}
	err := try()
	if refused := new(auth.UnauthorizedError); errors.As(err, &refused) || errors.Is(err, users.ErrVoucher) {
		_ = throttle.TryAddress(endpoint, client) // this one has its response
	}
	return err
}

func (x *request) client() netip.Addr {
	return edge.ClientAddress(x.http, x.site.schema.Settings.Accounts.Proxies)
}

// ratedError is for an address that sends more than it may, whatever it requests.
type ratedError struct{ auth.ThrottledError }

func (e *ratedError) Unwrap() error { return &e.ThrottledError }

// checkRates counts several requests that arrived in one: all of them or, if their address
// may not send that many at once, none. Of several nodes, only one does batches, and has
// the whole rate for their requests.
func (x *request) checkRates(requests int) error {
	if x.site.rate == nil {
		return nil
	}
	if most := x.site.schema.Settings.Rate.Burst; requests >= most {
		return &problem{http.StatusTooManyRequests, "RateLimitError",
			fmt.Sprintf("This counts as %d requests, and %d may come at once; send it in several", requests+1, most), none{}}
	}
	if wait := x.site.rate.TakeAll(x.client(), requests, time.Now()); wait > 0 {
		return &ratedError{auth.ThrottledError{Wait: wait}}
	}
	return nil
}

// checkRate counts the request against the rate of its address. Of several nodes, the one
// that received it counts it, and each has its part of the rate. A follower has counted what it
// forwards.
func (x *request) checkRate() error {
	if x.site.rate == nil || x.forwarded {
		return nil
	}
	servers := 1
	if nodes := x.server.nodes; nodes != nil {
		if nodes.Forwarded(x.http.Context()) {
			return nil
		}
		servers = nodes.Live()
	}
	if wait := x.site.rate.TakeAmong(servers, x.client(), x.watch.begun); wait > 0 {
		return &ratedError{auth.ThrottledError{Wait: wait}}
	}
	return nil
}
