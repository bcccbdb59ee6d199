package script

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// exported is what a file exports, as JSON, or why it is none.
func exported(file string) string {
	v, scope := Exported(Parse(file))
	text, err := scope.Resolve(v).JSON()
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// Literals become JSON, whatever form of a file exports them.
func TestLiterals(t *testing.T) {
	for file, want := range map[string]string{
		`export default { a: 1, 'b-c': "x\n", ["d"]: [true, null,], e: undefined, };`:                                                      `{"a":1,"b-c":"x\n","d":[true,null]}`,
		"'use strict';\n// first\nmodule.exports = {\n  /* all */ a: `*`\n}":                                                               `{"a":"*"}`,
		`import type { Core } from '@strapi/strapi'; const c: Core.Config<A, B['d']> = [0x10, -2, 1_000, .5, 2 * 3 * 4]; export default c`: `[16,-2,1000,0.5,24]`,
		`const a = { x: true }; const b = { ...a, a, y: [...['p'], 'q'] } as const; export default b satisfies Record<string, unknown>;`:   `{"x":true,"a":{"x":true},"y":["p","q"]}`,
		"type A = { a: string }; interface B {\n b: string }\nexport default { a: 1, a: 2 }":                                               `{"a":2}`,
		`const a = 1; const b = a; export default b`:                                                                                       `1`,
		"export default [\n  'a', // one\n  { name: 'b',\n  config: ({ x: 10 * 1024 }) },\n]":                                              `["a",{"name":"b","config":{"x":10240}}]`,
		"export default { a: /[/]'/.test(x), b: 1 }":                                                                                       "line 1 is not understood",
		"export default { a: `${x}` }":                  "line 1 is not understood",
		"export default {\n  a: x ? 1 : 2,\n  b: 1 }":   "line 2 is not understood",
		"export default {\n  ...more,\n  b: 1 }":        "line 2 is not understood",
		"const a = b; const b = a; export default a":    "line 1 is not understood",
		"export default 1; export default 2":            "line 0 is not understood",
		"export default { a: '\\u0061' }":               "line 1 is not understood",
		"export default { get a() { return 1 }, b: 1 }": "line 1 is not understood",
		"": "line 0 is not understood", "{": "line 0 is not understood", "export default": "line 1 is not understood",
	} {
		if got := exported(file); got != want {
			t.Errorf("%s\n  is %s\n  and not %s", file, got, want)
		}
	}
}

// What a file calls and reads keeps its name, so that a reader can decide about it.
func TestNamesAndCalls(t *testing.T) {
	v, scope := Exported(Parse("const config = ({ env }: P): C => ({ port: env.int('PORT', 1337)!, keys: env.array('K') || ['a'], u: x?.y, r: require('a').b('c') });\nexport default config;"))
	if v.Kind != Function || len(v.Func.Parameters) != 1 || len(v.Func.Body) != 1 || v.Func.Body[0].Kind != Return {
		t.Fatalf("%+v", v)
	}
	got := scope.Resolve(v.Func.Body[0].Value)
	port := got.At("port")
	if port.Kind != Call || port.Text != "env.int" || port.Items[0].Text != "PORT" || port.Items[1].Text != "1337" {
		t.Errorf("%+v", port)
	}
	if keys := got.At("keys"); keys.Kind != Either || keys.Items[0].Text != "env.array" || keys.Items[1].Kind != List {
		t.Errorf("%+v", keys)
	}
	if got.At("u").Text != "x.y" || got.At("r").Text != "require().b" || got.At("none").Kind != Undefined || got.At("u", "z").Kind != Unknown {
		t.Errorf("%+v", got)
	}
}

// outline is the kinds and names of statements.
func outline(list []Statement) string {
	var out []string
	for _, s := range list {
		one := strings.TrimSpace([...]string{"other", "constant", "assign", "run", "unless", "return", "export"}[s.Kind]+" "+s.Name) + outline(s.Then)
		if s.Value.Kind == Function {
			one += outline(s.Value.Func.Body)
		}
		out = append(out, one)
	}
	if len(out) == 0 {
		return ""
	}
	return "{" + strings.Join(out, "; ") + "}"
}

// Statements that are not understood are distinguished from those that are.
func TestStatements(t *testing.T) {
	for file, want := range map[string]string{
		"import a from 'a'\nimport 'b'; const x = 1\nlet y: T = {}\nvar { z } = require('z').y;":                                                "{constant x; constant y; constant}",
		"export default (config, { strapi }: { strapi: S }) => {\n return async (ctx, next) => {\n ctx.query.populate = p\n await next()\n}\n}": "{export{return{assign ctx.query.populate; run}}}",
		"module.exports = function (c) { return function f(ctx) { if (!ctx.query.a) ctx.query.a = 1; return next() } }":                         "{export{return{unless ctx.query.a{assign ctx.query.a}; return}}}",
		"a.b ||= 1\na.c = a.c ?? 2\na.d = a.e || 3":                                                "{unless a.b{assign a.b}; unless a.c{assign a.c}; assign a.d}",
		"if (!a.b?.c) { x() } else { y() }":                                                        "{other; other}",
		"if (a) { x() }\nfor (const a of b) { c() }\ntry { a() } catch (e) { b() }\nthrow 1;":      "{other; other; other; other}",
		"async function f(a) { return a }\nexport async function g() {}\nexport const h = () => 1": "{constant f{return}; constant g; constant h{return}}",
		"const a = 1, b = 2\na++\ndelete a.b\nnew A()":                                             "{other; other; other; other}",
		"const a = b\n  .c()\n  .d\nx()":                                                           "{constant a; run}",
		"export default { async find(ctx) { return super.find(ctx) }, 'x'() {} }":                  "{export}",
	} {
		if got := outline(Parse(file)); got != want {
			t.Errorf("%s\n  is %s\n  and not %s", file, got, want)
		}
	}
}

// A small file cannot become a large one: constants that double each other end somewhere.
func TestBounds(t *testing.T) {
	file := "const a0 = { x: 1 };\n"
	for i := range 60 {
		file += fmt.Sprintf("const a%d = { x: a%d, y: a%d };\n", i+1, i, i)
	}
	if got := exported(file + "export default a60"); !strings.HasSuffix(got, "not understood") {
		t.Errorf("%.100s", got)
	}
	for _, open := range []string{"[", "{a:", "(", "(a) => {", "a(", "!", "if(!a)", "`${", "async ", "function(){", "-", "...", "a.", "a ? "} {
		if got := exported("export default " + strings.Repeat(open, 20_000)); !strings.HasSuffix(got, "not understood") {
			t.Errorf("%s: %.100s", open, got)
		}
	}
	if got := exported(strings.Repeat("if (!a) ", 2*deepest) + "b()\nexport default { a: 1 }"); got != `{"a":1}` {
		t.Errorf("after conditions in each other: %s", got)
	}
}

// The end of a regular expression is looked for within a bound: a line of slashes would be
// read once for each of them otherwise.
func TestLongestPattern(t *testing.T) {
	for length, want := range map[int]int{longestPattern - 2: longestPattern, longestPattern: 1} {
		if got := pattern("/" + strings.Repeat("x", length) + "/"); got != want {
			t.Errorf("a pattern of %d bytes has %d", length, got)
		}
	}
}

// FuzzParse makes sure that no file stops the reader or becomes anything but JSON.
func FuzzParse(f *testing.F) {
	f.Add("export default { a: [1, 'b'], ...c }")
	f.Add("module.exports = (c, { s }) => { return async (ctx, next) => { ctx.query = { populate, ...ctx.query }; await next(); } }")
	f.Add("if (!a) { b } else `${c}` /d/ 1_0 * .5 as any")
	f.Fuzz(func(t *testing.T, file string) {
		v, scope := Exported(Parse(file))
		if text, err := scope.Resolve(v).JSON(); err == nil && !json.Valid(text) {
			t.Errorf("%q became %s", file, text)
		}
	})
}
