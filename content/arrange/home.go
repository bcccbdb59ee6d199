package arrange

import (
	"encoding/json"
	"fmt"

	"quire/schema/settings"
	"quire/store"
)

// CheckHome reports the first part of a first screen that is not of the right form. Whether
// its attributes exist, and may be seen, is for the caller to check. Its error is a
// *MisfitError.
func CheckHome(parts []settings.HomePart) error {
	if len(parts) > settings.MostHomeParts {
		return wrong("parts", "a first screen has at most %d parts", settings.MostHomeParts)
	}
	for i := range parts {
		if member, message := parts[i].Check(); member != "" {
			return wrong(fmt.Sprintf("parts[%d].%s", i, member), "%s", message)
		}
	}
	return nil
}

// ReadHome reports whether a stored home can be read.
func ReadHome(_ string, value []byte) error { return json.Unmarshal(value, new([]settings.HomePart)) }

// Home returns the parts of the first screen of an account; nil if it has none of its own, or
// one that cannot be read.
func (s *Store) Home(account string) (parts []settings.HomePart, err error) {
	return parts, s.db.View(func(tx *store.Tx) error {
		value, err := tx.Record(HomesBucket, account)
		if value != nil && json.Unmarshal(value, &parts) != nil {
			parts = nil
		}
		return err
	})
}

// SetHome stores the parts of the first screen of an account, which have passed CheckHome.
func (s *Store) SetHome(account string, parts []settings.HomePart) error {
	value, err := json.Marshal(parts)
	if err != nil {
		return err
	}
	return s.db.Update(func(tx *store.Tx) error { return tx.PutRecord(HomesBucket, account, value) })
}

// RemoveHome gives an account the first screen of its role again.
func (s *Store) RemoveHome(account string) error {
	return s.db.Update(func(tx *store.Tx) error { return tx.DeleteRecord(HomesBucket, account) })
}
