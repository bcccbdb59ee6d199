package program

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
)

// Log keeps of what a server says on standard error what is neither a request nor
// news, and counts warnings. It is complete when the server has ended.
type Log struct {
	mu    sync.Mutex
	part  []byte         // of a line that has not ended
	said  map[string]int // how often, by level and message
	lines []string       // the first few
}

// mostLines bounds what a Log keeps, and longestLine of each.
const (
	mostLines   = 400
	longestLine = 64 << 10
)

func newLog() *Log { return &Log{said: map[string]int{}} }

// Write takes what the program says.
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

// Said is how often the program said something, by level and message.
func (l *Log) Said() map[string]int { return l.said }

// Times is how often a server that may still run has said something, with its level.
func (l *Log) Times(what string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.said[what]
}

// String is what was kept, a line each.
func (l *Log) String() string {
	if l == nil {
		return ""
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}
