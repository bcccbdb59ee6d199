package schema

import "time"

// RequestRate is how many requests one client address may send, whatever they
// are for. The zero value is no limit, which is the default.
type RequestRate struct {
	Max      int           // requests in an interval, spread evenly; 0 for no limit
	Interval time.Duration // 1 minute
	Burst    int           // requests that may come at once, as many as Max
}

// read reads "rateLimit": {"max": 600, "interval": "1m", "burst": 100}.
func (r *RequestRate) read(o object) {
	o.only("max", "interval", "burst")
	if len(o.members) == 0 {
		return
	}
	if _, ok := o.get("max"); !ok {
		o.refuseAt("max", "is missing", "write how many requests an address may send in the interval, or remove rateLimit")
	}
	r.Max = rate(o, "max", 0)
	r.Interval = o.duration("interval", day, time.Minute)
	r.Burst = rate(o, "burst", r.Max)
}

func rate(o object, key string, otherwise int) int {
	n := o.whole(key, 1, otherwise)
	if n > mostRate {
		o.refuseAt(key, "is more than 100000", "lower it")
	}
	return n
}

// mostRate keeps a burst of requests that are a day apart within the nanoseconds
// that fit into a time.Duration.
const mostRate = 100_000
