package store

import "math/rand/v2"

// Revisions count the commits of one history, and a file can have several: a copy
// of it goes its own way, or a backup is put in its place and other content is
// written under revisions that were used before. So each time a file is opened to
// be written to, a lineage begins: a random number, stored with the first commit.
// A revision together with its lineage names one state of the content for good.

// Origin tells of which lineage the revisions of an open file are.
type Origin struct {
	Revision uint64 // of the last commit
	past     uint64 // the lineage of that commit
	own      uint64 // that of the commits to come
}

// Lineage is the lineage under which content was left as it is, where revision
// is that of the last commit that anybody who holds this origin knows to have
// changed it: content not written since the file was opened is as the last commit
// before left it.
func (o Origin) Lineage(revision uint64) uint64 {
	if revision <= o.Revision {
		return o.past
	}
	return o.own
}

// Origin returns that of the last commit.
func (tx *Tx) Origin() Origin {
	o := Origin{Revision: tx.number(metaBucket, revisionKey), past: tx.number(metaBucket, lineageKey), own: tx.db.lineage}
	if o.past == 0 { // nothing was written since there are lineages
		o.past = o.own
	}
	return o
}

// sign stores the lineage of the commit to come.
func (tx *Tx) sign() error {
	if tx.number(metaBucket, lineageKey) == tx.db.lineage {
		return nil
	}
	return tx.set(storedNumber(tx.db.lineage), lineageKey, metaBucket)
}

// newLineage returns a number that is not 0.
func newLineage() uint64 { return rand.Uint64() | 1 }
