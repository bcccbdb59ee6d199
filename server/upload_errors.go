package server

import (
	"errors"
	"net/http"

	"quire/media"
)

// explainMedia finds what an error of the media library means to a client.
func explainMedia(err error) *problem {
	var large *media.TooLargeError
	var refused *media.TypeError
	var broken *media.ReadError
	switch {
	case errors.As(err, &large):
		return &problem{http.StatusRequestEntityTooLarge, "PayloadTooLargeError", large.Error(), none{}}
	case errors.As(err, &refused):
		return invalid(refused.Error())
	case errors.As(err, &broken):
		return invalid("The form could not be read to its end")
	case errors.Is(err, media.ErrEmpty):
		return invalid("Files are empty")
	case errors.Is(err, media.ErrNotFound):
		return &problem{http.StatusNotFound, "NotFoundError", "file.notFound", none{}}
	}
	return nil
}
