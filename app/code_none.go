//go:build nocode

package app

import (
	"context"

	"quire/documents"
	"quire/server"
)

// loadCode returns nil, because the program was built without the engine for projects' code.
func (a *App) loadCode(*documents.Service) (server.Code, error) { return nil, nil }

// codePart is empty, because there is no engine.
type codePart struct{}

// runCron does nothing, because no code runs.
func (a *App) runCron(context.Context) {}
