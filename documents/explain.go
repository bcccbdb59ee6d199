package documents

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"quire/auth"
	"quire/auth/password"
	"quire/auth/users"
	"quire/content"
	"quire/content/body"
	"quire/content/changeset"
	"quire/content/event"
	"quire/content/history"
	"quire/content/release"
	"quire/index"
	"quire/media"
	"quire/query"
	"quire/query/params"
	"quire/schema/settings"
	"quire/store"
)

func explainAccess(err error) *Problem {
	var unauthorized *auth.UnauthorizedError
	var denied *query.DraftError
	switch {
	case errors.As(err, &unauthorized):
		return &Problem{Kind: Unauthorized, Name: "UnauthorizedError", Message: unauthorized.Error()}
	case errors.As(err, &denied):
		return forbidden()
	case errors.Is(err, context.DeadlineExceeded):
		return busy("The request took too long and was given up")
	}
	return nil
}

func explainQuery(err error) *Problem {
	var key *query.KeyError
	var param *params.ParamError
	var pagination *query.PaginationError
	var stale *query.StaleError
	var memory *index.MemoryError
	switch {
	case errors.As(err, &memory):
		return busy(fmt.Sprintf("There is no memory to search and order %s by %s; ask without it, or raise limits.indexMemory", memory.Type.UID, cmp.Or(memory.Path, "its links")))
	case errors.As(err, &key):
		return &Problem{Kind: Invalid, Name: "ValidationError", Message: key.Error(), Details: QueryKey{key.Key, NullIfEmpty(key.Path), "query", key.Param}}
	case errors.As(err, &stale):
		return gone("This copy cannot go on: " + stale.Error() + "; begin again without since")
	case errors.As(err, &param):
		return invalid(param.Error())
	case errors.As(err, &pagination):
		return &Problem{Kind: Invalid, Name: "PaginationError", Message: pagination.Error()}
	}
	return nil
}

func explainContent(err error) *Problem {
	var key *body.KeyError
	var values *body.ValidationError
	var missing *content.NotFoundError
	var failed *content.ApplicationError
	var denied *content.ForbiddenError
	var full *changeset.LimitError
	var staged *content.StageError
	switch {
	case errors.As(err, &staged):
		p := application(staged.Error())
		p.Details = stageDetails{staged.Stage, staged.Needed, staged.Locale}
		return p
	case errors.As(err, &full):
		return invalid(full.Error())
	case errors.Is(err, changeset.ErrDecided):
		return conflict("The changes have been approved or rejected already")
	case errors.As(err, &denied):
		return &Problem{Kind: Forbidden, Name: "ForbiddenError", Message: denied.Error(), Details: denial{denied.Path, denied.Locale}}
	case errors.As(err, &key):
		return &Problem{Kind: Invalid, Name: "ValidationError", Message: key.Error(), Details: BodyKey{key.Key, NullIfEmpty(key.Path), "body"}}
	case errors.As(err, &values):
		return &Problem{Kind: Invalid, Name: "ValidationError", Message: values.Error(), Details: issues(values)}
	case errors.As(err, &missing):
		return notFound()
	case errors.As(err, &failed):
		return application(failed.Error())
	}
	return nil
}

func issues(e *body.ValidationError) any {
	if len(e.Issues) == 0 {
		return nil
	}
	list := make([]issue, len(e.Issues))
	for i, each := range e.Issues {
		list[i] = issue{append([]string{}, each.Path...), each.Message, "ValidationError", each.Value}
	}
	return struct {
		Errors []issue `json:"errors"`
	}{list}
}

// explainUncertain is for writes that may have been stored. It is tried before the other
// causes of the error, such as a timeout, which would mean that the write was not done.
func explainUncertain(err error) *Problem {
	if store.Uncertain(err) {
		return busy("The data file could not be written, and it is unknown whether this write was stored; look before you try again")
	}
	return nil
}

func explainStore(err error) *Problem {
	var suspended *store.SuspendedError
	var past *store.PastError
	switch {
	case errors.As(err, &past):
		return &Problem{Kind: Forbidden, Name: "ForbiddenError", Message: past.Error()}
	case errors.As(err, new(*store.TooLargeError)):
		return tooLarge("This changes more than can be written at once; change less at a time")
	case errors.Is(err, store.ErrFrozen):
		return busy("The content is being replaced; try again when that is done")
	case errors.As(err, new(*store.RefusedError)) && !errors.Is(err, store.ErrFull):
		return busy("The nodes of this site do not take writes now; try again later")
	case errors.Is(err, store.ErrBehind):
		return busy("Other nodes of this site write so much that this could not be stored; try again")
	case errors.As(err, new(*store.JournalError)):
		return busy("The nodes of this site cannot agree on writes now; try again later")
	case errors.As(err, &suspended):
		return busy("Nothing can be written until the data file is reopened; try again later")
	case errors.Is(err, content.ErrClosed), errors.Is(err, store.ErrClosed):
		return busy("The site is being reloaded or stopped; try again")
	}
	return nil
}

// ExplainDisk returns the Problem of data that was not stored, in the data file or beside it.
func ExplainDisk(err error) *Problem {
	switch {
	case errors.Is(err, store.ErrFull):
		return &Problem{Kind: Full, Name: "InsufficientStorageError", Message: "There is no space left to store this"}
	case errors.Is(err, store.ErrUnwritable):
		return busy("This could not be stored; try again later")
	}
	return nil
}

// explainMedia returns the problem that an error of the media library is for a client.
func explainMedia(err error) *Problem {
	var large *media.TooLargeError
	var refused *media.TypeError
	var broken *media.ReadError
	var failed *media.PictureError
	var unreachable *media.UnreachableError
	switch {
	case errors.As(err, &unreachable):
		return busy("The storage of files cannot be reached; try again later")
	case errors.As(err, &large):
		return tooLarge(large.Error())
	case errors.As(err, &refused):
		return invalid(refused.Error())
	case errors.As(err, &broken):
		return invalid("The form could not be read to its end")
	case errors.As(err, &failed) && failed.Key != "":
		return keyed(failed.Error(), failed.Key, "body")
	case errors.As(err, &failed):
		return invalid(failed.Error())
	case errors.Is(err, media.ErrChanged):
		return busy("The file was changed meanwhile; try again")
	case errors.Is(err, media.ErrBusy):
		return busy("There are too many pictures to be made; try again later")
	case errors.Is(err, media.ErrEmpty):
		return invalid("Files are empty")
	case errors.Is(err, media.ErrNotFound):
		return &Problem{Kind: NotFound, Name: "NotFoundError", Message: "file.notFound"}
	}
	return nil
}

func explainAccounts(err error) *Problem {
	var throttled *auth.ThrottledError
	var crowded *password.BusyError
	var full *users.OutboxFullError
	var disabled *users.DisabledError
	switch {
	case errors.As(err, &throttled):
		return &Problem{Kind: Throttled, Name: "RateLimitError", Message: throttled.Error()}
	case errors.As(err, &crowded):
		return busy(crowded.Error())
	case errors.As(err, &full):
		return busy(full.Error())
	case errors.As(err, &disabled):
		return notFound()
	}
	return nil
}

// refusalNames are the names of the errors with which hooks refuse, by status. All others
// are ApplicationError.
var refusalNames = map[int]string{403: "ForbiddenError", 404: "NotFoundError", 409: "ConflictError", 422: "UnprocessableEntityError", 429: "RateLimitError"}

// explainHooks is for a write that a hook refused, or about which a hook could not be
// asked. The cause of a failure is for operators only, because it may contain addresses.
func explainHooks(err error) *Problem {
	var refused *content.RefusedError
	var unasked *content.UnaskedError
	switch {
	case errors.As(err, &refused):
		p := &Problem{Kind: Refused, Status: refused.Status, Name: cmp.Or(refused.Name, refusalNames[refused.Status], "ApplicationError"), Message: refused.Message}
		if refused.Details != nil {
			p.Details = refused.Details
		}
		return p
	case errors.As(err, &unasked) && unasked.Busy:
		return busy("Too many writes wait for hooks of the site, and nothing was stored; try again")
	case errors.As(err, &unasked):
		return busy("A hook of the site could not be asked about this write, and nothing was stored; try again later")
	case errors.As(err, new(*content.OvertakenError)):
		return conflict("The document was changed again and again while a hook of the site was asked about this write, and nothing was stored; try again")
	case errors.As(err, new(*content.SlowError)):
		return busy("The code of the site took too long for this write, and nothing was stored; try again later")
	}
	return nil
}

func explainConflict(err error) *Problem {
	var changed *content.ConflictError
	if !errors.As(err, &changed) {
		return nil
	}
	return &Problem{Kind: Changed, Name: "PreconditionFailedError", Message: "The document has changed since it was read, or is not there", Details: ChangedDetails{Version: changed.Version}}
}

func explainRelease(err error) *Problem {
	var refused *release.RefusedError
	var failed *release.FailedError
	switch {
	case errors.As(err, &refused) && refused.Key == "":
		return application(refused.Error())
	case errors.As(err, &refused):
		return keyed(refused.Error(), refused.Key, "body")
	case errors.As(err, &failed):
		return &Problem{Kind: Invalid, Name: "ValidationError", Message: failed.Error(), Details: failedSteps(failed.Failures)}
	case errors.As(err, new(*release.NotFoundError)):
		return notFound()
	case errors.As(err, new(*release.ChangedError)):
		return conflict("It has been changed or done meanwhile; read it again")
	}
	return nil
}

// failedSteps lists the steps that prevent a release, in the form of refused values.
func failedSteps(failures []release.Failure) any {
	list := []issue{}
	for _, f := range failures {
		at := []string{"steps", strconv.Itoa(f.Step)}
		if len(f.Problems) == 0 {
			list = append(list, issue{Path: at, Message: f.Reason, Name: "ValidationError"})
		}
		for _, p := range f.Problems {
			list = append(list, issue{Path: slices.Concat(at, p.Path), Message: p.Message, Name: "ValidationError"})
		}
	}
	return struct {
		Errors []issue `json:"errors"`
	}{list}
}

// explainPreview returns the problem that an error of preview links is for a client.
func explainPreview(err error) *Problem {
	var beyond *query.PreviewError
	var address *settings.PreviewError
	switch {
	case errors.As(err, &beyond):
		return &Problem{Kind: Forbidden, Name: "ForbiddenError", Message: beyond.Error()}
	case errors.Is(err, auth.ErrLongPreview):
		return invalid("The documentId is too long for a preview link")
	case errors.As(err, &address):
		return keyed(address.Error(), address.Name, "document")
	}
	return nil
}

// explainHistory is for versions that can no longer be read.
func explainHistory(err error) *Problem {
	var unreadable *history.UnreadableError
	var dropped *event.GoneError
	switch {
	case errors.As(err, &unreadable):
		return gone("This version can no longer be read")
	case errors.As(err, &dropped):
		return gone("The changes since this revision are not known any more; read the content anew, and go on from now")
	}
	return nil
}
