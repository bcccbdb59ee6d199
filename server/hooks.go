package server

import (
	"errors"
	"net/http"

	"quire/content"
)

// refusalNames are the names of the errors with which hooks refuse. All others are
// ApplicationError.
var refusalNames = map[int]string{
	http.StatusForbidden: "ForbiddenError", http.StatusNotFound: "NotFoundError", http.StatusConflict: "ConflictError",
	http.StatusUnprocessableEntity: "UnprocessableEntityError", http.StatusTooManyRequests: "RateLimitError",
}

// explainHooks returns the problem of a write that a hook refused, or about which a
// hook could not be asked. The cause of a failure is for operators only, because it may
// contain addresses.
func explainHooks(err error) *problem {
	var refused *content.RefusedError
	var unasked *content.UnaskedError
	var overtaken *content.OvertakenError
	switch {
	case errors.As(err, &refused):
		p := &problem{refused.Status, "ApplicationError", refused.Message, none{}}
		if name := refusalNames[refused.Status]; name != "" {
			p.Name = name
		}
		if refused.Details != nil {
			p.Details = refused.Details
		}
		return p
	case errors.As(err, &unasked) && unasked.Busy:
		return unavailable("Too many writes wait for hooks of the site, and nothing was stored; try again")
	case errors.As(err, &unasked):
		return unavailable("A hook of the site could not be asked about this write, and nothing was stored; try again later")
	case errors.As(err, &overtaken):
		return &problem{http.StatusConflict, "ConflictError", "The document was changed again and again while a hook of the site was asked about this write, and nothing was stored; try again", none{}}
	}
	return nil
}
