package engine

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A project is a folder with files, one of which is entry.ts.
func project(t testing.TB, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		check(t, os.MkdirAll(filepath.Dir(path), 0o755))
		check(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return root
}

// start runs code as the entry of a project that has nothing else, unless o.Root names one.
func start(t testing.TB, code string, o Options) *Engine {
	t.Helper()
	if o.Root == "" {
		o.Root = t.TempDir()
	}
	s, err := Build(BuildOptions{Root: o.Root, Entry: code})
	check(t, err)
	o.load = 5 * time.Minute // with the race detector, on a busy machine
	e, err := Start(s, o)
	check(t, err)
	t.Cleanup(e.Close)
	return e
}

// answer calls a function and returns its result.
func answer(t testing.TB, e *Engine, function, argument string) string {
	t.Helper()
	r, err := e.Call(t.Context(), "", function, []byte(argument))
	if err != nil {
		t.Fatalf("%s: %v", function, err)
	}
	return string(r)
}

// result runs an expression that may await, and returns it as JSON.
func result(t testing.TB, expression string) string {
	t.Helper()
	return answer(t, start(t, "__quire.run = async () => ("+expression+");", Options{}), "run", "")
}

// A logged buffer is a log that goroutines write.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *logged) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(l, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func TestAFunctionOfTheCodeIsCalledAndAwaited(t *testing.T) {
	e := start(t, `
		let count = 0;
		__quire.double = async (n: number) => { await null; count++; return {n: n * 2, count} };
		__quire.nothing = () => {};
		__quire.given = (x) => typeof x;`, Options{})
	for _, want := range []string{`{"n":42,"count":1}`, `{"n":42,"count":2}`} {
		if got := answer(t, e, "double", "21"); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if got := answer(t, e, "nothing", ""); got != "null" {
		t.Errorf("undefined is %s, want null", got)
	}
	if got := answer(t, e, "given", ""); got != `"undefined"` {
		t.Errorf("no argument is %s", got)
	}
	if _, err := e.Call(t.Context(), "", "toString", nil); err == nil || err.Error() != "the code has no function toString" {
		t.Errorf("a function that is not there: %v", err)
	}
}

func TestErrorsNameTheLineOfTheSource(t *testing.T) {
	root := project(t, map[string]string{"src/shop.ts": `
interface Order { total: number }

export function check(order: Order) {
	const wrong: any = new TypeError("no total");
	wrong.details = {total: order.total}; wrong.status = 422; wrong.code = "E_TOTAL";
	throw wrong;
}
`})
	e := start(t, `import { check } from "./src/shop";
__quire.run = async (order) => { await null; return check(order); };`, Options{Root: root})
	_, err := e.Call(t.Context(), "", "run", []byte(`{"total":3}`))
	var thrown *Error
	if !errors.As(err, &thrown) {
		t.Fatal(err)
	}
	if thrown.Name != "TypeError" || thrown.Message != "no total" || thrown.Code != "E_TOTAL" || thrown.Status != 422 || string(thrown.Details) != `{"total":3}` {
		t.Errorf("%+v", thrown)
	}
	if !strings.Contains(thrown.Stack, "src/shop.ts:5:") || strings.Contains(thrown.Stack, "core.js") {
		t.Errorf("the stack is %s", thrown.Stack)
	}
}

func TestCodeThatFailsWhenItIsLoadedNamesTheLine(t *testing.T) {
	root := project(t, map[string]string{"a.js": "\n\nnull.x;\n"})
	s, err := Build(BuildOptions{Root: root, Entry: `require("./a")`})
	check(t, err)
	_, err = Start(s, Options{Root: root})
	var thrown *Error
	if !errors.As(err, &thrown) || thrown.Name != "TypeError" || !strings.Contains(thrown.Stack, "a.js:3:") {
		t.Errorf("%v %+v", err, thrown)
	}
}

func TestTheHostIsAskedWithTheContextOfTheCall(t *testing.T) {
	e := start(t, `
		__quire.run = async (n) => {
			const outside = await __host("say", {n});
			const inside = await __context.run("tx", async () => { await null; return __host("say", {n}); });
			return [outside, inside, __context.get()];
		};
		__quire.fail = async () => { try { await __host("fail") } catch (e) { return [e instanceof Error, e.name, e.message, e.details, e.status] } };`,
		Options{Host: func(_ context.Context, c HostCall) ([]byte, error) {
			if c.Name == "fail" {
				return nil, &Error{Name: "ValidationError", Message: "wrong", Status: 400, Details: []byte(`{"a":[1]}`)}
			}
			return []byte(`"` + c.Context + " " + strings.ReplaceAll(string(c.Arguments), `"`, "'") + `"`), nil
		}})
	r, err := e.Call(t.Context(), "outer", "run", []byte("7"))
	if want := `["outer {'n':7}","tx {'n':7}","outer"]`; err != nil || string(r) != want {
		t.Errorf("%s, %v, want %s", r, err, want)
	}
	if got, want := answer(t, e, "fail", ""), `[true,"ValidationError","wrong",{"a":[1]},400]`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestCallsRunAtTheSameTimeWhileTheHostWaits(t *testing.T) {
	const calls = 64
	arrived := make(chan struct{}, calls)
	proceed := make(chan struct{})
	e := start(t, `__quire.run = async (n) => { const r = await __host("wait", n); return r; };`,
		Options{Host: func(_ context.Context, c HostCall) ([]byte, error) {
			arrived <- struct{}{}
			<-proceed
			return c.Arguments, nil
		}})
	var all sync.WaitGroup
	for range calls {
		all.Go(func() {
			if r, err := e.Call(t.Context(), "", "run", []byte("5")); err != nil || string(r) != "5" {
				t.Errorf("%s, %v", r, err)
			}
		})
	}
	for range calls {
		<-arrived // all of them, before one is answered
	}
	close(proceed)
	all.Wait()
}

func TestAnAbandonedCallCancelsWhatItAsksOfTheHost(t *testing.T) {
	requested, canceled := make(chan struct{}), make(chan struct{})
	e := start(t, `__quire.run = () => __host("hang"); __quire.fine = () => 1;`,
		Options{Host: func(ctx context.Context, _ HostCall) ([]byte, error) {
			close(requested)
			<-ctx.Done()
			close(canceled)
			return nil, ctx.Err()
		}})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-requested; cancel() }()
	if _, err := e.Call(ctx, "", "run", nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	<-canceled
	answer(t, e, "fine", "")
}

func TestCloseEndsWhatWaits(t *testing.T) {
	e := start(t, `__quire.run = () => new Promise(() => {}); setInterval(() => {}, 1)`, Options{})
	go func() {
		for { // until the call has begun
			e.mu.Lock()
			begun := len(e.calls) > 0 && e.calls[1].machine != nil
			e.mu.Unlock()
			if begun {
				break
			}
		}
		e.Close()
	}()
	if _, err := e.Call(context.Background(), "", "run", nil); !errors.Is(err, ErrStopped) {
		t.Error(err)
	}
	if _, err := e.Call(context.Background(), "", "run", nil); !errors.Is(err, ErrStopped) {
		t.Error(err)
	}
}

func TestTheAsyncContextFollowsTheCode(t *testing.T) {
	for way, code := range map[string]string{
		"await":            `await null`,
		"await of a value": `await 5`,
		"a loop":           `for (let i = 0; i < 3; i++) await i`,
		"for await":        `for await (const x of [1, Promise.resolve(2)]) void x`,
		"a generator":      `for await (const x of (async function* () { yield 1; yield 2 })()) void x`,
		"then":             `await new Promise((r) => Promise.resolve().then(() => note()).then(r))`,
		"catch":            `await Promise.reject(1).catch(() => note())`,
		"finally":          `await Promise.resolve(1).finally(() => note())`,
		"all":              `await Promise.all([1, 2].map(async (x) => { await x; note() }))`,
		"a timer":          `await new Promise((r) => setTimeout(() => { note(); r() }, 1))`,
		"an interval":      `await new Promise((r) => { const i = setInterval(() => { note(); clearInterval(i); r() }, 1) })`,
		"an immediate":     `await new Promise((r) => setImmediate(() => { note(); r() }))`,
		"a microtask":      `await new Promise((r) => queueMicrotask(() => { note(); r() }))`,
		"nextTick":         `await new Promise((r) => process.nextTick(() => { note(); r() }))`,
		"the host":         `await __host("x", 1)`,
		"a thenable":       `await { then: (r) => { note(); r() } }`,
		"what is returned": `await (async () => ({ then: (r) => { note(); r() } }))()`,
		"an error":         `try { await __host("fail", 1) } catch {}`,
	} {
		t.Run(way, func(t *testing.T) {
			e := start(t, `
				import { AsyncLocalStorage } from "node:async_hooks";
				const als = new AsyncLocalStorage(), wrong = [];
				const note = (who) => { if (als.getStore()?.who !== who) wrong.push([who, als.getStore() ?? null]) };
				__quire.run = (who) => als.run({who}, async () => { const me = note; { const note = () => me(who); `+code+`; note() } });
				__quire.wrong = () => [wrong, als.getStore() ?? null];`,
				Options{Host: func(_ context.Context, c HostCall) ([]byte, error) {
					if c.Name == "fail" {
						return nil, errors.New("no")
					}
					return nil, nil
				}})
			var all sync.WaitGroup
			for _, who := range []string{"1", "2", "3", "4"} {
				all.Go(func() {
					if _, err := e.Call(t.Context(), "", "run", []byte(who)); err != nil {
						t.Error(err)
					}
				})
			}
			all.Wait()
			if got := answer(t, e, "wrong", ""); got != "[[],null]" {
				t.Error(got)
			}
		})
	}
}

func TestAsyncLocalStorageEntersAndExits(t *testing.T) {
	got := result(t, `await (async () => {
		const { AsyncLocalStorage, AsyncResource } = require("async_hooks");
		const a = new AsyncLocalStorage(), seen = [];
		a.enterWith(1);
		await null; seen.push(a.getStore());
		a.exit(() => seen.push(a.getStore() ?? "none"));
		const bound = AsyncResource.bind(() => a.getStore());
		await a.run(2, async () => { await null; seen.push(a.getStore(), bound()) });
		seen.push(a.getStore());
		return seen;
	})()`)
	if got != `[1,"none",2,1,1]` {
		t.Error(got)
	}
}

func TestConsoleNamesFileAndLine(t *testing.T) {
	root := project(t, map[string]string{"src/a.ts": `

export const say = () => { console.log("hello %s", "you", {a: [1, {b: 2}]}, null); console.warn("careful") }`})
	log := &logged{}
	e := start(t, `import { say } from "./src/a"; __quire.run = say; `, Options{Root: root, Log: log.logger()})
	answer(t, e, "run", "")
	for _, want := range []string{`level=INFO msg="hello you { a: [ 1, { b: 2 } ] } null" at=src/a.ts:3`, `level=WARN msg=careful at=src/a.ts:3`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %s:\n%s", want, log)
		}
	}
}

func TestALoggedErrorNamesTheLineOfTheSource(t *testing.T) {
	root := project(t, map[string]string{"src/a.ts": "\nexport const say = () => {\n  const e = new RangeError('too far');\n  console.error('failed:', e) }"})
	log := &logged{}
	e := start(t, `import { say } from "./src/a"; __quire.run = say;`, Options{Root: root, Log: log.logger()})
	answer(t, e, "run", "")
	if !strings.Contains(log.String(), `failed: RangeError: too far\n    at say (src/a.ts:3:`) || strings.Contains(log.String(), "eval") {
		t.Errorf("the log is %s", log)
	}
}

func TestCloseEndsCodeThatRuns(t *testing.T) {
	running := make(chan struct{})
	e := start(t, `__quire.run = async () => { await __host("now"); for (;;); }`, Options{Turn: time.Hour, Host: func(context.Context, HostCall) ([]byte, error) {
		close(running)
		return nil, nil
	}})
	ended := make(chan error)
	go func() {
		_, err := e.Call(t.Context(), "", "run", nil)
		ended <- err
	}()
	<-running
	e.Close()
	if err := <-ended; !errors.Is(err, ErrStopped) && !errors.Is(err, ErrInterrupted) {
		t.Error(err)
	}
}

func TestARejectedPromise(t *testing.T) {
	log := &logged{}
	e := start(t, `
		__quire.run = async () => {
			(async () => { await null; throw new Error("nobody awaits this") })();
			const later = Promise.reject(new Error("awaited in time"));
			await null;
			await later.catch(() => {});
			await __host("x");
			return 1;
		}`, Options{Log: log.logger(), Host: func(context.Context, HostCall) ([]byte, error) { return nil, nil }})
	if got := answer(t, e, "run", ""); got != "1" {
		t.Error(got)
	}
	if !strings.Contains(log.String(), "nobody awaits this") || strings.Contains(log.String(), "awaited in time") {
		t.Errorf("the log is:\n%s", log)
	}

}

func check(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}

// What goes on after a call has its result can still ask the host, also in the moment before the
// call is forgotten.
func TestWhatGoesOnAfterACallAsksTheHost(t *testing.T) {
	t.Parallel()
	const clients, rounds = 16, 200
	var requests sync.WaitGroup
	requests.Add(clients * rounds * 3)
	var canceled atomic.Int64
	e := start(t, `__quire.run = async () => { (async () => { for (let i = 0; i < 3; i++) await __host("a", i); })(); };`, Options{
		Host: func(ctx context.Context, _ HostCall) ([]byte, error) {
			defer requests.Done()
			if ctx.Err() != nil {
				canceled.Add(1)
			}
			return nil, nil
		},
	})
	var calls sync.WaitGroup
	for range clients {
		calls.Go(func() {
			for range rounds {
				answer(t, e, "run", "")
			}
		})
	}
	calls.Wait()
	requests.Wait()
	if n := canceled.Load(); n > 0 {
		t.Errorf("%d of %d requests were canceled", n, clients*rounds*3)
	}
}
