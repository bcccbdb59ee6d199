package server

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"quire/auth"
)

func explainAccounts(err error) *problem {
	var throttled *auth.ThrottledError
	var busy *auth.BusyError
	var disabled *auth.DisabledError
	switch {
	case errors.As(err, &throttled):
		return &problem{http.StatusTooManyRequests, "RateLimitError", throttled.Error(), none{}}
	case errors.As(err, &busy):
		return unavailable(busy.Error())
	case errors.As(err, &disabled):
		return notFound()
	}
	return nil
}

// sayWhen tells a client that was throttled how many seconds to wait, and counts it.
func (x *exchange) sayWhen(err error) {
	var throttled *auth.ThrottledError
	if errors.As(err, &throttled) {
		if errors.As(err, new(*ratedError)) {
			x.server.load.rated.Add(1)
		} else {
			x.server.load.throttled.Add(1)
		}
		x.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(float64(throttled.Wait)/float64(time.Second)))))
	}
}
