package outbox

// Woken reports whether Run would read the outbox now, and takes the token.
func (b *Box) Woken() bool {
	select {
	case <-b.wakeup():
		return true
	default:
		return false
	}
}
