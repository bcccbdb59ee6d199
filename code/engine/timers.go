package engine

import (
	"container/heap"
	"fmt"
	"time"
)

// timers are those that have not fired, the next one first. Those that are due at the same
// time fire in the order in which they were set, as in Node.
type timers struct {
	queue []*timer
	byID  map[int]*timer
	set   int
	alarm *time.Timer // at the time of the next one
}

type timer struct {
	id, place, nth int
	due            time.Duration // since the program began, in whole milliseconds
}

func newTimers() *timers {
	t := &timers{byID: map[int]*timer{}, alarm: time.NewTimer(time.Hour)}
	t.alarm.Stop()
	return t
}

func (t *timers) Len() int { return len(t.queue) }

func (t *timers) Less(i, j int) bool {
	a, b := t.queue[i], t.queue[j]
	if a.due != b.due {
		return a.due < b.due
	}
	return a.nth < b.nth
}

func (t *timers) Swap(i, j int) {
	t.queue[i], t.queue[j] = t.queue[j], t.queue[i]
	t.queue[i].place, t.queue[j].place = i, j
}

// Push and Pop are called by package heap alone.
func (t *timers) Push(x any) {
	one := x.(*timer)
	one.place = len(t.queue)
	t.queue = append(t.queue, one)
	t.byID[one.id] = one
}

func (t *timers) Pop() any {
	one := t.queue[len(t.queue)-1]
	t.queue = t.queue[:len(t.queue)-1]
	delete(t.byID, one.id)
	return one
}

// start sets a timer, or sets it again.
func (t *timers) start(id int, after time.Duration) error {
	t.clear(id)
	if len(t.queue) >= maxTimers {
		return fmt.Errorf("%d timers have not fired, no further one begins", maxTimers)
	}
	t.set++
	heap.Push(t, &timer{id: id, nth: t.set, due: time.Since(began).Truncate(time.Millisecond) + after})
	t.wind()
	return nil
}

func (t *timers) clear(id int) {
	if one, found := t.byID[id]; found {
		heap.Remove(t, one.place)
		t.wind()
	}
}

// wind sets the alarm to the next timer.
func (t *timers) wind() {
	if len(t.queue) == 0 {
		t.alarm.Stop()
		return
	}
	t.alarm.Reset(t.queue[0].due - time.Since(began))
}

// next removes the timer that is due, and returns its id; 0 if none is.
func (t *timers) next() int {
	defer t.wind()
	if len(t.queue) == 0 || time.Since(began) < t.queue[0].due {
		return 0
	}
	return heap.Pop(t).(*timer).id
}
