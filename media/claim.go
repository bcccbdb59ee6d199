package media

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"

	"quire/store"
)

// Files in a bucket may belong to others: other nodes of the site have files there that
// this one does not know yet, and a copy of the site may use the bucket. So a file is not a
// stray because no record here names it. Instead, this node claims each file in its own
// folder before it sends it, with an empty file, and removes the claim when the file has
// its record or has been removed. A claim that is left, because of a crash or because the
// object store did not respond, says which file to check later: with a record it stays, and
// without one it is removed.

const claimPrefix = temporary + "claim-"

// claimAge is the minimum age of a claim that is checked: by then its upload has ended, and
// every node of the site has its record.
const claimAge = 24 * time.Hour

func isClaim(name string) bool { return strings.HasPrefix(name, claimPrefix) }

// claim claims files by their names; the claims are durable when it returns.
func (f *Folder) claim(names ...string) error {
	for _, name := range names {
		if err := os.WriteFile(f.at(claimPrefix+name), nil, 0o600); err != nil {
			return storageError(err)
		}
	}
	return storageError(store.SyncFolder(f.path))
}

// unclaim removes claims. One that stays is checked later.
func (f *Folder) unclaim(names ...string) {
	for _, name := range names {
		_ = os.Remove(f.at(claimPrefix + name))
	}
}

// SweepClaims checks the claims that are older than a day, and removes those files that
// have no record. It calls named, which returns the names in records, only if there are
// such claims. It returns the number of removed files.
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

// oldClaims returns the names of the files that were claimed more than a day ago.
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
