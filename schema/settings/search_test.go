package settings_test

import (
	"reflect"
	"strings"
	"testing"

	"quire/schema/settings"
	"quire/schema/source"
)

func readSearch(text string) (settings.Search, error) {
	problems := &source.Problems{}
	config, _ := source.Parse("site.json", []byte(text), problems)
	s := settings.Read(config)
	s.ReadByType(config, settings.Types{Exists: func(m source.Member) bool {
		if m.Key != "api::dish.dish" {
			m.Refuse("is not a content type", "name one")
		}
		return m.Key == "api::dish.dish"
	}})
	return s.Search, problems.Err()
}

func TestSearchSettings(t *testing.T) {
	got, err := readSearch(`{"search": {"types": {"api::dish.dish": {"attributes": {"name": 10, "seo.title": 2}, "order": ["sales:desc", "name"]}},
		"synonyms": [["sofa", "couch"]], "together": ["C++"], "stopWords": {"en": ["recipe"]}, "countMissed": true}}`)
	want := settings.Search{
		Types:    map[string]settings.SearchedType{"api::dish.dish": {Attributes: []settings.WeightedPath{{Path: "name", Weight: 10}, {Path: "seo.title", Weight: 2}}, Order: []string{"sales:desc", "name"}}},
		Synonyms: [][]string{{"sofa", "couch"}}, Together: []string{"C++"}, StopWords: map[string][]string{"en": {"recipe"}}, CountMissed: true,
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v, %v", got, err)
	}
	if none, err := readSearch(`{}`); err != nil || none.Types != nil || none.CountMissed {
		t.Errorf("without settings %+v, %v", none, err)
	}
}

func TestWrongSearchSettingsAreRefusedAtTheirPlace(t *testing.T) {
	for text, place := range map[string]string{
		`{"kinds": {}}`:               "search.kinds",
		`{"types": {"api::x.x": {}}}`: "api::x.x",
		`{"types": {"api::dish.dish": {"attributes": {"name": 101}}}}`:        "attributes.name",
		`{"types": {"api::dish.dish": {"attributes": {"name": 0}}}}`:          "attributes.name",
		`{"types": {"api::dish.dish": {"order": ["name:up"]}}}`:               "order[0]",
		`{"synonyms": [["sofa"]]}`:                                            "search.synonyms[0]",
		`{"synonyms": [` + strings.Repeat(`["a","b"],`, 5000) + `["a","b"]]}`: "search.synonyms",
		`{"countMissed": 1}`:           "search.countMissed",
		`{"together": [" C"]}`:         "search.together[0]",
		`{"stopWords": {"xx": ["a"]}}`: "stopWords.xx",
		`{"stopWords": {"en": ["` + strings.Repeat("a", 61) + `"]}}`: "stopWords.en[0]",
	} {
		if _, err := readSearch(`{"search": ` + text + `}`); err == nil || !strings.Contains(err.Error(), place) {
			t.Errorf("%.100s is refused with %v, not at %s", text, err, place)
		}
	}
}
