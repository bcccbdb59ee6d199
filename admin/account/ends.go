package account

import (
	"slices"
	"time"

	"quire/store"
)

// What ends sessions, beside their time: another password, the removal of the account,
// too many others of the same account. All of it is done in the transaction of its cause.

// ofAccount lists the sessions of an account.
func ofAccount(tx *store.Tx, id string) (all []*session, err error) {
	err = tx.RecordsFrom(sessionsBucket, id+".", "", func(key string, value []byte) bool {
		s, err := readSession(key, value)
		if err != nil {
			s = &session{key: key} // the oldest
		}
		all = append(all, s)
		return true
	})
	return all, err
}

// endSessions ends the sessions of an account but for one, by its key; empty for all.
func endSessions(tx *store.Tx, id, but string) error {
	all, err := ofAccount(tx, id)
	for _, s := range all {
		if err == nil && s.key != but {
			err = tx.DeleteRecord(sessionsBucket, s.key)
		}
	}
	return err
}

// endOldest leaves room for another session of an account.
func endOldest(tx *store.Tx, id string) error {
	all, err := ofAccount(tx, id)
	slices.SortFunc(all, func(a, b *session) int { return a.Created.Compare(b.Created) })
	for i := 0; i <= len(all)-MostSessions && err == nil; i++ {
		err = tx.DeleteRecord(sessionsBucket, all[i].key)
	}
	return err
}

// sweep removes sessions and links that are over, once in sweepEvery.
func (b *Book) sweep(tx *store.Tx) error {
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

// over returns the sessions that are over, at most once in sweepEvery; the zero time says
// that it was not yet time.
func (b *Book) over() (keys []string, now time.Time) {
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
