package settings

import (
	"fmt"
	"net/netip"
	"time"

	"quire/schema/source"
)

// History is what site.json says under "history": how many former versions of an
// entry are kept, and for how long.
type History struct {
	Versions int           // of each document, locale and status, 100; 0 keeps none
	Age      time.Duration // since a version was replaced, 90 days; 0 keeps none
}

func defaultHistory() History { return History{Versions: 100, Age: 90 * day} }

// The most that a site may keep. Whoever reads a version goes through those after it.
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

// Events is what site.json says under "events": how long the log of changes reaches back,
// and where changes may be sent to.
type Events struct {
	Retention time.Duration // how long a change stays in the log, 7 days
	Bytes     int64         // that the log may take; then the oldest go sooner, 1 GiB

	// AllowPrivate are the networks that webhooks may reach besides the public internet;
	// none by default.
	AllowPrivate []netip.Prefix
}

func defaultEvents() Events { return Events{Retention: 7 * day, Bytes: 1 << 30} }

// Audit is what site.json says under "audit": how long the audit log reaches back.
type Audit struct {
	Retention time.Duration // how long a line is kept, 365 days
}

// longestAudit is how long a line of the audit log can be kept.
const longestAudit = 10 * 365 * day

func defaultAudit() Audit { return Audit{Retention: 365 * day} }

// read reads "audit": {"retention": "365d"}.
func (a *Audit) read(o source.Object) {
	o.Only("retention")
	a.Retention = readDuration(o, "retention", longestAudit, a.Retention)
}

// The bounds of what the log keeps.
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
