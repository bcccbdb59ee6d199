package command

import (
	"context"
	"log/slog"
	"strconv"
	"time"
)

// plainLines writes lines in JSON with the bytes that slog would write, in half of the
// time and without a lock while it does so. It leaves to slog what must be escaped, and
// all but the kinds of values that the lines of requests have.
type plainLines struct {
	slog.Handler // slog's, for all other lines
	buffer       *logBuffer
}

func (h plainLines) Handle(ctx context.Context, r slog.Record) error {
	var space [512]byte
	line, ok := appendPlain(space[:0], &r)
	if !ok {
		return h.Handler.Handle(ctx, r)
	}
	_, err := h.buffer.Write(line)
	return err
}

// appendPlain appends the line of the record, or returns false if slog has to write it.
func appendPlain(line []byte, r *slog.Record) (_ []byte, ok bool) {
	if year := r.Time.Year(); r.Time.IsZero() || year < 0 || year > 9999 || !isPlain(r.Message) {
		return nil, false
	}
	line = append(line, `{"time":"`...)
	line = r.Time.AppendFormat(line, time.RFC3339Nano)
	line = append(line, `","level":"`...)
	line = append(line, r.Level.String()...)
	line = append(line, `","msg":"`...)
	line = append(line, r.Message...)
	line = append(line, '"')
	ok = true
	r.Attrs(func(a slog.Attr) bool {
		line, ok = appendAttr(line, a)
		return ok
	})
	return append(line, '}', '\n'), ok
}

func appendAttr(line []byte, a slog.Attr) (_ []byte, ok bool) {
	if !isPlain(a.Key) {
		return nil, false
	}
	line = append(line, ',', '"')
	line = append(line, a.Key...)
	line = append(line, '"', ':')
	switch a.Value.Kind() {
	case slog.KindString:
		line, ok = appendText(append(line, '"'), a.Value.String())
		return append(line, '"'), ok
	case slog.KindInt64:
		return strconv.AppendInt(line, a.Value.Int64(), 10), true
	case slog.KindDuration:
		return strconv.AppendInt(line, int64(a.Value.Duration()), 10), true
	}
	return nil, false
}

// appendText appends a text that stands in quotes, such as a caller's `role "public"`.
func appendText(line []byte, text string) (_ []byte, ok bool) {
	for i := range len(text) {
		switch c := text[i]; {
		case c < ' ' || c > '~':
			return nil, false
		case c == '"' || c == '\\':
			line = append(line, '\\', c)
		default:
			line = append(line, c)
		}
	}
	return line, true
}

// isPlain reports whether a text is the same between the quotes of JSON.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' || c > '~' {
			return false
		}
	}
	return true
}
