package program

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
)

// Log keeps lines of a server's standard error except requests and information, and counts
// warnings. It is complete when the server has ended.
type Log struct {
	mu    sync.Mutex
	part  []byte         // of an incomplete line
	said  map[string]int // how often, by level and message
	lines []string       // the first few
}

// mostLines limits the lines of a Log, and longestLine each of them.
const (
	mostLines   = 400
	longestLine = 64 << 10
)

// Write takes output of the program.
func (l *Log) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for rest := text; len(rest) > 0; {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		l.part = append(l.part, line[:min(len(line), longestLine-min(longestLine, len(l.part)))]...)
		if ended {
			l.addLine(string(l.part))
			l.part = l.part[:0]
		}
		rest = after
	}
	return len(text), nil
}

func (l *Log) addLine(line string) {
	if strings.Contains(line, `"level":"INFO"`) {
		return
	}
	var parts struct{ Level, Msg string }
	if json.Unmarshal([]byte(line), &parts) != nil {
		parts.Level, parts.Msg = "NONE", "not a line of the log"
	}
	message, _, _ := strings.Cut(parts.Msg, ":")
	l.said[parts.Level+" "+message]++
	if len(l.lines) < mostLines && parts.Level != "WARN" {
		l.lines = append(l.lines, line)
	}
}

// Said returns how often the program logged each message, by level and message.
func (l *Log) Said() map[string]int { return l.said }

// Times returns how often a server that may still run has logged a message, with its level.
func (l *Log) Times(what string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.said[what]
}

// String returns the kept lines.
func (l *Log) String() string {
	if l == nil {
		return ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}
