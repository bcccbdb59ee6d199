package app

import (
	"context"
	"time"

	"quire/content/event"
	"quire/media"
	"quire/notify/webhook"
	"quire/server/metrics"
	"quire/store"
)

// The log of changes is trimmed in small steps, so that other writes do not wait.
const (
	trimInterval  = 10 * time.Minute // from the end of one round to the next
	trimmedAtOnce = 1024             // commits in a step
)

// trim removes expired commits from the log until ctx is done.
func (a *App) trim(ctx context.Context) {
	a.inSteps(ctx, trimInterval, "the log of changes could not be trimmed", a.trimStep)
}

// trimStep removes some expired commits from the log, and reports whether there may be
// more.
func (a *App) trimStep(ctx context.Context, now time.Time) (more bool, err error) {
	serving := a.serving()
	var through uint64
	err = a.db.View(func(tx *store.Tx) error {
		through, err = event.Expired(tx, serving.site.Settings.Events, now, trimmedAtOnce)
		return err
	})
	if err != nil || through == 0 {
		return false, err
	}
	removed := 0
	err = serving.writer.Record(ctx, func(tx *store.Tx) error {
		removed, err = tx.TrimLog(through, trimmedAtOnce)
		return err
	})
	return removed == trimmedAtOnce, err
}

// hookOptions connects webhooks to the log and the metrics.
func (a *App) hookOptions() webhook.Options {
	return webhook.Options{Log: a.log, Files: media.NewPrivateFiles(a.site, a.auth.KeyFor, time.Now), Observe: func(o webhook.Outcome) { a.metrics.CountWebhook(o.String()) }}
}

// newHooks returns the webhooks of the current site.
func (a *App) newHooks() *webhook.Webhooks {
	return webhook.New(a.db, a.site, a.index, a.writer, a.hookOptions())
}

// webhookState returns the state of webhooks for the metrics.
func (a *App) webhookState() (s metrics.Webhooks, err error) {
	n, err := a.sender.Count()
	return metrics.Webhooks{Waiting: n.Waiting, SetAside: n.SetAside, Lag: a.sender.Lag()}, err
}
