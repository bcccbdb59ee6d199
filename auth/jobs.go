package auth

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
)

// jobs is a queue of background work, done one job at a time. It is for work that no
// response should wait for, and that may be lost.
type jobs struct {
	log   *slog.Logger
	queue chan func(context.Context) error

	mu      sync.RWMutex // held shared while a job is put into the queue
	closed  bool
	ctx     context.Context // of the jobs
	cancel  context.CancelFunc
	stopped chan struct{}
}

// maxJobs limits the queue.
const maxJobs = 1000

func newJobs(log *slog.Logger) *jobs {
	j := &jobs{log: log, queue: make(chan func(context.Context) error, maxJobs), stopped: make(chan struct{})}
	j.ctx, j.cancel = context.WithCancel(context.Background())
	go j.run()
	return j
}

// run does the jobs until the queue is closed and empty.
func (j *jobs) run() {
	defer close(j.stopped)
	for job := range j.queue {
		if err := j.do(job); err != nil {
			j.log.Error("background work failed", "error", err)
		}
	}
}

func (j *jobs) do(job func(context.Context) error) (err error) {
	debug.SetPanicOnFault(true) // some content is in a mapped file, and its disk may fail
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("panic: %v", fault)
		}
	}()
	return job(j.ctx)
}

// enqueue queues a job, and reports false if too many are waiting.
func (j *jobs) enqueue(job func(context.Context) error) bool {
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

// close waits until all jobs are done. If ctx ends, it cancels them.
func (j *jobs) close(ctx context.Context) error {
	j.mu.Lock()
	if !j.closed {
		j.closed = true
		close(j.queue)
	}
	j.mu.Unlock()
	stop := context.AfterFunc(ctx, j.cancel)
	defer stop()
	<-j.stopped
	return context.Cause(j.ctx)
}
