//go:build !nocode

package app

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"

	"quire/code"
)

// A Console runs JavaScript with strapi in it: in the running server, or in the site, which it
// has opened alone.
type Console struct {
	at    Location
	alone *App // nil for the running server
}

// OpenConsole opens a console, and says who runs it. The log is that of a site that is opened
// alone; a server has its own.
func (l Location) OpenConsole(ctx context.Context, log *slog.Logger) (c *Console, who string, err error) {
	c = &Console{at: l}
	nothing, err := json.Marshal("")
	if err != nil {
		return nil, "", err
	}
	_, who, err = l.callOr(ctx, consoleCommand, nothing, func() (json.RawMessage, error) { return nil, c.open(log) })
	return c, who, err
}

// open opens the site for this console.
func (c *Console) open(log *slog.Logger) (err error) {
	if c.alone, err = Open(c.at, Options{Log: log, Existing: true}); err != nil {
		return err
	}
	if err = c.alone.Start(); err == nil && c.alone.code.Load() == nil {
		err = errNoCode
	}
	if err != nil {
		err = errors.Join(err, c.Close())
		c.alone = nil
	}
	return err
}

var errNoCode = errors.New("the site has no code that runs; a console needs a file of code, such as src/index.js")

// Run runs a line and returns its value as text.
func (c *Console) Run(ctx context.Context, line string) (string, error) {
	args, err := json.Marshal(line)
	if err != nil {
		return "", err
	}
	var text string
	if c.alone != nil {
		return c.alone.runLine(byCommand(ctx, consoleCommand), args)
	}
	answer, _, err := c.at.callOr(ctx, consoleCommand, args, func() (json.RawMessage, error) {
		return nil, errors.New("the server has ended")
	})
	if err != nil {
		return "", err
	}
	return text, json.Unmarshal(answer, &text)
}

// Unfinished reports whether more lines may complete what was typed.
func (c *Console) Unfinished(text string) bool { return code.Unfinished(text) }

// Close closes a site that the console has opened.
func (c *Console) Close() error {
	if c.alone == nil {
		return nil
	}
	return c.alone.Close()
}

// runLine runs a line of a console in the code of the site.
func (a *App) runLine(ctx context.Context, args json.RawMessage) (string, error) {
	var line string
	if err := json.Unmarshal(args, &line); err != nil {
		return "", err
	}
	p := a.code.Load()
	if p == nil {
		return "", errNoCode
	}
	if line == "" {
		return "", nil // only asks whether there is code
	}
	a.noted(ctx, "console.run", map[string]string{"script": line[:min(len(line), mostNotedScript)]})
	return p.EvaluateLine(ctx, line)
}

// mostNotedScript is how many bytes of a script the audit log has.
const mostNotedScript = 1000
