package account

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"time"

	"github.com/wneessen/go-mail"
)

// smtp sends mail through a mail server.
type smtp struct {
	host           string
	port           int
	user, password string
	encrypted      bool // from the beginning
}

// smtpTimeout bounds one delivery, so that a server that does not answer does not delay
// other mail.
const smtpTimeout = 30 * time.Second

// newSMTP reads the address of a mail server: smtp://user:password@host:587,
// where the connection is secured as soon as the server offers it, and must be
// before a password is sent; or smtps://host:465, where it is from the beginning.
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

// Send delivers one mail.
func (s *smtp) Send(ctx context.Context, m Message) error {
	ctx, cancel := context.WithTimeout(ctx, smtpTimeout)
	defer cancel()
	message, err := newMail(m)
	if err != nil {
		return err
	}
	client, err := mail.NewClient(s.host, s.options(ctx)...)
	if err != nil {
		return err
	}
	return client.DialAndSendWithContext(ctx, message)
}

func newMail(m Message) (*mail.Msg, error) {
	message := mail.NewMsg()
	if err := message.From(m.From); err != nil {
		return nil, fmt.Errorf("mail.from: %w", err)
	}
	if err := message.To(m.To); err != nil {
		return nil, errors.New("the address of the user is none that mail can be sent to")
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
			return s.dial(ctx, network, address)
		}),
	}
	switch {
	case s.encrypted:
		o = append(o, mail.WithTLSPolicy(mail.NoTLS)) // there is TLS already
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

// dial connects for as long as ctx lasts.
func (s *smtp) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { conn.Close() })
	if !s.encrypted {
		return conn, nil
	}
	return tls.Client(conn, &tls.Config{ServerName: s.host, MinVersion: tls.VersionTLS12}), nil
}
