package people

import (
	"cmp"
	"context"
	"errors"
	"net/netip"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"quire/store"
)

// Sessions end because of their age, a new password, the removal of the account, too many
// newer sessions of the same account, and because somebody ends them in the list of
// sessions. Each of these ends them in its own transaction.

// ofAccount lists the sessions of an account.
func ofAccount(tx *store.Tx, id string) (all []*session, err error) {
	err = tx.RecordsFrom(sessionsBucket, id+".", "", func(key string, value []byte) bool {
		s, err := readSession(key, value)
		if err != nil {
			s = &session{key: key} // counts as the oldest
		}
		all = append(all, s)
		return true
	})
	return all, err
}

// endSessions ends the sessions of an account except one, by its key; all if the key is
// empty.
func endSessions(tx *store.Tx, id, but string) error {
	all, err := ofAccount(tx, id)
	for _, s := range all {
		if err == nil && s.key != but {
			err = tx.DeleteRecord(sessionsBucket, s.key)
		}
	}
	return err
}

// endOldest ends old sessions of an account, so that it can have another.
func endOldest(tx *store.Tx, id string) error {
	all, err := ofAccount(tx, id)
	slices.SortFunc(all, func(a, b *session) int { return a.Created.Compare(b.Created) })
	for i := 0; i <= len(all)-MostSessions && err == nil; i++ {
		err = tx.DeleteRecord(sessionsBucket, all[i].key)
	}
	return err
}

// sweep removes sessions and links that have ended, once in sweepEvery.
func (b *Directory) sweep(tx *store.Tx) error {
	over, now := b.over()
	if now.IsZero() {
		return nil
	}
	for _, key := range over {
		if err := tx.DeleteRecord(sessionsBucket, key); err != nil {
			return err
		}
	}
	return dropLinksWhere(tx, func(l *link) bool { return l.over(now) })
}

// over returns the sessions that have ended, at most once in sweepEvery; the zero time
// means that it was too early.
func (b *Directory) over() (keys []string, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now = b.now()
	if now.Sub(b.swept) < sweepEvery {
		return nil, time.Time{}
	}
	b.swept = now
	for _, s := range b.sessions {
		if !now.Before(s.ends()) {
			keys = append(keys, s.key)
		}
	}
	return keys, now
}

// SessionInfo is a session as shown to its account.
type SessionInfo struct {
	ID      string // of the session; not its token
	From    string // the address at which it began; empty if unknown
	Agent   string // User-Agent of the browser
	Created time.Time
	Used    time.Time
	Way     Way
	Current bool // the session of this request
}

// Places lists the sessions of the account of a session, the most recently used first.
func (b *Directory) Places(s *Session) (list []SessionInfo) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	now := b.now()
	for _, one := range b.sessions {
		if one.Account == s.Account.ID && now.Before(one.ends()) {
			used := time.Unix(one.used.Load(), 0).UTC()
			list = append(list, SessionInfo{placeID(one.key), one.From, one.Agent, one.Created, used, one.Way, one.key == s.session.key})
		}
	}
	slices.SortFunc(list, func(a, b SessionInfo) int { return cmp.Or(b.Used.Compare(a.Used), cmp.Compare(a.ID, b.ID)) })
	return list
}

// placeID returns the id by which an account names one of its sessions.
func placeID(key string) string { d := digestIn(key); return d[:min(len(d), 32)] }

// EndPlace ends one session of the account of a session, by its id. Errors are ErrNotFound
// and the store's.
func (b *Directory) EndPlace(ctx context.Context, s *Session, id string) error {
	found := false
	err := b.db.Update(func(tx *store.Tx) error {
		all, err := ofAccount(tx, s.Account.ID)
		for _, one := range all {
			if err == nil && placeID(one.key) == id {
				found, err = true, tx.DeleteRecord(sessionsBucket, one.key)
			}
		}
		if err != nil || !found {
			return err
		}
		return noteOwn(ctx, tx, "session.end-one", s.Account.ID, s.Account.Email, map[string]string{"session": id})
	})
	if err == nil && !found {
		return ErrNotFound
	}
	return err
}

// EndOthers ends all sessions of the account of a session except this one. Errors are the
// store's.
func (b *Directory) EndOthers(ctx context.Context, s *Session) error {
	return b.db.Update(func(tx *store.Tx) error {
		return errors.Join(endSessions(tx, s.Account.ID, s.session.key), noteOwn(ctx, tx, "session.end-others", s.Account.ID, s.Account.Email, nil))
	})
}

// EndAll ends all sessions of another account. Errors are ErrNotFound, ErrForbidden,
// *RefusedError and the store's.
func (b *Directory) EndAll(by By, id string) error {
	if by.is(id) {
		return refused("Sign out to end your own sessions")
	}
	return b.change(by, func(c *change) error {
		r, err := c.mayChange(id)
		if err != nil {
			return err
		}
		return errors.Join(endSessions(c.Tx, id, ""), c.note("session.end-all", id, r, nil))
	})
}

// address returns an address as it is stored, empty for an unknown one.
func address(from netip.Addr) string {
	if !from.IsValid() {
		return ""
	}
	return from.Unmap().String()
}

// oneLine returns the beginning of a text, without characters that cannot be printed.
func oneLine(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, text)
	for len(text) > most {
		_, size := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-size]
	}
	return text
}
