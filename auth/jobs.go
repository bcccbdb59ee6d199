package auth

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
)

// BusyError asks to come back a little later: too much waits to be done.
type BusyError struct{}

func (*BusyError) Error() string { return "Too much is going on at once; try again" }

// jobs does one thing after the other behind the scenes: what must not make an
// answer slower, because it is not worth it or because it would show whether
// there is an account.
type jobs struct {
	log   *slog.Logger
	queue chan func(context.Context) error

	mu      sync.RWMutex // held shared while a job is put into the queue
	closed  bool
	give    context.Context
	giveUp  context.CancelFunc
	stopped chan struct{}
}

// maxJobs bounds the jobs that wait.
const maxJobs = 1000

func newJobs(log *slog.Logger) *jobs {
	j := &jobs{log: log, queue: make(chan func(context.Context) error, maxJobs), stopped: make(chan struct{})}
	j.give, j.giveUp = context.WithCancel(context.Background())
	go j.run()
	return j
}

// run does the jobs until the queue is closed and empty.
func (j *jobs) run() {
	defer close(j.stopped)
	for job := range j.queue {
		if err := j.do(job); err != nil {
			j.log.Error("something that had to be done in the background was not", "error", err)
		}
	}
}

func (j *jobs) do(job func(context.Context) error) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("panic: %v", fault)
		}
	}()
	return job(j.give)
}

// try queues a job, and reports false when too many wait already.
func (j *jobs) try(job func(context.Context) error) bool {
	j.mu.RLock()
	defer j.mu.RUnlock()
	if j.closed {
		return false
	}
	select {
	case j.queue <- job:
		return true
	default:
		return false
	}
}

// add is try for what a client waits for.
func (j *jobs) add(job func(context.Context) error) error {
	if !j.try(job) {
		return &BusyError{}
	}
	return nil
}

// close waits until all jobs are done, or ends the one under way when ctx is
// done.
func (j *jobs) close(ctx context.Context) error {
	j.mu.Lock()
	if !j.closed {
		j.closed = true
		close(j.queue)
	}
	j.mu.Unlock()
	stop := context.AfterFunc(ctx, j.giveUp)
	defer stop()
	<-j.stopped
	return context.Cause(j.give)
}
