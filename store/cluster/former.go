//go:build cluster

package cluster

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"

	"quire/store"
)

// FormerError: there is no former generation with that number.
type FormerError struct{ Generation uint64 }

func (e *FormerError) Error() string {
	return fmt.Sprintf("etcd keeps no former generation %d; `quire cluster status` lists those that there are", e.Generation)
}

// formers returns the last heads of the stored former generations, by their numbers.
func (j *Journal) formers(ctx context.Context) (heads map[uint64]Head, err error) {
	got, err := j.get(ctx, j.keys.formers(), clientv3.WithPrefix())
	if err != nil {
		return nil, err
	}
	heads = map[uint64]Head{}
	for _, kv := range got.Kvs {
		number, err := strconv.ParseUint(strings.TrimPrefix(string(kv.Key), j.keys.formers()), 16, 64)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", kv.Key, errKey)
		}
		if heads[number], err = parseHead(kv.Value); err != nil {
			return nil, err
		}
	}
	return heads, nil
}

// GoBack makes a stored former generation the current one again, in its last state, for the
// schemas that it was for. The replaced one is stored in turn. Like every replacement of
// content it begins another lineage; its revisions skip ahead, because those since were of
// other content. It returns the new head. The error is a *FormerError if the generation
// does not exist.
func (j *Journal) GoBack(ctx context.Context, generation uint64) (h Head, err error) {
	lease, release, err := j.frozen(ctx)
	if err != nil {
		return h, err
	}
	defer release()
	was, err := j.now(ctx)
	if err != nil {
		return h, err
	}
	heads, err := j.formers(ctx)
	if err != nil {
		return h, err
	}
	h, kept := heads[generation]
	if !kept || generation == was.head.Generation {
		return h, &FormerError{generation}
	}
	h.Revision, h.Mark, h.After, h.Lineage = max(was.head.Revision, h.Revision)+store.UnknownLead, newMark(), 0, newLineage()
	h.Etcd, h.Node, h.Time, h.Newest = was.head.Etcd, j.node, later(was.head.Time), was.head.Newest
	_, err = j.switchTo(ctx, was, h, lease, j.anew(h)...)
	return h, err
}

// Fits returns an *OtherSchemasError if the content is for other schemas than this node
// has. Replacing all content makes the node's own schemas those of the cluster.
func (j *Journal) Fits(ctx context.Context) error {
	now, err := j.now(ctx)
	if err == nil && j.schema != "" && j.schema != now.head.Schema {
		err = &OtherSchemasError{Content: now.head.Schema, Node: j.schema}
	}
	return err
}
