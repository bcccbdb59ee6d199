package engine

import (
	"context"
	"log/slog"
	"time"
)

var levels = map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}

// nativeLog: the level, the text, and the stack that has the place.
func (m *machine) nativeLog(a arguments) (any, error) {
	level := levels[a.text(0)]
	if m.e.o.Log.Enabled(m.ctx, level) && m.mayLog() {
		m.e.o.Log.Log(m.ctx, level, shortened(a.text(1)), "at", m.e.script.positions.caller(a.text(2)))
	}
	return nil, nil
}

// nativeUncaught: what happened, and the error as core.js describes it.
func (m *machine) nativeUncaught(a arguments) (any, error) {
	e := m.described(a.text(1))
	m.logError("an error of the site's code: "+a.text(0), "error", shortened(e.Error()), "stack", e.Stack)
	return nil, nil
}

// logError logs what the code did wrong and nobody catches.
func (m *machine) logError(message string, about ...any) {
	if m.mayLog() {
		m.e.o.Log.Error(message, about...)
	}
}

// mayLog reports whether the code may write a message: it must not fill the disk.
func (m *machine) mayLog() bool {
	if now := time.Now(); now.Sub(m.logFrom) >= time.Second {
		if m.logged > maxMessages {
			m.e.o.Log.Log(context.Background(), slog.LevelWarn, "the code of the site logs too much; messages were left out", "messages", m.logged-maxMessages)
		}
		m.logFrom, m.logged = now, 0
	}
	m.logged++
	return m.logged <= maxMessages
}

func shortened(text string) string {
	if len(text) > maxLogged {
		return text[:maxLogged] + "…"
	}
	return text
}
