package live_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"quire/server/live"
)

// present listens as an account that has a document open.
func (b *bench) present(stream string) *listener {
	b.who.Present = &live.Present{Stream: stream, Account: stream, Name: stream, UID: dish, DocumentID: "soup"}
	l := b.listen(&live.Subscription{Text: "presence"})
	if text := l.next(); !strings.HasPrefix(text, "event: presence\n") || !strings.Contains(text, `"name":"`+stream+`"`) {
		b.t.Fatalf("%s begins with %s", stream, text)
	}
	return l
}

// However fast somebody types in several attributes, the others are notified once per
// tick, and in the end of the last state.
func TestPresenceIsToldAtTicks(t *testing.T) {
	b := newBench(t)
	begin := time.Now()
	ear := b.present("ear")
	b.present("typist")
	messages, done := 0, make(chan struct{})
	go func() {
		defer close(done)
		for {
			text := ear.next()
			if messages++; text == "" || strings.Contains(text, "field-last") {
				return
			}
		}
	}()
	for i := range 2000 {
		if !b.SetEditing("typist", "typist", []string{fmt.Sprint("field-", i)}) {
			t.Error("there is no such stream")
		}
	}
	b.SetEditing("typist", "typist", []string{"field-last"})
	<-done
	if most := 2 + int(time.Since(begin)/live.Tick); messages > most {
		t.Errorf("%d messages, where there were %d ticks at most", messages, most)
	}
}

// A listener is not notified of the same state twice.
func TestPresenceIsToldOnce(t *testing.T) {
	b := newBench(t)
	ear := b.present("ear")
	b.SendPresence()
	b.SetEditing("ear", "ear", []string{"name"})
	b.SendPresence()
	if text := ear.next(); !strings.Contains(text, `"editing":["name"]`) {
		t.Errorf("the next that it hears is %s", text)
	}
}
