package schema

import "time"

// RateLimit is the throttling of the endpoints that take passwords or send mail:
// so many requests in so long a time, of each client address and for each
// account that is aimed at.
type RateLimit struct {
	Enabled  bool          // true
	Max      int           // 5
	Interval time.Duration // 5 minutes
}

func defaultRateLimit() RateLimit {
	return RateLimit{Enabled: true, Max: 5, Interval: 5 * time.Minute}
}

// read reads "rateLimit": {"enabled": true, "max": 5, "interval": "5m"}.
func (r *RateLimit) read(o object) {
	o.only("enabled", "max", "interval")
	r.Enabled = o.flag("enabled", r.Enabled)
	if r.Max = o.whole("max", 1, r.Max); r.Max > mostRequests {
		o.refuseAt("max", "is more than 1000", "lower it, or switch the limit off with enabled")
	}
	r.Interval = o.duration("interval", day, r.Interval)
}

// mostRequests bounds what is remembered of each address and account.
const mostRequests = 1000
