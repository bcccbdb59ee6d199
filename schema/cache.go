package schema

import "time"

// longestAge is what HTTP calls the most that a maxAge should be, a year in seconds.
const longestAge = 365 * 24 * 60 * 60

// readCache reads "cache": {"api::a.a": {"maxAge": 60}}.
func (l *loader) readCache() {
	for _, m := range l.config.object("cache").members {
		if !l.typeExists(m) {
			continue
		}
		o, _ := m.object()
		o.only("maxAge")
		seconds := o.whole("maxAge", 0, 0)
		if seconds > longestAge {
			o.refuseAt("maxAge", "is longer than a year", "lower it; it is in seconds")
		}
		if seconds > 0 {
			l.site.Settings.keep(m.key, time.Duration(seconds)*time.Second)
		}
	}
}

func (s *Settings) keep(uid string, age time.Duration) {
	if s.Cache == nil {
		s.Cache = map[string]time.Duration{}
	}
	s.Cache[uid] = age
}
