package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/text/collate"
	"modernc.org/libc"
	lib "modernc.org/libquickjs"
	"modernc.org/quickjs"
	"modernc.org/quickjs/intl"
)

// A machine is a virtual machine and its loop. Only the goroutine of the loop touches it,
// besides what is marked.
type machine struct {
	e      *Engine
	vm     *quickjs.VM
	ctx    context.Context // ends with the machine
	cancel context.CancelFunc
	queue  chan func()   // what goroutines have for the loop
	ended  chan struct{} // closed when the loop has returned
	broken chan error    // with space for one: why the machine cannot go on

	enter, settle, fire, reject, unhandled, stop quickjs.Value // of js/core.js

	tls              *libc.TLS
	address, runtime uintptr      // of the context, see tracked, and of the runtime
	plain            *plainWriter // of results and of what the host is given

	turnLimit time.Duration // of one turn; longer while the modules are evaluated

	turns    sync.Mutex
	turnFrom time.Time // of the turn that runs; zero if none runs. Under turns

	timers     *timers
	cancels    map[int]context.CancelFunc // of what nativeStart began
	collators  map[string]*collate.Collator
	waiting    atomic.Int64
	rejections []rejection // of this turn
	logFrom    time.Time   // of the second in which logged messages were written
	logged     int
	overrun    []int // calls that ran too long in this turn, and whose stack is not known yet
	full       bool  // whether memory ran out in this turn
	failed     bool  // whether broken has a reason
}

// startMachine evaluates the script in a new machine.
func (e *Engine) startMachine() (*machine, error) {
	vm, err := quickjs.NewVM()
	if err != nil {
		return nil, err
	}
	m := &machine{
		e: e, vm: vm, timers: newTimers(), cancels: map[int]context.CancelFunc{}, collators: map[string]*collate.Collator{},
		queue: make(chan func()), ended: make(chan struct{}), broken: make(chan error, 1),
	}
	m.ctx, m.cancel = context.WithCancel(context.Background())
	if err := m.load(); err != nil {
		m.cancel()
		m.close()
		return nil, err
	}
	return m, nil
}

func (m *machine) load() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the machine panicked: %v", p)
		}
	}()
	if err := intl.Register(m.vm); err != nil {
		return err
	}
	m.vm.SetMemoryLimit(uintptr(m.e.o.Memory))
	m.turnLimit = max(m.e.o.Turn, m.e.o.load)
	if err := m.vm.SetEvalTimeout(m.turnLimit); err != nil {
		return err
	}
	if err := m.openLibrary(); err != nil {
		return err
	}
	if err := errors.Join(
		m.vm.RegisterHostFunc("__native", m.native), m.vm.RegisterFunc("__done", m.done, false), m.vm.RegisterFunc("__plain", m.plainText, false),
	); err != nil {
		return err
	}
	if err := m.evaluate(m.e.script.source); err != nil {
		return m.thrown(err)
	}
	for name, v := range map[string]*quickjs.Value{"enter": &m.enter, "settle": &m.settle, "fire": &m.fire, "unhandled": &m.unhandled, "interrupted": &m.stop} {
		if *v, err = m.vm.EvalValue("__engine."+name, quickjs.EvalGlobal); err != nil {
			return m.thrown(err)
		}
	}
	if err := m.trackRejections(); err != nil {
		return err
	}
	if err := m.evaluate("delete globalThis.__engine"); err != nil {
		return m.thrown(err)
	}
	m.drain()
	m.turnLimit = m.e.o.Turn
	return m.vm.SetEvalTimeout(m.turnLimit)
}

// evaluate runs a script for its effects.
func (m *machine) evaluate(source string) error {
	v, err := m.vm.EvalValue(source, quickjs.EvalGlobal)
	if err == nil {
		v.Free()
	}
	return err
}

// close frees the machine. One that has panicked cannot be freed wholly.
func (m *machine) close() {
	defer func() {
		if p := recover(); p != nil {
			m.e.o.Log.Error("the machine of the site's code could not be freed", "error", p)
		}
	}()
	m.timers.alarm.Stop()
	for _, r := range m.rejections {
		r.promise.Free()
		r.reason.Free()
	}
	for _, v := range []*quickjs.Value{&m.enter, &m.settle, &m.fire, &m.reject, &m.unhandled, &m.stop} {
		if v.VM() != nil {
			v.Free()
		}
	}
	tracked.Delete(m.address)
	if m.plain != nil {
		m.plain.close()
	}
	m.vm.Close()
}

// loop runs what Go asks for, one turn at a time, until the machine ends.
func (m *machine) loop() {
	defer close(m.ended)
	defer m.close()
	for m.ctx.Err() == nil && !m.failed {
		select {
		case c := <-m.e.requests:
			m.e.take(c, m)
			m.turn(func() {
				m.check(c.id, m.enter, c.id, c.context, c.function, string(c.arguments))
			})
		case f := <-m.queue:
			m.turn(f)
		case <-m.timers.alarm.C:
			if id := m.timers.next(); id != 0 {
				m.turn(func() { m.check(0, m.fire, id) })
			}
		case <-m.ctx.Done():
		}
	}
	if m.failed {
		<-m.ctx.Done() // calls go to the next machine
	}
}

// stopNow interrupts the machine and waits until it has ended, unless it is in a builtin
// function that does not return.
func (m *machine) stopNow() {
	m.vm.Interrupt()
	select {
	case <-m.ended:
	case <-time.After(m.e.o.stuckAfter):
	}
}

// later gives the loop something to do. It is called by other goroutines.
func (m *machine) later(f func()) {
	select {
	case m.queue <- f:
	case <-m.ctx.Done():
	}
}

// turn runs f, and then the jobs that promises have queued, to the end.
func (m *machine) turn(f func()) {
	m.setTurn(time.Now())
	defer m.setTurn(time.Time{})
	defer func() {
		if p := recover(); p != nil {
			m.fail(fmt.Errorf("the machine panicked: %v", p))
		}
	}()
	f()
	m.drain()
	m.collect()
	if m.full {
		m.full = false
		m.probe()
	}
}

func (m *machine) setTurn(from time.Time) {
	m.turns.Lock()
	defer m.turns.Unlock()
	m.turnFrom = from
}

// watch waits until the machine ends: with nil if done is closed, otherwise with the reason.
func (m *machine) watch(done <-chan struct{}) error {
	limit := 2*m.e.o.Turn + m.e.o.stuckAfter // of what is interrupted, and of the jobs after it
	tick := time.NewTicker(m.e.o.stuckAfter / 5)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return nil
		case err := <-m.broken:
			return err
		case now := <-tick.C:
			m.turns.Lock()
			stuck := !m.turnFrom.IsZero() && now.Sub(m.turnFrom) > limit
			m.turns.Unlock()
			if stuck {
				return errors.New("a builtin function of JavaScript has not returned")
			}
		}
	}
}

// fail ends the machine after this turn.
func (m *machine) fail(err error) {
	if !m.failed {
		m.failed = true
		m.broken <- err
	}
}

// check calls a function of core.js on behalf of a call of Go, 0 for none.
func (m *machine) check(id int, fn quickjs.Value, args ...any) {
	from := time.Now()
	_, err := fn.Call(quickjs.UndefinedValue, args...)
	m.stumble(id, err, time.Since(from))
}

// drain runs the jobs of promises to the end, and reports rejected promises. The machine
// returns after a million jobs, too: together they may take as long as one turn.
func (m *machine) drain() {
	from := time.Now()
	for !m.failed && m.ctx.Err() == nil {
		n, err := m.vm.ExecutePendingJobs()
		took := time.Since(from)
		if n == 1<<20 && took < m.turnLimit {
			continue
		}
		m.stumble(0, err, took)
		from = time.Now()
		if err == nil && len(m.rejections) == 0 {
			break
		}
		m.passRejections()
		if err == nil {
			m.check(0, m.unhandled)
		}
	}
	for _, id := range m.overrun {
		m.e.settle(m, id, outcome{err: ErrInterrupted})
	}
	m.overrun = nil
}

// stumble handles what no JavaScript could catch: an interrupt, or memory that ran out where
// core.js has no way to say so. An interrupt is known by the time as well: a promise takes its
// error.
func (m *machine) stumble(id int, err error, took time.Duration) {
	if took >= m.turnLimit || err != nil && strings.Contains(err.Error(), "interrupted") {
		m.overran(id, err)
		return
	}
	if err == nil {
		return
	}
	m.noteFull(err.Error())
	if !m.e.settle(m, id, outcome{err: m.thrown(err)}) {
		m.logError("the code of the site failed", "error", err)
	}
}

// overran ends what ran too long, and the call that it belongs to.
func (m *machine) overran(id int, err error) {
	m.passRejections() // one may have the stack
	text, _ := m.stop.Call(quickjs.UndefinedValue)
	var ran struct {
		Call  int
		Stack string
	}
	if text, ok := text.(string); ok && json.Unmarshal([]byte(text), &ran) == nil && ran.Call != 0 {
		id = ran.Call
	}
	if thrown, ok := errors.AsType[*quickjs.Error](err); ok && thrown.Stack != "" {
		ran.Stack = thrown.Stack
	}
	if ran.Stack == "" && id != 0 {
		m.overrun = append(m.overrun, id) // the promise of the call will say where
		return
	}
	stack := m.e.script.positions.trace(ran.Stack)
	if !m.e.settle(m, id, outcome{err: interrupted(stack)}) {
		m.logError("code of the site was interrupted: it ran too long without waiting for anything", "stack", stack)
	}
}

// thrown is an error of the machine with the places of the sources.
func (m *machine) thrown(err error) error {
	thrown, ok := errors.AsType[*quickjs.Error](err)
	if !ok {
		return err
	}
	e := &Error{Name: thrown.Name, Message: thrown.Message, Stack: m.e.script.positions.trace(thrown.Stack)}
	if e.Name == "" {
		e.Name, e.Message = "Error", "thrown: "+thrown.Error()
		m.full = m.full || thrown.Error() == "null" // there may be no memory for an error
	}
	return e
}

func (m *machine) noteFull(message string) {
	if strings.Contains(message, "out of memory") {
		m.full = true
	}
}

// collect has the library look for what nobody holds before memory runs out. It does so by itself
// when there is half as much again as after the last time, which may be more than there can be.
// Memory that is full now is noted: the code may have caught the errors.
func (m *machine) collect() {
	is, most := (*lib.TJSRuntime)(memory(m.runtime)), lib.Tsize_t(m.e.o.Memory)
	is.Fmalloc_gc_threshold = min(is.Fmalloc_gc_threshold, most/8*7)
	m.full = m.full || is.Fmalloc_ctx.Fmalloc_state.Fmalloc_size > most/16*15
}

// probe ends a machine whose memory stays full after what ran has ended.
func (m *machine) probe() {
	lib.XJS_RunGC(m.tls, m.runtime)
	if err := m.evaluate(fmt.Sprintf("new ArrayBuffer(%d), undefined", m.e.o.Memory/16)); err != nil {
		m.fail(errors.New("its memory stays full"))
	}
}
