package stream

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"
)

// An uploaded file stays in the target for as long as a moment that can be restored names it.
// Names are never used twice. So a file that was put before the oldest image, and that neither
// this image nor a later one names, is not needed: it was deleted before.

// clocks is how far the clock of the target and that of this machine may differ.
const clocks = 24 * time.Hour

// has reports whether the target has an uploaded file.
func (s *Sender) has(hash string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.files[hash]
}

// putFiles puts the uploaded files in a folder, and a list of them.
func (s *Sender) putFiles(ctx context.Context, folder string, list entry) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	var hashes []byte
	for _, e := range entries {
		if err := s.putFile(ctx, folder, e.Name()); err != nil {
			return err
		}
		hashes = append(append(hashes, s.Key.nameOf(e.Name())...), '\n')
	}
	path, head := filepath.Join(s.Folder, "outgoing"), &Header{Kind: namesKind, Size: int64(len(hashes)), Number: list.from, To: list.time()}
	err = writeObject(path, head, s.Key, func(to io.Writer) error {
		_, err := to.Write(hashes)
		return err
	})
	if err != nil {
		return err
	}
	return s.put(ctx, path, list.name(s.ID), head.id)
}

// Thin merges and removes what is old at that time; see Catalog.Thin.
func (s *Sender) Thin(ctx context.Context, c *Catalog, now time.Time) error {
	if err := errors.Join(c.Thin(ctx, s.Folder, now), c.ThinFormers(ctx, s.Folder, now)); err != nil {
		return err
	}
	s.sweeping.Lock()
	defer s.sweeping.Unlock()
	c, err := s.Catalog(ctx)
	if err != nil {
		return err
	}
	unused, err := c.unused(ctx)
	if err != nil {
		return err
	}
	for _, e := range unused {
		if err := c.remove(ctx, e); err != nil {
			return err
		}
		s.mu.Lock()
		delete(s.files, e.file)
		s.mu.Unlock()
	}
	return nil
}

// unused lists the uploaded files that no moment names, and the lists of images that are gone.
func (c *Catalog) unused(ctx context.Context) (list []entry, err error) {
	if len(c.images) == 0 {
		return nil, nil
	}
	named := map[entry]entry{}
	for _, e := range c.names {
		named[entry{from: e.from, to: e.to}] = e
	}
	oldest := c.images[0].time()
	for _, e := range c.images {
		oldest = min(oldest, e.time())
	}
	candidates := map[string]bool{}
	for hash, put := range c.files {
		if put.Add(clocks).UnixMilli() < oldest {
			candidates[hash] = true
		}
	}
	for _, image := range c.images {
		at := entry{from: image.from, to: image.to}
		e, known := named[at]
		if !known {
			return nil, nil
		}
		delete(named, at)
		if len(candidates) == 0 {
			continue
		}
		switch err := c.strike(ctx, e, candidates); {
		case errors.As(err, new(*DamageError)):
			return nil, nil // nobody knows what it named
		case err != nil:
			return nil, err
		}
	}
	for hash := range candidates {
		list = append(list, entry{letter: fileLetter, file: hash})
	}
	for _, e := range named {
		list = append(list, e)
	}
	return list, nil
}

// strike removes the files that an image names from a set.
func (c *Catalog) strike(ctx context.Context, list entry, from map[string]bool) error {
	o, err := openObject(ctx, c.Target, list.name(c.ID))
	if err != nil {
		return c.named(list, err)
	}
	defer o.close()
	if err := o.is(list); err != nil {
		return err
	}
	return o.read(c.Key, func(text io.Reader) error {
		lines := bufio.NewScanner(text)
		for lines.Scan() {
			delete(from, lines.Text())
		}
		return lines.Err()
	})
}
