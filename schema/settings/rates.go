package settings

import (
	"time"

	"quire/schema/source"
)

// RateLimit limits the requests that take passwords or send mail, from each client address
// and for each account in them. The API and the admin have one each.
type RateLimit struct {
	Enabled  bool          // true
	Max      int           // requests in an interval, 5
	Interval time.Duration // 5 minutes
}

func defaultRateLimit() RateLimit {
	return RateLimit{Enabled: true, Max: 5, Interval: 5 * time.Minute}
}

// read reads "rateLimit": {"enabled": true, "max": 5, "interval": "5m"}.
func (r *RateLimit) read(o source.Object) {
	o.Only("enabled", "max", "interval")
	r.Enabled = o.Flag("enabled", r.Enabled)
	if r.Max = o.Whole("max", 1, r.Max); r.Max > mostRequests {
		o.RefuseAt("max", "is more than 1000", "lower it, or switch the limit off with enabled")
	}
	r.Interval = readDuration(o, "interval", day, r.Interval)
}

// readAdmin reads "rateLimit": {"max": 5, "interval": "5m"} of the admin. It is never off,
// and the most that it allows is 100 tries in a minute.
func (r *RateLimit) readAdmin(o source.Object) {
	o.Only("max", "interval")
	if r.Max = o.Whole("max", 1, r.Max); r.Max > mostAdminTries {
		o.RefuseAt("max", "is more than 100", "lower it")
	}
	if r.Interval = readDuration(o, "interval", day, r.Interval); r.Interval < time.Minute {
		o.RefuseAt("interval", "is less than 1m", "raise it")
	}
}

const mostAdminTries = 100

// mostRequests limits what is remembered of each address and account.
const mostRequests = 1000

// RequestRate limits the requests of each client address to any endpoint. The zero
// value is no limit, which is the default.
type RequestRate struct {
	Max      int           // requests in an interval, spread evenly; 0 for no limit
	Interval time.Duration // 1 minute
	Burst    int           // requests that may arrive at once, default Max
}

// read reads "rateLimit": {"max": 600, "interval": "1m", "burst": 100}.
func (r *RequestRate) read(o source.Object) {
	o.Only("max", "interval", "burst")
	if len(o.Members) == 0 {
		return
	}
	if _, ok := o.Get("max"); !ok {
		o.RefuseAt("max", "is missing", "write how many requests an address may send in the interval, or remove rateLimit")
	}
	r.Max = readRate(o, "max", 0)
	r.Interval = readDuration(o, "interval", day, time.Minute)
	r.Burst = readRate(o, "burst", r.Max)
}

func readRate(o source.Object, key string, otherwise int) int {
	n := o.Whole(key, 1, otherwise)
	if n > mostRate {
		o.RefuseAt(key, "is more than 100000", "lower it")
	}
	return n
}

// mostRate is low enough that a burst of requests a day apart fits into the nanoseconds of
// a time.Duration.
const mostRate = 100_000
