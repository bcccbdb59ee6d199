package release

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"quire/store"
)

// Runs are the releases that are being carried out. Those that have no content type in
// common are carried out side by side, so that a slow hook delays none that is not about
// its types. The others are carried out in the order of their times.
//
// Runs live as long as the server, over all versions of the site. The zero value is ready
// to use. One goroutine calls Begin and Wait.
type Runs struct {
	all sync.WaitGroup

	mu     sync.Mutex
	keys   map[string]bool // records of the releases that may wait for a hook
	types  map[string]bool // and their types, by uid
	failed error           // of those that have ended
}

// group is releases that are due and have types in common, the earliest first.
type group struct {
	due    []moment
	types  map[string]bool // by uid
	hooked bool            // whether hooks are asked about one of the types
}

// Run carries out all that is due at a time, and waits for it. Errors are those of
// Runs.Begin.
func (c *Calendar) Run(ctx context.Context, now time.Time, report func(Outcome)) error {
	var runs Runs
	for {
		if err := runs.Begin(ctx, c, now, report); err != nil {
			return err
		}
		runs.Wait()
		if due, err := c.due(now, 1); err != nil || len(due) == 0 {
			return errors.Join(err, runs.ended())
		}
	}
}

// Begin carries out the releases that are due at a time, the earliest first, and reports
// how each went. It returns before those have ended about which hooks are asked. Releases
// with the same types are begun by a later call. An error, also of what an earlier call has
// begun, means that Begin must be called again, for example because nothing can be written
// at present. Later releases have not been done then.
//
// A release about which a hook cannot be asked is postponed.
//
// The actors of the writes are the schedules, by their ids.
func (r *Runs) Begin(ctx context.Context, c *Calendar, now time.Time, report func(Outcome)) error {
	if err := r.ended(); err != nil {
		return err
	}
	groups, err := r.free(c, now)
	if err != nil {
		return err
	}
	var plain []moment
	for _, g := range groups {
		if g.hooked {
			r.begin(ctx, c, g, report)
			continue
		}
		plain = append(plain, g.due...)
	}
	slices.SortFunc(plain, inTime)
	return newRound(c).runAll(ctx, plain, together, report)
}

// Wait waits until all that was begun has ended. The next Begin returns its errors.
func (r *Runs) Wait() { r.all.Wait() }

// Idle reports whether nothing is being carried out, and the next Begin has no error of what
// was.
func (r *Runs) Idle() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.keys) == 0 && r.failed == nil
}

// ended returns the errors of what has ended since the last call.
func (r *Runs) ended() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.failed
	r.failed = nil
	return err
}

// begin carries out a group beside others.
func (r *Runs) begin(ctx context.Context, c *Calendar, g *group, report func(Outcome)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.keys == nil {
		r.keys, r.types = map[string]bool{}, map[string]bool{}
	}
	maps.Copy(r.types, g.types)
	for _, m := range g.due {
		r.keys[m.key] = true
	}
	r.all.Go(func() {
		err := newRound(c).runAll(ctx, g.due, togetherWithHooks, report)
		r.mu.Lock()
		defer r.mu.Unlock()
		for uid := range g.types {
			delete(r.types, uid)
		}
		for _, m := range g.due {
			delete(r.keys, m.key)
		}
		r.failed = errors.Join(r.failed, err)
	})
}

// free returns the groups that are due and have no type in common with those that are being
// carried out.
func (r *Runs) free(c *Calendar, now time.Time) (groups []*group, err error) {
	due, err := c.due(now, MaxSchedules+MaxReleases)
	if err != nil || len(due) == 0 {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	due = slices.DeleteFunc(due, func(m moment) bool { return r.keys[m.key] })
	groups, err = c.groups(due)
	return slices.DeleteFunc(groups, func(g *group) bool { return overlaps(g.types, r.types) }), err
}

// groups puts releases with types in common into one group each.
func (c *Calendar) groups(due []moment) (groups []*group, err error) {
	err = c.db.View(func(tx *store.Tx) error {
		for _, m := range due {
			one := c.groupOf(tx, m)
			groups = slices.DeleteFunc(groups, func(g *group) bool {
				if !overlaps(g.types, one.types) {
					return false
				}
				maps.Copy(g.types, one.types)
				one = &group{append(g.due, one.due...), g.types, g.hooked || one.hooked}
				return true
			})
			groups = append(groups, one)
		}
		return nil
	})
	for _, g := range groups {
		slices.SortFunc(g.due, inTime)
	}
	return groups, err
}

// groupOf is the group of one release. One that is gone or cannot be read has no types: run
// reports it.
func (c *Calendar) groupOf(tx *store.Tx, m moment) *group {
	g := &group{due: []moment{m}, types: map[string]bool{}}
	r, err := read(tx, m.key)
	if err != nil || r == nil {
		return g
	}
	for _, s := range r.Steps {
		t := c.site.Type(s.Type)
		g.types[s.Type], g.hooked = true, g.hooked || t != nil && c.writer.HasHooks(t)
	}
	return g
}

// inTime orders moments by their times.
func inTime(a, b moment) int { return cmp.Compare(a.text, b.text) }

func overlaps(a, b map[string]bool) bool {
	for uid := range a {
		if b[uid] {
			return true
		}
	}
	return false
}
