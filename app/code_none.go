//go:build nocode

package app

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"

	"quire/documents"
	"quire/schema"
	"quire/server"
)

// loadCode returns nil, because the program was built without the engine for projects' code.
func (a *App) loadCode(*documents.Service) (server.Code, error) { return nil, nil }

// codePart is empty, because there is no engine.
type codePart struct{}

// runCron does nothing, because no code runs.
func (a *App) runCron(context.Context) {}

// runFileEvents does nothing, because no code runs.
func (a *App) runFileEvents(context.Context) {}

// inspectCode reports that no code runs.
func (l Location) inspectCode(context.Context, *schema.Site) (*codeReport, error) {
	return &codeReport{off: errNoEngine.Error()}, nil
}

// requireCode does nothing, because no code runs.
func (l Location) requireCode(*schema.Site) error { return nil }

// watchedCode writes nothing, because no code runs.
func (l Location) watchedCode(io.Writer) {}

// A Console runs nothing, because there is no engine.
type Console struct{}

var errNoEngine = errors.New("this program was built without the engine for the code of projects")

// OpenConsole returns an error.
func (l Location) OpenConsole(context.Context, *slog.Logger) (*Console, string, error) {
	return nil, "", errNoEngine
}

// Run returns an error.
func (c *Console) Run(context.Context, string) (string, error) { return "", errNoEngine }

// Unfinished returns false.
func (c *Console) Unfinished(string) bool { return false }

// Close does nothing.
func (c *Console) Close() error { return nil }

// runLine returns an error.
func (a *App) runLine(context.Context, json.RawMessage) (string, error) { return "", errNoEngine }
