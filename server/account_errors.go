package server

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"quire/auth"
	"quire/auth/account"
	"quire/auth/password"
)

func explainAccounts(err error) *problem {
	var throttled *auth.ThrottledError
	var busy *password.BusyError
	var full *account.OutboxFullError
	var disabled *account.DisabledError
	switch {
	case errors.As(err, &throttled):
		return &problem{http.StatusTooManyRequests, "RateLimitError", throttled.Error(), none{}}
	case errors.As(err, &busy):
		return unavailable(busy.Error())
	case errors.As(err, &full):
		return unavailable(full.Error())
	case errors.As(err, &disabled):
		return notFound()
	}
	return nil
}

// setRetryAfter sets how many seconds a throttled client has to wait, and counts the
// response.
func (x *exchange) setRetryAfter(err error) {
	var throttled *auth.ThrottledError
	if errors.As(err, &throttled) {
		if errors.As(err, new(*ratedError)) {
			x.server.load.CountRated()
		} else {
			x.server.load.CountThrottled()
		}
		x.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(float64(throttled.Wait)/float64(time.Second)))))
	}
}
