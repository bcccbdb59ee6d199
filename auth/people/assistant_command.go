package people

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"quire/auth"
	"quire/content/audit"
	"quire/store"
)

// NewAssistant is what a command says about a new assistant.
type NewAssistant struct {
	Account string `json:"account"` // its email or id
	AssistantForm
}

// AssistantInfo describes an assistant for commands.
type AssistantInfo struct {
	ID      string    `json:"id"`
	Account string    `json:"account"` // its email
	Name    string    `json:"name"`
	Client  string    `json:"client,omitempty"`
	Limits  Limits    `json:"limits"`
	Created time.Time `json:"createdAt"`
	Expires time.Time `json:"expiresAt"`
	Used    time.Time `json:"lastUsedAt,omitzero"`
	Token   string    `json:"token,omitempty"` // of one that was just made
	Off     bool      `json:"off,omitempty"`   // whether the site has no assistants
}

func (b *Directory) infoOfAssistant(a *Assistant) AssistantInfo {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return AssistantInfo{ID: a.ID, Account: a.Account.Email, Name: a.Name, Client: a.Client, Limits: a.Limits, Created: a.Created, Expires: a.Expires, Used: a.Used, Off: !b.site.Settings.MCP.Enabled}
}

// listByCommand lists the assistants of all accounts.
func (b *Directory) listByCommand() []AssistantInfo {
	list := []AssistantInfo{}
	for _, account := range b.List() {
		for _, a := range b.Assistants(account.ID) {
			list = append(list, b.infoOfAssistant(a))
		}
	}
	return list
}

// assistantByCommand makes an assistant as if its owner had signed in with a link of a command. It
// makes none that could not act.
func (b *Directory) assistantByCommand(ctx context.Context, n NewAssistant) (info AssistantInfo, err error) {
	owner, err := b.mustBeNamed(n.Account)
	if err != nil {
		return info, err
	}
	a, err := b.prepareAssistant(owner.ID, ByCommand, false, n.AssistantForm)
	if err == nil {
		err = b.mayAct(a)
	}
	if errors.Is(err, ErrGrant) {
		err = refused("The account is blocked, or the admin is off")
	}
	if err != nil {
		return info, err
	}
	token, made, err := b.storeAssistant(ctx, nil, a)
	if err != nil {
		return info, err
	}
	info = b.infoOfAssistant(made)
	info.Token = token
	return info, nil
}

// endByCommand ends the assistant with an id, or with a name that no other one has.
func (b *Directory) endByCommand(ctx context.Context, id string) (any, error) {
	var named []string
	for _, a := range b.listByCommand() {
		if a.Name == id {
			named = append(named, a.ID)
		}
	}
	switch len(named) {
	case 0:
	case 1:
		id = named[0]
	default:
		return nil, refused(fmt.Sprintf("%d assistants have this name; end one by its id: %s", len(named), strings.Join(named, ", ")))
	}
	account, _, _ := strings.Cut(id, ".")
	err := b.db.Update(func(tx *store.Tx) error { return endOne(tx, audit.Of(ctx), account, id) })
	if errors.Is(err, ErrNotFound) {
		err = &auth.NoSuchError{Kind: "assistant", Name: id}
	}
	return struct{}{}, err
}
