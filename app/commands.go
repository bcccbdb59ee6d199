package app

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strings"

	"quire/app/control"
	"quire/notify/webhook"
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

// AdminCommands is the prefix of the commands on accounts of the admin.
const AdminCommands = "admin "

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
	consoleCommand  = "console"     // a line of JavaScript for the project's code
)

// polled are commands that clients repeat often, and that change nothing.
func polled() []string {
	return []string{readyCommand, statusCommand, progressCommand, auditCommand, queryCommand}
}

// serveControl runs the commands that arrive at the socket until ctx is done.
func (a *App) serveControl(ctx context.Context, l net.Listener) {
	s := &control.Server{Run: a.command, Polled: polled(), Log: a.log}
	if err := s.Serve(ctx, l); err != nil {
		a.log.Error("commands cannot reach this server any more", "error", err)
	}
}

// command runs one command on the server, the data as a whole, accounts or webhooks.
func (a *App) command(ctx context.Context, name string, args json.RawMessage) (any, error) {
	ctx = byCommand(ctx, name)
	switch {
	case name == readyCommand:
		return nil, a.server.Ready()
	case strings.HasPrefix(name, "data "):
		return a.operate(ctx, name, args)
	}
	result, err := a.do(ctx, name, args)
	return result, a.requestReopenOn(err)
}

// do runs a command on accounts, including those of the admin, on webhooks, or a read.
func (a *App) do(ctx context.Context, name string, args json.RawMessage) (any, error) {
	switch {
	case name == queryCommand:
		return a.query(ctx, args)
	case name == consoleCommand:
		return a.runLine(ctx, args)
	case strings.HasPrefix(name, webhook.CommandPrefix):
		return a.hooksNow().Do(ctx, name, args)
	case strings.HasPrefix(name, HookCommands):
		return a.doHooks(ctx, name)
	case strings.HasPrefix(name, AdminCommands):
		return a.doAdmin(ctx, name, args)
	case a.server != nil:
		return a.server.Accounts().Do(ctx, name, args)
	}
	return a.accounts().Do(ctx, name, args) // tokens do not need the content
}

// operate runs a command on the data as a whole.
func (a *App) operate(ctx context.Context, command string, args json.RawMessage) (any, error) {
	switch command {
	case importCommand:
		var in Delivery
		if err := json.Unmarshal(args, &in); err != nil {
			return nil, err
		}
		return a.importLive(ctx, &in)
	case progressCommand:
		return Measure(a.importing.Load()), nil
	case statusCommand:
		return a.statusLive()
	case copyCommand:
		return a.copyData()
	case checkCommand:
		return a.checkLive(ctx, args)
	case migrateCommand:
		return a.migrateLive(ctx, args)
	case localizeCommand:
		return a.localizeLive(ctx, args)
	case evolveCommand:
		return a.evolveLive(ctx, args)
	case stageCommand:
		return a.stage(ctx)
	case backedUpCommand:
		return nil, a.recordBackup(ctx, args)
	case pulledCommand:
		return a.at.pulledIn(a.db)
	case compactCommand:
		return a.compactLive(ctx)
	case auditCommand:
		return a.auditLive(args)
	case placesCommand:
		return a.useLive(), nil
	case movedCommand:
		var done FilesMoved
		if err := json.Unmarshal(args, &done); err != nil {
			return nil, err
		}
		return struct{}{}, noteSite(byCommand(ctx, "media move"), a.db, "media.move", done.details())
	}
	return nil, fmt.Errorf("this server knows no command %q", command)
}
