//go:build noadmin

package app

import (
	"context"
	"encoding/json"
	"net/netip"

	"quire/auth"
	"quire/schema"
	"quire/server/mcp"
	"quire/store"
)

// adminPart is empty, because the program was built without the admin.
type adminPart struct{}

func (a *App) openAdmin() error               { return nil }
func (a *App) mountAdmin() error              { return nil }
func (a *App) reloadAdmin(*schema.Site) error { return nil }
func (a *App) closeAdmin()                    {}
func (a *App) watchForAdmin(context.Context)  {}
func (a *App) adminDecides(store.Commit) bool { return false }
func (a *App) adminName(store.Actor) string   { return "" }
func (a *App) adminEmail(string) string       { return "" }
func (a *App) operators() []string            { return nil }
func (a *App) adminRows() []any               { return nil }

func (a *App) assistant(string, netip.Addr) (*mcp.Agent, error) { return nil, auth.ErrNoAccount }

func (a *App) agentCalled(id string) (*mcp.Agent, error) {
	return nil, &auth.NoSuchError{Kind: "assistant", Name: id}
}
func (a *App) setupLink(string) string { return "" }

// AdminOpenAPI returns nil, because there is no admin.
func AdminOpenAPI() []byte { return nil }

func (a *App) doAdmin(_ context.Context, name string, _ json.RawMessage) (any, error) {
	return nil, &auth.NoSuchError{Kind: "command", Name: name}
}
