package bulk

import "quire/index"

// SetTransaction makes so few changes a transaction.
func SetTransaction(l *Loader, changes int) { l.file.limit = changes }

// Planned is what a Loader goes by.
func Planned(l *Loader) *index.Snapshot { return l.edit.Snapshot() }
