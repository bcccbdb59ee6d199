package admin

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"rsc.io/qr"

	"quire/auth/people"
)

func secondRoutes() []Route {
	const own = "/session/second-factor"
	return []Route{
		{Method: http.MethodPost, Path: "/session/code", Open: true, handler: taking(signInStep), summary: "Say the code of the second factor, after the password", in: people.Step{}, out: signedIn{}},
		{Method: http.MethodGet, Path: own, Early: true, handler: showFactor, summary: "Whether one has a second factor", out: factorOf{}},
		{Method: http.MethodPost, Path: own + "/setup", Early: true, handler: taking(beginFactor), summary: "Begin to set up one's second factor", in: people.Proof{}, out: factorSetUp{}},
		{Method: http.MethodPut, Path: own, Early: true, handler: taking(confirmFactor), summary: "Switch one's second factor on, with its first code", in: people.FactorConfirmation{}, out: recoveryOf{}},
		{Method: http.MethodPost, Path: own + "/recovery-codes", handler: taking(renewRecovery), summary: "Replace one's recovery codes", in: people.Proof{}, out: recoveryOf{}},
		{Method: http.MethodPost, Path: own + "/off", handler: taking(dropFactor), summary: "Switch one's second factor off", in: people.Proof{}},
		{Method: http.MethodDelete, Path: "/accounts/:id/second-factor", Right: people.Accounts, handler: clearFactor, summary: "Remove the second factor of somebody else"},
	}
}

// stepCookie proves, between the password and the second factor, that the password was
// right.
const stepCookie = "quire_admin_step"

// awaitStep stores the ticket of a sign-in that still needs the second factor in the
// browser.
func (x *request) awaitStep(ticket string) {
	x.putCookie(stepCookie, ticket, people.StepLife)
}

// signInStep accepts the second factor after the password.
func signInStep(x *request, s *people.Step) error {
	s.Tickets, s.From, s.Agent = x.cookies(stepCookie), x.admin.Server.Client(x.http), x.http.UserAgent()
	token, err := x.admin.People.SignInStep(x.http.Context(), *s)
	if err == nil {
		x.putCookie(stepCookie, "", 0)
	}
	return x.enter(token, err)
}

// factorOf is the state of a second factor as shown to its account.
type factorOf struct {
	On       bool       `json:"on"`
	Since    *time.Time `json:"since"`
	Recovery int        `json:"recoveryCodes"` // unused ones
	Required bool       `json:"required"`      // by site.json
}

func showFactor(x *request) error {
	f := x.admin.People.Factor(x.session)
	out := factorOf{On: f.On, Recovery: f.Recovery, Required: f.Required}
	if f.On {
		out.Since = &f.Since
	}
	return x.data(out)
}

// factorSetUp has what an app needs to set up a factor.
type factorSetUp struct {
	Secret string `json:"secret"`
	URL    string `json:"url"`
	QR     qrCode `json:"qr"`
	Ticket string `json:"ticket"` // sent back with the confirmation
}

// qrCode is a picture of squares: the path of an SVG that is size wide and high.
type qrCode struct {
	Size int    `json:"size"`
	Path string `json:"path"`
}

func beginFactor(x *request, p *people.Proof) error {
	made, err := x.admin.People.BeginFactor(x.http.Context(), x.session, x.siteName(), *p)
	if err != nil {
		return err
	}
	picture, err := draw(made.URL)
	if err != nil {
		return err
	}
	return x.data(factorSetUp{made.Secret, made.URL, picture, made.Ticket})
}

// draw returns the QR code of a text, with the quiet zone that scanners need.
func draw(text string) (qrCode, error) {
	const quiet = 4
	code, err := qr.Encode(text, qr.M)
	if err != nil {
		return qrCode{}, err
	}
	var path strings.Builder
	for y := range code.Size {
		for x := 0; x < code.Size; x++ {
			from := x
			for x < code.Size && code.Black(x, y) {
				x++
			}
			if x > from {
				fmt.Fprintf(&path, "M%d %dh%dv1H%dz", quiet+from, quiet+y, x-from, quiet+from)
			}
		}
	}
	return qrCode{code.Size + 2*quiet, path.String()}, nil
}

// recoveryOf has the recovery codes of an account, which are shown once.
type recoveryOf struct {
	Codes []string `json:"recoveryCodes"`
}

func confirmFactor(x *request, c *people.FactorConfirmation) error {
	codes, err := x.admin.People.ConfirmFactor(x.http.Context(), x.session, *c)
	if err != nil {
		return err
	}
	return x.data(recoveryOf{codes})
}

func renewRecovery(x *request, p *people.Proof) error {
	codes, err := x.admin.People.RenewRecovery(x.http.Context(), x.session, *p)
	if err != nil {
		return err
	}
	return x.data(recoveryOf{codes})
}

func dropFactor(x *request, p *people.Proof) error {
	return x.done(x.admin.People.DropFactor(x.http.Context(), x.session, *p))
}

// clearFactor removes the second factor of another account, whose user has lost it.
func clearFactor(x *request) error {
	return x.done(x.admin.People.ClearFactor(x.by(), x.params.ByName("id")))
}
