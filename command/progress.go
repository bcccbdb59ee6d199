package command

import (
	"fmt"
	"io"
	"time"

	"quire/app"
)

// watched runs work. On a terminal it shows the progress meanwhile, in one line, which
// it removes at the end.
func watched(terminal io.Writer, progress func() app.Measured, work func() error) error {
	if !isTerminal(terminal) {
		return work()
	}
	done, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		show(terminal, progress, done)
	}()
	defer func() {
		close(done)
		<-stopped
	}()
	return work()
}

func show(terminal io.Writer, progress func() app.Measured, done <-chan struct{}) {
	ticker := time.NewTicker(time.Second / 4)
	defer ticker.Stop()
	begun := time.Now()
	for {
		select {
		case <-ticker.C:
			fmt.Fprintf(terminal, "\r%s\x1b[K", progressLine(progress(), time.Since(begun)))
		case <-done:
			fmt.Fprint(terminal, "\r\x1b[K")
			return
		}
	}
}

// progressLine describes the progress of work that has taken that long: "34.1 of 140.6
// MiB, 28000 entries, 21000 a second, 4s left".
func progressLine(m app.Measured, after time.Duration) string {
	line := fmt.Sprintf("%.1f MiB", mebibytes(m.Read))
	if m.Total > 0 {
		line = fmt.Sprintf("%.1f of %.1f MiB", mebibytes(m.Read), mebibytes(m.Total))
	}
	if m.Entries > 0 {
		line += fmt.Sprintf(", %d entries, %.0f a second", m.Entries, float64(m.Entries)/after.Seconds())
	}
	if m.Total > 0 && m.Read > 0 && m.Read <= m.Total {
		left := time.Duration(float64(after) * float64(m.Total-m.Read) / float64(m.Read))
		line += fmt.Sprintf(", %s left", left.Round(time.Second))
	}
	return line
}

func mebibytes(n int64) float64 { return float64(n) / (1 << 20) }
