package server

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"quire/content"
	"quire/index"
	"quire/media"
	"quire/server/edge"
)

// Uploads in pieces, each piece in a request of its own. They belong to their account;
// others cannot see them.

func beginPart(x *request) error {
	var form media.PartForm
	if err := x.readMembers(&form); err != nil {
		return err
	}
	part, err := x.site.library.BeginPart(x.owner(), form)
	if err != nil {
		return explainPart(err)
	}
	return x.answerPart(http.StatusCreated, *part, nil)
}

// owner returns the owner of the uploads of the request.
func (x *request) owner() string { return string(x.identity.Actor()) }

func showPart(x *request) error {
	part, err := x.site.library.Part(x.owner(), x.params[0].Value)
	if err != nil {
		return explainPart(err)
	}
	return x.answerPart(http.StatusOK, part, x.site.index.Snapshot())
}

// writePart takes the next piece, which is the unencoded body, at offset.
func writePart(x *request) error {
	parameters, err := x.query()
	if err != nil {
		return err
	}
	var offset int64 = -1
	if n := parameters.Get("offset"); n.IsText() {
		offset, err = strconv.ParseInt(n.Text, 10, 64)
	}
	if err != nil || offset < 0 {
		return invalid("offset must say how much of the file has come")
	}
	if err := x.share.ReserveBody(fileBuffers); err != nil {
		return err
	}
	var part media.Part
	var s *index.Snapshot
	err = x.share.Receive(true, func(b *edge.Body) (err error) {
		b.Stream()
		part, s, err = x.site.library.WritePart(x.http.Context(), x.owner(), x.params[0].Value, offset, b)
		return err
	})
	if err != nil {
		return explainPart(err)
	}
	return x.answerPart(http.StatusOK, part, s)
}

func giveUpPart(x *request) error {
	return x.done(explainPart(x.site.library.GiveUpPart(x.owner(), x.params[0].Value)))
}

// answerPart responds with the progress of an upload, and the record of a finished one.
func (x *request) answerPart(status int, p media.Part, s *index.Snapshot) (err error) {
	x.buffer = fmt.Appendf(x.scratch(), `{"id":%q,"offset":%d,"size":%d,"file":`, p.ID, p.Offset, p.Size)
	if !p.Done {
		x.buffer = append(x.buffer, "null"...)
	} else {
		q, err := x.compileFiles(nil)
		if err != nil {
			return err
		}
		if x.buffer, err = x.appendFile(x.buffer, q, content.Result{DocumentID: p.DocumentID, Snapshot: s}); err != nil {
			return err
		}
	}
	x.buffer = append(x.buffer, '}')
	x.json(status, x.buffer)
	return nil
}

// explainPart returns the problem that an error of an upload in pieces is for a client.
// explainMedia handles the others.
func explainPart(err error) error {
	var at *media.OffsetError
	var full *media.FullError
	var form *media.PartFormError
	switch {
	case errors.As(err, &form):
		return KeyProblem(form.Key, form.Message)
	case errors.As(err, &at):
		return Problem(http.StatusConflict, "ConflictError", at.Error(), struct {
			Offset int64 `json:"offset"`
		}{at.Offset})
	case errors.As(err, &full):
		return Problem(http.StatusInsufficientStorage, "InsufficientStorageError", full.Message, nil)
	case errors.Is(err, media.ErrPartBusy):
		return Problem(http.StatusConflict, "ConflictError", "Another piece of this upload is coming; wait for it", nil)
	case errors.Is(err, media.ErrNoPart):
		return notFound()
	}
	return err
}
