package auth

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"quire/schema"
	"quire/store"
)

// UnauthorizedError: the request has an invalid credential.
type UnauthorizedError struct{ Message string }

func (e *UnauthorizedError) Error() string {
	if e.Message == "" {
		return "Missing or invalid credentials"
	}
	return e.Message
}

// Auth has what decides about callers, except the users themselves: roles, tokens, keys and
// limits. There is one for each data file, over all versions of the site. Its methods may
// be called from any goroutine.
type Auth struct {
	db  *store.DB
	now func() time.Time

	keys     keyring
	roles    roleCache
	tokens   tokenCache
	throttle *Throttle
	admins   atomic.Pointer[func(id string) *Caller]
	jobs     *jobs

	unsubscribe func()
}

// Options configures Auth. The zero value is ready to use.
type Options struct {
	Log *slog.Logger     // for operators; discarded by default
	Now func() time.Time // time.Now by default

	// JWTSecret signs JWTs. If it is empty, the data file has its own secret.
	JWTSecret string
}

func (o Options) orDefaults() Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return o
}

// Open loads roles and tokens from the data file, and creates its keys if it has none.
// Close must be called before db is closed.
func Open(db *store.DB, site *schema.Site, o Options) (*Auth, error) {
	o = o.orDefaults()
	if err := checkJWTSecret(o.JWTSecret); err != nil {
		return nil, err
	}
	a := &Auth{db: db, now: o.Now, keys: keyring{outside: []byte(o.JWTSecret)}, throttle: newThrottle(o.Now)}
	a.unsubscribe = db.Subscribe(a.apply)
	if err := a.Reload(site); err != nil {
		a.unsubscribe()
		return nil, err
	}
	a.jobs = newJobs(o.Log)
	return a, nil
}

// apply updates keys, tokens and roles for a commit, of this process or of another node.
// Only apply and Reload change them, so all nodes agree.
func (a *Auth) apply(c store.Commit) {
	if a.keys.apply(c) {
		a.tokens.forget()
	}
	a.tokens.apply(c)
	a.roles.apply(c)
}

// Reload reads keys, tokens and roles from the data file again, and switches to
// another version of the site. After an error the roles are still those of the former
// version.
func (a *Auth) Reload(site *schema.Site) error {
	if err := a.keys.load(a.db); err != nil {
		return err
	}
	if err := a.tokens.load(a.db); err != nil {
		return fmt.Errorf("the API tokens: %w", err)
	}
	if err := a.roles.load(site, a.db); err != nil {
		return fmt.Errorf("the roles: %w", err)
	}
	a.throttle.SetLimit(site.Settings.RateLimit)
	return nil
}

// Close waits for background work, and cancels it when ctx is done.
func (a *Auth) Close(ctx context.Context) error {
	a.unsubscribe()
	return a.jobs.close(ctx)
}

// Throttle returns the limit on requests of the API that take passwords or send mail.
func (a *Auth) Throttle() *Throttle { return a.throttle }

// SetAdmins sets the function that finds the caller of an admin account by its id: nil if
// the account does not exist. Without it there are no such callers.
func (a *Auth) SetAdmins(find func(id string) *Caller) { a.admins.Store(&find) }

// byAdmin returns the caller of an account of the admin, or nil.
func (a *Auth) byAdmin(id string) *Caller {
	if find := a.admins.Load(); find != nil {
		return (*find)(id)
	}
	return nil
}

// byToken returns the identity for an API token.
func (a *Auth) byToken(token string) (Identity, error) {
	h := a.tokens.find(*a.keys.token.Load(), token)
	now := a.now()
	if h == nil || h.token.expired(now) {
		return Identity{}, &UnauthorizedError{}
	}
	if h.touch(now) {
		a.jobs.enqueue(func(context.Context) error {
			if err := a.db.Update(h.token.storeUse(now)); !errors.Is(err, store.ErrCopy) {
				return err
			}
			return nil // the leader notes what is used there
		})
	}
	return Identity{Caller: h.caller, Expires: h.token.Expires}, nil
}

// isToken reports whether a bearer credential has the form of an API token; others are
// JWTs.
func isToken(bearer string) bool { return len(bearer) == tokenLength && !strings.Contains(bearer, ".") }
