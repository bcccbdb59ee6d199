package engine

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFilesOfTheProjectAreRead(t *testing.T) {
	root := project(t, map[string]string{"data/a.txt": "héllo", "data/sub/b.json": `{"b":1}`})
	e := start(t, `
		import fs from "node:fs"; import { readFile, readdir } from "fs/promises"; import path from "path";
		__quire.run = async () => [
			fs.readFileSync("data/a.txt", "utf8"), (await readFile(path.join(process.cwd(), "data/a.txt"))).toString("hex"), fs.existsSync("data/none"),
			fs.readdirSync("data"), (await readdir("data", { withFileTypes: true })).map((d) => [d.name, d.isDirectory()]), fs.readdirSync("data", { recursive: true }),
			fs.statSync("data/a.txt").size, fs.statSync("data").isDirectory(), await new Promise((r) => fs.readFile("data/sub/b.json", "utf8", (e, v) => r(JSON.parse(v).b))),
			await new Promise((r) => { let all = ""; fs.createReadStream("data/a.txt", "utf8").on("data", (d) => (all += d)).on("end", () => r(all)) })];`, Options{Root: root})
	want := `["héllo","68c3a96c6c6f",false,["a.txt","sub"],[["a.txt",false],["sub",true]],["a.txt","sub","sub/b.json"],6,true,1,"héllo"]`
	if got := answer(t, e, "run", ""); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestNothingOutsideTheProjectIsRead(t *testing.T) {
	root := project(t, map[string]string{"a.txt": "inside", "data/quire.db": "data", "database.txt": "inside too"})
	secret := filepath.Join(t.TempDir(), "secret.txt")
	check(t, os.WriteFile(secret, []byte("secret"), 0o600))
	check(t, os.Symlink(secret, filepath.Join(root, "link.txt")))
	e := start(t, `
		const fs = require("fs");
		__quire.read = (name) => { try { return fs.readFileSync(name, "utf8") } catch (e) { return e.code } };
		__quire.exists = (name) => fs.existsSync(name);
		__quire.write = (name) => { try { fs.writeFileSync(name, "x") } catch (e) { return e.code } };`, Options{Root: root, Closed: "data"})
	for name, want := range map[string]string{
		"a.txt": "inside", "link.txt": "EACCES", secret: "EACCES", "/etc/passwd": "EACCES", "../x": "EACCES", "a/../../x": "EACCES",
		"none.txt": "ENOENT", ".": "EISDIR", "a.txt/b": "ENOTDIR", "": "EISDIR", "a\x00b": "EACCES", "/dev/zero": "EACCES",
		"data/quire.db": "EACCES", "data": "EACCES", "x/../Data/quire.db": "EACCES", "database.txt": "inside too",
	} {
		if got := answer(t, e, "read", fmt.Sprintf("%q", strings.ReplaceAll(name, "\x00", ""))); got != `"`+want+`"` && name != "a\x00b" {
			t.Errorf("reading %q: %s, want %s", name, got, want)
		}
	}
	if got := answer(t, e, "exists", `"/etc/passwd"`); got != "false" {
		t.Error("a file outside exists")
	}
	if got := answer(t, e, "write", `"a.txt"`); got != `"EROFS"` {
		t.Errorf("writing: %s", got)
	}
}

var errPrivate = errors.New("the address is of this machine")

func local(a netip.Addr) error {
	if a.IsLoopback() {
		return nil
	}
	return errPrivate
}

func echo(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/away":
		http.Redirect(w, r, "/echo?away", http.StatusFound)
	case "/out":
		http.Redirect(w, r, "http://192.0.2.1/", http.StatusFound)
	case "/file":
		w.Header().Set("Location", "file:///etc/passwd")
		w.WriteHeader(http.StatusFound)
	case "/loop":
		http.Redirect(w, r, "/loop", http.StatusFound)
	case "/large":
		io.CopyN(w, zeros{}, maxFetched+1)
	case "/hang":
		<-r.Context().Done()
	case "/bytes":
		w.Write([]byte{0, 255, 128})
	default:
		body, _ := io.ReadAll(r.Body)
		w.Header().Add("Set-Cookie", "a=1")
		w.Header().Add("Set-Cookie", "b=2")
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"method":%q,"query":%q,"type":%q,"own":%q,"body":%q}`, r.Method, r.URL.RawQuery, r.Header.Get("Content-Type"), r.Header.Get("X-Own"), body)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestFetch(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(echo))
	defer server.Close()
	e := start(t, `
		let base; __quire.base = (b) => { base = b };
		const failing = async (path, options) => { try { return (await fetch(base + path, options)).status } catch (e) { return e.name + ": " + e.message } };
		const tests = {
			post: async () => { const r = await fetch(base + "/echo?q=1", { method: "POST", headers: { "X-Own": "é".normalize() === "x" ? "" : "own" }, body: JSON.stringify({ a: "ä" }) }); return [r.status, r.ok, r.statusText, r.headers.get("set-cookie"), r.headers.getSetCookie(), await r.json()] },
			form: async () => (await (await fetch(base, { method: "PUT", body: new URLSearchParams({ a: "b c" }) })).json()),
			multipart: async () => { const f = new FormData(); f.append("a", "1"); f.append("f", new Blob(["file"], { type: "text/plain" }), "x.txt"); const j = await (await fetch(base, { method: "POST", body: f })).json(); return [j.type.startsWith("multipart/form-data; boundary="), j.body.includes('filename="x.txt"'), j.body.includes("file")] },
			redirect: async () => { const r = await fetch(base + "/away"); return [r.redirected, r.url.endsWith("/echo?away")] },
			manual: async () => { const r = await fetch(base + "/away", { redirect: "manual" }); return [r.status, r.headers.get("location")] },
			bytes: async () => [...new Uint8Array(await (await fetch(base + "/bytes")).arrayBuffer())],
			twice: async () => { const r = await fetch(base); await r.text(); return r.text().catch((e) => e.name) },
			request: async () => (await (await fetch(new Request(base, { method: "DELETE", headers: new Headers([["X-Own", "2"]]) }))).json()).own,
			abort: async () => { const c = new AbortController(); setTimeout(() => c.abort(), 5); return fetch(base + "/hang", { signal: c.signal }).catch((e) => e.name) },
			aborted: () => fetch(base, { signal: AbortSignal.abort() }).catch((e) => e.name),
			http: () => new Promise((resolve, reject) => require("http").request(base + "/echo?h", { method: "POST", headers: { "x-own": "h" } }, (r) => { let s = ""; r.setEncoding("utf8"); r.on("data", (d) => (s += d)); r.on("end", () => resolve([r.statusCode, r.headers["set-cookie"], JSON.parse(s).own])) }).on("error", reject).end("body")),
			out: () => failing("/out"), file: () => failing("/file"), loop: () => failing("/loop"), large: () => failing("/large"), error: () => failing("/away", { redirect: "error" }),
			scheme: () => fetch("file:///etc/passwd").catch((e) => e.message), address: () => fetch("http://192.0.2.7/").catch((e) => e.message), none: () => fetch("nonsense").catch((e) => e.code),
		};
		__quire.run = (name) => tests[name]();`, Options{Network: local})
	answer(t, e, "base", fmt.Sprintf("%q", server.URL))
	for name, want := range map[string]string{
		"post":      `[201,true,"Created","a=1, b=2",["a=1","b=2"],{"method":"POST","query":"q=1","type":"text/plain;charset=UTF-8","own":"own","body":"{\"a\":\"ä\"}"}]`,
		"form":      `{"method":"PUT","query":"","type":"application/x-www-form-urlencoded;charset=UTF-8","own":"","body":"a=b+c"}`,
		"multipart": `[true,true,true]`,
		"redirect":  `[true,true]`,
		"manual":    `[302,"/echo?away"]`,
		"bytes":     `[0,255,128]`,
		"twice":     `"TypeError"`,
		"request":   `"2"`,
		"abort":     `"AbortError"`,
		"aborted":   `"AbortError"`,
		"http":      `[201,["a=1","b=2"],"h"]`,
		"none":      `"ERR_INVALID_URL"`,
		"scheme":    `"fetch failed: fetch knows the schemes http and https, not file"`,
	} {
		if got := answer(t, e, "run", `"`+name+`"`); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	for name, want := range map[string]string{
		"out": "the address is of this machine", "file": "leads to the scheme file", "loop": "redirects", "large": "more than", "error": "not allowed", "address": "the address is of this machine",
	} {
		if got := answer(t, e, "run", `"`+name+`"`); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestWithoutANetworkFetchReachesNothing(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(echo))
	defer server.Close()
	e := start(t, `__quire.run = (url) => fetch(url).catch((e) => e.message)`, Options{})
	if got := answer(t, e, "run", fmt.Sprintf("%q", server.URL)); !strings.Contains(got, "no network") {
		t.Error(got)
	}
}

func TestOnlyWhatIsAllowedIsInTheEnvironment(t *testing.T) {
	t.Setenv("QUIRE_SECRET", "secret")
	e := start(t, `__quire.run = () => [process.env.QUIRE_SECRET ?? null, process.env.NAME, process.env.NODE_ENV, { ...process.env }];
		__quire.exit = () => process.exit(1);`, Options{Env: map[string]string{"NAME": "value"}})
	if got := answer(t, e, "run", ""); got != `[null,"value","production",{"NODE_ENV":"production","NAME":"value"}]` {
		t.Error(got)
	}
	if _, err := e.Call(t.Context(), "", "exit", nil); err == nil {
		t.Error("the process has ended")
	}
}
