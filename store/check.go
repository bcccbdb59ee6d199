package store

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
)

// Check walks every page of the file as of the last commit, decodes every entry and returns
// all the damage found; none means that the file is sound. Readers and writers continue.
// The error says why the check could not be finished: the context's, or an *AccessError.
func (db *DB) Check(ctx context.Context) ([]*CorruptError, error) {
	// No commit may come between the view, which keeps the pages, and the head that says
	// where they are; nor may another file replace the one that is opened here.
	db.writing.Lock()
	unlock := sync.OnceFunc(db.writing.Unlock)
	defer unlock()
	f, err := os.Open(db.path)
	if err != nil {
		return nil, accessError(db.path, err)
	}
	defer func() { _ = f.Close() }()
	c := newCheck()
	err = db.View(func(*Tx) error {
		err := c.walk.open(ctx, db.path, f)
		unlock()
		if err != nil {
			return err
		}
		return c.walk.run()
	})
	return c.result(err)
}

// CheckFile is Check for a file that is not open, even one that Open refuses. It does not
// write to it. The error may also be a *LockedError or a *FormatError.
func CheckFile(ctx context.Context, path string) ([]*CorruptError, error) {
	c := newCheck()
	f, done, err := openToRead(path, 0)
	if err != nil {
		return c.result(err)
	}
	defer done()
	if err := c.walk.open(ctx, path, f); err != nil {
		return c.result(err)
	}
	if err := c.walk.run(); err != nil {
		return c.result(err)
	}
	return c.result(c.identity.judge(path, FileFormat))
}

// check is a walk that collects damage.
type check struct {
	walk     fileWalk
	identity identity
	decoder  *decoder
	problems []*CorruptError
}

func newCheck() *check {
	c := &check{decoder: newDecoder()}
	c.walk.bucket = c.identity.bucket
	c.walk.item = c.item
	c.walk.problem = func(e *CorruptError) bool {
		c.problems = append(c.problems, e)
		return true
	}
	return c
}

func (c *check) item(names []string, key, value []byte) {
	if len(names) == 0 {
		return
	}
	c.identity.item(names, key, value)
	var err error
	readable := string(key)
	switch {
	case names[0] == contentBucket && len(names) == 3:
		p := entryBucketAt(names[1], names[2])
		readable = p.readableKey(key)
		_, err = c.decoder.entry(p, key, value)
		c.decoder.keep() // the walk reuses the memory
	case names[0] == metaBucket && string(key) == openedKey: // any text
	case names[0] == changedBucket, names[0] == metaBucket && string(key) == originKey:
		_, err = commitID(value)
	case names[0] == sequenceBucket, names[0] == metaBucket:
		_, err = parseNumber(value)
	}
	if err != nil {
		c.walk.damage(strings.Join(names, "/"), readable, err)
	}
}

// result turns an error that is damage into one more problem.
func (c *check) result(err error) ([]*CorruptError, error) {
	if damage, ok := errors.AsType[*CorruptError](err); ok {
		return append(c.problems, damage), nil
	}
	return c.problems, err
}
