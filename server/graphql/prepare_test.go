package graphql

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// body writes the body of a request.
func requestBody(query string, variables string) []byte {
	if variables == "" {
		variables = "null"
	}
	text, _ := json.Marshal(query)
	return fmt.Appendf(nil, `{"query": %s, "variables": %s}`, text, variables)
}

// prepare reads and prepares a request.
func prepare(s *Schema, body []byte, l Limits) (*Operation, *Refusal) {
	r, refusal := readBody(body)
	if refusal != nil {
		return nil, refusal
	}
	limited := *s
	limited.limits, limited.known = l, newKnownQueries()
	return limited.Prepare(r)
}

// Codes are as recorded from Strapi, with one error for one mistake.
func TestRefusedRequests(t *testing.T) {
	s := newSchema(t, "../../testdata/site")
	const create = "mutation C($d: RestaurantInput!) { createRestaurant(data: $d) { name } }"
	for _, test := range []struct{ query, variables, code, message string }{
		{"{ restaurants { name ", "", ParseFailed, "Syntax Error: Expected Name, found <EOF>."},
		{"# nothing", "", ParseFailed, "Unexpected <EOF>"},
		{"{ restaurants(sort: \"x\xff\") { name } }", "", "", ""}, // JSON replaces what is not UTF-8
		{"", "", BadRequest, "non-empty `query`"},
		{"{ restaurants { nope } }", "", ValidationFailed, `Cannot query field "nope" on type "Restaurant".`},
		{"{ restaurants { secret_note } }", "", ValidationFailed, `Cannot query field "secret_note"`},
		{"{ nope }", "", ValidationFailed, `on type "Query"`},
		{"{ restaurants }", "", ValidationFailed, "must have a selection of subfields"},
		{"{ restaurants { name { x } } }", "", ValidationFailed, `Field "name" must not have a selection`},
		{"{ restaurants(nope: 1) { name } }", "", ValidationFailed, `Unknown argument "nope"`},
		{"{ restaurant { name } }", "", ValidationFailed, `"documentId" of type "ID!" is required`},
		{"{ restaurants(filters: {cover: {name: {eq: \"x\"}}}) { name } }", "", ValidationFailed, `Field "cover" is not defined by type "RestaurantFiltersInput".`},
		{"{ restaurants(filters: {secret_note: {contains: \"1\"}}) { name } }", "", ValidationFailed, `Field "secret_note" is not defined`},
		{"{ restaurants(filters: {stars: {eq: \"four\"}}) { name } }", "", ValidationFailed, `Int cannot represent non-integer value: "four"`},
		{"{ restaurants(filters: {stars: {eq: 4.5}}) { name } }", "", ValidationFailed, `Int cannot represent non-integer value: 4.5`},
		{"{ restaurants(filters: {stars: {eq: 2147483648}}) { name } }", "", ValidationFailed, `non 32-bit`},
		{"{ restaurants(filters: {stars: {eq: 99999999999999999999}}) { name } }", "", ValidationFailed, `non 32-bit`},
		{"{ restaurants(filters: {rating: {eq: \"4\"}}) { name } }", "", ValidationFailed, `Float cannot represent non numeric value: "4"`},
		{"{ restaurants(filters: {vegan: {eq: 1}}) { name } }", "", ValidationFailed, `Boolean cannot represent a non boolean value: 1`},
		{"{ restaurants(filters: {name: {eq: 4}}) { name } }", "", ValidationFailed, `String cannot represent a non string value: 4`},
		{"{ restaurants(filters: {seats: {eq: 4.5}}) { name } }", "", ValidationFailed, `BigInt cannot represent value: 4.5`},
		{"{ restaurants(filters: {founded: {eq: \"soon\"}}) { name } }", "", ValidationFailed, `Date cannot represent an invalid date-string soon.`},
		{"{ restaurants(filters: {opens_at: {eq: \"25:00\"}}) { name } }", "", ValidationFailed, `Expected value of type "Time", found "25:00"; Invalid time format, expected HH:mm:ss.SSS`},
		{"{ restaurants(filters: {inspected_at: {eq: 5}}) { name } }", "", ValidationFailed, `DateTime cannot represent non string type 5`},
		{"{ restaurants(filters: {inspected_at: {eq: \"2024-02-29\"}}) { name } }", "", ValidationFailed, `DateTime cannot represent an invalid date-time-string 2024-02-29.`},
		{"{ restaurants(filters: {founded: {eq: \"2024-02-29T10:20:30.400Z\"}}) { name } }", "", ValidationFailed, `Date cannot represent an invalid date-string 2024-02-29T10:20:30.400Z.`},
		{"{ restaurants(filters: {stars: {eq: 1.0}}) { name } }", "", ValidationFailed, `Int cannot represent non-integer value: 1.0`},
		{"{ restaurants(filters: {name: \"Biscotte\"}) { name } }", "", ValidationFailed, `Expected type "StringFilterInput" to be an object.`},
		{"{ restaurants(status: NOPE) { name } }", "", ValidationFailed, `Value "NOPE" does not exist in "PublicationStatus" enum.`},
		{"{ restaurants(status: \"DRAFT\") { name } }", "", ValidationFailed, `Enum "PublicationStatus" cannot represent value: "DRAFT".`},
		{"{ restaurants(locale: \"xx\") { name } }", "", ValidationFailed, "Unknown locale supplied"},
		{"{ restaurants(locale: 5) { name } }", "", ValidationFailed, "Locale cannot represent non string type"},
		{"{ restaurant(documentId: null) { name } }", "", ValidationFailed, `Expected value of type "ID!", found null.`},
		{"{ restaurant(documentId: true) { name } }", "", ValidationFailed, `ID cannot represent value: true`},
		{"mutation { createRestaurant(data: {sections: [{label: \"a\"}]}) { name } }", "", ValidationFailed, "Component not found"},
		{"mutation { createRestaurant(data: {sections: [\"a\"]}) { name } }", "", ValidationFailed, "DynamicZoneInput cannot represent value"},
		{"mutation { login(input: {identifier: \"a\"}) { jwt } }", "", ValidationFailed, `Field "password" of required type "String!" was not provided.`},
		{"query A { restaurants { name } } query A { chefs { name } }", "", ValidationFailed, `only one operation named "A"`},
		{"{ ...F }", "", ValidationFailed, `Unknown fragment "F"`},
		{"fragment F on Restaurant { name }", "", ValidationFailed, `Fragment "F" is never used`},
		{"{ restaurants @nope { name } }", "", ValidationFailed, `Unknown directive "@nope"`},
		{"{ restaurants { ...F @defer } } fragment F on Restaurant { name }", "", ValidationFailed, `Unknown directive "@defer"`},
		{"query A($a: Int) { restaurants { name } }", "", ValidationFailed, `"$a" is never used`},
		{"query F($f: Nope) { restaurants(filters: $f) { name } }", "", ValidationFailed, `Unknown type "Nope"`},
		{"query F($f: String) { restaurants(filters: $f) { name } }", "", ValidationFailed, `used in position expecting type`},
		{"{ a: restaurants { name } a: chefs { name } }", "", ValidationFailed, `"restaurants" and "chefs" are different fields`},
		{"query A { restaurants { name } } query B { chefs { name } }", "", NoOperation, "Must provide operation name"},
		{"query F($f: RestaurantFiltersInput) { restaurants(filters: $f) { name } }", `{"f": {"nope": 1}}`, BadUserInput, `Variable "$f" got invalid value {nope:1}; Field "nope" is not defined by type "RestaurantFiltersInput".`},
		{"query F($f: RestaurantFiltersInput!) { restaurants(filters: $f) { name } }", "", BadUserInput, `Variable "$f" of required type "RestaurantFiltersInput!" was not provided.`},
		{"query F($f: RestaurantFiltersInput!) { restaurants(filters: $f) { name } }", `{"f": null}`, BadUserInput, `Variable "$f" of non-null type "RestaurantFiltersInput!" must not be null.`},
		{"query F($f: RestaurantFiltersInput) { restaurants(filters: $f) { name } }", `{"f": 5}`, BadUserInput, `Expected type "RestaurantFiltersInput" to be an object.`},
		{"query F($s: PublicationStatus) { restaurants(status: $s) { name } }", `{"s": "NOPE"}`, BadUserInput, `Value "NOPE" does not exist`},
		{"query F($s: PublicationStatus) { restaurants(status: $s) { name } }", `{"s": 1}`, BadUserInput, `Enum "PublicationStatus" cannot represent value: 1`},
		{create, `{"d": {"stars": "4"}}`, BadUserInput, `Variable "$d" got invalid value "4" at "d.stars"; Int cannot represent non-integer value: "4"`},
		{create, `{"d": {"stars": 4.5}}`, BadUserInput, `4.5 at "d.stars"`},
		{create, `{"d": {"seats": "many"}}`, BadUserInput, `"many" at "d.seats"`},
		{create, `{"d": {"vegan": "yes"}}`, BadUserInput, `Boolean cannot represent a non boolean value: "yes"`},
		{create, `{"d": {"opening_hours": [{"day": "mon"}, {"day": "xxx"}]}}`, BadUserInput, `"xxx" at "d.opening_hours[1].day"`},
		{create, `{"d": {"sections": [{"__typename": "ComponentNope"}]}}`, BadUserInput, `at "d.sections[0]"; Component not found`},
		{create, `{"d": {"sections": [null]}}`, BadUserInput, `Expected non-nullable type "RestaurantSectionsDynamicZoneInput!" not to be null.`},
		{create, `{"d": {"documentId": "x"}}`, BadUserInput, `Field "documentId" is not defined`},
		{create, `[]`, BadRequest, "`variables` must be an object"},
		{create, `"x"`, BadRequest, "`variables` must be an object"},
	} {
		_, refusal := prepare(s, requestBody(test.query, test.variables), DefaultLimits())
		switch {
		case refusal == nil:
			if test.code != "" {
				t.Errorf("%s with %s is not refused", test.query, test.variables)
			}
		case len(refusal.Errors) != 1 || refusal.Started:
			t.Errorf("%s with %s: %d errors, the second: %v", test.query, test.variables, len(refusal.Errors), refusal.Errors[len(refusal.Errors)-1])
		case refusal.Errors[0].Code != test.code || !strings.Contains(refusal.Error(), test.message):
			t.Errorf("%s with %s: %s, %s", test.query, test.variables, refusal.Errors[0].Code, refusal)
		}
	}
}

func TestRefusedBodies(t *testing.T) {
	s := newSchema(t, "../../testdata/site")
	for _, text := range []string{
		"not json", "", "{}", `{"query": 5}`, `{"query": null}`, `{"QUERY": "{ __typename }"}`, `{"query": "{ __typename }", "variables": "x"}`,
		`{"query": "{ __typename }", "operationName": {}}`, `[{"query": "{ __typename }"}]`, `"{ __typename }"`, `{"query": "{ __typename }"`,
	} {
		if _, refusal := prepare(s, []byte(text), DefaultLimits()); refusal == nil || refusal.Errors[0].Code != BadRequest {
			t.Errorf("%s: %+v", text, refusal)
		}
	}
	for _, text := range []string{
		`{"query": "{ __typename }", "extra": 1}`, `{"query": "{ __typename }", "variables": null, "operationName": null}`, ` {"query": "{ __typename }", "variables": {"unused": 1}}`,
		`{"query": "query A { me { id } } query B { __typename }", "operationName": "B"}`,
	} {
		if _, refusal := prepare(s, []byte(text), DefaultLimits()); refusal != nil {
			t.Errorf("%s: %v", text, refusal)
		}
	}
}

// A subscription is right, and there is nothing to subscribe to.
func TestSubscriptionsAreRefusedAsInput(t *testing.T) {
	_, refusal := prepare(newSchema(t, "../../testdata/site"), requestBody("subscription { x }", ""), DefaultLimits())
	if refusal == nil || !refusal.Started || refusal.Errors[0].Code != BadUserInput || refusal.Errors[0].Name != "ValidationError" {
		t.Errorf("%+v", refusal)
	}
}

// Each of these would take long to validate or to answer.
func TestLargeRequestsAreRefused(t *testing.T) {
	s := newSchema(t, "../../testdata/site")
	repeat := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.NewReplacer("#", fmt.Sprint(i), "+", fmt.Sprint(i+1)).Replace(format))
		}
		return b.String()
	}
	nearby := func(n int) string { return strings.Repeat("nearby { ", n) + "name" + strings.Repeat(" }", n) }
	const list = "query($s: [String]) { restaurants(sort: $s) { name } }"
	const anything = "query($s: JSON) { restaurants(filters: {meta: {eq: $s}}) { name } }"
	for _, test := range []struct{ name, query, variables, message string }{
		{"tokens", "{ restaurants { " + strings.Repeat("name ", 20_000) + "} }", "", "token limit of 10000"},
		{"comments", "{ restaurants " + strings.Repeat("#\n", 20_000) + "{ name } }", "", "token limit of 10000"},
		{"fields", "{ restaurants { " + strings.Repeat("name ", 2_000) + "} }", "", "more than 2000 fields"},
		{"fields of several operations", repeat(1_001, "query Q# { restaurants { name } } "), "", "more than 2000 fields"},
		{"aliases", "{ " + repeat(201, "a#: restaurants { name } ") + "}", "", "more than 200 aliases"},
		{"fields of the root", "{ ...F ...F } fragment F on Query {" + strings.Repeat("restaurants { name } ", 26) + "}", "", "more than 50 fields at the top"},
		{"depth", "{ restaurants { " + nearby(11) + " } }", "", "exceeds maximum operation depth of 10"},
		{"depth by fragments", "{ restaurants { nearby { ...F0 } } } " + repeat(9, "fragment F# on Restaurant { nearby { ...F+ } } ") + "fragment F9 on Restaurant { name }", "", "exceeds maximum operation depth of 10"},
		{"fragments that double", "{ restaurants { ...F0 } } " + repeat(100, "fragment F# on Restaurant { ...F+ ...F+ } ") + "fragment F100 on Restaurant { name }", "", "more than 2000 fields"},
		{"unused fragments that double", "{ __typename } " + repeat(100, "fragment F# on Restaurant { ...F+ ...F+ } ") + "fragment F100 on Restaurant { name }", "", "more than 2000 fields"},
		{"fragments in a circle", "{ restaurants { ...A } } fragment A on Restaurant { nearby { ...B } } fragment B on Restaurant { nearby { ...A } }", "", `Cannot spread fragment "A" within itself`},
		{"variables", list, `{"s": [` + strings.Repeat(`"name",`, 50_000) + `"a"]}`, "too many values"},
		{"long variables", list, `{"s": "` + strings.Repeat("x", 1<<20) + `"}`, "`variables` are too long"},
		{"deep variables", anything, `{"s": ` + strings.Repeat("[", 60) + strings.Repeat("]", 60) + "}", "nested too deeply"},
		{"wrong values", list, `{"s": [` + strings.Repeat("1,", 9_000) + "1]}", "String cannot represent"},
	} {
		_, refusal := prepare(s, requestBody(test.query, test.variables), DefaultLimits())
		if refusal == nil || !strings.Contains(refusal.Error(), test.message) || len(refusal.Errors) > mostErrors || len(refusal.Error()) > 1_000 {
			t.Errorf("%s: %.300v", test.name, refusal)
		}
	}
	for _, query := range []string{"{ restaurants { " + nearby(9) + " } }", "{ restaurants { " + strings.Repeat("name ", 1_999) + "} }", "{ " + repeat(50, "a#: restaurants { name } ") + "}"} {
		if _, refusal := prepare(s, requestBody(query, ""), DefaultLimits()); refusal != nil {
			t.Errorf("%.60s: %v", query, refusal)
		}
	}
}

func TestIntrospectionCanBeSwitchedOff(t *testing.T) {
	s := newSchema(t, "../../testdata/site")
	closed := DefaultLimits()
	closed.Introspection = false
	for _, query := range []string{"{ __schema { types { name } } }", "{ ...F } fragment F on Query { __type(name: \"Chef\") { name } }"} {
		if _, refusal := prepare(s, requestBody(query, ""), DefaultLimits()); refusal != nil {
			t.Errorf("%s: %v", query, refusal)
		}
		if _, refusal := prepare(s, requestBody(query, ""), closed); refusal == nil || refusal.Errors[0].Code != ValidationFailed {
			t.Errorf("%s: %v", query, refusal)
		}
	}
	if _, refusal := prepare(s, requestBody("{ __typename }", ""), closed); refusal != nil {
		t.Error(refusal)
	}
}

// Fields with one key must be one field. The answers are those of graphql-js.
func TestFieldsWithOneKey(t *testing.T) {
	s := newSchema(t, "../../testdata/site")
	zone := func(a, b string) string {
		return "{ homepage { sections { ... on ComponentSectionCta { " + a + " } ... on ComponentSectionQuote { " + b + " } } } }"
	}
	for _, test := range []struct{ query, conflict string }{
		{"{ restaurants { name name } }", ""},
		{"{ restaurants { a: name a: tagline } }", "different fields"},
		{"{ restaurants { name ...F } } fragment F on Restaurant { name: tagline }", "different fields"},
		{"{ restaurants { chef { a: name } ... { chef { a: bio } } } }", "different fields"},
		{"{ restaurants { chef { a: name } chef { b: name } } }", ""},
		{"{ restaurants(sort: \"name\") { name } restaurants { stars } }", "differing arguments"},
		{"{ restaurants(sort: \"name\") { name } restaurants(sort: \"stars\") { stars } }", "differing arguments"},
		{"{ restaurants(filters: {name: {eq: \"a\"}, stars: {eq: 1}}) { name } restaurants(filters: {stars: {eq: 1}, name: {eq: \"a\"}}) { stars } }", ""},
		{"{ restaurants(sort: [\"a\", \"b\"]) { name } restaurants(sort: [\"b\", \"a\"]) { stars } }", "differing arguments"},
		{zone("a: label", "a: text"), `conflicting types "String!" and "String"`},
		{zone("a: href", "a: text"), ""},
		{zone("a: href", "a: chef { name }"), "conflicting types"},
		{zone("a: image { b: name }", "a: chef { b: bio }"), `conflicting types "String!" and "String"`},
		{zone("a: image { b: name }", "a: chef { b: name }"), ""},
		{zone("a: image { ...N }", "a: chef { b: bio }") + " fragment N on UploadFile { b: caption }", ""},
		{"{ restaurants { a: chef { ...N } ...R } } fragment R on Restaurant { a: chef { ...N b: bio } } fragment N on Chef { b: name }", "different fields"},
		{zone("a: image { b: name }", "a: chef { b: documentId }"), `conflicting types "String!" and "ID!"`},
	} {
		_, refusal := prepare(s, requestBody(test.query, ""), DefaultLimits())
		switch {
		case test.conflict == "" && refusal != nil:
			t.Errorf("%s: %v", test.query, refusal)
		case test.conflict != "" && (refusal == nil || !strings.Contains(refusal.Error(), test.conflict)):
			t.Errorf("%s: %v", test.query, refusal)
		}
	}
}

// FuzzPrepare: whatever a client sends is refused with a code, or has a tree.
func FuzzPrepare(f *testing.F) {
	s := newSchema(f, "../../testdata/site")
	for _, seed := range [][2]string{
		{"{ restaurants(filters: {and: [{name: {in: [\"a\"]}}]}, sort: \"name\") { documentId n: name chef { name } } }", ""},
		{"query Q($f: RestaurantFiltersInput = {}, $yes: Boolean!) { restaurants_connection(filters: $f) { nodes { name @skip(if: $yes) } b: nodes { chef { name } } pageInfo { total } } }", `{"f": {"chef": {"name": null}}, "yes": true}`},
		{"{ homepage { sections { __typename ...F ... on Error { code } } } } fragment F on ComponentSectionRelated { restaurants(pagination: {limit: 1}) { ...G } } fragment G on Restaurant { nearby { ...G } }", ""},
		{"mutation($d: RestaurantInput!) { createRestaurant(data: $d, locale: \"fr\") { cover { url related { ... on Restaurant { name } } } } }", `{"d": {"sections": [{"__typename": "ComponentSectionCta", "label": "x"}], "meta": [1.5e3, null]}}`},
		{"{ restaurants(locale: \"*\", status: DRAFT, publicationFilter: MODIFIED, hasPublishedVersion: true) { localizations_connection { nodes { locale } } } }", "{"},
		{"subscription { x } \"\"\"d\"\"\" query A { __schema { types { name } } }", "[]"},
	} {
		f.Add(seed[0], seed[1])
	}
	s.limits.Tokens, s.limits.Fields, s.limits.Values = 500, 200, 200
	f.Fuzz(func(t *testing.T, query, variables string) {
		o, refusal := s.Prepare(Request{Query: query, Variables: []byte(variables)})
		if refusal != nil {
			if len(refusal.Errors) == 0 || refusal.Errors[0].Code == "" || refusal.Error() == "" {
				t.Fatalf("%q: %+v", query, refusal)
			}
			return
		}
		for _, root := range o.Roots() {
			if root.Means == nil || root.Means.Op == Special {
				continue
			}
			if _, _, err := o.Tree(root); err != nil {
				if e, ok := err.(*Error); !ok || e.Code == "" {
					t.Fatalf("%q: %v", query, err)
				}
			}
		}
	})
}
