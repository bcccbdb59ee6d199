package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// packages returns a folder with the packages of testdata/npm, which are installed once: they
// are kept in the cache of the user until the lock file changes.
func packages(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		if os.Getenv("QUIRE_CI") != "" {
			t.Fatal(err)
		}
		t.Skip("there is no npm in PATH")
	}
	lock, err := os.ReadFile("testdata/npm/package-lock.json")
	check(t, err)
	cache, err := os.UserCacheDir()
	check(t, err)
	sum := sha256.Sum256(lock)
	root := filepath.Join(cache, "quire-test", "npm-"+hex.EncodeToString(sum[:8]))
	if _, err := os.Stat(root); err == nil {
		return root
	}
	check(t, os.MkdirAll(filepath.Dir(root), 0o755))
	made, err := os.MkdirTemp(filepath.Dir(root), "npm-")
	if err == nil {
		err = os.CopyFS(made, os.DirFS("testdata/npm"))
	}
	check(t, err)
	defer os.RemoveAll(made)
	npm := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	npm.Dir = made
	if out, err := npm.CombinedOutput(); err != nil {
		t.Skipf("npm ci: %v\n%s", err, out)
	}
	if err := os.Rename(made, root); err != nil && !os.IsExist(err) {
		t.Logf("not kept: %v", err) // another test was faster
	}
	return root
}

func TestPackagesOfNPMWork(t *testing.T) {
	root := packages(t)
	server := httptest.NewServer(http.HandlerFunc(echo))
	defer server.Close()
	e := start(t, `
		import _ from "lodash"; import slugify from "slugify"; import dayjs from "dayjs"; import utc from "dayjs/plugin/utc"; import axios from "axios"; import { z } from "zod";
		import jwt from "jsonwebtoken"; import { v4, v5, validate } from "uuid"; import { nanoid } from "nanoid"; import { marked } from "marked"; import Stripe from "stripe";
		import { SignJWT, jwtVerify, generateKeyPair, EncryptJWT, jwtDecrypt } from "jose"; import * as cheerio from "cheerio"; import { LRUCache } from "lru-cache"; import FormData from "form-data"; import { request } from "undici";
		dayjs.extend(utc);
		const tests = {
			lodash: () => [_.groupBy([1, 2, 3], (n) => n % 2), _.get({ a: [{ b: 2 }] }, "a[0].b"), _.kebabCase("Hello World"), _.merge({ a: 1 }, { b: { c: 2 } }), _.template("hi <%= who %>")({ who: "you" }), _.cloneDeep({ d: new Date(0) }).d.toISOString()],
			slugify: () => slugify("Über die Brücke & so", { lower: true, strict: true }),
			dayjs: () => [dayjs.utc("2026-03-01T10:00:00Z").add(1, "month").format("YYYY-MM-DD HH:mm dddd"), dayjs("2026-01-31").diff("2026-01-01", "day")],
			axios: async (base) => { const r = await axios.post(base + "/echo?a=1", { x: "ä" }, { headers: { "X-Own": "axios" }, params: { b: 2 } }); return [r.status, r.data.method, r.data.query, r.data.own, r.data.body] },
			failed: (base) => axios.get(base + "/none", { validateStatus: () => false }).catch((e) => [e.isAxiosError, e.message, e.response.status]),
			zod: () => { const s = z.object({ email: z.string().email(), age: z.number().min(18).optional() }); const r = s.safeParse({ email: "no", age: 3 }); return [s.parse({ email: "a@b.co" }), r.error.issues.map((i) => [i.path.join("."), i.code])] },
			jsonwebtoken: () => { const t = jwt.sign({ id: 7 }, "secret", { expiresIn: "1h", algorithm: "HS256" }); let wrong; try { jwt.verify(t, "other") } catch (e) { wrong = e.name + ": " + e.message } return [jwt.verify(t, "secret").id, t.split(".").length, wrong] },
			keys: ([key, pub]) => { const t = jwt.sign({ id: 8 }, key, { algorithm: "RS256" }); return [jwt.verify(t, pub, { algorithms: ["RS256"] }).id, jwt.decode(t, { complete: true }).header.alg] },
			uuid: () => [validate(v4()), v5("hello", v5.DNS)],
			nanoid: () => [nanoid().length, nanoid(5).length],
			marked: () => marked.parse("# Title\n\n* a **b** [c](http://d)\n"),
			stripe: async () => { const s = new Stripe("sk_test_x", { apiVersion: "2024-06-20", maxNetworkRetries: 0 }); const failed = await s.customers.list().catch((e) => e.type); const p = '{"id":"evt"}'; return [failed, s.webhooks.constructEvent(p, s.webhooks.generateTestHeaderString({ payload: p, secret: "whsec" }), "whsec").id] },
			jose: async () => {
				const secret = new TextEncoder().encode("s".repeat(32));
				const out = [(await jwtVerify(await new SignJWT({ a: 1 }).setProtectedHeader({ alg: "HS256" }).sign(secret), secret)).payload, (await jwtDecrypt(await new EncryptJWT({ b: 2 }).setProtectedHeader({ alg: "dir", enc: "A256GCM" }).encrypt(secret), secret)).payload];
				for (const alg of ["ES256", "PS256", "EdDSA"]) { const { publicKey, privateKey } = await generateKeyPair(alg); const t = await new SignJWT({ c: 3 }).setProtectedHeader({ alg }).sign(privateKey); out.push((await jwtVerify(t, publicKey)).protectedHeader.alg) }
				return out;
			},
			cheerio: () => cheerio.load("<ul><li>a<li>b</ul>")("li").last().text(),
			"lru-cache": () => { const c = new LRUCache({ max: 2 }); c.set("a", 1).set("b", 2).set("c", 3); return [c.has("a"), c.get("c")] },
			"form-data": () => { const f = new FormData(); f.append("a", "1"); return f.getBuffer().toString().includes('name="a"') },
			undici: async (base) => { const r = await request(base + "/echo", { method: "POST", body: "x", query: { a: 1 }, headers: { "X-Own": "undici" } }); const data = await r.body.json(); return [r.statusCode, data.method, data.query, data.own, data.body] },
		};
		__quire.run = ([name, argument]) => tests[name](argument);`, Options{Root: root, Network: local})
	for name, want := range map[string]string{
		"lodash":       `[{"0":[2],"1":[1,3]},2,"hello-world",{"a":1,"b":{"c":2}},"hi you","1970-01-01T00:00:00.000Z"]`,
		"slugify":      `"uber-die-brucke-and-so"`,
		"dayjs":        `["2026-04-01 10:00 Wednesday",30]`,
		"axios":        `[201,"POST","a=1&b=2","axios","{\"x\":\"ä\"}"]`,
		"failed":       `[true,"Request failed with status code 201",201]`,
		"zod":          `[{"email":"a@b.co"},[["email","invalid_string"],["age","too_small"]]]`,
		"jsonwebtoken": `[7,3,"JsonWebTokenError: invalid signature"]`,
		"uuid":         `[true,"9342d47a-1bab-5709-9869-c840b2eac501"]`,
		"nanoid":       `[21,5]`,
		"marked":       `"<h1>Title</h1>\n<ul>\n<li>a <strong>b</strong> <a href=\"http://d\">c</a></li>\n</ul>\n"`,
		"jose":         `[{"a":1},{"b":2},"ES256","PS256","EdDSA"]`,
		"cheerio":      `"b"`,
		"lru-cache":    `[false,3]`,
		"form-data":    `true`,
		"undici":       `[201,"POST","a=1","undici","x"]`,
		"stripe":       `["StripeConnectionError","evt"]`,
	} {
		r, err := e.Call(t.Context(), "", "run", fmt.Appendf(nil, "[%q,%q]", name, server.URL))
		if err != nil || string(r) != want {
			t.Errorf("%s: %s, %v, want %s", name, r, err, want)
		}
	}
}
