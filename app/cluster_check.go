//go:build cluster

package app

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"quire/app/inspect"
	"quire/store"
	"quire/store/cluster"
)

// namedDifferences is the number of different values that a report names.
const namedDifferences = 100

// loadAnew is the fix for a replica that differs from etcd.
const loadAnew = "take the file away; the node loads everything from etcd when it starts"

// CheckReplica compares the data file of a node value by value with the content of etcd at
// the commit of the file. It adds the differences to the report. No server may be using the
// data file.
func (l Location) CheckReplica(ctx context.Context, how Joining, r *inspect.Report) (err error) {
	was, is, err := l.node()
	if err != nil {
		return err
	}
	j, to, err := how.open("")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	if !is || !was.isOf(to) {
		return fmt.Errorf("%s is not that of a node of %s", l.DataFolder(), to)
	}
	if err := j.CheckFormat(ctx); err != nil {
		return err
	}
	db, err := store.Open(l.DataFile(), store.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return l.compare(ctx, j, db, r)
}

func (l Location) compare(ctx context.Context, j *cluster.Journal, db *store.DB, r *inspect.Report) error {
	n := 0
	err := db.View(func(tx *store.Tx) error {
		return j.Compare(ctx, tx, func(d cluster.Difference) error {
			if n++; n <= namedDifferences {
				r.Problem(l.DataFile(), fmt.Sprintf("%s %q", strings.Join(d.Path, "/"), d.Key), sides(d), loadAnew)
			}
			return nil
		})
	})
	if more := n - namedDifferences; more > 0 {
		r.Problem(l.DataFile(), "", fmt.Sprintf("is not what etcd has in %d more values", more), loadAnew)
	}
	if past := (*cluster.PastError)(nil); errors.As(err, &past) {
		r.Problem(l.DataFile(), "", past.Error(), "start the node, which loads what etcd has, stop it and check it again")
		return nil
	}
	return err
}

// sides returns which side has a value, without the value.
func sides(d cluster.Difference) string {
	switch {
	case !d.InFile:
		return "is missing, and etcd has it"
	case !d.InEtcd:
		return "is there, and etcd does not have it"
	}
	return "is not what etcd has"
}
