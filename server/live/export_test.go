package live

import "time"

// Beat makes streams send a sign of life, as if it were that time.
func (h *Hub) Beat(now time.Time) { h.beat(now) }

// Tell is what a tick has of presence.
func (h *Hub) Tell() { h.tell() }

// Tick is the time between two ticks.
const Tick = sweepEvery
