// Package cluster lets several nodes serve one site. etcd decides the order of their
// commits; each node has all content in its own data file and answers reads from there.
// Except for this comment, the package is built only with the tag cluster.
//
// Its nouns:
//
//   - An [Address] says where etcd is, and names the site.
//   - A [Journal] is the store.Journal in etcd. It lives as long as the node.
//   - The [Head] is the value of one key: the last commit, its lineage, where its values are,
//     and which schemas they are for. Each commit compares and replaces it, so that no two nodes
//     can commit at the same position.
//   - A [Member] is this node as other nodes see it: a key with the address that they forward
//     to. The key expires if the node does not renew it.
//   - The writer is the node that all others forward their writes to. It is needed for
//     throughput, not for correctness: if two nodes act as the writer, they are slow and correct.
//   - A duty is work that one node does for all, such as sending webhooks. The node that has it
//     holds a key that expires with the node.
//
// The keys of a site, all below quire/<site>/:
//
//	rev                             the Head
//	s/<generation>/<bucket>␀…␀␀<key>  the stored bytes, unchanged
//	hold                            who makes commits wait while it replaces everything
//	writer                          the name of the node that writes
//	duty                            the name of the node that has the duties
//	node/<name>                     a Member
//	authority                       with which nodes authenticate each other
//	former/<generation>             the last Head of a generation that is kept
//	format                          3
//
// The package knows no HTTP except for forwarded requests, no content, and not what the
// values mean.
package cluster
