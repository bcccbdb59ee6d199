//go:build !nocode

package app

import (
	"context"
	"fmt"

	"quire/schema"
	"quire/store"
)

// mostFileEvents is the number of changes of files that wait for the code to hear of them.
const mostFileEvents = 1024

// runFileEvents has the code hear of changes of files until ctx is done: as media.create,
// media.update and media.delete on strapi.eventHub. Only the node with the duties does that.
// Events of entries come from the code itself, which takes part in these writes.
func (a *App) runFileEvents(ctx context.Context) {
	changes := make(chan store.Change, mostFileEvents)
	defer a.db.Subscribe(func(c store.Commit) {
		if p := a.code.Load(); p == nil || !p.HearsFiles() {
			return
		}
		for _, change := range c.Changes {
			if change.Type != schema.FileUID {
				continue
			}
			select {
			case changes <- change:
			default:
				a.log.Warn("the code of the site does not hear of a changed file, because too many others wait", "file", change.Name().Key.DocumentID)
			}
		}
	})()
	for {
		select {
		case <-ctx.Done():
			return
		case change := <-changes:
			if p := a.code.Load(); p != nil {
				p.emitFile(ctx, change)
			}
		}
	}
}

// emitFile emits what happened to a file.
func (p *projectCode) emitFile(ctx context.Context, c store.Change) {
	p.running.Add(1)
	defer p.running.Done()
	event, file := "media.update", c.After
	switch {
	case c.Before == nil:
		event = "media.create"
	case c.After == nil:
		event, file = "media.delete", c.Before
	}
	ctx, cancel := context.WithTimeout(ctx, p.patience)
	defer cancel()
	if err := p.Emit(ctx, event, fmt.Appendf(nil, `{"media":%s}`, p.host.Show(schema.FileUID, file))); err != nil {
		p.log.Error("the code of the site has not heard of a changed file", "event", event, "error", err)
	}
}
