//go:build !nocode

package app

import (
	"context"
	"fmt"
	"time"

	"github.com/adhocore/gronx"

	"quire/code"
)

// A project's tasks run at set times, on the node with the duties. A task that is still
// running when it is due again is left out that time.

// cronTask is a task of a project with its times. A rule has five fields, or six with seconds
// first.
type cronTask struct {
	code.Task
	once       bool // whether it runs at start and never again
	zone       *time.Location
	start, end time.Time // zero for no limit
}

// cronTasks reads the times of a project's tasks.
func cronTasks(list []code.Task) (tasks []cronTask, err error) {
	for _, t := range list {
		one := cronTask{Task: t}
		if one.start, err = cronMoment(t.Start); err == nil {
			one.end, err = cronMoment(t.End)
		}
		if err != nil {
			return nil, fmt.Errorf("the task %q: %w", t.Name, err)
		}
		if one.zone = time.Local; t.Zone != "" {
			if one.zone, err = time.LoadLocation(t.Zone); err != nil {
				return nil, fmt.Errorf("the task %q: %w", t.Name, err)
			}
		}
		if at, err := time.Parse(time.RFC3339, t.Rule); err == nil {
			one.start, one.once = at, true
		} else if !gronx.IsValid(t.Rule) {
			return nil, fmt.Errorf("the task %q: its rule %q is not one of cron", t.Name, t.Rule)
		}
		tasks = append(tasks, one)
	}
	return tasks, nil
}

func cronMoment(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	return time.Parse(time.RFC3339, text)
}

// next returns when the task is due after a moment; the zero time for never.
func (t *cronTask) next(after time.Time) time.Time {
	if t.once {
		if t.start.After(after) {
			return t.start
		}
		return time.Time{}
	}
	first := t.start.After(after)
	if first {
		after = t.start
	}
	due, err := gronx.NextTickAfter(t.Rule, after.In(t.zone), first)
	if err != nil || !t.end.IsZero() && due.After(t.end) {
		return time.Time{}
	}
	return due
}

// longestCronPause is how long the tasks of other code wait at most, after a reload.
const longestCronPause = time.Minute

// runCron runs the tasks of the project's code until ctx is done.
func (a *App) runCron(ctx context.Context) {
	for last := time.Now(); ctx.Err() == nil; {
		p := a.code.Load()
		wake := last.Add(longestCronPause)
		for _, t := range p.tasksOrNone() {
			if due := t.next(last); !due.IsZero() && due.Before(wake) {
				wake = due
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Until(wake)):
		}
		if p == a.code.Load() {
			for _, t := range p.tasksOrNone() {
				if due := t.next(last); !due.IsZero() && !due.After(wake) {
					p.runTask(ctx, t.Name)
				}
			}
		}
		last = wake
	}
}

func (p *projectCode) tasksOrNone() []cronTask {
	if p == nil {
		return nil
	}
	return p.tasks
}

// runTask runs a task beside others, unless it is still running.
func (p *projectCode) runTask(ctx context.Context, name string) {
	if _, running := p.busy.LoadOrStore(name, true); running {
		p.log.Warn("a task of the project's code is still running and is left out this time", "task", name)
		return
	}
	p.running.Go(func() {
		defer p.busy.Delete(name)
		if err := p.Run(ctx, name); err != nil {
			p.log.Error("a task of the project's code has failed", "task", name, "error", err)
		}
	})
}
