package live

import "time"

// Beat makes streams send a sign of life, as if it were that time.
func (h *Hub) Beat(now time.Time) { h.beat(now) }

// SendPresence is what a tick does about presence.
func (h *Hub) SendPresence() { h.sendPresence() }

// Tick is the time between two ticks.
const Tick = sweepEvery
