package schema

import "fmt"

// readREST reads "rest": {"defaultLimit": 25, "maxLimit": 100, "withCount": true}.
func (s *Settings) readREST(o object) {
	o.only("defaultLimit", "maxLimit", "withCount")
	s.DefaultLimit = o.whole("defaultLimit", 1, s.DefaultLimit)
	s.MaxLimit = o.whole("maxLimit", 1, s.MaxLimit)
	s.WithCount = o.flag("withCount", s.WithCount)
	if s.DefaultLimit > s.MaxLimit {
		o.refuseAt("defaultLimit", fmt.Sprintf("%d is more than maxLimit %d", s.DefaultLimit, s.MaxLimit), "lower it or raise maxLimit")
	}
}
