package live

import "time"

// Beat has streams say that they are alive, as if it were that late.
func (h *Hub) Beat(now time.Time) { h.beat(now) }
