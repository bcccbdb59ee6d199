package bulk

import "quire/index"

// SetTransaction sets the number of changes in a transaction.
func SetTransaction(l *Loader, changes int) { l.file.limit = changes }

// Planned returns the content against which a Loader plans.
func Planned(l *Loader) *index.Snapshot { return l.edit.Snapshot() }
