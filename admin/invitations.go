package admin

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"quire/auth/people"
	"quire/content/review"
)

// An invitation is a link with which somebody chooses a password, sent by mail. Where the site
// sends no mail, whoever invites sees the link and passes it on.

// invitation says where the link is.
type invitation struct {
	Mailed    bool      `json:"mailed"`
	Path      *string   `json:"path"` // at this host; null if it was sent
	ExpiresAt time.Time `json:"expiresAt"`
}

// invitationWords are the subject and the text. Their values are the name of whoever invites, that
// of the site, the link, and until when it works.
var invitationWords = map[string][2]string{
	"en": {"%s invites you to %s", "%s invites you to work on %s.\n\nChoose your password here:\n%s\n\nThe link works once, until %s (UTC). If you do not expect it, ignore this mail.\n"},
	"de": {"%s lädt Sie zu %s ein", "%s lädt Sie ein, an %s mitzuarbeiten.\n\nWählen Sie hier Ihr Passwort:\n%s\n\nDer Link gilt einmal, bis %s (UTC). Wenn Sie ihn nicht erwarten, löschen Sie diese Mail.\n"},
	"es": {"%s te invita a %s", "%s te invita a trabajar en %s.\n\nElige aquí tu contraseña:\n%s\n\nEl enlace funciona una vez, hasta %s (UTC). Si no lo esperas, ignora este correo.\n"},
	"fr": {"%s vous invite à rejoindre %s", "%s vous invite à travailler sur %s.\n\nChoisissez ici votre mot de passe :\n%s\n\nLe lien sert une seule fois, jusqu’au %s (UTC). Si vous ne l’attendez pas, ignorez cet e-mail.\n"},
	"it": {"%s ti invita su %s", "%s ti invita a lavorare su %s.\n\nScegli qui la tua password:\n%s\n\nIl link funziona una volta, fino al %s (UTC). Se non lo aspetti, ignora questa email.\n"},
	"nl": {"%s nodigt je uit voor %s", "%s nodigt je uit om mee te werken aan %s.\n\nKies hier je wachtwoord:\n%s\n\nDe link werkt één keer, tot %s (UTC). Verwacht je deze link niet, negeer deze e-mail dan.\n"},
	"pl": {"%s zaprasza do %s", "%s zaprasza do współpracy nad %s.\n\nTutaj można ustawić hasło:\n%s\n\nLink działa jeden raz, do %s (UTC). Jeśli to pomyłka, zignoruj tę wiadomość.\n"},
	"pt": {"%s convida você para %s", "%s convida você para trabalhar em %s.\n\nEscolha aqui sua senha:\n%s\n\nO link funciona uma vez, até %s (UTC). Se você não o espera, ignore este e-mail.\n"},
	"ja": {"%sさんから%sへの招待", "%sさんから%sの共同作業に招待されました。\n\n次のリンクからパスワードを設定してください。\n%s\n\nリンクは%s（UTC）まで、1回のみ有効です。心当たりがない場合は、このメールを無視してください。\n"},
	"zh": {"%s 邀请你加入 %s", "%s 邀请你参与 %s 的工作。\n\n请在此设置密码：\n%s\n\n此链接仅可使用一次，有效期至 %s（UTC）。如果并未预期收到此链接，请忽略本邮件。\n"},
}

// mails reports whether the site can send links into the admin: it sends mail, and knows its own
// address.
func (x *request) mails() bool {
	s := &x.admin.Server.Site(x.http).Settings
	return s.URL != "" && x.admin.Mail.Ready(&s.Mail)
}

// invite makes a link for choosing the password of an account. It sends the link by mail, or
// answers with it if that is not possible.
func invite(x *request) error {
	id := x.params.ByName("id")
	if x.mails() {
		if err := x.admin.notices.TryAccount("mail of the admin", x.session.Account.ID); err != nil {
			return err
		}
		expires, err := x.admin.People.Invite(x.by(), id, x.invitationMail)
		if err == nil {
			return x.data(invitation{Mailed: true, ExpiresAt: expires})
		}
		if !errors.Is(err, ErrOutboxFull) {
			return err
		}
	}
	token, expires, err := x.admin.People.ResetLink(x.by(), id)
	if err != nil {
		return err
	}
	path := LinkPath(token)
	return x.data(invitation{Path: &path, ExpiresAt: expires})
}

// invitationMail returns the part of a transaction that sends a link, in the language of the
// account or of whoever invites.
func (x *request) invitationMail(to *people.Account, token string, expires time.Time) (review.InTx, error) {
	words, known := invitationWords[cmp.Or(to.Language, x.session.Account.Language)]
	if !known {
		words = invitationWords["en"]
	}
	name, site := oneLine(x.session.Account.Name), oneLine(x.admin.Name)
	link := x.admin.Server.Site(x.http).Settings.URL + LinkPath(token)
	text := fmt.Sprintf(words[1], name, site, link, expires.UTC().Format("2006-01-02 15:04"))
	return x.admin.Mail.Put(to.Email, fmt.Sprintf(words[0], name, site), text, true)
}
