package live

import "time"

// Beat has streams say that they are alive, as if it were that late.
func (h *Hub) Beat(now time.Time) { h.beat(now) }

// Tell is what a tick has of presence.
func (h *Hub) Tell() { h.tell() }

// Tick is the time between two ticks.
const Tick = sweepEvery
