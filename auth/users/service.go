package users

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"quire/auth"
	"quire/auth/password"
	"quire/notify/outbox"
	"quire/schema"
	"quire/store"
)

// Service has what accounts need once for each data file, over all versions of the site:
// sessions, outgoing mail, and locks for changes of a user. Its methods may be called from
// any goroutine.
type Service struct {
	auth      *auth.Auth
	db        *store.DB
	log       *slog.Logger
	now       func() time.Time
	passwords *password.Hasher
	post      *mailSender

	sessions sessionCache
	networks auth.HomeNetworks

	serving atomic.Pointer[Accounts] // of the version of the site that was served last
	box     *outbox.Box              // of mail

	turns [256]sync.Mutex // one for each user, shared by some: see Accounts.withUserLock

	legacy      atomic.Bool // some user has a password hash from elsewhere
	unsubscribe func()
}

// Options configures a Service. The zero value is ready to use.
type Options struct {
	Log       *slog.Logger     // for operators; discarded by default
	Now       func() time.Time // time.Now by default
	Passwords *password.Hasher // password.NewHasher by default

	SMTP   string // address of the mail server; site.json's by default
	Mailer Mailer // delivers mail instead of an SMTP server
}

func (o Options) orDefaults() Options {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Passwords == nil {
		o.Passwords = password.NewHasher()
	}
	return o
}

// Open loads the sessions from the data file. Close must be called before db is closed.
func Open(db *store.DB, a *auth.Auth, site *schema.Site, o Options) (*Service, error) {
	o = o.orDefaults()
	if o.SMTP != "" {
		if _, err := newSMTP(o.SMTP); err != nil {
			return nil, err
		}
	}
	s := &Service{auth: a, db: db, log: o.Log, now: o.Now, passwords: o.Passwords}
	s.post = &mailSender{log: o.Log, smtp: o.SMTP, mailer: o.Mailer}
	s.box = &outbox.Box{
		DB: s.db, Kind: mailKind, Now: s.now, Log: s.log,
		Deliver: func(ctx context.Context, p *store.Parcel) error { return s.serving.Load().deliver(ctx, p) },
		Record: func(ctx context.Context, fn func(*store.Tx) error) error {
			return s.serving.Load().writer.Record(ctx, fn)
		},
	}
	s.unsubscribe = db.Subscribe(s.apply)
	if err := s.Reload(site); err != nil {
		s.unsubscribe()
		return nil, err
	}
	return s, nil
}

// apply updates sessions, mail and users for a commit, of this process or of another node.
func (s *Service) apply(c store.Commit) {
	s.sessions.apply(c)
	s.box.Notice(c)
	for _, change := range c.Changes {
		if change.Type == schema.UserUID && change.After != nil {
			s.noteHash(change.After)
		}
	}
}

func (s *Service) noteHash(user *store.Entry) {
	if password.IsBcrypt(user.Value("password").Text) {
		s.legacy.Store(true)
	}
}

// Reload reads sessions and users from the data file again, for another version of the
// site.
func (s *Service) Reload(site *schema.Site) error {
	if err := s.sessions.load(s.db, &site.Settings.Accounts.Refresh); err != nil {
		return fmt.Errorf("the sessions: %w", err)
	}
	err := s.db.View(func(tx *store.Tx) error {
		return tx.Scan(schema.UserUID, func(e *store.Entry) error {
			s.noteHash(e)
			return nil
		})
	})
	if err != nil {
		return fmt.Errorf("the users: %w", err)
	}
	return nil
}

// Close unsubscribes from the feed. Deliver ends with its own context.
func (s *Service) Close() { s.unsubscribe() }

// EndHashing makes password hashing that is waiting fail with a *password.BusyError. A
// server calls it when it stops, so that waiting requests do not delay it.
func (s *Service) EndHashing() { s.passwords.Close() }
