// Package member runs a member of etcd in this process: for those who have no etcd, and
// for tests. It is built with the tag cluster alone.
//
// Its noun is the [Member], which lives from Start to Close.
package member
