//go:build nocode

package app

import (
	"quire/documents"
	"quire/server"
)

// loadCode returns nil, because the program was built without the engine for projects' code.
func (a *App) loadCode(*documents.Service) (server.Code, error) { return nil, nil }
