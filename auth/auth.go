package auth

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"quire/schema"
	"quire/store"
)

// UnauthorizedError says that a credential was shown and is not valid.
type UnauthorizedError struct{ Message string }

func (e *UnauthorizedError) Error() string {
	if e.Message == "" {
		return "Missing or invalid credentials"
	}
	return e.Message
}

// Auth holds what decides about callers beside the users themselves: roles,
// tokens, keys, sessions. There is one for each data file, over all versions of
// the site. Its methods may be called from any goroutine.
type Auth struct {
	db        *store.DB
	log       *slog.Logger
	now       func() time.Time
	post      *post
	passwords *Passwords

	key    []byte                 // hashes tokens and codes
	secret atomic.Pointer[[]byte] // signs JWTs

	secretOutside bool // the secret is not in the data file

	roles    roleBook
	tokens   tokenBook
	sessions sessionBook
	throttle *Throttle
	jobs     *jobs

	turns [256]sync.Mutex // one for each user, shared by some: see Accounts.alone

	// legacy is set when some user has a password hash from elsewhere.
	legacy    atomic.Bool
	unfollows func()
}

// Options is what Auth takes from outside; the zero value is in order.
type Options struct {
	Log       *slog.Logger     // what an operator should know; nothing by default
	Now       func() time.Time // time.Now by default
	Passwords *Passwords       // NewPasswords by default

	// JWTSecret signs JWTs. When it is empty, the data file has a secret of its own.
	JWTSecret string

	SMTP   string // address of the mail server; site.json's by default
	Mailer Mailer // delivers mail in the place of an SMTP server
}

func (o Options) orDefaults() Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Passwords == nil {
		o.Passwords = NewPasswords()
	}
	return o
}

// Open loads roles, tokens and sessions from the data file, and makes its keys
// when it has none yet. Close must be called before db is closed.
func Open(db *store.DB, site *schema.Site, o Options) (*Auth, error) {
	o = o.orDefaults()
	if o.SMTP != "" {
		if _, err := newSMTP(o.SMTP); err != nil {
			return nil, err
		}
	}
	a := &Auth{db: db, log: o.Log, now: o.Now, passwords: o.Passwords, throttle: newThrottle(o.Now)}
	a.post = &post{log: o.Log, smtp: o.SMTP, mailer: o.Mailer}
	if err := a.openKeys(o.JWTSecret); err != nil {
		return nil, err
	}
	if err := a.Use(site); err != nil {
		return nil, err
	}
	a.jobs = newJobs(o.Log)
	a.unfollows = db.Subscribe(a.hear)
	return a, nil
}

// hear follows what commits change about roles and users.
func (a *Auth) hear(c store.Commit) {
	a.roles.hear(c)
	for _, change := range c.Changes {
		if change.Type == schema.UserUID && change.After != nil {
			a.look(change.After)
		}
	}
}

func (a *Auth) look(user *store.Entry) {
	if isBcrypt(user.Value("password").Text) {
		a.legacy.Store(true)
	}
}

// Use moves on to another version of the site, and reads anew what the data file
// holds.
func (a *Auth) Use(site *schema.Site) error {
	a.throttle.use(site.Settings.RateLimit)
	if err := a.roles.use(site, a.db); err != nil {
		return fmt.Errorf("the roles: %w", err)
	}
	if err := a.tokens.load(a.db); err != nil {
		return fmt.Errorf("the API tokens: %w", err)
	}
	if err := a.sessions.load(a.db, &site.Settings.Accounts.Refresh); err != nil {
		return fmt.Errorf("the sessions: %w", err)
	}
	return a.db.View(func(tx *store.Tx) error {
		return tx.Scan(schema.UserUID, func(e *store.Entry) error {
			a.look(e)
			return nil
		})
	})
}

// Close finishes what goes on in the background, mail to be sent above all, and
// gives it up when ctx is done.
func (a *Auth) Close(ctx context.Context) error {
	a.unfollows()
	return a.jobs.close(ctx)
}

// Throttle is the limit on requests that take passwords or send mail.
func (a *Auth) Throttle() *Throttle { return a.throttle }

// byToken returns the caller whom an API token stands for.
func (a *Auth) byToken(token string) (*Caller, error) {
	h := a.tokens.find(a.key, token)
	now := a.now()
	if h == nil || h.token.expired(now) {
		return nil, &UnauthorizedError{}
	}
	if h.touch(now) {
		a.jobs.try(func(context.Context) error { return a.db.Update(h.token.stamp(now)) })
	}
	return h.caller, nil
}

// isToken tells an API token from a JWT.
func isToken(bearer string) bool { return len(bearer) == tokenLength && !strings.Contains(bearer, ".") }
