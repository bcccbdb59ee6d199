package command

import (
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// logging says how much is logged, and in which format.
type logging struct {
	level  string // debug, info, warn or error
	format string // text, json, or empty: text on a terminal, JSON elsewhere
}

func logFlags(c *cobra.Command, l *logging) {
	levels, formats := []string{"debug", "info", "warn", "error"}, []string{"text", "json"}
	c.Flags().StringVar(&l.level, "log-level", orElse(os.Getenv("LOG_LEVEL"), "info"), "what to log: `LEVEL` debug, info (requests too), warn or error; by default from the environment's LOG_LEVEL")
	c.Flags().StringVar(&l.format, "log-format", os.Getenv("LOG_FORMAT"), "`FORMAT` of the log: text or json; by default from the environment's LOG_FORMAT, or text on a terminal and json otherwise")
	c.RegisterFlagCompletionFunc("log-level", cobra.FixedCompletions(levels, cobra.ShellCompDirectiveNoFileComp))
	c.RegisterFlagCompletionFunc("log-format", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
}

func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}

// openLog returns a log of the lines from the level on. finish writes the lines that
// still wait; call it when nothing is logged any more.
func openLog(w io.Writer, l logging) (log *slog.Logger, finish func(), err error) {
	var o slog.HandlerOptions
	if o.Level, err = l.parseLevel(); err != nil {
		return nil, nil, err
	}
	handler, err := l.handler(isTerminal(w))
	if err != nil {
		return nil, nil, err
	}
	if isTerminal(w) { // a person reads it
		return slog.New(handler(w, &o)), func() {}, nil
	}
	buffer := newLogBuffer(w)
	h := handler(buffer, &o)
	if _, ok := h.(*slog.JSONHandler); ok {
		h = plainLines{h, buffer}
	}
	return slog.New(urgent{h, buffer}), buffer.close, nil
}

func (l logging) parseLevel() (slog.Level, error) {
	levels := map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}
	level, known := levels[strings.ToLower(l.level)]
	if !known {
		return 0, misused("--log-level (or LOG_LEVEL) is debug, info, warn or error, not %q", l.level)
	}
	return level, nil
}

// handler returns the function that makes the handler of the format.
func (l logging) handler(terminal bool) (func(io.Writer, *slog.HandlerOptions) slog.Handler, error) {
	text := func(w io.Writer, o *slog.HandlerOptions) slog.Handler { return slog.NewTextHandler(w, o) }
	json := func(w io.Writer, o *slog.HandlerOptions) slog.Handler { return slog.NewJSONHandler(w, o) }
	switch format := strings.ToLower(l.format); {
	case format == "text", format == "" && terminal:
		return text, nil
	case format == "json", format == "":
		return json, nil
	}
	return nil, misused("--log-format (or LOG_FORMAT) is text or json, not %q", l.format)
}

// isTerminal reports whether a person reads what is written to w. It returns false for
// /dev/null, which is a device too.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}
