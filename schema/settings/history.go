package settings

import (
	"fmt"
	"net/netip"
	"time"

	"quire/schema/source"
)

// History has the settings of site.json under "history": how many former versions of an
// entry are kept, and for how long.
type History struct {
	Versions int           // of each document, locale and status, 100; 0 keeps none
	Age      time.Duration // since a version was replaced, 90 days; 0 keeps none
}

// The maximum that a site may keep. Reading a version goes through all later ones.
const (
	mostVersions = 1000
	mostDays     = 36500
)

// Off reports whether nothing is kept.
func (h History) Off() bool { return h.Versions == 0 || h.Age == 0 }

// read reads "history": {"versions": 100, "days": 90}.
func (h *History) read(o source.Object) {
	o.Only("versions", "days")
	h.Versions = wholeUpTo(o, "versions", h.Versions, mostVersions)
	h.Age = time.Duration(wholeUpTo(o, "days", int(h.Age/day), mostDays)) * day
}

// wholeUpTo reads a whole number from 0 to most.
func wholeUpTo(o source.Object, key string, otherwise, most int) int {
	n := o.Whole(key, 0, otherwise)
	if n > most {
		o.RefuseAt(key, fmt.Sprintf("is more than %d", most), "lower it; 0 keeps no history")
		return otherwise
	}
	return n
}

// Events has the settings of site.json under "events": how long changes stay in the log,
// and which networks webhooks may reach.
type Events struct {
	Retention time.Duration // how long a change stays in the log, 7 days
	Bytes     int64         // maximum size of the log; beyond it, the oldest changes are removed earlier, 1 GiB

	// AllowPrivate are the networks that webhooks may reach in addition to the public
	// internet; none by default.
	AllowPrivate []netip.Prefix
}

// Audit has the settings of site.json under "audit": how long the audit log is kept.
type Audit struct {
	Retention time.Duration // how long a line is kept, 365 days
}

// longestAudit is the maximum time for which a line of the audit log can be kept.
const longestAudit = 10 * 365 * day

// read reads "audit": {"retention": "365d"}.
func (a *Audit) read(o source.Object) {
	o.Only("retention")
	a.Retention = readDuration(o, "retention", longestAudit, a.Retention)
}

// Limits of what the log keeps.
const (
	longestRetention = 365 * day
	mostMegabytes    = 1 << 20
)

// read reads "events": {"retention": "7d", "megabytes": 1024, "allowPrivate": ["10.0.0.0/8"]}.
func (e *Events) read(o source.Object) {
	o.Only("retention", "megabytes", "allowPrivate")
	e.AllowPrivate = readNetworks(o, "allowPrivate")
	e.Retention = readDuration(o, "retention", longestRetention, e.Retention)
	megabytes := o.Whole("megabytes", 1, int(e.Bytes>>20))
	if megabytes > mostMegabytes {
		o.RefuseAt("megabytes", "is more than 1048576", "lower it; it is how much of the data file the log may take")
		return
	}
	e.Bytes = int64(megabytes) << 20
}
