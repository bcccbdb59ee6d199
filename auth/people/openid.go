package people

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/netip"
	"slices"
	"strings"

	"quire/auth"
	"quire/content/audit"
	"quire/schema/settings"
	"quire/store"
)

// Person is a person who has signed in at the provider of the site, which has proven it.
type Person struct {
	Issuer, Subject string // together they identify one person, always the same
	Email           string
	EmailVerified   bool // the address belongs to the person
	Name            string
	Role            json.RawMessage // the claim that decides the role; nil for none
	Factor          bool            // the provider says that it has checked a second factor

	From  netip.Addr
	Agent string // User-Agent of the browser
}

// OpenIDError refuses a person whom the provider has let in.
type OpenIDError struct {
	Code    string // for the page: one of the constants below
	Message string // for operators
}

func (e *OpenIDError) Error() string { return e.Message }

// Why the site refuses a person whom the provider has let in.
const (
	NoAccount     = "account" // there is none, and none is created
	NoRole        = "role"    // no claim gives a role
	BadClaim      = "claim"   // the claim has another form
	NoEmail       = "email"   // an account cannot be created without a verified address
	AccountClosed = "blocked"
)

// providerLink links an account to a person at a provider.
type providerLink struct {
	Issuer  string `json:"issuer"`
	Subject string `json:"subject"`
}

// SignInOpenID begins a session of the account of a person, and returns its token. It finds
// the account by the issuer and subject; creates or links one if the site wants that; and
// gives it the roles that the claims decide. A person whom the claims no longer give a role
// loses it here too. Errors are *OpenIDError, ErrClosed, *StepError if the account has a
// second factor, *auth.ThrottledError and the store's.
func (b *Directory) SignInOpenID(ctx context.Context, p Person) (token string, err error) {
	const action = "sign-in to the admin by a provider from"
	limit, network := b.tries, auth.Network(p.From).String()
	if err := limit.TryAccount(action, network); err != nil {
		return "", err
	}
	var in *providerSignIn
	err = b.withSignIn(ctx, p, func(a *providerSignIn) error {
		in = a
		token, err = a.enter()
		return err
	})
	if err == nil && in.failure != nil {
		err = in.failure // its changes stay
	}
	if refused, ok := errors.AsType[*OpenIDError](err); ok {
		b.log.Warn("a sign-in to the admin by the provider was refused", "from", p.From, "why", refused.Message)
		b.NoteRefused(ctx, "session.begin", in.target(), map[string]string{"provider": p.Issuer, "why": refused.Message})
		return "", err
	}
	limit.TakeBack(action, network)
	if err != nil {
		return "", err
	}
	b.networks.Add(in.id, p.From)
	return token, nil
}

// providerSignIn is a sign-in through the provider, within its transaction.
type providerSignIn struct {
	*change
	ctx    context.Context
	policy *settings.AdminOpenID
	person Person

	id      string
	record  *record // of the account, or nil
	failure error   // returned although something is stored
}

// withSignIn runs a sign-in through the provider. The error is ErrClosed, or that of fn.
func (b *Directory) withSignIn(ctx context.Context, p Person, fn func(a *providerSignIn) error) error {
	b.mu.RLock()
	site := b.site
	b.mu.RUnlock()
	policy := site.Settings.Admin.OpenID
	if policy == nil || policy.Provider.Issuer != p.Issuer {
		return ErrClosed
	}
	return b.db.Update(func(tx *store.Tx) error {
		c := &change{Tx: tx, directory: b, site: site, roles: builtIn()[:1], source: audit.Of(ctx)}
		return fn(&providerSignIn{change: c, ctx: ctx, policy: policy, person: p})
	})
}

// target returns the account for the audit log, also if it does not exist.
func (a *providerSignIn) target() audit.Target {
	if a == nil || a.record == nil {
		return audit.Target{Type: "account"}
	}
	return accountTarget(a.id, a.record.Email)
}

// enter begins the session. An error that is not in failure stores nothing.
func (a *providerSignIn) enter() (token string, err error) {
	decided, err := a.decide()
	if err != nil {
		return "", err
	}
	if err := a.findAccount(); err != nil {
		return "", err
	}
	if a.record != nil && a.record.Blocked {
		return "", &OpenIDError{AccountClosed, "the account is blocked"}
	}
	if a.record == nil {
		err = a.findOrMake(decided)
	}
	if err == nil {
		err = a.applyRoles(decided)
	}
	if err != nil || a.failure != nil {
		return "", err
	}
	device := Device{a.person.From, a.person.Agent, ByOpenID, a.person.Factor && a.policy.TrustFactor}
	details := map[string]string{"provider": a.person.Issuer}
	if device.factor {
		details["second factor"] = "of the provider"
	}
	var step *StepError
	token, err = a.directory.enter(a.Tx, a.id, a.record, device)
	if errors.As(err, &step) {
		a.failure = step // the account is linked all the same
		return "", a.noteSelf("session.provider", details)
	}
	return token, errors.Join(err, a.noteSelf("session.begin", details))
}

// findAccount finds the account that is linked to the person.
func (a *providerSignIn) findAccount() error {
	return a.Records(accountsBucket, func(id string, value []byte) error {
		r, err := readRecord(value)
		if err == nil && r.Link != nil && *r.Link == (providerLink{a.person.Issuer, a.person.Subject}) {
			a.id, a.record = id, r
		}
		return nil
	})
}

// findOrMake links the account with the person's address, or creates one.
func (a *providerSignIn) findOrMake(decided decision) error {
	if decided.roles == nil && decided.managed {
		return decided.refusal()
	}
	email, err := checkEmail(a.person.Email)
	known := err == nil && a.person.EmailVerified
	if a.policy.Link && known {
		if err := a.link(email, decided.managed); err != nil || a.record != nil {
			return err
		}
	}
	switch {
	case !a.policy.Create:
		return &OpenIDError{NoAccount, "there is no account of this person, and createAccounts is not set"}
	case !known:
		return &OpenIDError{NoEmail, "the provider names no address that it has verified, which an account needs"}
	case decided.roles == nil:
		return decided.refusal()
	}
	return a.make(email, decided.roles)
}

// link links the account with an address to the person, unless it is already linked. If the
// provider decides roles, only the provider lets people in from then on: somebody else may
// have created the account and know its password.
func (a *providerSignIn) link(email string, managed bool) error {
	err := a.Records(accountsBucket, func(id string, value []byte) error {
		r, err := readRecord(value)
		if err == nil && r.Email == email && r.Link == nil && !r.Blocked {
			a.id, a.record = id, r
		}
		return nil
	})
	if err != nil || a.record == nil {
		return err
	}
	a.record.Link = &providerLink{a.person.Issuer, a.person.Subject}
	if managed {
		a.record.Hash = ""
		err = errors.Join(dropPasskeys(a.Tx, a.id), dropLinks(a.Tx, a.id), endAccess(a.Tx, a.id, ""))
	}
	return errors.Join(err, a.record.put(a.Tx, a.id), a.noteSelf("account.openid-link", map[string]string{"provider": a.person.Issuer}))
}

// make creates an account for the person. The first one of a site gets the role of an
// owner.
func (a *providerSignIn) make(email string, roles []string) error {
	n, err := a.CountRecords(accountsBucket, "")
	switch {
	case err != nil:
		return err
	case n >= MostAccounts:
		return &OpenIDError{NoAccount, "there are as many accounts as there may be"}
	case n == 0 && !slices.Contains(roles, owner):
		return &OpenIDError{NoAccount, "the first account of a site is an owner's, and the role of this person is another"}
	}
	id := auth.RandomText(idBytes)
	if err := free(a.Tx, email, id); err != nil {
		if errors.Is(err, ErrTaken) {
			return &OpenIDError{NoAccount, "another account has the address of this person, and is not linked"}
		}
		return err
	}
	a.id, a.record = id, &record{
		Name: nameOf(&a.person, email), Email: email, Created: a.directory.now().UTC(),
		Link: &providerLink{a.person.Issuer, a.person.Subject},
	}
	a.record.setRoles(roles)
	details := map[string]string{"role": idsOf(a.record.roles()), "provider": a.person.Issuer}
	return errors.Join(dropLinks(a.Tx, ""), a.record.put(a.Tx, id), a.noteSelf("account.create", details))
}

// nameOf returns a name for the account of a person: the provider's, or the address.
func nameOf(p *Person, email string) string {
	name := strings.TrimSpace(oneLine(p.Name, longestName))
	if name, err := checkName(name); err == nil {
		return name
	}
	local, _, _ := strings.Cut(email, "@")
	return oneLine(local, longestName)
}

// noteSelf records in the audit log what the person does with the account.
func (a *providerSignIn) noteSelf(action string, details map[string]string) error {
	return noteOwn(a.ctx, a.Tx, action, a.id, a.record.Email, maps.Clone(details))
}
