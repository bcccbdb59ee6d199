package app

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"quire/auth/users"
	"quire/store"
	"quire/transfer/stream"
)

// Who runs the site gets a mail when the stream has stopped or is too far behind, and one when
// it goes on.
const (
	noticeCheck = 5 * time.Second // between looks at the stream
	noticeAfter = time.Minute     // of trouble, and the age of commits that wait from which there is trouble
	noticePause = time.Hour       // between two mails about trouble
	mostNotices = 20              // people who get one
)

// streamNotices decides which mail is due.
type streamNotices struct {
	since  time.Time // since when there is trouble; zero for none
	mailed time.Time // when the last mail about trouble was due
	open   bool      // there was a mail about trouble, and none since that it is over
}

// trouble returns why the stream is not where it should be; empty if it is.
func trouble(s *stream.SenderStatus) string {
	switch {
	case s.Problem != "" || s.Gap != "":
		return cmp.Or(s.Gap, s.Problem)
	case s.Behind > noticeAfter.Seconds():
		return "the target accepts less than is written"
	}
	return ""
}

// due returns the subject and the text of the mail that is due now; empty if none is.
func (n *streamNotices) due(s *stream.SenderStatus, now time.Time) (subject, text string) {
	why := trouble(s)
	switch {
	case why == "":
		n.since = time.Time{}
		if !n.open {
			return "", ""
		}
		n.open = false
		return "The stream of commits goes on", fmt.Sprintf("The target of backup.stream (%s) accepts commits again. `quire restore --list` shows which moments can be restored.", s.Target)
	case n.since.IsZero():
		n.since = now
	}
	if n.open || !s.Ended && now.Sub(n.since) < noticeAfter || !n.mailed.IsZero() && now.Sub(n.mailed) < noticePause {
		return "", ""
	}
	n.open, n.mailed = true, now
	what := fmt.Sprintf("%d of %d bytes wait on the disk of the server; what was written in the last %.0f seconds is only there.", s.Queued, s.MayQueue, s.Behind)
	if s.Ended || s.Gap != "" {
		what = "What is written now is only on the disk of the server."
	}
	return "The stream of commits has stopped", fmt.Sprintf("The target of backup.stream (%s) does not get what is written: %s.\n\n%s Writes go on. You get another mail when the stream goes on.", s.Target, why, what)
}

// mailAboutStream puts the mails about the stream into the outbox until ctx is done.
func (a *App) mailAboutStream(ctx context.Context) {
	ticker := time.NewTicker(noticeCheck)
	defer ticker.Stop()
	var notices streamNotices
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			s := a.streaming.status()
			if s == nil {
				notices = streamNotices{}
				continue
			}
			if subject, text := notices.due(s, now); subject != "" {
				if err := a.mailOperators(subject, text); err != nil {
					a.log.Warn("a mail about the stream cannot be sent", "error", err)
				}
			}
		}
	}
}

// mailOperators puts a mail to everybody who runs the site into the outbox, if mail is set up.
func (a *App) mailOperators(subject, text string) error {
	if !a.accountService.SendsMail(&a.server.Served().Settings.Mail) {
		return nil
	}
	accounts := a.accounts()
	var puts []func(*store.Tx) error
	for _, to := range a.operators() {
		put, err := accounts.Mail(users.Message{To: to, Subject: fmt.Sprintf("%s: %s", a.at.Name(), subject), Text: text + "\n"})
		if err != nil {
			return err
		}
		if puts = append(puts, put); len(puts) == mostNotices {
			break
		}
	}
	if puts == nil {
		return nil
	}
	return a.db.Update(func(tx *store.Tx) error {
		for _, put := range puts {
			if err := put(tx); err != nil {
				return err
			}
		}
		return nil
	})
}
