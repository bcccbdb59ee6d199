package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"quire/media"
	"quire/store"
)

// A server that takes the place of another one ends the other's stream: it puts an end under
// the number of the next segment. The target accepts one object under that number, so either
// the end or a further segment is there. The other server finds the end when it puts its next
// segment, and every few seconds, and writes no more. The new one has a stream of its own,
// which names the one that it continues.

// endKind is the kind of an end. It has no content.
const endKind = "end"

// Takeover says who has taken the place of the server that a stream is of.
type Takeover struct {
	Epoch  uint64         `json:"epoch,string"`
	Leader string         `json:"leader"` // its address
	Stream string         `json:"stream"` // the id of its data folder
	Has    store.CommitID `json:"has"`    // the last commit of the ended stream that it has
}

// EndedError reports that another server has taken the place of this one.
type EndedError struct {
	Target string
	End    Takeover
}

func (e *EndedError) Error() string {
	return fmt.Sprintf("the server at %s is the leader since epoch %d, and has ended this stream in %s", e.End.Leader, e.End.Epoch, e.Target)
}

// Branch is where a stream continues another one.
type Branch struct {
	Stream string         `json:"stream"` // the id of the data folder of the other one
	Has    store.CommitID `json:"has"`    // the last commit of the other one that this one contains
}

// Finish ends the stream of another server. It needs a folder for one small file. last is the
// last commit in the stream. Finish does nothing if the same server has ended it before, and
// returns an *EndedError if another one has.
func (c *Catalog) Finish(ctx context.Context, folder string, e Takeover) (last store.CommitID, err error) {
	for range mostListings {
		now, err := Load(ctx, c.Target, c.ID)
		switch {
		case err != nil:
			return last, err
		case len(now.images) == 0:
			return last, now.nothing()
		}
		number := max(now.last().to+1, now.images[len(now.images)-1].from)
		if now.last().to > 0 {
			h, err := now.head(ctx, now.last())
			switch {
			case errors.Is(err, errMissing):
				continue
			case err != nil:
				return last, err
			case h.End != nil && h.End.Stream != e.Stream:
				return last, &EndedError{c.Target.String(), *h.End}
			case h.End != nil:
				return h.Last, nil
			}
			last = h.Last
		}
		put, err := c.putEnd(ctx, folder, &Header{Kind: endKind, Number: number, Through: number, Last: last, End: &e})
		if put || err != nil {
			return last, err
		}
	}
	return last, fmt.Errorf("the server whose stream is in %s goes on writing to it", c.Target)
}

// putEnd reports whether the number was free.
func (c *Catalog) putEnd(ctx context.Context, folder string, h *Header) (put bool, err error) {
	path := filepath.Join(folder, "end")
	if err := writeObject(path, h, c.Key, func(io.Writer) error { return nil }); err != nil {
		return false, err
	}
	defer os.Remove(path)
	name := entry{letter: eachLetter, from: h.Number}.name(c.ID)
	failed := c.Target.Put(ctx, media.LocalFile{Path: path, Name: name, Mime: "application/octet-stream"})
	id, err := idOf(ctx, c.Target, name)
	switch {
	case id == h.id:
		return true, nil
	case id != "": // another object has the number
		return false, nil
	}
	return false, errors.Join(failed, err)
}

// endOf returns the end in the target under the name of a segment; nil for none.
func (s *Sender) endOf(ctx context.Context, name string) (*Takeover, error) {
	o, err := openObject(ctx, s.Target, name)
	switch {
	case errors.Is(err, os.ErrNotExist), errors.As(err, new(*DamageError)):
		return nil, nil
	case err != nil:
		return nil, err
	}
	defer o.close()
	if o.End == nil {
		return nil, nil
	}
	// With a key, nobody else can make one.
	if err := o.read(s.Key, func(io.Reader) error { return nil }); err != nil {
		return nil, err
	}
	return o.End, nil
}

// Ended returns who has taken the place of this server, by the target; nil for nobody. Run
// finds that out too, but later. Ended returns when ctx is done, whatever the target does.
func (s *Sender) Ended(ctx context.Context) (end *Takeover, err error) {
	number, fresh := s.state.Number, s.state.new
	answered := make(chan struct{})
	var found *Takeover
	var failed error
	go func() {
		defer close(answered)
		if fresh {
			var c *Catalog
			if c, failed = Load(ctx, s.Target, s.ID); failed != nil || c.last().to == 0 {
				return
			}
			number = c.last().to - 1
		}
		for n := range uint64(2) { // a segment may have arrived of which the state does not know
			if found, failed = s.endOf(ctx, entry{letter: eachLetter, from: number + 1 + n}.name(s.ID)); found != nil || failed != nil {
				return
			}
		}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-answered:
		return found, failed
	}
}

// otherWriter explains that another server has put an object under a number of this one.
func (s *Sender) otherWriter(ctx context.Context, name string) error {
	end, err := s.endOf(ctx, name)
	switch {
	case err != nil:
		return err
	case end != nil:
		return &EndedError{s.Target.String(), *end}
	}
	return &OtherWriterError{s.Target.String(), name}
}

// askEvery is how often a sender that has nothing to send asks whether its stream was ended.
const askEvery = 5 * time.Second

// ask asks whether another server has used the next number.
func (s *Sender) ask(ctx context.Context) error {
	if time.Since(s.lookedAt) < askEvery {
		return nil
	}
	name := entry{letter: eachLetter, from: s.state.Number + 1}.name(s.ID)
	id, err := idOf(ctx, s.Target, name)
	if err == nil && id != "" {
		err = s.otherWriter(ctx, name)
	}
	s.lookedAt = time.Now()
	return err
}

// mostFormers limits how many streams are followed back.
const mostFormers = 100

// Trace finds the streams that this one continues, so that their moments can be restored too.
// keyOf returns the key of the stream of a data folder.
func (c *Catalog) Trace(ctx context.Context, keyOf func(id string) (*Key, error)) error {
	for range mostFormers {
		if len(c.images) == 0 {
			return nil
		}
		h, err := c.head(ctx, c.images[0])
		switch {
		case errors.As(err, new(*DamageError)):
			return nil // the moments of this one can be restored
		case err != nil:
			return err
		case h.Continues == nil:
			return nil
		}
		former, err := Load(ctx, c.Target, h.Continues.Stream)
		if err != nil {
			return err
		}
		if former.Key, err = keyOf(former.ID); err != nil {
			return err
		}
		former.until, former.resumed = h.Continues.Has.Revision, c.images[0].time()
		if e := former.last(); e.to > 0 {
			h, err := former.head(ctx, e)
			former.ended = err == nil && h.End != nil
		}
		c.Former = former
		c = former
	}
	return nil
}

// Newest returns the data folder whose stream continues those of all others in a target; empty
// if there is none.
func Newest(ctx context.Context, target media.Storage, ids []string) (string, error) {
	continued := map[string]bool{}
	for _, id := range ids {
		c, err := Load(ctx, target, id)
		if err != nil {
			return "", err
		}
		if len(c.images) == 0 {
			continue
		}
		h, err := c.head(ctx, c.images[0])
		if err != nil && !errors.As(err, new(*DamageError)) {
			return "", err
		}
		if err == nil && h.Continues != nil {
			continued[h.Continues.Stream] = true
		}
	}
	newest := ""
	for _, id := range ids {
		switch {
		case continued[id]:
		case newest != "":
			return "", nil
		default:
			newest = id
		}
	}
	if len(continued) < len(ids)-1 {
		return "", nil
	}
	return newest, nil
}

// ThinFormers thins the streams that this one continues, which nobody else does any more. What
// one has is removed when this one is a year old.
func (c *Catalog) ThinFormers(ctx context.Context, folder string, now time.Time) error {
	for f := c.Former; f != nil; f = f.Former {
		switch {
		case !f.ended:
		case now.Sub(time.UnixMilli(f.resumed)) > dropAfter:
			all := slices.Concat(f.covered, f.images, f.names, f.segments)
			for hash := range f.Files {
				all = append(all, entry{letter: fileLetter, file: hash})
			}
			if err := f.remove(ctx, all...); err != nil {
				return err
			}
		default:
			if err := f.Thin(ctx, folder, now); err != nil {
				return err
			}
		}
	}
	return nil
}
