package schema

import "time"

// Log is what site.json says under "log".
type Log struct {
	// Slow is how long a request may keep the server busy before the log tells
	// where the time went, 1 second; 0 for never.
	Slow time.Duration
}

// read reads "log": {"slowMs": 1000}.
func (l *Log) read(o object) {
	o.only("slowMs")
	if ms := o.whole("slowMs", 0, int(l.Slow.Milliseconds())); ms <= longestSlow {
		l.Slow = time.Duration(ms) * time.Millisecond
	} else {
		o.refuseAt("slowMs", "is longer than a day", "lower it; it is in milliseconds, and 0 switches it off")
	}
}

const longestSlow = int(day / time.Millisecond)
