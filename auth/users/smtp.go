package users

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/wneessen/go-mail"
)

// smtp sends mail through a mail server.
type smtp struct {
	host           string
	port           int
	user, password string
	encrypted      bool // from the start of the connection
}

// smtpTimeout limits one delivery, so that a server that does not answer does not delay
// other mail.
const smtpTimeout = 30 * time.Second

// newSMTP reads the address of a mail server: smtp://user:password@host:587, where the
// connection is encrypted as soon as the server offers it, and must be before a password is
// sent; or smtps://host:465, where it is encrypted from the start.
func newSMTP(address string) (*smtp, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return nil, errors.New(`SMTP_URL is not the address of a mail server, such as "smtp://user:password@mail.example.org:587"`)
	}
	s := &smtp{host: u.Hostname(), port: 587, user: u.User.Username()}
	s.password, _ = u.User.Password()
	switch u.Scheme {
	case "smtp":
	case "smtps":
		s.port, s.encrypted = 465, true
	default:
		return nil, fmt.Errorf("SMTP_URL begins with %s://, which is neither smtp:// nor smtps://", u.Scheme)
	}
	if port, err := strconv.Atoi(u.Port()); err == nil {
		s.port = port
	}
	return s, nil
}

// UnsentError: a mail server did not accept a mail, or there was none. Its text is one line
// of at most longestReason bytes, without the credentials for the server.
type UnsentError struct{ Reason string }

func (e *UnsentError) Error() string { return e.Reason }

// longestReason limits the part of a mail server's message that is repeated.
const longestReason = 300

// unsent returns why a mail server did not accept a mail. The server's answer may repeat
// anything.
func (s *smtp) unsent(err error) error {
	reason := err.Error()
	plain := base64.StdEncoding.EncodeToString([]byte("\x00" + s.user + "\x00" + s.password))
	for _, secret := range []string{s.password, url.QueryEscape(s.password), base64.StdEncoding.EncodeToString([]byte(s.password)), plain} {
		if s.password != "" && strings.Contains(strings.ToLower(reason), strings.ToLower(secret)) {
			return &UnsentError{"the mail server did not take the mail; its answer has the password in it, and is not repeated"}
		}
	}
	if s.user != "" {
		reason = strings.NewReplacer(s.user, "…", base64.StdEncoding.EncodeToString([]byte(s.user)), "…").Replace(reason)
	}
	reason = oneLine(strings.ToValidUTF8(reason, "\uFFFD"))
	if len(reason) > longestReason {
		reason = strings.ToValidUTF8(reason[:longestReason-len("…")], "") + "…"
	}
	return &UnsentError{reason}
}

// Send delivers one mail. Errors of the mail server are of type *UnsentError.
func (s *smtp) Send(ctx context.Context, m Message) error {
	ctx, cancel := context.WithTimeout(ctx, smtpTimeout)
	defer cancel()
	message, err := newMail(m)
	if err != nil {
		return err
	}
	client, err := mail.NewClient(s.host, s.options(ctx)...)
	if err == nil {
		err = client.DialAndSendWithContext(ctx, message)
	}
	if err != nil {
		return s.unsent(err)
	}
	return nil
}

func newMail(m Message) (*mail.Msg, error) {
	message := mail.NewMsg()
	if err := message.From(m.From); err != nil {
		return nil, fmt.Errorf("mail.from: %w", err)
	}
	if err := message.To(m.To); err != nil {
		return nil, errors.New("mail cannot be sent to the address of the user")
	}
	message.Subject(m.Subject)
	message.SetDate()
	message.SetMessageID()
	message.SetBodyString(mail.TypeTextPlain, m.Text)
	if m.HTML != "" {
		message.AddAlternativeString(mail.TypeTextHTML, m.HTML)
	}
	return message, nil
}

func (s *smtp) options(ctx context.Context) []mail.Option {
	o := []mail.Option{
		mail.WithPort(s.port), mail.WithTimeout(smtpTimeout),
		mail.WithDialContextFunc(func(_ context.Context, network, address string) (net.Conn, error) {
			conn, err := new(net.Dialer).DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			context.AfterFunc(ctx, func() { conn.Close() })
			if !s.encrypted {
				return conn, nil
			}
			return tls.Client(conn, &tls.Config{ServerName: s.host, MinVersion: tls.VersionTLS12}), nil
		}),
	}
	switch {
	case s.encrypted:
		o = append(o, mail.WithTLSPolicy(mail.NoTLS)) // TLS is already in use
	case s.password != "":
		o = append(o, mail.WithTLSPolicy(mail.TLSMandatory))
	default:
		o = append(o, mail.WithTLSPolicy(mail.TLSOpportunistic))
	}
	if s.password != "" {
		o = append(o, mail.WithSMTPAuth(mail.SMTPAuthAutoDiscover), mail.WithUsername(s.user), mail.WithPassword(s.password))
	}
	return o
}
