package admin_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// shownSchema is what the tests read of the answer.
type shownSchema struct {
	Data struct {
		Locales []struct {
			Code      string
			IsDefault bool
		}
		Types      []shownType
		Components []struct {
			UID, Category, MainField string
			Attributes               []shownAttribute
		}
		Files    []string
		Releases bool
	}
}

type shownType struct {
	UID, Kind, Route, MainField string
	Attributes                  []shownAttribute
	Layout                      struct {
		List []string
		Edit [][]struct {
			Name string
			Size int
		}
	}
	May     []string
	Own     bool
	Locales []string
}

type shownAttribute struct {
	Name, Label, Type, Target, MainField, Inverse, Component string
	Private, Required, Multiple                              bool
	Components                                               []string
}

func (v *client) schema() (s shownSchema) {
	v.t.Helper()
	check(v.t, json.Unmarshal([]byte(v.want(200, "GET", "/schema", "").body), &s))
	return s
}

func TestSchema(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	o.client().want(401, "GET", "/schema", "")
	v := o.owner()
	s := v.schema()
	if _, reader := v.addAccount("reader", v.want(201, "POST", "/roles", `{"name":"Reader","rights":{"types":{"*":{"actions":["read"]}}}}`).text("data.id")); !s.Data.Releases || reader.schema().Data.Releases {
		t.Error("who may plan releases is told wrongly")
	}
	i := slices.IndexFunc(s.Data.Types, func(t shownType) bool { return t.UID == "api::restaurant.restaurant" })
	r := s.Data.Types[i]
	if r.Kind != "collectionType" || r.Route != "restaurants" || r.MainField != "name" || !slices.Equal(r.May, []string{"read", "create", "update", "delete", "publish", "unpublish"}) || r.Own || r.Locales != nil {
		t.Errorf("the type is %+v", r)
	}
	if r.Layout.List[0] != "name" || r.Layout.List[len(r.Layout.List)-1] != "updatedAt" || len(r.Layout.List) > 5 {
		t.Errorf("the columns are %v", r.Layout.List)
	}
	var fields []string
	for _, row := range r.Layout.Edit {
		width := 0
		for _, cell := range row {
			width += cell.Size
			fields = append(fields, cell.Name)
		}
		if width > 12 {
			t.Errorf("a row is %d wide: %v", width, row)
		}
	}
	var names []string
	for _, a := range r.Attributes {
		names = append(names, a.Name)
		switch a.Name {
		case "chef":
			if a.Type != "relation" || a.Target != "api::chef.chef" || a.MainField != "name" || a.Inverse != "restaurants" {
				t.Errorf("the relation is %+v", a)
			}
		case "secret_note":
			if !a.Private || a.Label != "Secret note" {
				t.Errorf("the private attribute is %+v", a)
			}
		case "sections":
			if a.Type != "dynamiczone" || !slices.Contains(a.Components, "section.quote") {
				t.Errorf("the zone is %+v", a)
			}
		}
	}
	if !slices.Equal(fields, names) || !slices.Contains(names, "door_code") {
		t.Errorf("the fields are %v, the attributes %v", fields, names)
	}
	if len(s.Data.Components) == 0 || len(s.Data.Files) != 3 || !s.Data.Locales[0].IsDefault {
		t.Errorf("the rest is %+v", s.Data)
	}
	tag := v.want(200, "GET", "/schema", "").header.Get("Etag")
	v.want(304, "GET", "/schema", "", "If-None-Match", tag)
}

func TestSchemaHasTheRulesOfValues(t *testing.T) {
	t.Parallel()
	body := openAdmin(t).owner().want(200, "GET", "/schema", "").body
	for _, part := range []string{`"enum":["none","nuts","milk","gluten"]`, `"type":"decimal","min":0`, `"targetField":`, `"label":"Opening hours"`, `"repeatable":true`} {
		if !strings.Contains(body, part) {
			t.Errorf("there is no %s in %s", part, body)
		}
	}
}
