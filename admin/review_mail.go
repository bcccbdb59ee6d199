package admin

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"
	"time"

	"quire/content/review"
)

// Mail about reviews, to accounts that see what it is about, in their language.

// notice is what a mail is about.
type notice int

const (
	mentionedYou notice = iota
	assignedYou
	commented
)

// noticeWords are the subject and the first line of each notice. Their values are the name of the
// account that caused it and the title of the document.
var noticeWords = map[notice]map[string][2]string{
	mentionedYou: {
		"en": {"%s mentions you: %s", "%s mentions you in a comment on “%s”"},
		"de": {"%s erwähnt Sie: %s", "%s erwähnt Sie in einem Kommentar zu „%s“"},
		"es": {"%s te menciona: %s", "%s te menciona en un comentario sobre «%s»"},
		"fr": {"%s vous mentionne : %s", "%s vous mentionne dans un commentaire sur « %s »"},
		"it": {"%s ti menziona: %s", "%s ti menziona in un commento su «%s»"},
		"nl": {"%s noemt je: %s", "%s noemt je in een opmerking bij “%s”"},
		"pl": {"%s wspomina o Tobie: %s", "%s wspomina o Tobie w komentarzu do „%s”"},
		"pt": {"%s menciona você: %s", "%s menciona você em um comentário sobre “%s”"},
		"ja": {"%sさんからのメンション：%s", "%sさんが「%s」のコメントであなたをメンションしました"},
		"zh": {"%s 提及了你：%s", "%s 在“%s”的评论中提及了你"},
	},
	assignedYou: {
		"en": {"%s asks you to look at %s", "%s asks you to look at “%s”"},
		"de": {"%s bittet Sie, %s anzusehen", "%s bittet Sie, „%s“ anzusehen"},
		"es": {"%s te pide revisar %s", "%s te pide revisar «%s»"},
		"fr": {"%s vous demande de relire %s", "%s vous demande de relire « %s »"},
		"it": {"%s ti chiede di rivedere %s", "%s ti chiede di rivedere «%s»"},
		"nl": {"%s vraagt je om %s te bekijken", "%s vraagt je om “%s” te bekijken"},
		"pl": {"%s prosi o sprawdzenie: %s", "%s prosi o sprawdzenie „%s”"},
		"pt": {"%s pede que você revise %s", "%s pede que você revise “%s”"},
		"ja": {"%sさんからのレビュー依頼：%s", "%sさんが「%s」のレビューを依頼しました"},
		"zh": {"%s 请你审阅：%s", "%s 请你审阅“%s”"},
	},
	commented: {
		"en": {"%s comments on %s", "%s comments on “%s”"},
		"de": {"%s kommentiert %s", "%s kommentiert „%s“"},
		"es": {"%s comenta %s", "%s comenta «%s»"},
		"fr": {"%s commente %s", "%s commente « %s »"},
		"it": {"%s commenta %s", "%s commenta «%s»"},
		"nl": {"%s reageert op %s", "%s reageert op “%s”"},
		"pl": {"%s komentuje: %s", "%s komentuje „%s”"},
		"pt": {"%s comenta %s", "%s comenta “%s”"},
		"ja": {"%sさんのコメント：%s", "%sさんが「%s」にコメントしました"},
		"zh": {"%s 评论了 %s", "%s 评论了“%s”"},
	},
}

// How much mail an account may cause. Comments beyond that are stored without mail, so that
// nobody fills the outbox, where the mail of users waits as well.
const (
	mostNotices    = 60
	noticeInterval = time.Hour
)

// mail returns the parts of a transaction that put a notice for accounts into the outbox. It leaves
// out the account that causes it, accounts that do not see the document and the field, and all if
// the site sends no mail.
func (r *reviewed) mail(about notice, field, text string, accounts ...string) (parts []review.InTx) {
	settings := &r.admin.Server.Site(r.http).Settings
	if !r.admin.Mail.Ready(&settings.Mail) {
		return nil
	}
	for _, id := range accounts {
		to := r.reviewer(id, field)
		if to == nil || id == r.session.Account.ID || r.admin.notices.TryAccount("mail about reviews", r.session.Account.ID) != nil {
			continue
		}
		words, known := noticeWords[about][to.Language]
		if !known {
			words = noticeWords[about]["en"]
		}
		title := r.title
		if r.t.Title(to.Sees().Sight(r.t).Sees) != r.t.Title(r.call.Caller.Sight(r.t).Sees) {
			title = "" // it may be what is hidden from the reader
		}
		title = cmp.Or(oneLine(title), r.t.Display)
		lines := []string{fmt.Sprintf(words[1], r.session.Account.Name, title)}
		if field != "" {
			lines[0] += " (" + field + ")"
		}
		if text != "" {
			lines = append(lines, "", text)
		}
		if settings.URL != "" {
			lines = append(lines, "", settings.URL+r.pagePath())
		}
		if part, err := r.admin.Mail.Put(to.Email, fmt.Sprintf(words[0], oneLine(r.session.Account.Name), title), strings.Join(lines, "\n")+"\n", false); err == nil {
			parts = append(parts, part)
		}
	}
	return parts
}

// pagePath returns the path of the form of the document.
func (r *reviewed) pagePath() string {
	path := Path + "/content/" + url.PathEscape(r.t.UID) + "/" + url.PathEscape(r.place.DocumentID)
	if r.place.Locale != "" {
		path += "?locale=" + url.QueryEscape(r.place.Locale)
	}
	return path
}

// mostInSubject is the maximum length of a title or a name in a mail, in bytes.
const mostInSubject = 100

// oneLine makes one line of a text, and cuts it.
func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > mostInSubject {
		text = strings.ToValidUTF8(text[:mostInSubject], "") + "…"
	}
	return text
}
