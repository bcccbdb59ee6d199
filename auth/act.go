package auth

import (
	"fmt"

	"quire/schema"
	"quire/store"
)

// Names of callers that a command can read as, in addition to those of API tokens.
const (
	AsOwner  = "full-access" // may do everything, like the owner of the data file
	AsPublic = "public"      // has no credential
)

// owner is the caller of a command that reads with all rights of the data file's owner.
var owner = &Caller{name: "owner of the data", actor: store.ActorOf(store.ByCommand, "query"), every: true}

// ActAs returns the identity of a caller by name: AsOwner, AsPublic, or otherwise that of
// the API token with that name. It is for callers who have the data file or its socket, and
// may therefore read everything. Errors are a *NoSuchError for a token that does not exist,
// and an error for one that has expired.
func (a *Auth) ActAs(name string) (Identity, error) {
	switch name {
	case AsOwner:
		return Identity{Caller: owner}, nil
	case AsPublic:
		return Identity{Caller: a.Public()}, nil
	}
	h := a.tokens.named(name)
	if h == nil {
		return Identity{}, &NoSuchError{"token", name}
	}
	if h.token.expired(a.now()) {
		return Identity{}, fmt.Errorf("the token %q has expired", name)
	}
	return Identity{Caller: h.caller, Expires: h.token.Expires}, nil
}

// NewDraftsCaller returns the caller of a command that reads all content of a site and writes
// drafts, and nothing else.
func NewDraftsCaller(site *schema.Site, command string) *Caller {
	role := AdminRole{Types: map[string]TypeRights{}, Files: []string{"read"}}
	for t := range site.Served() {
		rights := TypeRights{Actions: []string{"read"}}
		if t.DraftAndPublish {
			rights.Actions = []string{"read", "create", "update"}
		}
		role.Types[t.UID] = rights
	}
	c, err := NewAssistantCaller(site, "", "drafts", true, &role)
	if err != nil {
		panic("auth: " + err.Error()) // the role is made of the site
	}
	c.name, c.actor = "command "+command, store.ActorOf(store.ByCommand, command)
	return c
}

// named returns the holder of the token with that name, or nil.
func (b *tokenCache) named(name string) *cachedToken {
	b.mu.RLock()
	defer b.mu.RUnlock()
	for _, h := range b.byHash {
		if h.token.Name == name {
			return h
		}
	}
	return nil
}
