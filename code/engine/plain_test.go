package engine

import (
	"encoding/json"
	"strings"
	"testing"
)

// What the code returns and gives to the host is written as JSON.stringify writes it, although
// JSON.stringify writes only what is not plain.
func TestResultsAreWhatJSONStringifyWrites(t *testing.T) {
	values := []string{
		`null`, `true`, `false`, `0`, `-0`, `-7`, `2147483648`, `1.5`, `0.1`, `1e21`, `1e-7`, `1.25e-10`, `123456789012345680000`, `5e-324`, `NaN`, `-Infinity`,
		`""`, `"a\"b\\c/d"`, `"\b\f\n\r\t\u0000\u001f\u007f"`, `"ü € 😀 \u2028"`, `"half \ud83d"`, `"a".repeat(1000) + "b".repeat(1000)`,
		`[]`, `[1, [2, [3]]]`, `[undefined, () => 1, Symbol("s"), null]`, `[, 1, ,]`, `Object.assign([1], { extra: 2 })`, `new Array(3)`,
		`({})`, `({ b: 1, a: 2, 2: "x", 1: "y" })`, `({ a: undefined, b: () => 1, c: Symbol("s"), d: 1 })`, `({ [Symbol("s")]: 1, a: 1 })`,
		`({ "": 1, "a b": 2, "\n": 3, "ü": 4, "\ud83d": 5 })`, `JSON.parse('{"__proto__": {"a": 1}}')`, `Object.create({ inherited: 1 }, { own: { value: 1, enumerable: true }, hidden: { value: 2 } })`,
		`Object.create(null)`, `({ get a() { return { b: 1 }; } })`, `({ toJSON() { return "own"; } })`, `[{ toJSON: () => undefined }]`, `({ a: { toJSON: 1, b: 2 } })`,
		`new Date(0)`, `({ at: new Date(NaN) })`, `[new Map([[1, 2]]), new Set([1])]`, `[new String("s"), new Number(1), new Boolean(false)]`,
		`new (class A { x = 1; #y = 2; get z() { return 3; } })()`, `[/x/g, new Error("e")]`, `new Proxy([1, { a: 2 }], {})`, `Uint8Array.of(1, 2)`, `(function () { return arguments; })(1, 2)`,
		`Array.from({ length: 150 }).reduce((a) => [a], 1)`, `((a) => [a, a, { a }])({ b: 1 })`,
	}
	e := start(t, `const values = [`+strings.Join(values, ", ")+`];
		__quire.value = (i) => values[i];
		__quire.text = (i) => JSON.stringify(values[i]);`, Options{})
	for i, of := range values {
		number, _ := json.Marshal(i)
		var want string
		check(t, json.Unmarshal([]byte(answer(t, e, "text", string(number))), &want))
		if got := answer(t, e, "value", string(number)); got != want {
			t.Errorf("%s is written as %s, want %s", of, got, want)
		}
	}
}

// A getter that calls the host while a result is written does not change the result.
func TestAGetterMayWriteMeanwhile(t *testing.T) {
	e := start(t, `__quire.value = () => ({ a: [1], get b() { __host("x", { other: "text" }); return 2; }, c: 3 });`, Options{})
	if got := answer(t, e, "value", ""); got != `{"a":[1],"b":2,"c":3}` {
		t.Error(got)
	}
}

func TestAResultThatContainsItselfIsAnError(t *testing.T) {
	e := start(t, `__quire.value = () => { const a = { list: [] }; a.list.push(a); return a; };`, Options{})
	if r, err := e.Call(t.Context(), "", "value", nil); err == nil || !strings.Contains(err.Error(), "circular") {
		t.Errorf("%s, %v", r, err)
	}
}
