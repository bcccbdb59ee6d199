package people

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"quire/auth"
	"quire/content/audit"
	"quire/store"
)

// Assistants begin when their owner makes them, and end with their time, with the account,
// when it is blocked or gets a new password, and when somebody ends them. Each of these ends
// them in its own transaction.

// AssistantForm describes a new assistant.
type AssistantForm struct {
	Name   string `json:"name"`
	Limits Limits `json:"limits"`
	Days   int    `json:"days"` // until it ends
}

// CreateAssistant creates an assistant of the account of a session, and returns its token,
// which cannot be shown again. Errors are *FieldError, *RefusedError, ErrNoSession and the
// store's.
func (b *Directory) CreateAssistant(ctx context.Context, s *Session, f AssistantForm) (token string, _ *Assistant, err error) {
	a, err := b.prepareAssistant(s.Account.ID, s.session.Way, s.session.Factor, f)
	if err != nil {
		return "", nil, err
	}
	return b.storeAssistant(ctx, s, a)
}

// storeAssistant gives an assistant a token, and stores it.
func (b *Directory) storeAssistant(ctx context.Context, s *Session, a *assistant) (token string, _ *Assistant, err error) {
	token = assistantPrefix + auth.RandomText(tokenBytes)
	a.Token = b.digest(token)
	if err := b.db.Update(func(tx *store.Tx) error { return b.addAssistant(ctx, tx, s, a, nil) }); err != nil {
		return "", nil, err
	}
	made, err := b.AssistantByID(a.id)
	return token, made, err
}

// prepareAssistant checks a form, and returns a record for an account whose owner has signed in
// that way. The error is a *FieldError.
func (b *Directory) prepareAssistant(account string, way Way, factor bool, f AssistantForm) (*assistant, error) {
	name, err := checkName(f.Name)
	if err != nil {
		return nil, err
	}
	b.mu.RLock()
	defer b.mu.RUnlock()
	if err := f.Limits.check(b.site); err != nil {
		return nil, err
	}
	if most := int(LongestAssistant / (24 * time.Hour)); f.Days < 1 || f.Days > most {
		return nil, &FieldError{"days", fmt.Sprintf("An assistant ends after a number of days between 1 and %d", most)}
	}
	now := b.now().UTC().Truncate(time.Second)
	return &assistant{
		id: account + "." + auth.RandomText(idBytes), Name: name, Limits: f.Limits, Created: now, Expires: now.AddDate(0, 0, f.Days),
		Way: way, Factor: factor,
	}, nil
}

// addAssistant stores a new assistant of an account whose session has not ended; s is nil for a
// command. Those of the account that have expired, or that it replaces, are removed.
func (b *Directory) addAssistant(ctx context.Context, tx *store.Tx, s *Session, a *assistant, details map[string]string) error {
	r, err := recordOf(tx, a.account())
	if err != nil {
		return err
	}
	if s != nil {
		if value, err := tx.Record(sessionsBucket, s.session.key); err != nil || value == nil {
			return cmp.Or(err, ErrNoSession) // it has ended, and with it what it may leave behind
		}
	}
	all, err := assistantsOf(tx, a.account())
	if err != nil {
		return err
	}
	for _, one := range all {
		if one.over(b.now()) || one.replacedBy(a) {
			if err := tx.DeleteRecord(assistantsBucket, one.id); err != nil {
				return err
			}
			continue
		}
		if a.Name == one.Name {
			return &FieldError{"name", "The account has an assistant with this name already"}
		}
	}
	if n, err := tx.CountRecords(assistantsBucket, a.account()+"."); err != nil || n >= MostAssistants {
		return cmp.Or(err, refused(fmt.Sprintf("The account has %d assistants, which is the maximum; end one of them first", MostAssistants)))
	}
	e := audit.Event{Action: "assistant.create", Target: assistantTarget(a.id, a.Name), Details: a.details(details)}
	return errors.Join(a.put(tx), putAssistantName(tx, a), audit.Note(tx, ownSource(ctx, a.account(), r.Email), e))
}

// replacedBy reports whether a new assistant takes the place of this one: the same program is
// connected again under the same name.
func (a *assistant) replacedBy(next *assistant) bool {
	return a.Grant != nil && next.Grant != nil && a.Grant.Client == next.Grant.Client && a.Name == next.Name
}

// details returns the details of the audit log about a new assistant.
func (a *assistant) details(more map[string]string) map[string]string {
	d := map[string]string{
		"expires": a.Expires.Format(time.RFC3339), "publish": string(a.Limits.Publish), "delete": string(a.Limits.Delete),
		"types": strings.Join(a.Limits.Types, " "),
	}
	if a.Limits.ReadOnly {
		d["read only"] = "true"
	}
	if a.Limits.Files {
		d["files"] = "true"
	}
	maps.Copy(d, more)
	return d
}

// EndAssistant ends an assistant of the account of a session. Errors are ErrNotFound and the
// store's.
func (b *Directory) EndAssistant(ctx context.Context, s *Session, id string) error {
	return b.db.Update(func(tx *store.Tx) error {
		return endOne(tx, ownSource(ctx, s.Account.ID, s.Account.Email), s.Account.ID, id)
	})
}

// EndAssistantOf ends an assistant of another account. Errors are ErrNotFound, ErrForbidden
// and the store's.
func (b *Directory) EndAssistantOf(by By, account, id string) error {
	return b.change(by, func(c *change) error {
		if _, err := c.mayChange(account); err != nil {
			return err
		}
		return endOne(c.Tx, c.source, account, id)
	})
}

// endOne ends an assistant of an account.
func endOne(tx *store.Tx, by *audit.Source, account, id string) error {
	a, err := assistantOf(tx, id)
	if err != nil || a == nil || a.account() != account {
		return cmp.Or(err, ErrNotFound)
	}
	return a.end(tx, by, nil)
}

// end ends the assistant, and notes that.
func (a *assistant) end(tx *store.Tx, by *audit.Source, details map[string]string) error {
	e := audit.Event{Action: "assistant.end", Target: assistantTarget(a.id, a.Name), Details: details}
	return errors.Join(tx.DeleteRecord(assistantsBucket, a.id), audit.Note(tx, by, e))
}

// endAccess ends the sessions of an account except one, as endSessions does, and all of its
// assistants.
func endAccess(tx *store.Tx, account, but string) error {
	all, err := assistantsOf(tx, account)
	if err != nil {
		return err
	}
	for _, a := range all {
		if err := tx.DeleteRecord(assistantsBucket, a.id); err != nil {
			return err
		}
	}
	return endSessions(tx, account, but)
}

// assistantsOf lists the assistants of an account. One that cannot be read has expired.
func assistantsOf(tx *store.Tx, account string) (all []*assistant, err error) {
	err = tx.RecordsFrom(assistantsBucket, account+".", "", func(id string, value []byte) bool {
		a, err := readAssistant(id, value)
		if err != nil {
			a = &assistant{id: id}
		}
		all = append(all, a)
		return true
	})
	return all, err
}
