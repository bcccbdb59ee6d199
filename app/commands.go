package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"

	"quire/app/control"
	"quire/content/audit"
	"quire/store"
)

// listenControl creates the socket. If that fails, the site is served anyway, and the log
// has the reason.
func (a *App) listenControl() net.Listener {
	l, err := control.Listen(a.at.socket())
	if err != nil {
		a.log.Warn("commands such as quire token cannot reach this server", "error", err)
		return nil
	}
	return l
}

// The commands of a running server, except those on accounts.
const (
	readyCommand    = "ready"
	importCommand   = "data import"
	progressCommand = "data progress" // of the import in progress
	statusCommand   = "data status"
	copyCommand     = "data copy"  // of the data file
	stageCommand    = "data stage" // the source of a backup
	backedUpCommand = "data backed up"
	checkCommand    = "data check"
	migrateCommand  = "data migrate"
	localizeCommand = "data localize"
	evolveCommand   = "data evolve"
	compactCommand  = "data compact"
	auditCommand    = "data audit"  // some lines of the audit log
	placesCommand   = "data places" // where uploads are stored
	pulledCommand   = "data pulled" // which backup of another server the content comes from
	movedCommand    = "data moved"  // records that files were moved from one storage to another
	queryCommand    = "query"       // a read of the content API
	undoCommand     = "undo"        // what an author has changed is taken back
	pushCommand     = "push"        // the changes of another site are made in this one
	consoleCommand  = "console"     // a line of JavaScript for the project's code
	promoteCommand  = "promote"     // this follower becomes the leader
	mcpCommand      = "mcp"         // a message of an assistant
)

// polled are commands that clients repeat often, and that change nothing.
var polled = []string{readyCommand, statusCommand, progressCommand, auditCommand, queryCommand, mcpCommand}

// creating are the commands that create a missing data file: a token, an account or a secret
// may be made before the first start.
var creating = []string{"token create", "user create", "admin create", "webhook secret", "hook secret"}

// carryOut carries out a command by its name; args are JSON.
type carryOut func(a *App, ctx context.Context, name string, args json.RawMessage) (any, error)

// commands carry out the commands on a running server and on its data as a whole.
var commands = map[string]carryOut{
	readyCommand:    without(func(a *App, _ context.Context) (any, error) { return nil, a.server.Ready() }),
	importCommand:   with(func(a *App, ctx context.Context, in Delivery) (any, error) { return a.importLive(ctx, &in) }),
	progressCommand: without(func(a *App, _ context.Context) (any, error) { return Measure(a.importing.Load()), nil }),
	statusCommand:   without(func(a *App, _ context.Context) (any, error) { return a.statusLive() }),
	copyCommand:     without(func(a *App, _ context.Context) (any, error) { return a.copyData() }),
	stageCommand:    without(func(a *App, ctx context.Context) (any, error) { return a.stage(ctx) }),
	backedUpCommand: with(func(a *App, ctx context.Context, made BackedUp) (any, error) { return nil, a.recordBackup(ctx, made) }),
	checkCommand:    with((*App).checkLive),
	migrateCommand:  with((*App).migrateLive),
	localizeCommand: with((*App).localizeLive),
	evolveCommand:   with((*App).evolveLive),
	compactCommand:  without((*App).compactLive),
	auditCommand: with(func(a *App, _ context.Context, in auditRead) (any, error) {
		return audit.NewLog(a.db).Read(in.Query, in.From)
	}),
	placesCommand:  without(func(a *App, _ context.Context) (any, error) { return a.useLive(), nil }),
	pulledCommand:  without(func(a *App, _ context.Context) (any, error) { return a.at.pulledIn(a.db) }),
	movedCommand:   with((*App).filesMoved),
	queryCommand:   with((*App).query),
	undoCommand:    with((*App).undo),
	pushCommand:    with((*App).push),
	consoleCommand: with((*App).runLine),
	promoteCommand: with((*App).promote),
	mcpCommand:     with((*App).tell),
}

// areas carry out all commands whose names begin with a word.
var areas = map[string]carryOut{
	"token":     (*App).doAccounts,
	"user":      (*App).doAccounts,
	"role":      (*App).doAccounts,
	"sign-out":  (*App).doAccounts,
	"admin":     (*App).doAdmin,
	"assistant": (*App).doAdmin,
	"hook":      (*App).doHooks,
	"webhook": func(a *App, ctx context.Context, name string, args json.RawMessage) (any, error) {
		return a.serving().webhooks.Do(ctx, name, args)
	},
}

// unread are the areas that do not need the content, which can take long to read.
var unread = []string{"token", "admin", "assistant", "hook"}

// areaOf returns the first word of the name of a command.
func areaOf(name string) string {
	area, _, _ := strings.Cut(name, " ")
	return area
}

// with and without carry out a command with a method that takes an argument, or takes none.
func with[T, R any](do func(*App, context.Context, T) (R, error)) carryOut {
	return func(a *App, ctx context.Context, _ string, args json.RawMessage) (any, error) {
		var in T
		if err := json.Unmarshal(args, &in); err != nil {
			return nil, err
		}
		return do(a, ctx, in)
	}
}

func without(do func(*App, context.Context) (any, error)) carryOut {
	return func(a *App, ctx context.Context, _ string, _ json.RawMessage) (any, error) { return do(a, ctx) }
}

// serveControl runs the commands that arrive at the socket until ctx is done.
func (a *App) serveControl(ctx context.Context, l net.Listener) {
	s := &control.Server{Run: a.command, Polled: polled, Log: a.log}
	if err := s.Serve(ctx, l); err != nil {
		a.log.Error("commands cannot reach this server any more", "error", err)
	}
}

// command runs a command in the running server.
func (a *App) command(ctx context.Context, name string, args json.RawMessage) (any, error) {
	result, err := a.do(byCommand(ctx, name), name, args)
	if errors.Is(err, store.ErrCopy) {
		err = cmp.Or(a.at.mayWrite(), err)
	}
	return result, a.requestReopenOn(err)
}

// do runs a command in the process that has the data file open.
func (a *App) do(ctx context.Context, name string, args json.RawMessage) (any, error) {
	do, known := commands[name]
	if !known {
		if do, known = areas[areaOf(name)]; !known {
			return nil, fmt.Errorf("this server knows no command %q", name)
		}
	}
	return do(a, ctx, name, args)
}

// doAccounts runs a command on users, roles and tokens.
func (a *App) doAccounts(ctx context.Context, name string, args json.RawMessage) (any, error) {
	if a.server != nil {
		return a.server.Accounts().Do(ctx, name, args)
	}
	return a.accounts().Do(ctx, name, args) // tokens do not need the content
}

// filesMoved records that a command has moved the files of the site to another storage.
func (a *App) filesMoved(ctx context.Context, done FilesMoved) (any, error) {
	return struct{}{}, noteSite(byCommand(ctx, "media move"), a.db, "media.move", done.details())
}
