package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"runtime"
	"time"

	"modernc.org/quickjs"
)

// natives are the functions of Go that JavaScript calls, by the name that it gives first.
var natives = merged(ofLoop, ofCrypto, ofCompression, ofFiles, ofOrder)

type native func(m *machine, a arguments) (any, error)

func merged(all ...map[string]native) map[string]native {
	out := map[string]native{}
	for _, some := range all {
		maps.Copy(out, some)
	}
	return out
}

// ofLoop are those of js/core.js and of the console. What takes time begins with "start".
var ofLoop = map[string]native{
	"start": (*machine).nativeStart,
	"done":  (*machine).nativeDone,
	"now":   (*machine).nativeNow,
	"timer": func(m *machine, a arguments) (any, error) {
		return nil, m.timers.start(a.number(0), time.Duration(a.number(1))*time.Millisecond)
	},
	"cancel":      func(m *machine, a arguments) (any, error) { m.giveUp(a.number(0)); return nil, nil },
	"clear":       func(m *machine, a arguments) (any, error) { m.timers.clear(a.number(0)); return nil, nil },
	"log":         (*machine).nativeLog,
	"uncaught":    (*machine).nativeUncaught,
	"about":       (*machine).nativeAbout,
	"statuses":    func(*machine, arguments) (any, error) { return statuses(), nil },
	"nanoseconds": func(*machine, arguments) (any, error) { return float64(time.Since(began)), nil },
}

// statuses are the names of the statuses of HTTP, as JSON.
func statuses() string {
	names := map[int]string{}
	for status := 100; status < 600; status++ {
		if name := http.StatusText(status); name != "" {
			names[status] = name
		}
	}
	text, _ := json.Marshal(names) // of numbers and texts
	return string(text)
}

var began = time.Now()

// arguments are what JavaScript gave. What is missing or of another kind is zero.
type arguments []any

func (a arguments) text(i int) string {
	if i >= len(a) {
		return ""
	}
	s, _ := a[i].(string)
	return s
}

func (a arguments) number(i int) int {
	if i >= len(a) {
		return 0
	}
	switch n := a[i].(type) {
	case int:
		return n
	case float64:
		return int(n)
	}
	return 0
}

func (a arguments) truth(i int) bool {
	if i >= len(a) {
		return false
	}
	b, _ := a[i].(bool)
	return b
}

// native calls one of them. A panic is an error of JavaScript, it does not cross the machine.
func (m *machine) native(args []any) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			m.e.o.Log.Error("a function of the engine panicked", "error", p)
			result, err = nil, fmt.Errorf("internal error")
		}
	}()
	a := arguments(args)
	f, found := natives[a.text(0)]
	if !found {
		return nil, fmt.Errorf("%q is not a function of the engine", a.text(0))
	}
	return f(m, a[1:])
}

// nativeStart begins what takes time: id, kind, name, text, the call and its context.
func (m *machine) nativeStart(a arguments) (any, error) {
	id, kind, name, text := a.number(0), a.text(1), a.text(2), a.text(3)
	if len(text) > maxArguments {
		return nil, fmt.Errorf("%s is given %d bytes, more than %d", name, len(text), maxArguments)
	}
	if m.waiting.Load() >= maxWaiting {
		return nil, fmt.Errorf("%d operations have not ended, no further one begins", maxWaiting)
	}
	m.waiting.Add(1)
	ctx, end := m.e.hostContext(m, a.number(4))
	ctx, cancel := context.WithCancel(ctx)
	m.cancels[id] = cancel
	go func() {
		defer m.waiting.Add(-1)
		defer end()
		result, err := m.work(ctx, kind, name, text, a.text(5))
		ok, answer := true, string(result)
		if err != nil {
			ok, answer = false, errorText(err)
		}
		m.later(func() {
			m.giveUp(id)
			m.check(0, m.settle, id, ok, answer)
		})
	}()
	return nil, nil
}

// giveUp ends what nativeStart began.
func (m *machine) giveUp(id int) {
	if cancel, found := m.cancels[id]; found {
		delete(m.cancels, id)
		cancel()
	}
}

// errorText is an error as JavaScript gets it.
func errorText(err error) string {
	e, ok := err.(*Error)
	if !ok {
		e = &Error{Name: "Error", Message: err.Error()}
	}
	text, err := json.Marshal(e)
	if err != nil {
		text = fmt.Appendf(nil, `{"name":"Error","message":%q}`, e.Name)
	}
	return string(text)
}

// plainText returns a value as JSON; nil if it is not plain.
func (m *machine) plainText(v quickjs.Value) any {
	if text, ok := m.plain.write(v); ok {
		return string(text)
	}
	return nil
}

// done ends a call with a plain result, and reports whether it is plain.
func (m *machine) done(id int, v quickjs.Value) bool {
	text, ok := m.plain.write(v)
	if ok {
		m.e.settle(m, id, outcome{value: text})
	}
	return ok
}

// nativeDone is the end of a call: its id, whether it went well, and its result or error.
func (m *machine) nativeDone(a arguments) (any, error) {
	if text := a.text(2); a.truth(1) {
		r := outcome{value: []byte(text)}
		if len(text) > maxArguments {
			r = outcome{err: &Error{Name: "Error", Message: fmt.Sprintf("the result has %d bytes, more than %d", len(text), maxArguments)}}
		}
		m.e.settle(m, a.number(0), r)
	} else {
		err := error(m.described(text))
		if e := err.(*Error); e.Name == "InternalError" && e.Message == "interrupted" {
			err = interrupted(e.Stack)
		}
		m.e.settle(m, a.number(0), outcome{err: err})
	}
	return nil, nil
}

// described reads an error as core.js describes it.
func (m *machine) described(text string) *Error {
	e := &Error{}
	if err := json.Unmarshal([]byte(text), e); err != nil {
		return &Error{Name: "Error", Message: text}
	}
	m.noteFull(e.Message)
	e.Stack = m.e.script.positions.trace(e.Stack)
	return e
}

func (m *machine) nativeAbout(arguments) (any, error) {
	env := m.e.o.Env
	if env == nil {
		env = map[string]string{}
	}
	text, err := json.Marshal(map[string]any{"root": toPosix(m.e.o.Root), "env": env, "platform": platform(), "arch": arch()})
	return string(text), err
}

// platform and arch are what Node calls them.
func platform() string {
	if runtime.GOOS == "windows" {
		return "win32"
	}
	return runtime.GOOS
}

func arch() string {
	if runtime.GOARCH == "amd64" {
		return "x64"
	}
	return runtime.GOARCH
}
