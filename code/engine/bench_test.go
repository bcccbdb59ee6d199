package engine

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

func BenchmarkBuild(b *testing.B) {
	root := b.TempDir()
	for b.Loop() {
		if _, err := Build(BuildOptions{Root: root, Entry: "__quire.run = async () => 1"}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkStart(b *testing.B) {
	root := b.TempDir()
	s, err := Build(BuildOptions{Root: root, Entry: "__quire.run = async () => 1"})
	check(b, err)
	for b.Loop() {
		e, err := Start(s, Options{Root: root})
		check(b, err)
		e.Close()
	}
}

// A controller as in docs/dependencies.md: it awaits 25 rows and maps them.
func BenchmarkController(b *testing.B) {
	var rows []string
	for i := range 25 {
		rows = append(rows, fmt.Sprintf(`{"id":%d,"documentId":"abcdefghijklmnopqrstuvw%d","title":"The Title of Article %d, with more","text":%q,"createdAt":"2026-01-01T00:00:00.000Z","views":%d}`, i, i, i, strings.Repeat("some words here ", 12), i*7))
	}
	data := []byte(`{"data":[` + strings.Join(rows, ",") + `]}`)
	e := start(b, `
		class Base { async find(ctx) { return __host("core.find", ctx); } }
		class Own extends Base { async find(ctx) { const { data } = await super.find(ctx); return { data: data.map((r) => ({ ...r, slug: r.title.toLowerCase().replace(/[^a-z0-9]+/g, "-") })) }; } }
		const own = new Own();
		__quire.find = (ctx) => own.find(ctx);
		__quire.nothing = () => {};`, Options{Host: func(context.Context, HostCall) ([]byte, error) { return data, nil }})
	for _, name := range []string{"find", "nothing"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.Call(b.Context(), "", name, []byte(`{"query":{}}`)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAwait(b *testing.B) {
	e := start(b, `const one = async (i) => i; __quire.run = async () => { let s = 0; for (let i = 0; i < 1000; i++) s += await one(i); return s }`, Options{})
	for b.Loop() {
		answer(b, e, "run", "")
	}
}
