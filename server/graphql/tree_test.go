package graphql

import (
	"errors"
	"strings"
	"testing"

	"quire/query"
	"quire/query/params"
	"quire/schema"
)

// show writes a tree of parameters in one line.
func show(n *params.Node) string {
	var b strings.Builder
	switch n.Kind {
	case params.Null:
		return "null"
	case params.Text:
		return n.Text
	case params.List:
		for i, item := range n.Items {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(show(item))
		}
		return "[" + b.String() + "]"
	}
	for i, key := range n.Keys {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(key + ": " + show(n.Items[i]))
	}
	return "{" + b.String() + "}"
}

// tree returns the parameters of the first field of a query.
func tree(t *testing.T, s *Schema, text, variables string) (*Selected, *params.Node, error) {
	t.Helper()
	o, refusal := prepare(s, requestBody(text, variables), DefaultLimits())
	if refusal != nil {
		t.Fatalf("%s: %v", text, refusal)
	}
	root := o.Roots()[0]
	n, _, err := o.Tree(root)
	return root, n, err
}

func TestTrees(t *testing.T) {
	s := newSchema(t, "../../testdata/site")
	for _, test := range []struct{ query, variables, want string }{
		{"{ restaurants { documentId name } }", "", "{status: published, fields: [name]}"},
		{"{ restaurants { __typename documentId } }", "", "{status: published, fields: [documentId]}"},
		{"{ restaurants { name n: name createdAt locale door_code } }", "", "{status: published, fields: [name, createdAt, locale]}"},
		{"{ restaurant(documentId: \"x\", status: DRAFT, locale: \"fr\") { name } }", "", "{status: draft, locale: fr, fields: [name]}"},
		{"{ restaurants(status: null, sort: null, filters: null, pagination: null, locale: null) { name } }", "", "{fields: [name]}"},
		{"{ restaurants(publicationFilter: NEVER_PUBLISHED_DOCUMENT, hasPublishedVersion: false) { name } }", "", "{status: published, hasPublishedVersion: false, publicationFilter: never-published-document, fields: [name]}"},
		{"{ restaurants(sort: \"name\", pagination: {start: -1, limit: 2}) { name } }", "", "{pagination: {start: -1, limit: 2}, sort: [name], status: published, fields: [name]}"},
		{"query($p: PaginationArg, $s: [String]) { restaurants(sort: $s, pagination: $p) { name } }", `{"p": {"pageSize": 3}, "s": "name:desc"}`, "{pagination: {pageSize: 3}, sort: [name:desc], status: published, fields: [name]}"},
		{"query($n: Int) { restaurants(pagination: {limit: $n, start: 1}) { name } }", "", "{pagination: {start: 1}, status: published, fields: [name]}"},
		{"query($n: Int = 7) { restaurants(pagination: {limit: $n}) { name } }", "", "{pagination: {limit: 7}, status: published, fields: [name]}"},
		{"query($s: PublicationStatus) { restaurants(status: $s) { name } }", "", "{status: published, fields: [name]}"},
		{"query($s: PublicationStatus) { restaurants(status: $s) { name } }", `{"s": "DRAFT"}`, "{status: draft, fields: [name]}"},

		{"{ restaurants(filters: {name: {eqi: \"a\", notNull: true}, stars: {in: [1, 2]}}) { name } }", "", "{filters: {name: {$eqi: a, $notNull: true}, stars: {$in: [1, 2]}}, status: published, fields: [name]}"},
		{"{ restaurants(filters: {stars: {in: 1, eq: null}}) { name } }", "", "{filters: {stars: {$eq: null, $in: [1]}}, status: published, fields: [name]}"},
		{"{ restaurants(filters: {and: {vegan: {eq: true}}, or: [{not: {stars: {not: {gt: 3}}}}, null], not: null}) { name } }", "", "{filters: {$and: [{vegan: {$eq: true}}], $or: [{$not: {stars: {$not: {$gt: 3}}}}, {}]}, status: published, fields: [name]}"},
		{"{ restaurants(filters: {chef: {name: {eq: \"A\"}}, location: {geo: {lat: {gt: 4.5}}}, nearby: null, tagline: null}) { name } }", "", "{filters: {tagline: null, chef: {name: {$eq: A}}, nearby: {}, location: {geo: {lat: {$gt: 4.5}}}}, status: published, fields: [name]}"},
		{"{ restaurants(filters: {name: {or: [\"a\", \"b\"]}}) { name } }", "", "{filters: {name: {$or: [a, b]}}, status: published, fields: [name]}"},
		{"{ restaurants(filters: {meta: {eq: {rank: 1}, ne: \"x\"}}) { name } }", "", "{filters: {meta: {$ne: x}}, status: published, fields: [name]}"},
		{"query($id: ID, $f: [RestaurantFiltersInput]) { restaurants(filters: {documentId: {eq: $id}, and: $f}) { name } }", `{"id": 5, "f": {"seats": {"eq": "100"}}}`, "{filters: {documentId: {$eq: 5}, $and: [{seats: {$eq: 100}}]}, status: published, fields: [name]}"},

		{"{ restaurants { name chef { name born } } }", "", "{status: published, fields: [name], populate: {chef: {fields: [name, born]}}}"},
		{"{ restaurants { categories(filters: {code: {gt: 1}}, sort: [\"name\", \"code:desc\"], pagination: {limit: 1}) { documentId } } }", "", "{status: published, populate: {categories: {filters: {code: {$gt: 1}}, pagination: {limit: 1}, sort: [name, code:desc], fields: [documentId]}}, fields: [documentId]}"},
		{"{ restaurants { a: categories(sort: \"name\") { name } b: categories { code } } }", "", "{status: published, populate: {a: {sort: [name], fields: [name], attribute: categories}, b: {fields: [code], attribute: categories}}, fields: [documentId]}"},
		{"{ restaurants { chef { name } ...F } } fragment F on Restaurant { stars chef { bio ... on Chef { born } ... on GenericMorph { ... on Restaurant { name } } } }", "", "{status: published, populate: {chef: {fields: [name, bio, born]}}, fields: [stars]}"},
		{"query($y: Boolean!, $n: Boolean = true) { restaurants { name @include(if: $y) stars @skip(if: $y) ... @skip(if: $n) { slug } ...F @include(if: false) } } fragment F on Restaurant { score }", `{"y": false}`, "{status: published, fields: [stars]}"},
		{"{ restaurants { location { id street geo { lat } } opening_hours(filters: {day: {eq: \"tue\"}}) { id } cover { url } gallery(sort: \"name\") { url related { __typename } } } }", "",
			"{status: published, populate: {location: {fields: [street], populate: {geo: {fields: [lat]}}}, opening_hours: {filters: {day: {$eq: tue}}, fields: [id]}, cover: {fields: [url]}, gallery: {sort: [name], fields: [url]}}, fields: [documentId]}"},
		{"{ restaurants { localizations(sort: \"locale\") { locale } } }", "", "{status: published, populate: {localizations: {sort: [locale], fields: [locale]}}, fields: [documentId]}"},
		{"{ homepage { sections { __typename ... on ComponentSectionCta { label ...C } ... on ComponentSectionRelated { restaurants(sort: \"name\") { name } } ... on Error { code } } } } fragment C on ComponentSectionCta { href }", "",
			"{status: published, populate: {sections: {on: {section.cta: {fields: [label, href]}, section.quote: {fields: [id]}, section.related: {populate: {restaurants: {sort: [name], fields: [name]}}, fields: [id]}}}}, fields: [documentId]}"},

		{"{ restaurants_connection(sort: \"name\") { nodes { name chef { name } } pageInfo { total } } }", "", "{sort: [name], status: published, fields: [name], populate: {chef: {fields: [name]}}}"},
		{"{ restaurants_connection { pageInfo { total } } }", "", "{status: published, fields: [documentId]}"},
		{"{ restaurants_connection { nodes { name } b: nodes { stars chef { name } } } }", "", "{status: published, fields: [name, stars], populate: {b.chef: {fields: [name], attribute: chef}}}"},
		{"{ chefs { restaurants_connection(pagination: {limit: 1}) { nodes { name } } } }", "", "{status: published, populate: {restaurants_connection: {pagination: {limit: 1}, fields: [name], attribute: restaurants}}, fields: [documentId]}"},
		{"mutation { updateHomepage(locale: \"fr\", data: {title: \"x\"}) { title featured { name } } }", "", "{status: published, locale: fr, fields: [title], populate: {featured: {fields: [name]}}}"},
	} {
		_, n, err := tree(t, s, test.query, test.variables)
		if err != nil {
			t.Errorf("%s: %v", test.query, err)
		} else if got := show(n); got != test.want {
			t.Errorf("%s:\n     %s\nwant %s", test.query, got, test.want)
		}
	}
}

// Relations to any type lead to all types: those that the query does not name show nothing.
func TestTreesOfPolymorphicRelations(t *testing.T) {
	site := load(t, "testdata/kinds")
	s, err := New(site)
	check(t, err)
	const others = "plugin::upload.file: {fields: [documentId]}, plugin::users-permissions.role: {fields: [documentId]}, plugin::users-permissions.user: {fields: [documentId]}, api::blog-post2.blog-post2: {fields: [documentId]}, api::front-page.front-page: {fields: [documentId]}, api::plain.plain: {fields: [documentId]}, api::settings.site-setting: {fields: [documentId]}, "
	for _, test := range []struct{ query, want string }{
		{"{ blogPosts2 { about { ... on Tag { name } ... on ComponentSmallLeaf { label } ... on I18NLocale { code } } } }", "{status: published, populate: {about: {on: {" + others + "api::tag.tag: {fields: [name]}}}}, fields: [documentId]}"},
		{"{ blogPosts2 { related_things { __typename } } }", "{status: published, populate: {related_things: {on: {" + others + "api::tag.tag: {fields: [documentId]}}}}, fields: [documentId]}"},
	} {
		root, n, err := tree(t, s, test.query, "")
		if err != nil || show(n) != test.want {
			t.Errorf("%s:\n     %s, %v\nwant %s", test.query, show(n), err, test.want)
		}
		if _, err := query.NewCompiler(site).Compile(root.Means.Type, n, only{}, query.Options{}); err != nil {
			t.Errorf("%s: %v", test.query, err)
		}
	}
}

// A field fails if an argument is missing that must be there, or if it has too many values.
func TestArgumentsThatFail(t *testing.T) {
	s := newSchema(t, "../../testdata/site")
	o, refusal := prepare(s, requestBody("query($id: ID = \"a\") { restaurant(documentId: $id) { name } }", `{"id": null}`), DefaultLimits())
	if refusal != nil {
		t.Fatal(refusal)
	}
	var refused *Error
	if _, err := o.Argument(o.Roots()[0].Field, "documentId"); !errors.As(err, &refused) || refused.Code != BadUserInput {
		t.Errorf("%v", err)
	}
	o, refusal = prepare(s, requestBody("query($f: [RestaurantFiltersInput]) { restaurants(filters: {or: $f}) { name } }", `{"f": [{"stars": {"in": [`+strings.Repeat("1, ", 2_000)+`1]}}]}`), DefaultLimits())
	if refusal != nil {
		t.Fatal(refusal)
	}
	if _, _, err := o.Tree(o.Roots()[0]); !errors.As(err, &refused) || !strings.Contains(refused.Message, "more than 2000 values") {
		t.Errorf("%v", err)
	}
	o, refusal = prepare(s, requestBody("mutation($j: JSON) { createRestaurant(data: {name: \"a\", meta: ["+strings.Repeat("$j ", 3_000)+"]}) { name } }", `{"j": [`+strings.Repeat("1, ", 40_000)+`1]}`), DefaultLimits())
	if refusal != nil {
		t.Fatal(refusal)
	}
	if _, err := o.Argument(o.Roots()[0].Field, "data"); !errors.As(err, &refused) || !strings.Contains(refused.Message, "more than 1048576 bytes") {
		t.Errorf("a long variable 3000 times: %v", err)
	}
	o, refusal = prepare(s, requestBody("mutation { login(input: {identifier: \"a\", password: \"b\"}) { jwt } }", ""), DefaultLimits())
	if refusal != nil {
		t.Fatal(refusal)
	}
	input, err := o.Argument(o.Roots()[0].Field, "input")
	if err != nil || input.Children.ForName("provider").Raw != "local" {
		t.Errorf("%v, %v: provider has a default", input, err)
	}
}

// only is a caller who may find these types and read no drafts.
type only struct {
	schema.Unlimited
	types string
}

func (o only) Allows(t *schema.Type, a schema.Action) bool {
	return a == schema.Find && (o.types == "" || strings.Contains(o.types, t.Singular))
}

// What a caller may not see is refused where REST refuses it, with the recorded codes.
func TestCompileRefusesWhatTheCallerMayNotSee(t *testing.T) {
	site := load(t, "../../testdata/site")
	s, err := New(site)
	check(t, err)
	c := query.NewCompiler(site)
	for _, test := range []struct{ query, types, code, name string }{
		{"{ restaurants(filters: {reviews: {note: {gt: 5}}}) { name } }", "restaurant", BadUserInput, "ValidationError"},
		{"{ restaurants(filters: {reviews: {note: {gt: 5}}}) { name } }", "restaurant review", "", ""},
		{"{ restaurants(filters: {door_code: {eq: \"1\"}}) { name } }", "", BadUserInput, "ValidationError"},
		{"{ restaurants(filters: {name: {or: [\"a\"]}}) { name } }", "", BadUserInput, "ValidationError"},
		{"{ restaurants(sort: \"secret_note\") { name } }", "", BadUserInput, "ValidationError"},
		{"{ restaurants(sort: \"nope\") { name } }", "", BadUserInput, "ValidationError"},
		{"{ restaurants(sort: \"name:sideways\") { name } }", "", BadUserInput, "ValidationError"},
		{"{ restaurants(sort: \"reviews.note\") { name } }", "restaurant", BadUserInput, "ValidationError"},
		{"{ restaurants(pagination: {page: 1, limit: 2}) { name } }", "", BadPagination, "PaginationError"},
		{"{ restaurants(status: DRAFT) { name } }", "", Forbidden, "ForbiddenError"},
		{"{ usersPermissionsUsers(sort: \"password\") { username } }", "", BadUserInput, "ValidationError"},
		{"{ usersPermissionsRoles(filters: {users: {email: {contains: \"@\"}}}) { name } }", "", BadUserInput, "ValidationError"},
		{"{ usersPermissionsRoles(filters: {permissions: {action: {eq: \"x\"}}}) { name } }", "", BadUserInput, "ValidationError"},
		{"{ restaurants { name door_code chef { name } localizations { name } sections { ... on ComponentSectionQuote { chef { name } } } } }", "", "", ""},
		{"{ uploadFiles { url related { __typename } } }", "", "", ""},
		{"{ usersPermissionsRoles { name users { email } permissions { action } } }", "", "", ""},
	} {
		root, n, err := tree(t, s, test.query, "")
		if err != nil {
			t.Errorf("%s: %v", test.query, err)
			continue
		}
		_, err = c.Compile(root.Means.Type, n, only{types: test.types}, query.Options{})
		switch {
		case (err == nil) != (test.code == ""):
			t.Errorf("%s: %v", test.query, err)
		case err != nil:
			if e := CompileError(err, root.Key); e == nil || e.Code != test.code || e.Name != test.name || e.Path[0] != root.Key {
				t.Errorf("%s: %+v", test.query, e)
			}
		}
	}
	if CompileError(errors.New("disk")) != nil {
		t.Error("an error of the server is shown as the client's")
	}
}
