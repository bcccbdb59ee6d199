package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// A Host answers the calls of __host. It runs on a goroutine of its own. Its context ends if
// the call of the engine that it belongs to is abandoned, and with the engine. An *Error that
// it returns arrives in JavaScript with all its fields, of others the message.
type Host func(ctx context.Context, call HostCall) (result []byte, err error)

// A HostCall is a call of __host by the code.
type HostCall struct {
	Name      string
	Arguments []byte // JSON
	Context   string // the text of the async context at the call

	Open func(path string) (*os.File, error) // opens a file that the code may read
}

// Options say how to run a script. What is zero has a default.
type Options struct {
	Root   string        // the folder of the project, which the code may read
	Closed string        // a folder of the project, relative to Root, that the code may not read; empty for none
	Memory int           // bytes of the virtual machine
	Turn   time.Duration // the longest time without returning to the loop
	Env    map[string]string
	Host   Host
	Now    Host // answers the calls of __hostNow, which wait for it; it does not take long
	Log    *slog.Logger
	// Lent reports whether the code may read a file outside of the project; nil for none.
	Lent    func(path string) bool
	Network func(netip.Addr) error // refuses addresses of fetch; nil refuses all
	// Restarted is called on a goroutine of its own after the machine has been started anew,
	// see [Engine]. Calls are answered meanwhile.
	Restarted func()

	stuckAfter, load time.Duration // of bounds.go, shorter in tests
}

// An Error is what the code threw, or what a Host answers with.
type Error struct {
	Name    string          `json:"name"`
	Message string          `json:"message"`
	Code    string          `json:"code,omitempty"`
	Status  int             `json:"status,omitempty"`
	Details json.RawMessage `json:"details,omitempty"`
	Stack   string          `json:"stack,omitempty"` // with the places of the sources
}

func (e *Error) Error() string {
	if e.Name == "" || e.Name == "Error" {
		return e.Message
	}
	return e.Name + ": " + e.Message
}

// Why a call has no answer, beside what the code throws.
var (
	ErrStopped     = errors.New("the code of the site has been stopped")
	ErrBusy        = errors.New("the code of the site has too many calls to answer")
	ErrRestarted   = errors.New("the code of the site was started anew, because it could not go on")
	ErrInterrupted = errors.New("the code of the site ran too long without waiting for anything")
)

// An Engine runs a script. If its virtual machine cannot go on (its memory stays full, or a
// builtin function does not return), another is started: the state of modules, timers and
// the calls that have not ended are lost, and those calls fail with ErrRestarted.
type Engine struct {
	script *Script
	o      Options
	root   *os.Root
	client *http.Client // of fetch

	requests chan *call    // to whichever machine runs
	stopped  chan struct{} // closed by Close
	ended    chan struct{} // closed when no machine runs any more
	stop     sync.Once

	mu       sync.Mutex
	calls    map[int]*call // that have not ended
	lastCall int
}

// Start runs a script and returns when its modules have been evaluated. Its error is an *Error
// if the code threw it.
func Start(s *Script, o Options) (*Engine, error) {
	if o.Memory == 0 {
		o.Memory = defaultMemory
	}
	if o.Turn == 0 {
		o.Turn = defaultTurn
	}
	if o.stuckAfter == 0 {
		o.stuckAfter = stuckAfter
	}
	if o.load == 0 {
		o.load = maxLoad
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	folder, err := filepath.Abs(o.Root)
	if err == nil {
		folder, err = filepath.EvalSymlinks(folder)
	}
	if err != nil {
		return nil, err
	}
	o.Root = folder
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	e := &Engine{
		script: s, o: o, root: root, client: newClient(o.Network), calls: map[int]*call{},
		requests: make(chan *call), stopped: make(chan struct{}), ended: make(chan struct{}),
	}
	m, err := e.startMachine()
	if err != nil {
		root.Close()
		return nil, err
	}
	go e.supervise(m)
	return e, nil
}

// Close stops the code. What waits for an answer gets ErrStopped.
func (e *Engine) Close() {
	e.stop.Do(func() { close(e.stopped) })
	<-e.ended
}

// supervise replaces machines that cannot go on, until Close.
func (e *Engine) supervise(m *machine) {
	defer close(e.ended)
	defer e.root.Close()
	defer e.client.CloseIdleConnections()
	for {
		go m.loop()
		why := m.watch(e.stopped)
		m.cancel()
		if why == nil {
			m.stopNow()
			return
		}
		e.o.Log.Error("the code of the site is started anew; what its modules kept in memory is lost", "error", why)
		e.failAll(m)
		if m = e.startAgain(); m == nil {
			return
		}
		if e.o.Restarted != nil {
			go e.o.Restarted()
		}
	}
}

// startAgain starts a machine, and waits longer after each failure. It returns nil after Close.
func (e *Engine) startAgain() *machine {
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 30*time.Second) {
		m, err := e.startMachine()
		if err == nil {
			return m
		}
		e.o.Log.Error("the code of the site does not start", "error", err)
		select {
		case <-e.stopped:
			return nil
		case <-time.After(wait):
		}
	}
}

// A call is one that Go waits for.
type call struct {
	ctx               context.Context
	context, function string
	arguments         []byte
	result            chan outcome // with space for one

	// What follows is set when a machine takes the call, under mu of the engine.
	id      int
	machine *machine
	live    context.Context // ends when the call is abandoned, and with the machine
	cancel  context.CancelFunc
	hosts   int  // calls of the host that have not ended
	over    bool // whether the call has ended
}

type outcome struct {
	value []byte
	err   error
}

// Call calls a function of globalThis.__quire with one JSON argument (none if arguments is
// empty), in an async context that has the text asyncContext, and waits for its promise. The
// result is JSON, null for undefined.
//
// Its error is an *Error if the code threw it, or that of ctx, ErrStopped, ErrBusy,
// ErrRestarted or ErrInterrupted. If ctx ends, the code goes on, but its calls of the host
// are canceled.
func (e *Engine) Call(ctx context.Context, asyncContext, function string, arguments []byte) ([]byte, error) {
	if len(arguments) > maxArguments {
		return nil, &Error{Name: "Error", Message: fmt.Sprintf("%s is given %d bytes, more than %d", function, len(arguments), maxArguments)}
	}
	c := &call{ctx: ctx, context: asyncContext, function: function, arguments: arguments, result: make(chan outcome, 1)}
	if err := e.register(c); err != nil {
		return nil, err
	}
	defer e.forget(c)
	select {
	case e.requests <- c:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-e.stopped:
		return nil, ErrStopped
	}
	select {
	case r := <-c.result:
		return r.value, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-e.stopped:
		return nil, ErrStopped
	}
}

func (e *Engine) register(c *call) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.calls) >= maxCalls {
		return ErrBusy
	}
	e.lastCall++
	c.id = e.lastCall
	e.calls[c.id] = c
	return nil
}

// take notes which machine runs a call.
func (e *Engine) take(c *call, m *machine) {
	e.mu.Lock()
	defer e.mu.Unlock()
	c.machine = m
	c.live, c.cancel = context.WithCancel(m.ctx)
}

// settle gives a call its outcome. A call that has one, or that is gone, gets none.
func (e *Engine) settle(m *machine, id int, r outcome) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	c := e.calls[id]
	if c == nil || c.machine != m || c.over {
		return false
	}
	c.over = true
	c.result <- r
	return true
}

// forget ends a call. What it still asks of the host is canceled if the call has no outcome.
func (e *Engine) forget(c *call) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.calls, c.id)
	if c.cancel != nil && (!c.over || c.hosts == 0) {
		c.cancel()
	}
	c.over = true
}

func (e *Engine) failAll(m *machine) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, c := range e.calls {
		if c.machine == m && !c.over {
			c.over = true
			c.result <- outcome{err: ErrRestarted}
		}
	}
}

// hostContext returns the context of a call of the host, and what ends it.
func (e *Engine) hostContext(m *machine, id int) (context.Context, func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	c := e.calls[id]
	if c == nil || c.machine != m || c.over { // what goes on belongs to nobody
		return m.ctx, func() {}
	}
	c.hosts++
	return valued{c.live, c.ctx}, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if c.hosts--; c.hosts == 0 && c.over {
			c.cancel()
		}
	}
}

// A valued context ends with one context and has the values of another.
type valued struct {
	context.Context
	values context.Context
}

func (v valued) Value(key any) any {
	if value := v.Context.Value(key); value != nil {
		return value
	}
	return v.values.Value(key)
}

// interrupted is the error of a call that ran too long.
func interrupted(stack string) error {
	if stack == "" {
		return ErrInterrupted
	}
	return fmt.Errorf("%w\n%s", ErrInterrupted, stack)
}
