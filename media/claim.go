package media

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"quire/store"
)

// What is in a bucket may be anybody's: other nodes of the site have files there that this
// one has not heard of, and a copy of the site may use it. So a file is never taken for a
// stray because no record here names it. Instead, this node claims each file in its own
// folder before it sends it, by an empty file, and takes the claim back when the file has
// its record or is gone again. A claim that is left, by a crash or because the object store
// did not answer, says which file is to be looked at later: with a record it stays, and
// without one it goes.

const claimPrefix = temporary + "claim-"

// claimAge is how old a claim must be before it is looked at: what it is for has ended
// then, and every node of the site has heard of the record.
const claimAge = 24 * time.Hour

func isClaim(name string) bool { return strings.HasPrefix(name, claimPrefix) }

// claim claims files by their names; it is on the disk when it returns.
func (f *Folder) claim(names ...string) error {
	for _, name := range names {
		if err := os.WriteFile(f.at(claimPrefix+name), nil, 0o600); err != nil {
			return storageError(err)
		}
	}
	return storageError(store.SyncFolder(f.path))
}

// unclaim takes claims back. One that stays is looked at later.
func (f *Folder) unclaim(names ...string) {
	for _, name := range names {
		_ = os.Remove(f.at(claimPrefix + name))
	}
}

// SweepClaims looks at the claims that are older than a day: it removes those files that
// have no record, as named says, which is asked only if there are such claims. It returns
// how many files were removed.
func (f *Folder) SweepClaims(ctx context.Context, now time.Time, named func() ([]string, error)) (removed int, err error) {
	names, err := f.oldClaims(now)
	if err != nil || len(names) == 0 {
		return 0, err
	}
	list, err := named()
	if err != nil {
		return 0, err
	}
	recorded := make(map[string]bool, len(list))
	for _, name := range list {
		recorded[name] = true
	}
	var errs []error
	for _, name := range names {
		if !recorded[name] {
			if err := f.removeAll(ctx, []string{name}); err != nil {
				errs = append(errs, err)
				continue
			}
			removed++
		}
		f.unclaim(name)
	}
	return removed, errors.Join(errs...)
}

// oldClaims are the names of the files that were claimed more than a day ago.
func (f *Folder) oldClaims(now time.Time) (names []string, err error) {
	all, err := f.names()
	if err != nil {
		return nil, err
	}
	for _, claim := range all {
		name, ok := strings.CutPrefix(claim, claimPrefix)
		if !ok || !SafeName(name) {
			continue
		}
		if info, err := os.Lstat(f.at(claim)); err == nil && info.ModTime().Before(now.Add(-claimAge)) {
			names = append(names, name)
		}
	}
	return names, nil
}
