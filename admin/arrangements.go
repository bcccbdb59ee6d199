package admin

import (
	"errors"
	"net/http"

	"quire/auth/people"
	"quire/content/arrange"
	"quire/schema"
	"quire/server"
)

// The arrangement of the form and the list of each type. Who may change it knows the names of
// all attributes of the type, as who may change the types does.

func arrangementRoutes() []Route {
	const one = "/arrangements/:uid"
	return []Route{
		{Method: http.MethodGet, Path: one, Right: people.Arrange, handler: showArrangement, summary: "Read how the form and the list of a type are arranged", out: storedArrangement{}},
		{Method: http.MethodPut, Path: one, Right: people.Arrange, handler: setArrangement, summary: "Arrange the form and the list of a type", in: arrangementForm{}, out: storedArrangement{}},
	}
}

// storedArrangement is the arrangement of a type as shown to those who may change it.
type storedArrangement struct {
	Version     string               `json:"version"` // empty if nothing is arranged
	Arrangement *arrange.Arrangement `json:"arrangement"`
	Lost        []string             `json:"lost"` // attributes that the type no longer has, and that are left out
}

// arrangementForm is an arrangement to store in place of the one of that version. An empty
// one brings back the usual form.
type arrangementForm struct {
	Version     string               `json:"version"`
	Arrangement *arrange.Arrangement `json:"arrangement"`
}

// arrangedType finds a content type or a component of the site.
func (x *request) arrangedType() (*schema.Type, error) {
	t := x.admin.Server.Site(x.http).Type(x.params.ByName("uid"))
	if t == nil || t.BuiltIn {
		return nil, notFound()
	}
	return t, nil
}

func showArrangement(x *request) error {
	t, err := x.arrangedType()
	if err != nil {
		return err
	}
	return x.answerArrangement(t)
}

func (x *request) answerArrangement(t *schema.Type) error {
	r, version, err := x.admin.Arrange.Of(t.UID)
	if err != nil {
		return err
	}
	fits, lost := r.Fit(t)
	return x.data(storedArrangement{version, fits, append([]string{}, lost...)})
}

func setArrangement(x *request) error {
	t, err := x.arrangedType()
	if err != nil {
		return err
	}
	text, err := x.admin.Server.ReadJSON(x.http, arrange.MostBytes+formBytes)
	if err != nil {
		return err
	}
	var f arrangementForm
	if err := decode(text, &f); err != nil {
		return err
	}
	if f.Arrangement == nil {
		return server.KeyProblem("arrangement", "arrangement is missing")
	}
	if err := f.Arrangement.Check(t); err != nil {
		return below("arrangement", err)
	}
	switch _, err = x.admin.Arrange.Put(t.UID, f.Version, f.Arrangement); {
	case errors.Is(err, arrange.ErrChanged):
		return server.Problem(http.StatusConflict, "ConflictError", "Somebody else has arranged this form meanwhile; load it again", nil)
	case err != nil:
		return below("", err)
	}
	title(t, f.Arrangement)
	return x.answerArrangement(t)
}

// below refuses the key of an arrangement or a view, which is at a key of the body.
func below(at string, err error) error {
	var wrong *arrange.MisfitError
	var full *arrange.SpaceError
	switch {
	case errors.As(err, &wrong):
		return problemBelow(at, wrong.Key, wrong.Message)
	case errors.As(err, &full):
		return noSpace(full.Message)
	case errors.Is(err, arrange.ErrNoView):
		return notFound()
	}
	return err
}

// title names the entries of a type in all lists of the admin.
func title(t *schema.Type, r *arrange.Arrangement) {
	if r == nil || r.Title == "" || !arrange.MayBeTitle(t.Attribute(r.Title)) {
		t.SetTitle(nil)
		return
	}
	t.SetTitle(t.Attribute(r.Title))
}

// arranged returns the arrangements of the types of a site, as far as they fit. Pages read
// the schema before they show anything, so here the titles are made those of the data file:
// other nodes may have changed them.
func (x *request) arranged(site *schema.Site) (map[*schema.Type]*arrange.Arrangement, error) {
	all, err := x.admin.Arrange.All()
	if err != nil {
		return nil, err
	}
	fitting := map[*schema.Type]*arrange.Arrangement{}
	for _, types := range [][]*schema.Type{site.Types, site.Components} {
		for _, t := range types {
			if t.BuiltIn {
				continue
			}
			r := all[t.UID]
			title(t, r)
			if r != nil {
				fitting[t], _ = r.Fit(t)
			}
		}
	}
	return fitting, nil
}
