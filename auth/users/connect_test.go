package users_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"quire/auth/users"
	"quire/store"
)

var ana = users.Person{Provider: "test", Subject: "person-1", Email: "ana@example.org", Verified: true, Username: "ana"}

func (h *fixture) vouch(p users.Person) string {
	h.Helper()
	text, err := h.Vouch(p)
	h.check(err)
	return text
}

func TestAVoucherEnds(t *testing.T) {
	h := openFixture(t, `{}`)
	voucher := h.vouch(ana)
	h.clock.advance(2*time.Minute - time.Second)
	if _, err := h.Redeem(t.Context(), "other", voucher); !errors.Is(err, users.ErrVoucher) {
		t.Errorf("at another provider: %v", err)
	}
	if s, err := h.Redeem(t.Context(), "test", voucher); err != nil || s.JWT == "" {
		t.Fatal(s, err)
	}
	voucher = h.vouch(ana)
	h.clock.advance(2 * time.Minute)
	if _, err := h.Redeem(t.Context(), "test", voucher); !errors.Is(err, users.ErrVoucher) {
		t.Errorf("after two minutes: %v", err)
	}
}

// However many redeem it at once, a voucher lets one in, and vouchers of one person lead to
// one user.
func TestVouchersAreRedeemedAtOnce(t *testing.T) {
	h := openFixture(t, `{}`)
	vouchers := []string{h.vouch(ana), h.vouch(ana), h.vouch(ana)}
	var mu sync.Mutex
	var wait sync.WaitGroup
	seen, sessions := map[string]bool{}, map[string]int{}
	for i := range 12 {
		voucher := vouchers[i%len(vouchers)]
		wait.Go(func() {
			s, err := h.Redeem(t.Context(), "test", voucher)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				seen[s.DocumentID] = true
				sessions[voucher]++
			case !errors.Is(err, users.ErrVoucher):
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if len(seen) != 1 || len(sessions) != len(vouchers) {
		t.Errorf("there are %d users, and %d vouchers were redeemed", len(seen), len(sessions))
	}
	for _, n := range sessions {
		if n != 1 {
			t.Errorf("a voucher was redeemed %d times", n)
		}
	}
}

// People who are called the same and come for the first time at once all get in.
func TestNamesakesComeAtOnce(t *testing.T) {
	h := openFixture(t, `{}`)
	var wait sync.WaitGroup
	var got sync.Map
	for i := range 12 {
		voucher := h.vouch(users.Person{Provider: "test", Subject: fmt.Sprint(i), Email: fmt.Sprintf("ana%d@example.org", i), Verified: true, Username: "ana"})
		wait.Go(func() {
			s, err := h.Redeem(t.Context(), "test", voucher)
			if err != nil {
				t.Errorf("person %d: %v", i, err)
				return
			}
			if former, twice := got.LoadOrStore(s.DocumentID, i); twice {
				t.Errorf("person %d is the user of person %d", i, former)
			}
		})
	}
	wait.Wait()
}

// That a voucher was used is kept until it ends, and no longer.
func TestWhatWasUsedIsForgotten(t *testing.T) {
	h := openFixture(t, `{}`)
	for range 5 {
		for range 20 {
			_, err := h.Redeem(t.Context(), "test", h.vouch(ana))
			h.check(err)
		}
		h.clock.advance(3 * time.Minute)
	}
	_, err := h.Redeem(t.Context(), "test", h.vouch(ana))
	h.check(err)
	n := 0
	h.check(h.db.View(func(tx *store.Tx) (err error) {
		n, err = tx.CountRecords("connect.used", "")
		return err
	}))
	if n != 1 {
		t.Errorf("%d are kept", n)
	}
}

// Whom a provider has vouched for gets no mail with which to sign in without it.
func TestAUserOfAProviderResetsNoPassword(t *testing.T) {
	h := openFixture(t, `{"auth": {"rateLimit": {"enabled": false}}}`)
	if _, err := h.Redeem(t.Context(), "test", h.vouch(ana)); err != nil {
		t.Fatal(err)
	}
	h.check(h.ForgotPassword(t.Context(), with(t, "email", ana.Email)))
	h.settle()
	if len(h.mail) != 0 {
		t.Errorf("mail was sent: %+v", <-h.mail)
	}
}
