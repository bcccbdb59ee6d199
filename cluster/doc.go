// Package cluster has several nodes serve one site. etcd decides the order of their
// commits; each node has all content in its own data file and answers reads from there.
// But for this comment it is built with the tag cluster alone.
//
// Its nouns:
//
//   - An [Address] says where etcd is and which site it is about.
//   - A [Journal] is the store.Journal that etcd keeps. It lives as long as the node.
//   - The [Head] is the value of one key: what the last commit was, of which lineage, where
//     its values are, and for which schemas. Each commit compares and replaces it, so that
//     no two nodes can commit at the same place.
//   - A [Member] is this node as the others see it: a key that goes when it does not renew
//     it, with the address that others forward to.
//   - The writer is the node that all forward their writes to. It keeps throughput, not
//     order: two that think they are it are slow and correct.
//   - A duty is what one node does for all, such as sending webhooks. Who has it holds a
//     key that goes with the node.
//
// The keys of a site, all below quire/<site>/:
//
//	rev                             the Head
//	s/<generation>/<bucket>␀…␀␀<key>  the stored bytes, unchanged
//	hold                            who has commits wait while it replaces everything
//	writer                          the name of the node that writes
//	duty                            the name of the node that does what one does for all
//	node/<name>                     a Member
//	authority                       with which nodes know each other
//	former/<generation>             the last Head of a generation that is kept
//	format                          3
//
// The package knows no HTTP but for what nodes forward to each other, no content, and
// nothing of what the values mean.
package cluster
