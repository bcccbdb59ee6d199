package media

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"quire/content"
	"quire/content/body"
	"quire/index"
)

// PartForm begins an upload in pieces: Info has the form of one of a form's "fileInfo".
type PartForm struct {
	Name string          `json:"name"`
	Size int64           `json:"size"`
	Info json.RawMessage `json:"info"`
}

// BeginPart begins an upload in pieces. Errors: *TooLargeError, *PartFormError, *FullError,
// those of ParseInfo, and the file system's.
func (l *Library) BeginPart(owner string, form PartForm) (*Part, error) {
	limit := l.site.Settings.Upload.SizeLimit
	switch {
	case form.Name == "" || len(form.Name) > 1000:
		return nil, &PartFormError{"name", "name must be that of the file, of at most 1000 bytes"}
	case len(form.Info) > longestPart:
		return nil, &PartFormError{"info", fmt.Sprintf("info has at most %d bytes", longestPart)}
	case form.Size <= 0:
		return nil, &PartFormError{"size", "size must be that of the file, in bytes, which is not empty"}
	case form.Size > limit:
		return nil, &TooLargeError{form.Name, limit}
	}
	if _, err := partInfo(form.Info); err != nil {
		return nil, err
	}
	return l.folder.parts.begin(Part{Owner: owner, Name: form.Name, Size: form.Size, Info: form.Info}, limit)
}

// PartFormError refuses an upload because of one key of its description.
type PartFormError struct{ Key, Message string }

func (e *PartFormError) Error() string { return e.Message }

func partInfo(text json.RawMessage) (FileInfo, error) {
	if len(text) == 0 {
		return nil, nil
	}
	infos, err := ParseInfo(string(text), 1)
	if err == errInfo || text[0] == '[' {
		return nil, &PartFormError{"info", "info must be one object"}
	}
	if err != nil || len(infos) == 0 {
		return nil, err
	}
	return infos[0], nil
}

// Part returns the current state of an upload of an owner. The error is ErrNoPart.
func (l *Library) Part(owner, id string) (Part, error) { return l.folder.parts.look(owner, id) }

// GiveUpPart removes an incomplete upload. Errors: ErrNoPart, ErrPartBusy, and the file
// system's.
func (l *Library) GiveUpPart(owner, id string) error {
	p := l.folder.parts
	held, err := p.take(owner, id)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.drop(held.ID)
}

// WritePart appends a piece to an upload. When the upload is complete, it is processed and
// saved as by Receive and Save, and part.Done reports that it has its record, with
// part.DocumentID. An upload that these refuse is given up. Errors: ErrNoPart, ErrPartBusy,
// *OffsetError, those of Receive and Save, and *ReadError if the piece was interrupted:
// what has arrived stays.
func (l *Library) WritePart(ctx context.Context, owner, id string, offset int64, r io.Reader) (part Part, snapshot *index.Snapshot, err error) {
	p := l.folder.parts
	held, err := p.take(owner, id)
	if err != nil {
		return part, nil, err
	}
	defer p.giveBack(held)
	if !held.Done {
		if err := p.write(held, offset, r); err != nil {
			return held.Part, nil, err
		}
		if held.Offset < held.Size {
			return held.Part, nil, nil
		}
		if err := l.keepPart(ctx, held); err != nil {
			return held.Part, nil, err
		}
	}
	return held.Part, l.index.Snapshot(), nil
}

// keepPart makes a file of a complete upload.
func (l *Library) keepPart(ctx context.Context, held *heldPart) error {
	p := l.folder.parts
	if _, made := l.stored(l.index.Snapshot(), held.DocumentID); !made { // before a restart
		if err := l.savePart(ctx, held); err != nil {
			if isRefusal(err) {
				p.mu.Lock()
				defer p.mu.Unlock()
				err = errors.Join(err, p.drop(held.ID))
			}
			return err
		}
	}
	done := held.Part
	done.Done = true
	if err := p.describe(&done); err != nil {
		return err
	}
	p.mu.Lock()
	held.Done = true
	p.mu.Unlock()
	return storageError(ignoreMissing(os.Remove(p.content(held.ID))))
}

func (l *Library) savePart(ctx context.Context, held *heldPart) error {
	file, err := os.Open(l.folder.parts.content(held.ID))
	if err != nil {
		return storageError(err)
	}
	defer file.Close()
	u, err := l.Receive(ctx, file, held.Name)
	if err != nil {
		return err
	}
	defer u.Discard()
	if u.Info, err = partInfo(held.Info); err != nil {
		return err
	}
	u.documentID = held.DocumentID
	_, err = l.Save(ctx, []*Upload{u}, nil)
	return err
}

// isRefusal reports whether an upload can never be saved.
func isRefusal(err error) bool {
	var large *TooLargeError
	var kind *TypeError
	var values *body.ValidationError
	var key *body.KeyError
	var application *content.ApplicationError
	return errors.As(err, &large) || errors.As(err, &kind) || errors.As(err, &values) || errors.As(err, &key) || errors.As(err, &application)
}
