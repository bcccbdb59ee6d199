package people

import (
	"context"
	"errors"
	"net/netip"

	"quire/auth"
	"quire/store"
)

// An account that has signed in can add passkeys. A passkey signs in without a password or
// a second factor: the authenticator has checked its owner, so it counts as two factors.

// PasskeyBegun is what the browser needs to make a passkey.
type PasskeyBegun struct {
	Ticket    string // for AddPasskey, within StepLife
	Challenge []byte
	Known     [][]byte // the existing passkeys of the account
}

// BeginPasskey begins to add a passkey to an account. Proof has its password and, if it has
// a second factor, a code. Errors are those of DropFactor.
func (b *Directory) BeginPasskey(ctx context.Context, s *Session, p Proof) (begun *PasskeyBegun, err error) {
	if err := b.Prove(ctx, s, p); err != nil {
		return nil, err
	}
	begun = &PasskeyBegun{Challenge: newChallenge()}
	t := ticket{Account: s.Account.ID, Epoch: s.Account.record.epoch(), Secret: begun.Challenge}
	err = b.db.View(func(tx *store.Tx) error {
		all, err := passkeysOf(tx, s.Account.ID)
		if err != nil {
			return err
		}
		if len(all) >= MostPasskeys {
			return errManyPasskeys
		}
		for _, one := range all {
			begun.Known = append(begun.Known, one.ID)
		}
		r, err := recordOf(tx, s.Account.ID)
		if err == nil {
			t.Added = r.PasskeysAdded
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	begun.Ticket, err = b.issue(ticketForNewPasskey, t)
	return begun, err
}

var errManyPasskeys = refused("An account has 20 passkeys at most; remove one first")

const (
	ticketForNewPasskey = "adding a passkey"
	ticketForPasskey    = "signing in with a passkey"
)

// NewPasskey is a passkey that the browser has made.
type NewPasskey struct {
	Ticket     string `json:"ticket"`
	Name       string `json:"name"`
	ID         []byte `json:"id"`
	ClientData []byte `json:"clientData"`
	AuthData   []byte `json:"authenticatorData"`
	Key        []byte `json:"publicKey"` // in the form of X.509

	Party RelyingParty `json:"-"`
}

// AddPasskey adds a passkey to an account. A ticket can be used once. Errors are ErrStep,
// ErrPasskey, *FieldError, *RefusedError, ErrNoSession and the store's.
func (b *Directory) AddPasskey(ctx context.Context, s *Session, n NewPasskey) error {
	t, err := b.redeem(ticketForNewPasskey, n.Ticket)
	if err != nil || t.Account != s.Account.ID {
		return ErrStep
	}
	if n.Name, err = passkeyName(n.Name); err != nil {
		return err
	}
	p, err := n.check(t.Secret)
	if err != nil {
		b.log.Warn("a new passkey of the admin was refused", "account", t.Account, "error", err)
		return b.refuse(ctx, "account.passkey-add", s.Account, err)
	}
	p.Account, p.Name, p.Created = t.Account, n.Name, b.now().UTC()
	return b.changeOwn(s, func(tx *store.Tx, r *record) error {
		all, err := passkeysOf(tx, t.Account)
		switch known, _ := tx.Record(passkeysBucket, passkeyKey(p.Account, p.ID)); {
		case err != nil:
			return err
		case known != nil:
			return refused("Your account already has this passkey")
		case r.epoch() != t.Epoch || r.PasskeysAdded != t.Added:
			return ErrStep
		case len(all) >= MostPasskeys:
			return errManyPasskeys
		}
		r.PasskeysAdded++
		return errors.Join(p.put(tx), b.noteFactor(ctx, tx, "account.passkey-add", t.Account, p.details()))
	})
}

// check checks a passkey from the browser against the challenge.
func (n *NewPasskey) check(challenge []byte) (*passkey, error) {
	if err := checkClientData(n.ClientData, kindCreate, challenge, n.Party); err != nil {
		return nil, err
	}
	uses, err := checkAuthData(n.AuthData, n.Party)
	if err != nil {
		return nil, err
	}
	id, err := credentialIn(n.AuthData)
	if err != nil {
		return nil, err
	}
	if string(id) != string(n.ID) {
		return nil, faulty("the authenticator has made another passkey")
	}
	if _, err := parseKey(n.Key); err != nil {
		return nil, err
	}
	return &passkey{ID: id, Key: n.Key, Party: n.Party.ID(), Uses: uses}, nil
}

// ChallengePasskey makes a challenge for signing in with a passkey, and the ticket that the
// browser keeps meanwhile. The error is ErrClosed.
func (b *Directory) ChallengePasskey() (sealed string, challenge []byte, err error) {
	if b.closed(ByPasskey) {
		return "", nil, ErrClosed
	}
	challenge = newChallenge()
	sealed, err = b.issue(ticketForPasskey, ticket{Secret: challenge, ChallengedAt: b.now().UnixNano()})
	return sealed, challenge, err
}

// PasskeyAnswer is the response of an authenticator.
type PasskeyAnswer struct {
	ID         []byte `json:"id"`
	User       []byte `json:"userHandle"` // the id of the account
	ClientData []byte `json:"clientData"`
	AuthData   []byte `json:"authenticatorData"`
	Signature  []byte `json:"signature"`

	Tickets []string     `json:"-"` // from the cookies of the browser; the first valid one counts
	Party   RelyingParty `json:"-"`
	From    netip.Addr   `json:"-"`
	Agent   string       `json:"-"` // User-Agent of the browser
}

// SignInPasskey begins a session of the account of a passkey, and returns its token. Each
// challenge can be used once. Errors are ErrStep, ErrClosed, ErrPasskey,
// *auth.ThrottledError and the store's.
func (b *Directory) SignInPasskey(ctx context.Context, a PasskeyAnswer) (token string, err error) {
	const action = "passkey of the admin from"
	t, err := b.redeem(ticketForPasskey, a.Tickets...)
	if err != nil {
		return "", err
	}
	limit, network := b.tries, auth.Network(a.From).String()
	if err := limit.TryAccount(action, network); err != nil {
		return "", err
	}
	id := string(a.User)
	err = b.db.Update(func(tx *store.Tx) error {
		p, err := b.usePasskey(tx, id, t, &a)
		if err != nil {
			return err
		}
		token, err = b.begin(tx, id, Device{a.From, a.Agent, ByPasskey, false})
		return errors.Join(err, b.noteFactor(ctx, tx, "session.begin", id, p.details()))
	})
	if errors.Is(err, ErrPasskey) {
		b.log.Warn("a passkey of the admin was refused", "from", a.From, "error", err)
		return "", b.refuse(ctx, "session.begin", b.ByID(id), err)
	}
	limit.TakeBack(action, network)
	if err != nil {
		return "", err
	}
	b.networks.Add(id, a.From)
	return token, nil
}

// usePasskey checks the response of an authenticator, and stores the use of the passkey.
func (b *Directory) usePasskey(tx *store.Tx, id string, t ticket, a *PasskeyAnswer) (*passkey, error) {
	if len(a.ID) > longestCredential || len(id) != 2*idBytes {
		return nil, faulty("there is no such account")
	}
	value, err := tx.Record(accountsBucket, id)
	if err != nil {
		return nil, err
	}
	if r, err := readRecord(value); err != nil || r.Blocked {
		return nil, faulty("there is no such account, or it is blocked")
	}
	key := passkeyKey(id, a.ID)
	if value, err = tx.Record(passkeysBucket, key); err != nil {
		return nil, err
	}
	p, err := readPasskey(key, value)
	if err != nil || p.Party != a.Party.ID() {
		return nil, faulty("the account has no such passkey at this host")
	}
	if err := checkClientData(a.ClientData, kindGet, t.Secret, a.Party); err != nil {
		return nil, err
	}
	uses, err := checkAuthData(a.AuthData, a.Party)
	if err != nil {
		return nil, err
	}
	public, err := parseKey(p.Key)
	if err != nil {
		return nil, err
	}
	switch err := checkSignature(public, a.AuthData, a.ClientData, a.Signature); {
	case err != nil:
		return nil, err
	case t.ChallengedAt <= p.ChallengedAt:
		return nil, faulty("the answer was used before")
	case uses <= p.Uses && (uses > 0 || p.Uses > 0):
		return nil, faulty("the authenticator counts backwards: the passkey may have been copied")
	}
	p.ChallengedAt, p.Uses, p.Used = t.ChallengedAt, uses, b.now().UTC()
	return p, p.put(tx)
}
