package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"quire/store"
)

// dataName is the name of the data file in a data folder, and in a copy of it.
const dataName = "quire.db"

// putImage puts the uploads and the data file of one moment.
func (s *Sender) putImage(ctx context.Context, letter byte) (err error) {
	if f, ok := s.Target.(*folder); ok {
		if err := f.create(); err != nil {
			return err
		}
	}
	number := s.state.Number + 1
	name := entry{letter: eachLetter, from: number}.name(s.ID)
	switch id, err := idOf(ctx, s.Target, name); {
	case err != nil: // before the copy is made
		return err
	case id != "":
		return s.otherWriter(ctx, name)
	}
	staged, err := s.Stage(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(staged)) }()
	at := s.queue.Time()
	s.sweeping.Lock() // so that no file is removed that is not put again
	defer s.sweeping.Unlock()
	if err := s.putFiles(ctx, filepath.Join(staged, "uploads"), entry{letter: namesLetter, from: number, to: uint64(at)}); err != nil {
		return err
	}
	head := &Header{Kind: imageKind, Program: s.Program, Schemas: s.Schemas(), Number: number, To: at, From: at, Continues: s.Continues}
	path := filepath.Join(s.Folder, "outgoing")
	if err := s.writeImage(ctx, path, filepath.Join(staged, dataName), head); err != nil {
		return err
	}
	if err := s.put(ctx, path, entry{letter: letter, from: number, to: uint64(at)}.name(s.ID), head.id); err != nil {
		return err
	}
	s.state.Image, s.state.Shows = at, head.Last.Revision
	if letter == anewLetter {
		s.state.Anew, s.state.Last, s.state.Time = false, store.CommitID{}, at
	}
	return s.state.save()
}

// writeImage checks a copy of a data file, and writes it as an object.
func (s *Sender) writeImage(ctx context.Context, path, data string, head *Header) error {
	damage, err := store.CheckFile(ctx, data)
	if err != nil {
		return err
	}
	if len(damage) > 0 {
		return fmt.Errorf("the data file is damaged, see `quire check`: %w", damage[0].Err)
	}
	if head.Last, err = lastCommit(data); err != nil {
		return err
	}
	file, err := os.Open(data)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	head.Size = info.Size()
	return writeObject(path, head, s.Key, func(to io.Writer) error {
		_, err := io.Copy(to, &stoppable{ctx, file})
		return err
	})
}

// lastCommit returns the last commit in a data file that nobody has open.
func lastCommit(path string) (store.CommitID, error) {
	db, err := store.Open(path, store.Options{Existing: true, ReadOnly: true})
	if err != nil {
		return store.CommitID{}, err
	}
	last, err := db.LastCommit()
	return last, errors.Join(err, db.Close())
}

// stoppable ends with its context.
type stoppable struct {
	ctx  context.Context
	from io.Reader
}

func (s *stoppable) Read(b []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.from.Read(b)
}
