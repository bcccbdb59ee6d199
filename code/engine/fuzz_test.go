package engine

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// statements are what random programs are made of.
var statements = []string{
	`for (;;);`, `while (true) await null;`, `x = [x, x];`, `s += s;`, `f();`, `await g();`, `throw x;`, `throw null;`, `return x;`, `x = new Error(s);`, `x.message = x;`, `x.stack = {};`,
	`Promise.reject(x);`, `new Promise(() => {});`, `setTimeout(f, 1);`, `setInterval(g, 1);`, `queueMicrotask(f);`, `process.nextTick(g);`, `console.log(x, s);`, `await __host("x", x);`, `__host("hang");`,
	`x = new Proxy({}, { get: f, has: f, ownKeys: g });`, `JSON.stringify(x);`, `JSON.parse(s);`, `x = new Uint8Array(1e6);`, `x = new Array(1e7).fill(x);`, `Object.prototype.y = 1;`, `Promise.prototype.then = null;`,
	`globalThis.Promise = null;`, `Array.prototype[Symbol.iterator] = null;`, `Error.prototype.toString = f;`, `globalThis.__quire = null;`, `__native("done", 1, true, s);`, `__native("start", x, x, x, x, x, x);`, `__native("timer", -1, -1);`,
	`als.run(x, f);`, `als.enterWith(x);`, `__context.run(s, g);`, `new Function("return " + s)();`, `eval(s);`, `try {`, `} catch {}`, `/(x+x+)+y/.test(s);`, `for await (const y of [x, g()]) x = y;`, `x = structuredClone(x);`,
	`Buffer.from(s).toString("hex");`, `new URL(s);`, `require("fs").readFileSync(s);`, `fetch("http://" + s);`, `require("crypto").pbkdf2Sync(s, s, 1e9, 1e9, "sha1");`, `delete globalThis.process;`, `Object.freeze(globalThis);`,
	`x = require("util").inspect(x);`, `Symbol.prototype.toString = null;`, `Map.prototype.get = null;`, `Map.prototype.set = null;`, `JSON.stringify = () => x;`, `JSON.parse = f;`, `Function.prototype.call = null;`, `Reflect.apply = null;`,
}

func FuzzPrograms(f *testing.F) {
	for i := 0; i < len(statements); i += 4 {
		f.Add([]byte{byte(i), byte(i + 1), byte(i + 2), byte(i + 3)}, "[[1")
	}
	f.Add([]byte{}, `import x from "./x"; export default class { static { for (;;); } }`)
	f.Fuzz(func(t *testing.T, choices []byte, text string) {
		if len(choices) > 30 || len(text) > 2000 {
			t.Skip("long programs find nothing more")
		}
		var body strings.Builder
		for _, c := range choices {
			body.WriteString(statements[int(c)%len(statements)] + "\n")
		}
		for _, code := range []string{program(body.String(), text), text} {
			tryProgram(t, code)
		}
	})
}

func program(body, text string) string {
	return `const als = new (require("async_hooks").AsyncLocalStorage)(); let x = 1, s = ` + quoted(text) + `;
		async function f() { ` + body + ` } const g = async () => { ` + body + ` };
		__quire.run = g; __quire.fine = () => 1;`
}

func quoted(text string) string {
	return "decodeURIComponent(`" + strings.NewReplacer("`", "", "\\", "", "$", "").Replace(text) + "`.replaceAll('%', ''))"
}

// tryProgram runs a program, and has it answer afterwards: by its own function, or by the
// error that says why it cannot.
func tryProgram(t *testing.T, code string) {
	root := t.TempDir()
	s, err := Build(BuildOptions{Root: root, Entry: code})
	if err != nil {
		return
	}
	e, err := Start(s, Options{Root: root, Memory: 32 << 20, Turn: 20 * time.Millisecond, load: 500 * time.Millisecond, stuckAfter: 50 * time.Millisecond,
		Host: func(ctx context.Context, c HostCall) ([]byte, error) {
			if c.Name == "hang" {
				<-ctx.Done()
			}
			return c.Arguments, nil
		}})
	if err != nil {
		return
	}
	defer e.Close()
	for _, function := range []string{"run", "fine", "run", "fine"} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		_, err := e.Call(ctx, "", function, []byte(`1`))
		cancel()
		if errors.Is(err, ErrStopped) || errors.Is(err, ErrBusy) {
			t.Errorf("%s: %v", function, err)
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.calls) > 0 {
		t.Errorf("%d calls are kept", len(e.calls))
	}
}
