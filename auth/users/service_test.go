package users

import (
	"fmt"
	"testing"
)

// A session that changes, which takes a commit, keeps nobody from changing others.
func TestSessionsDoNotWaitForEachOther(t *testing.T) {
	b := &sessionCache{}
	reached := 0
	var nest func(turn int) error
	nest = func(turn int) error {
		if reached++; reached == 5 {
			return nil
		}
		return b.withLock(fmt.Sprint("session ", turn), func() error { return nest(turn + 1) })
	}
	if err := nest(0); err != nil || reached != 5 {
		t.Errorf("%d sessions changed at a time, %v", reached, err)
	}
}
