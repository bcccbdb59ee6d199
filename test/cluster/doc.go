// Package cluster tests several nodes that share a site, from outside: members of etcd and
// nodes are processes, which tests kill, pause and start again. Its tests are built only
// with the tag cluster. Files are in a bucket of an object store if there is one, see the
// package test/gateway.
//
//	go test -tags cluster ./test/cluster
package cluster
