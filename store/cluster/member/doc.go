// Package member runs a member of etcd in this process: for users without an etcd, and for
// tests. It is built only with the tag cluster.
//
// Its noun is the [Member], which lives from Start to Close.
package member
