package admin

import (
	"net/http"
	"net/url"
	"time"

	"quire/auth/oauth"
	"quire/auth/people"
)

// Assistants are programs that work on behalf of an account: their tokens, and the page on
// which a person connects a program by OAuth.

func assistantRoutes() []Route {
	const of = "/accounts/:id/assistants"
	return []Route{
		{Method: http.MethodGet, Path: "/assistants", handler: listOwnAssistants, summary: "List the assistants of the account, and whether the site has some", out: []assistantLine{}, meta: assistantsMeta{}},
		{Method: http.MethodPost, Path: "/assistants", handler: taking(createAssistant), summary: "Make an assistant; its token is shown once", in: people.AssistantForm{}, out: newAssistant{}, status: http.StatusCreated},
		{Method: http.MethodDelete, Path: "/assistants/:id", handler: endAssistant, summary: "End an assistant of the account"},
		{Method: http.MethodPost, Path: "/assistants/connection", Quiet: true, handler: taking(showConnection), summary: "What a program asks for that a person is to connect", in: connectionForm{}, out: connectionOf{}},
		{Method: http.MethodPost, Path: "/assistants/connect", handler: taking(connectAssistant), summary: "Connect a program, or refuse to: where the browser goes then", in: connectForm{}, out: connected{}},
		{Method: http.MethodGet, Path: of, Right: people.Accounts, handler: listAssistants, summary: "List the assistants of somebody else", out: []assistantLine{}},
		{Method: http.MethodDelete, Path: of + "/:assistant", Right: people.Accounts, handler: endAssistantOf, summary: "End an assistant of somebody else"},
	}
}

// assistantLine is an assistant, without its token.
type assistantLine struct {
	ID         string        `json:"id"`
	Name       string        `json:"name"`
	Client     *string       `json:"client"` // the program that was connected; null if the token was made by hand
	Limits     people.Limits `json:"limits"`
	CreatedAt  time.Time     `json:"createdAt"`
	ExpiresAt  time.Time     `json:"expiresAt"`
	LastUsedAt *time.Time    `json:"lastUsedAt"` // null if it was never used
}

// assistantsMeta says whether assistants can be made, and the address at which they work.
type assistantsMeta struct {
	Enabled bool   `json:"enabled"`
	Address string `json:"address"`
}

type newAssistant struct {
	assistantLine
	Token string `json:"token"`
}

func lineOfAssistant(a *people.Assistant) assistantLine {
	l := assistantLine{ID: a.ID, Name: a.Name, Limits: a.Limits, CreatedAt: a.Created, ExpiresAt: a.Expires}
	if a.Client != "" {
		l.Client = &a.Client
	}
	if !a.Used.IsZero() {
		l.LastUsedAt = &a.Used
	}
	return l
}

func (x *request) assistantsOf(account string) []assistantLine {
	list := []assistantLine{}
	for _, a := range x.admin.People.Assistants(account) {
		list = append(list, lineOfAssistant(a))
	}
	return list
}

func listOwnAssistants(x *request) error {
	enabled := x.admin.Server.Site(x.http).Settings.MCP.Enabled
	return x.answerWith(http.StatusOK, x.assistantsOf(x.session.Account.ID), assistantsMeta{enabled, x.party().Origin + resourcePath})
}

func listAssistants(x *request) error {
	id := x.params.ByName("id")
	if x.admin.People.ByID(id) == nil {
		return people.ErrNotFound
	}
	return x.data(x.assistantsOf(id))
}

// createAssistant answers with the token, which is never shown again.
func createAssistant(x *request, f *people.AssistantForm) error {
	if err := x.hasAssistants(); err != nil {
		return err
	}
	token, a, err := x.admin.People.CreateAssistant(x.http.Context(), x.session, *f)
	if err != nil {
		return err
	}
	return x.answerData(http.StatusCreated, newAssistant{lineOfAssistant(a), token})
}

// hasAssistants refuses to make an assistant on a site on which none can work.
func (x *request) hasAssistants() error {
	if !x.admin.Server.Site(x.http).Settings.MCP.Enabled {
		return invalid("Assistants are off here; mcp in site.json turns them on")
	}
	return nil
}

func endAssistant(x *request) error {
	return x.done(x.admin.People.EndAssistant(x.http.Context(), x.session, x.params.ByName("id")))
}

func endAssistantOf(x *request) error {
	return x.done(x.admin.People.EndAssistantOf(x.by(), x.params.ByName("id"), x.params.ByName("assistant")))
}

// connectionForm has what a program asks for: the query of the address to which it has sent
// the browser.
type connectionForm struct {
	Query string `json:"query"`
}

// connectionOf is what a person sees of a program.
type connectionOf struct {
	Client   string  `json:"client"`   // the name that the program has given itself
	Document *string `json:"document"` // the host at which it describes itself; null for a program that has registered itself
	Host     string  `json:"host"`     // to which the browser goes back
	Back     *string `json:"back"`     // where the browser can go back to, because the request is wrong; null otherwise
}

// connectForm is the decision of the person.
type connectForm struct {
	Query string `json:"query"`
	Allow bool   `json:"allow"`
	people.AssistantForm
}

type connected struct {
	Back string `json:"back"` // where the browser goes
}

// authorization checks what a program asks for. Errors are for people; an *oauth.Error with
// an authorization is for the program.
func (x *request) authorization(query string) (*oauth.Authorization, *oauth.Error, error) {
	if err := x.hasAssistants(); err != nil {
		return nil, nil, err
	}
	if err := x.admin.oauth.attempts.TryAccount("connecting an assistant", x.session.Account.ID); err != nil {
		return nil, nil, err
	}
	parameters, err := url.ParseQuery(query)
	if err != nil {
		return nil, nil, invalid("The address cannot be read")
	}
	base := x.party().Origin
	a, err := x.admin.oauth.clients.Authorization(x.http.Context(), parameters, base, base+resourcePath, x.admin.Server.Site(x.http).Settings.Events.CheckAddress)
	wrong, _ := err.(*oauth.Error)
	switch {
	case a == nil && wrong != nil:
		return nil, nil, invalid("The program has asked wrongly: " + wrong.Description)
	case a == nil:
		return nil, nil, err
	}
	return a, wrong, nil
}

func showConnection(x *request, f *connectionForm) error {
	a, wrong, err := x.authorization(f.Query)
	if err != nil {
		return err
	}
	out := connectionOf{Client: a.Client.Name, Host: hostOf(a.Redirect)}
	if host := hostOf(a.Client.ID); host != "" {
		out.Document = &host
	}
	if wrong != nil {
		back := a.Refused(wrong)
		out.Back = &back
	}
	return x.data(out)
}

// hostOf returns the host of an address, empty if there is none.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// connectAssistant makes an assistant for a program, and answers with the address that
// brings it the code.
func connectAssistant(x *request, f *connectForm) error {
	a, wrong, err := x.authorization(f.Query)
	switch {
	case err != nil:
		return err
	case wrong == nil && !f.Allow:
		wrong = oauth.Denied
	}
	if wrong != nil {
		return x.data(connected{a.Refused(wrong)})
	}
	code, err := x.admin.People.Connect(x.http.Context(), x.session, f.AssistantForm, people.Connection{Client: a.Client.ID, Name: a.Client.Name, Redirect: a.Redirect, Challenge: a.Challenge})
	if err != nil {
		return err
	}
	return x.data(connected{a.Granted(code)})
}
