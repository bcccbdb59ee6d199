package command

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"math/rand/v2"
	"testing"
	"time"
)

// Each line has the bytes that slog writes for it.
func TestLogLinesAreThoseOfSlog(t *testing.T) {
	random := rand.New(rand.NewPCG(36, 1))
	var got, want bytes.Buffer
	buffer := newLogBuffer(&got)
	ours, slogs := slog.Handler(plainLines{slog.NewJSONHandler(buffer, nil), buffer}), slog.Handler(slog.NewJSONHandler(&want, nil))
	handlers := [][2]slog.Handler{
		{ours, slogs},
		{ours.WithAttrs([]slog.Attr{slog.Int("a", 1)}), slogs.WithAttrs([]slog.Attr{slog.Int("a", 1)})},
		{ours.WithGroup("g"), slogs.WithGroup("g")},
	}
	plain := 0
	for range 20000 {
		r := randomRecord(random)
		if _, ok := appendPlain(nil, &r); ok {
			plain++
		}
		both := handlers[random.IntN(len(handlers))]
		for _, h := range both {
			requireNil(t, h.Handle(context.Background(), r.Clone()))
		}
	}
	buffer.close()
	if plain < 2000 || plain > 18000 {
		t.Errorf("%d lines of 20,000 were plain", plain)
	}
	if !bytes.Equal(got.Bytes(), want.Bytes()) {
		ours, slogs := bytes.SplitAfter(got.Bytes(), []byte("\n")), bytes.SplitAfter(want.Bytes(), []byte("\n"))
		for i := range min(len(ours), len(slogs)) {
			if !bytes.Equal(ours[i], slogs[i]) {
				t.Fatalf("line %d is\n%swhere slog writes\n%s", i, ours[i], slogs[i])
			}
		}
		t.Fatalf("%d lines, where slog writes %d", len(ours), len(slogs))
	}
}

// randomRecord is a record with a few attributes. Half of its texts are plain.
func randomRecord(random *rand.Rand) slog.Record {
	texts := []string{"", "request", "/api/dishes?a=b&c", "GET <&> ~", "a\"b", `a\b`, "a\nb\x00", "\u00fc \u2028 \xff", "\x7f", "a b"}
	text := func() string {
		if random.IntN(8) > 0 {
			return "id"
		}
		return texts[random.IntN(len(texts))]
	}
	times := []time.Time{{}, time.Now(), time.Unix(random.Int64N(1<<34), random.Int64N(1e9)), time.Unix(1700000000, 120000000).UTC(),
		time.Unix(1<<38, 0), time.Unix(-1<<38, 0), time.Unix(1700000000, 0).In(time.FixedZone("", 3600*random.IntN(12)+60))}
	at := times[1]
	if random.IntN(3) == 0 {
		at = times[random.IntN(len(times))]
	}
	r := slog.NewRecord(at, slog.Level(random.IntN(13)-4), text(), 0)
	values := []func() slog.Value{
		func() slog.Value { return slog.StringValue(text()) },
		func() slog.Value { return slog.Int64Value(int64(random.Uint64())) },
		func() slog.Value { return slog.DurationValue(time.Duration(random.Int64())) },
		func() slog.Value { return slog.AnyValue(io.ErrUnexpectedEOF) },
		func() slog.Value { return slog.Float64Value(random.NormFloat64()) },
		func() slog.Value { return slog.GroupValue(slog.Bool("b", true)) },
		func() slog.Value { return slog.GroupValue() },
		func() slog.Value { return slog.Value{} },
		func() slog.Value { return slog.TimeValue(at) },
	}
	for range random.IntN(10) {
		kind := random.IntN(3)
		if random.IntN(16) == 0 {
			kind = random.IntN(len(values))
		}
		r.AddAttrs(slog.Attr{Key: text(), Value: values[kind]()})
	}
	return r
}

// The line of a request allocates nothing.
func TestLogLinesAllocateNothing(t *testing.T) {
	if allocations := testing.AllocsPerRun(1000, requestLine(io.Discard)); allocations > 0 {
		t.Errorf("a line has %v allocations", allocations)
	}
}

func BenchmarkLogLine(b *testing.B) {
	b.Run("plain", func(b *testing.B) {
		b.ReportAllocs()
		for line := requestLine(io.Discard); b.Loop(); {
			line()
		}
	})
	b.Run("slog", func(b *testing.B) {
		b.ReportAllocs()
		buffer := newLogBuffer(io.Discard)
		defer buffer.close()
		for line := lineTo(slog.NewJSONHandler(buffer, nil)); b.Loop(); {
			line()
		}
	})
}

// requestLine returns a function that logs a request as the server does, to w.
func requestLine(w io.Writer) func() {
	log, _, err := openLog(w, logging{level: "info"})
	if err != nil {
		panic(err)
	}
	return lineTo(log.Handler())
}

func lineTo(h slog.Handler) func() {
	r := slog.NewRecord(time.Now(), slog.LevelInfo, "request", 0)
	r.AddAttrs(slog.String("id", "0123456789abcdef"), slog.String("method", "GET"), slog.String("path", "/api/restaurants"),
		slog.Int("status", 200), slog.Int("bytes", 22625), slog.Duration("took", 40*time.Microsecond), slog.String("caller", `role "public"`))
	return func() { _ = h.Handle(context.Background(), r) }
}
