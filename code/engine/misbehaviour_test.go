package engine

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"
)

// What code can do wrong, and what its call gets. Afterwards another call is answered.
func TestMisbehaviour(t *testing.T) {
	for name, c := range map[string]struct{ code, want string }{
		"an endless loop":                           {`for (;;);`, "too long"},
		"an endless loop in a try":                  {`try { for (;;); } catch {} finally { return 1 }`, "too long"},
		"an endless loop after await":               {`await null; for (;;);`, "too long"},
		"an endless loop in a callback":             {`[3, 1, 2].sort(() => { for (;;); })`, "too long"},
		"promises that never let go":                {`for (;;) await null`, "too long"},
		"microtasks that never let go":              {`await new Promise(() => { const next = () => queueMicrotask(next); next() })`, "too long"},
		"a recursion":                               {`const f = () => f() + 1; f()`, "stack overflow"},
		"a recursion through a builtin":             {`const f = () => [1].map(f); f()`, "stack overflow"},
		"a recursion through toJSON":                {`const o = { toJSON: () => JSON.stringify(o) }; JSON.stringify(o)`, "stack overflow"},
		"a recursion through a proxy":               {`new Proxy({}, { get: (t, k, self) => self[k] }).x`, "stack overflow"},
		"10 GB of strings":                          {`const all = []; for (;;) all.push("x".repeat(1000) + all.length)`, "out of memory"},
		"a string of 10 GB":                         {`let s = "x"; for (;;) s += s`, "string too long|out of memory"},
		"a huge array":                              {`new Array(1e9).fill(0)`, "out of memory"},
		"a huge buffer":                             {`new ArrayBuffer(1e10)`, "out of memory|invalid array buffer length"},
		"a huge number":                             {`2n ** (2n ** 40n)`, "too large"},
		"throw null":                                {`throw null`, "thrown: null"},
		"throw undefined":                           {`throw undefined`, "thrown: undefined"},
		"throw a string":                            {`throw "a string"`, "thrown: a string"},
		"throw a symbol":                            {`throw Symbol("s")`, "thrown: Symbol(s)"},
		"an error whose message is an object":       {`const e = new Error(); e.message = { text: "no" }; throw e`, `{"text":"no"}`},
		"an error whose message throws":             {`throw { get message() { throw 1 }, get name() { throw 2 } }`, ""},
		"an error whose details are a cycle":        {`const e = new Error("cyclic"); e.details = { e }; throw e`, "cyclic"},
		"an error with a huge message":              {`throw new Error("x".repeat(1e7))`, "xxx"},
		"an object that cannot be read":             {`throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 }, ownKeys() { throw 3 } })`, ""},
		"a revoked proxy":                           {`const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy`, ""},
		"a getter that throws":                      {`return { get x() { throw new Error("from a getter") } }`, "from a getter"},
		"a result that is a cycle":                  {`const a = {}; a.a = a; return a`, "circular"},
		"a result that JSON does not have":          {`return { n: 1n }`, "BigInt|bigint"},
		"a thenable that never ends":                {`return { then() { for (;;); } }`, "too long"},
		"a regular expression that backtracks":      {`/^(a+)+$/.test("a".repeat(50) + "b")`, "too long"},
		"JSON of great depth":                       {`JSON.parse("[".repeat(1e6))`, "stack overflow"},
		"an object of great depth":                  {`let x = []; for (let i = 0; i < 2e4; i++) x = [x]; return x`, "stack overflow"},
		"an expression of great depth":              {`(0, eval)("(".repeat(1e5) + ")".repeat(1e5))`, "stack overflow"},
		"too many timers":                           {`for (let i = 0; i < 20000; i++) setTimeout(() => {}, 1e6)`, "timers have not fired"},
		"too many calls of the host":                {`await Promise.all(Array.from({ length: 20000 }, () => __host("hang")))`, "operations have not ended"},
		"a host that panics":                        {`await __host("panic")`, "panic failed"},
		"a host that does not answer JSON":          {`await __host("text")`, "not JSON"},
		"a host that answers too much":              {`await __host("large")`, "more than"},
		"too much for the host":                     {`await __host("x", "x".repeat(7e7))`, "more than|out of memory"},
		"a function of the engine with wrong words": {`__native("no such thing")`, "is not a function of the engine"},
		"a stack that throws":                       {`const e = new Error("odd"); Object.defineProperty(e, "stack", { get() { throw 1 } }); throw e`, "odd"},
	} {
		t.Run(name, func(t *testing.T) {
			turn := time.Minute
			if c.want == "too long" {
				turn = time.Second
			}
			log := &logged{}
			e := start(t, "__quire.run = async () => {"+c.code+"}; __quire.fine = async (x) => { await null; return x };", Options{
				Log: log.logger(), Turn: turn, Memory: 64 << 20,
				Host: func(ctx context.Context, c HostCall) ([]byte, error) {
					switch c.Name {
					case "hang":
						<-ctx.Done()
					case "panic":
						panic("in the host")
					case "text":
						return []byte("text"), nil
					case "large":
						return make([]byte, maxResult+1), nil
					}
					return nil, ctx.Err()
				}})
			r, err := e.Call(t.Context(), "", "run", nil)
			if err == nil {
				t.Fatalf("no error but %.100s", r)
			}
			found := false
			for want := range strings.SplitSeq(c.want, "|") {
				found = found || strings.Contains(err.Error(), want)
			}
			if !found || len(err.Error()) > 20_000 {
				t.Errorf("the error is %.300s, want %s", err, c.want)
			}
			if got := answer(t, e, "fine", "7"); got != "7" {
				t.Error(got)
			}
			if strings.Contains(log.String(), "started anew") {
				t.Errorf("the engine was started anew:\n%s", log)
			}
		})
	}
}

// A million jobs of promises take less time than this turn.
func TestMillionsOfMicrotasksAreOneTurn(t *testing.T) {
	log := &logged{}
	e := start(t, `const next = () => queueMicrotask(next); __quire.run = () => { next(); return new Promise(() => {}) }; __quire.fine = () => 1`,
		Options{Turn: 3 * time.Second, Log: log.logger()})
	if _, err := e.Call(t.Context(), "", "run", nil); !errors.Is(err, ErrInterrupted) {
		t.Error(err)
	}
	answer(t, e, "fine", "")
	if log.String() != "" {
		t.Errorf("the log has:\n%s", log)
	}
}

func TestAPromiseThatNeverEndsDoesNotHoldOthersUp(t *testing.T) {
	e := start(t, `__quire.run = () => new Promise(() => {}); __quire.fine = () => 1`, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := e.Call(ctx, "", "run", nil)
		ended <- err
	}()
	answer(t, e, "fine", "")
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.calls) > 0 {
		t.Errorf("%d calls are kept", len(e.calls))
	}
}

func TestAnInterruptedCallDoesNotEndOthers(t *testing.T) {
	proceed := make(chan struct{})
	e := start(t, `
		__quire.wait = async () => { await __host("wait"); return "waited" };
		__quire.loop = async () => { await __host("now"); for (;;); };
		__quire.inner = async () => { try { await __quire.loop() } catch { return "caught" } }`,
		Options{Turn: time.Second, Host: func(_ context.Context, c HostCall) ([]byte, error) {
			if c.Name == "wait" {
				<-proceed
			}
			return nil, nil
		}})
	ended := make(chan string)
	go func() { ended <- answer(t, e, "wait", "") }()
	for _, function := range []string{"loop", "inner"} {
		if _, err := e.Call(t.Context(), "", function, nil); !errors.Is(err, ErrInterrupted) || !strings.Contains(err.Error(), "project:3:") {
			t.Errorf("%s: %v", function, err)
		}
	}
	close(proceed)
	if got := <-ended; got != `"waited"` {
		t.Error(got)
	}
}

func TestATimerThatLoopsOrThrowsIsLogged(t *testing.T) {
	log := &logged{}
	e := start(t, `
		__quire.run = () => new Promise((r) => { setTimeout(() => { throw new TypeError("in a timer") }, 1); setTimeout(r, 2) });
		setTimeout(() => { for (;;); }, 1);
		queueMicrotask(() => { throw new Error("in a microtask") });`,
		Options{Turn: time.Second, Log: log.logger()})
	answer(t, e, "run", "")
	for _, want := range []string{"TypeError: in a timer", "in a microtask", "was interrupted"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %q:\n%s", want, log)
		}
	}
}

func TestConsoleShowsAnything(t *testing.T) {
	log := &logged{}
	e := start(t, `__quire.run = () => {
		const cycle = { name: "cycle" }; cycle.self = cycle; console.log(cycle);
		console.log(new Proxy({}, { get() { throw 1 }, ownKeys() { throw 2 }, getPrototypeOf() { throw 3 } }));
		console.log({ get bad() { throw 1 } }, Symbol("s"), 1n, null, undefined, () => {}, class A {}, new Map([[1, { a: 1 }]]), new Set([1]));
		let deep = {}; for (let i = 0; i < 1e5; i++) deep = { deep }; console.log(deep);
		console.log(new Array(1e9), "x".repeat(1e6));
		console.log(Object.create(null), new (class Foo { constructor() { this.x = 1 } })(), [undefined, null, , 3], new Error("shown"));
		console.log("%s %d %i %j %o %%", "a", "4.5", "4.5", { a: 1 }, [1], "rest");
		return 1;
	}`, Options{Log: log.logger()})
	answer(t, e, "run", "")
	for _, want := range []string{
		"{ name: 'cycle', self: [Circular *1] }", "that cannot be shown", "bad: [Getter]", "Symbol(s) 1n null undefined [Function (anonymous)] [class A] Map(1) { 1 => { a: 1 } } Set(1) { 1 }",
		"{ deep: { deep: { deep: [Object] } } }", "empty items", "[Object: null prototype] {} Foo { x: 1 } [ undefined, null, <1 empty item>, 3 ] Error: shown", "a 4.5 4 {\\\"a\\\":1} [ 1 ] % rest",
	} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %s", want)
		}
	}
	if len(log.String()) > 60_000 {
		t.Errorf("the log has %d bytes", len(log.String()))
	}
}

// What stays reachable fills the memory for good: then the engine starts anew.
func TestCodeThatKeepsAllMemoryIsStartedAnew(t *testing.T) {
	again := make(chan struct{})
	e := start(t, `
		const kept = []; let count = 0;
		__quire.fill = () => { for (;;) kept.push("x".repeat(10000) + kept.length) };
		__quire.count = () => ++count;`,
		Options{Memory: 32 << 20, Restarted: func() { close(again) }})
	if got := answer(t, e, "count", ""); got != "1" {
		t.Error(got)
	}
	if _, err := e.Call(t.Context(), "", "fill", nil); err == nil {
		t.Error("no error")
	}
	<-again
	if got := answer(t, e, "count", ""); got != "1" {
		t.Errorf("%s: the state of modules is that of before", got)
	}
}

// Garbage that fills the memory is collected although the code catches each error about it, and
// what stays reachable has the engine start anew.
func TestAFullMemoryWhoseErrorsAreCaught(t *testing.T) {
	for kept, want := range map[string]string{"garbage": "2", "reachable": "1"} {
		t.Run(kept, func(t *testing.T) {
			again := make(chan struct{}, 1)
			e := start(t, `
				let all, count = 0;
				const caught = (f) => { try { return f() } catch (e) { return String(e) } };
				__quire.fill = (kept) => {
					const first = {};
					if (kept === "reachable") all = first;
					for (const size of [200000, 20000]) // which leaves enough for a result
						caught(() => { for (;;) first.next = { first, next: first.next, buffer: new ArrayBuffer(size) } });
				};
				__quire.count = () => { const n = ++count; return caught(() => new ArrayBuffer(100000) && n) };`,
				Options{Memory: 32 << 20, Turn: time.Minute, Restarted: func() { again <- struct{}{} }})
			answer(t, e, "count", "")
			answer(t, e, "fill", strconv.Quote(kept))
			if want == "1" {
				<-again
			}
			if got := answer(t, e, "count", ""); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}

// A builtin function over a huge length asks nobody whether to stop.
func TestABuiltinThatDoesNotReturnIsLeftBehind(t *testing.T) {
	e := start(t, `
		__quire.run = () => Array.prototype.indexOf.call({ length: 1e8 }, 1);
		__quire.fine = () => 1`, Options{Turn: 500 * time.Millisecond, stuckAfter: 50 * time.Millisecond})
	_, err := e.Call(t.Context(), "", "run", nil)
	if !errors.Is(err, ErrRestarted) {
		t.Error(err)
	}
	answer(t, e, "fine", "")
}

func TestALogIsNotFlooded(t *testing.T) {
	log := &logged{}
	e := start(t, `
		__quire.run = () => { for (let i = 0; i < 5000; i++) console.log("a line"); };
		__quire.reject = () => { for (let i = 0; i < 5000; i++) Promise.reject(i) };`, Options{Log: log.logger()})
	from := time.Now()
	answer(t, e, "run", "")
	answer(t, e, "reject", "")
	seconds := int(time.Since(from)/time.Second) + 2
	if lines := strings.Count(log.String(), "\n"); lines < maxMessages || lines > seconds*(maxMessages+1) {
		t.Errorf("the log has %d lines of %d seconds", lines, seconds)
	}
}
