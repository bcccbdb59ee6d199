package people

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"quire/auth"
	"quire/content/audit"
)

// Info describes an account for commands.
type Info struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Email     string    `json:"email"`
	Role      string    `json:"role"` // the id of the first one
	Roles     []string  `json:"roles"`
	Active    bool      `json:"active"`
	Created   time.Time `json:"createdAt"`
	Second    bool      `json:"secondFactor"`
	LastUse   time.Time `json:"lastUsedAt,omitzero"`
	LinkToken string    `json:"-"`              // of a link for choosing a password
	Link      string    `json:"link,omitempty"` // filled in by the caller, who knows the address of the admin
}

// Do runs a command by its name: "admin create", "admin list", "admin reset", "admin reset
// all", which also removes the second factor, and "admin remove". args is the JSON of a
// NewAccount, of nothing, or of the email or id of an account; the result is an Info, or a
// list of them. "assistant create", "assistant list" and "assistant end" take a NewAssistant,
// nothing or an id, and the result is an AssistantInfo or a list of them. Errors are those of the Directory, and *auth.NoSuchError.
func (b *Directory) Do(ctx context.Context, name string, args json.RawMessage) (any, error) {
	by := By{Source: audit.Of(ctx)}
	switch name {
	case "assistant list":
		return b.listByCommand(), nil
	case "assistant create":
		var n NewAssistant
		if err := json.Unmarshal(args, &n); err != nil {
			return nil, fmt.Errorf("the arguments of the command cannot be read: %w", err)
		}
		return b.assistantByCommand(ctx, n)
	case "admin create":
		var n NewAccount
		if err := json.Unmarshal(args, &n); err != nil {
			return nil, fmt.Errorf("the arguments of the command cannot be read: %w", err)
		}
		return b.createByCommand(ctx, n)
	case "admin list":
		list := []Info{}
		last := b.LastUses()
		for _, a := range b.List() {
			list = append(list, infoOf(a, last))
		}
		return list, nil
	}
	var who string
	if err := json.Unmarshal(args, &who); err != nil {
		return nil, fmt.Errorf("the arguments of the command cannot be read: %w", err)
	}
	if name == "assistant end" {
		return b.endByCommand(ctx, who)
	}
	a, err := b.mustBeNamed(who)
	if err != nil {
		return nil, err
	}
	info := infoOf(a, b.LastUses())
	switch name {
	case "admin reset", "admin reset all":
		if name == "admin reset all" {
			if err := b.ClearFactor(by, a.ID); err != nil {
				return nil, err
			}
			info.Second = false
		}
		info.LinkToken, _, err = b.ResetLink(by, a.ID)
		return info, err
	case "admin remove":
		return info, b.Remove(by, a.ID)
	}
	return nil, &auth.NoSuchError{Kind: "command", Name: name}
}

func infoOf(a *Account, last map[string]time.Time) Info {
	ids := make([]string, len(a.Roles))
	for i, r := range a.Roles {
		ids[i] = r.ID
	}
	return Info{ID: a.ID, Name: a.Name, Email: a.Email, Role: ids[0], Roles: ids, Active: a.Active, Second: a.SecondFactor, Created: a.Created, LastUse: last[a.ID]}
}

// named returns the account with that email or id, or nil.
func (b *Directory) named(who string) *Account {
	if a := b.find(Normal(who)); a != nil {
		return a
	}
	return b.ByID(who)
}

// mustBeNamed returns the account with that email or id. The error is an *auth.NoSuchError.
func (b *Directory) mustBeNamed(who string) (*Account, error) {
	if a := b.named(who); a != nil {
		return a, nil
	}
	return nil, &auth.NoSuchError{Kind: "account of the admin", Name: who}
}

// createByCommand creates an account and, if it has no password, a link for choosing one.
func (b *Directory) createByCommand(ctx context.Context, n NewAccount) (Info, error) {
	by := By{Source: audit.Of(ctx)}
	a, err := b.Create(ctx, by, n)
	if err != nil {
		return Info{}, err
	}
	info := infoOf(a, b.LastUses())
	if n.Password == "" {
		info.LinkToken, _, err = b.ResetLink(by, a.ID)
	}
	return info, err
}
