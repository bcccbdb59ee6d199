//go:build !noadmin

package app

import (
	"context"
	"encoding/json"
	"errors"
	"net/netip"
	"os"
	"strings"
	"sync"

	"quire/admin"
	"quire/admin/web"
	"quire/auth"
	"quire/auth/people"
	"quire/auth/people/desk"
	users "quire/auth/users"
	"quire/content/arrange"
	"quire/content/audit"
	"quire/content/review"
	"quire/schema"
	"quire/schema/settings"
	"quire/server/mcp"
	"quire/store"
)

// The admin of an App. A program built with the tag noadmin has none.

// adminPart is what an App has for its admin.
type adminPart struct {
	people    *people.Directory
	operation *operation
	transfers *transfers
	jobs      sync.WaitGroup // work that the admin has started
}

// openAdmin reads the accounts of the admin.
func (a *App) openAdmin() (err error) {
	a.admin.people, err = people.Open(a.db, a.auth, a.site, people.Options{Log: a.log, Passwords: a.passwords})
	return err
}

// mountAdmin makes the server serve the admin.
func (a *App) mountAdmin() error {
	pages, err := web.Open(web.Options{Name: a.at.Name(), Demo: a.demo, Folder: a.pages, Frames: a.previewOrigins})
	if err != nil {
		return err
	}
	a.admin.operation = &operation{app: a}
	a.admin.transfers = &transfers{app: a}
	for _, folder := range []string{a.exports(), a.importFolder()} { // left by an earlier run of the server
		if err := os.RemoveAll(folder); err != nil {
			return err
		}
	}
	admin.New(admin.Deps{
		Operation: a.admin.operation,
		Transfers: a.admin.transfers,
		Mail:      mail{a.accountService},
		Server:    a.server,
		People:    a.admin.people,
		Auth:      a.auth,
		Desk:      desk.New(a.db, nil),
		Audit:     audit.NewLog(a.db),
		Arrange:   arrange.NewStore(a.db),
		Reviews:   review.NewBoard(a.db, nil),
		Lexicon:   a.lexicon,
		Missed:    a.missed,
		Types:     a.Types(),
		Name:      a.at.Name(),
		Pages:     pages,
		Secret:    adminSecret(a.log, providerVariable),
		Key:       adminSecret(a.log, modelVariable),
	}).Mount()
	return nil
}

func (a *App) reloadAdmin(site *schema.Site) error { return a.admin.people.Reload(site) }

// watchForAdmin samples the state of the site until ctx is done, and then waits for the
// work that the admin has started.
func (a *App) watchForAdmin(ctx context.Context) {
	a.admin.operation.sample(ctx)
	a.admin.jobs.Wait()
}

func (a *App) closeAdmin() {
	if a.admin.transfers != nil {
		a.admin.transfers.drop()
		a.admin.transfers.discard()
	}
	if a.admin.people != nil {
		a.admin.people.Close()
	}
}

func (a *App) adminDecides(c store.Commit) bool { return people.Decides(c) }

// AdminOpenAPI returns the API of the admin as an OpenAPI document, in JSON. It is nil if
// the program has no admin.
func AdminOpenAPI() []byte { return admin.OpenAPI() }

// adminName returns the name of an account of the admin or of an assistant, or an empty
// string if there is none.
func (a *App) adminName(by store.Actor) string { return a.admin.people.Title(by) }

// assistant finds the assistant of a token that asks from an address.
func (a *App) assistant(token string, from netip.Addr) (*mcp.Agent, error) {
	found, err := a.admin.people.Assistant(token)
	if err != nil {
		return nil, auth.ErrNoAccount
	}
	a.admin.people.UseAssistant(found, from)
	return agentOf(found, from), nil
}

// agentCalled finds an assistant by its id.
func (a *App) agentCalled(id string) (*mcp.Agent, error) {
	found, err := a.admin.people.AssistantByID(id)
	if err != nil {
		return nil, &auth.NoSuchError{Kind: "assistant", Name: id}
	}
	return agentOf(found, netip.Addr{}), nil
}

func agentOf(a *people.Assistant, from netip.Addr) *mcp.Agent {
	return &mcp.Agent{Identity: a.Identity(), Limits: a.Limits, Proposer: a.Proposer(), Source: a.Source(from)}
}

// adminEmail returns the email of an account of the admin, or an empty string if there is
// none.
func (a *App) adminEmail(id string) string {
	if one := a.admin.people.ByID(id); one != nil {
		return one.Email
	}
	return ""
}

// adminRows returns the accounts of the admin as the project's code sees them: as rows of
// admin::user. The code is loaded before the admin; until then there are none.
func (a *App) adminRows() (rows []any) {
	if a.admin.people == nil {
		return nil
	}
	for _, one := range a.admin.people.List() {
		first, last, _ := strings.Cut(one.Name, " ")
		created := one.Created.UTC().Format(schema.DateTimeLayout)
		rows = append(rows, map[string]any{
			"id": one.ID, "documentId": one.ID, "firstname": first, "lastname": last, "username": nil, "email": one.Email, "isActive": one.Active, "blocked": one.Blocked,
			"preferedLanguage": one.Language, "createdAt": created, "updatedAt": created,
			"roles": roleRows(one.Roles),
		})
	}
	return rows
}

func roleRows(roles people.Roles) (rows []any) {
	for _, r := range roles {
		code := r.ID
		if r.Rights.Full {
			code = "strapi-super-admin"
		}
		rows = append(rows, map[string]any{"id": r.ID, "documentId": r.ID, "name": r.Name, "code": code})
	}
	return rows
}

// operators returns the addresses of the accounts that may run the site.
func (a *App) operators() (emails []string) {
	for _, one := range a.admin.people.List() {
		if one.Roles.Has(people.Settings) && one.Active && !one.Blocked {
			emails = append(emails, one.Email)
		}
	}
	return emails
}

// setupLink returns the link that creates the first account of the admin. It is empty if an
// account exists, or if the site has no admin.
func (a *App) setupLink(url string) string {
	if !a.site.Settings.Admin.Enabled || a.writesNothing() {
		return ""
	}
	token, err := a.admin.people.SetupToken()
	if err != nil {
		a.log.Error("cannot create the link that sets up the admin; restart to try again", "error", err)
		return ""
	}
	if token == "" {
		return ""
	}
	return url + admin.LinkPath(token)
}

// doAdmin runs a command on accounts of the admin. If a server runs, a link that the
// command creates begins with the address of the server.
func (a *App) doAdmin(ctx context.Context, name string, args json.RawMessage) (any, error) {
	result, err := a.admin.people.Do(ctx, name, args)
	if info, ok := result.(people.Info); ok && info.LinkToken != "" {
		info.Link = a.address + admin.LinkPath(info.LinkToken)
		result = info
	}
	return result, err
}

// mail is what the admin shows of mail, and sends.
type mail struct{ service *users.Service }

func (m mail) Ready(s *settings.Mail) bool { return m.service.SendsMail(s) }

func (mail) Sample(s *settings.Mail, t settings.MailTemplate, name, to string) (admin.SampleMail, error) {
	m, err := users.SampleMail(s.From, t, name, to)
	return admin.SampleMail{Subject: m.Subject, Text: m.Text, HTML: m.HTML}, err
}

func (m mail) SendSample(ctx context.Context, s *settings.Mail, t settings.MailTemplate, name, to string) error {
	sample, err := users.SampleMail(s.From, t, name, to)
	if err != nil {
		return err
	}
	return m.service.SendSample(ctx, s, sample)
}

func (m mail) Put(to, subject, text string, must bool) (review.InTx, error) {
	message := users.Message{To: to, Subject: subject, Text: text}
	if !must {
		return m.service.Notice(message)
	}
	put, err := m.service.Letter(message)
	return func(tx *store.Tx) error {
		err := put(tx)
		if full := (*users.OutboxFullError)(nil); errors.As(err, &full) {
			err = admin.ErrOutboxFull
		}
		return err
	}, err
}

// previewOrigins returns where the site that is served now shows its previews.
func (a *App) previewOrigins() []string { return a.server.Served().Settings.PreviewOrigins() }
