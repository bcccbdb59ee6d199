package index

import "slices"

// distinct collects distinct values, in the order in which they first come. A few are
// compared with each other, many are looked up: an entry may have one value or ten thousand
// at a path, and the time is proportional to their number.
type distinct[T comparable] struct {
	all   []T
	known map[T]struct{} // of all, if they are many
}

// mostCompared is the maximum number of values that are compared with each other.
const mostCompared = 32

func (d *distinct[T]) has(one T) bool {
	if d.known == nil {
		return slices.Contains(d.all, one)
	}
	_, ok := d.known[one]
	return ok
}

// add reports whether the value is new.
func (d *distinct[T]) add(one T) bool {
	if d.has(one) {
		return false
	}
	d.all = append(d.all, one)
	switch {
	case d.known != nil:
		d.known[one] = struct{}{}
	case len(d.all) > mostCompared:
		d.known = make(map[T]struct{}, 2*len(d.all))
		for _, one := range d.all {
			d.known[one] = struct{}{}
		}
	}
	return true
}

// reconcile calls gone for each value only in old, and come for each value only in new.
func reconcile[T comparable](old, new distinct[T], gone, come func(T)) {
	for _, one := range old.all {
		if !new.has(one) {
			gone(one)
		}
	}
	for _, one := range new.all {
		if !old.has(one) {
			come(one)
		}
	}
}
