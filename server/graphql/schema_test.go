package graphql

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"quire/schema"
)

var update = flag.Bool("update", false, "write the golden files")

func load(t testing.TB, folder string) *schema.Site {
	t.Helper()
	site, err := schema.Load(os.DirFS(folder))
	check(t, err)
	return site
}

func newSchema(t testing.TB, folder string) *Schema {
	t.Helper()
	s, err := New(load(t, folder))
	check(t, err)
	return s
}

// reviewTypes are the types of Strapi's review workflows, which Quire has not.
var reviewTypes = []string{
	"ReviewWorkflowsWorkflow", "ReviewWorkflowsWorkflowFiltersInput", "ReviewWorkflowsWorkflowInput", "ReviewWorkflowsWorkflowEntityResponseCollection",
	"ReviewWorkflowsWorkflowStage", "ReviewWorkflowsWorkflowStageFiltersInput", "ReviewWorkflowsWorkflowStageInput",
	"ReviewWorkflowsWorkflowStageEntityResponseCollection", "ReviewWorkflowsWorkflowStageRelationResponseCollection",
}

// definitions splits a schema into its definitions by name. The members of GenericMorph
// are sorted: Strapi has components in the order in which the file system lists them.
func definitions(text string) map[string]string {
	all := map[string]string{}
	for _, part := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if strings.HasPrefix(part, " ") { // more of a type with descriptions in it
			last := all[""]
			all[last] += "\n\n" + part
			continue
		}
		for line := range strings.Lines(part) {
			words := strings.Fields(line)
			if len(words) > 1 && slices.Contains([]string{"scalar", "type", "enum", "input", "union"}, words[0]) {
				all[words[1]], all[""] = part, words[1]
			}
		}
	}
	delete(all, "")
	members := strings.Split(strings.TrimPrefix(all["GenericMorph"], "union GenericMorph = "), " | ")
	slices.Sort(members)
	all["GenericMorph"] = strings.Join(members, "\n")
	return all
}

// withoutLines removes the lines that name the types of review workflows.
func withoutLines(text string) string {
	var kept []string
	for line := range strings.SplitSeq(text, "\n") {
		if !strings.Contains(line, "ReviewWorkflows") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

func TestSchemaIsThatOfStrapi(t *testing.T) {
	recorded, err := os.ReadFile("testdata/guide.graphql")
	check(t, err)
	want, got := definitions(string(recorded)), definitions(newSchema(t, "../../testdata/site").SDL())
	own := []string{"Subscription"}
	for t := range load(t, "../../testdata/site").Served() {
		own = append(own, typeName(t)+"Change")
	}
	for _, name := range own {
		if got[name] == "" {
			t.Errorf("there is no type %s", name)
		}
		delete(got, name)
	}
	for _, name := range reviewTypes {
		if want[name] == "" {
			t.Errorf("Strapi has no type %s", name)
		}
		delete(want, name)
	}
	for name, text := range want {
		if text = withoutLines(text); got[name] != text {
			t.Errorf("%s is\n%s\nwant\n%s", name, got[name], text)
		}
	}
	for name, text := range got {
		if want[name] == "" {
			t.Errorf("Strapi has no type %s: %s", name, text)
		}
	}
}

// The site in testdata has what the recorded one has not. Its schema follows the code of
// Strapi's plugin, and was read by hand.
func TestSchemaOfEveryKindOfAttribute(t *testing.T) {
	got := newSchema(t, "testdata/kinds").SDL()
	const golden = "testdata/kinds.graphql"
	if *update {
		check(t, os.WriteFile(golden, []byte(got), 0o644))
	}
	recorded, err := os.ReadFile(golden)
	check(t, err)
	want, all := definitions(string(recorded)), definitions(got)
	for name, text := range all {
		if want[name] != text {
			t.Errorf("%s is\n%s\nwant\n%s", name, text, want[name])
		}
	}
	if len(all) != len(want) {
		t.Errorf("%d types, want %d", len(all), len(want))
	}
}

func TestNames(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"restaurant", "Restaurant"}, {"blog-post", "BlogPost"}, {"users-permissions", "UsersPermissions"},
		{"price_tier", "PriceTier"}, {"news2", "News2"}, {"news2day", "News2Day"}, {"top-10-list", "Top10List"},
		{"the-2nd-one", "The2ndOne"}, {"a1b2", "A1B2"}, {"21st", "21st"}, {"12th", "12Th"}, {"14th", "14th"}, {"1stclass", "1Stclass"},
		{"HTTPServer", "HttpServer"}, {"myURL", "MyUrl"}, {"fooBar", "FooBar"}, {"ABC", "Abc"}, {"A", "A"}, {"iOS", "IOs"},
		{"component_place.address", "ComponentPlaceAddress"}, {"component_my-Group.the_Thing2", "ComponentMyGroupTheThing2"},
		{"_x_", "X"}, {"__", ""},
	} {
		if got := pascalCase(test.text); got != test.want {
			t.Errorf("%q: %q, want %q", test.text, got, test.want)
		}
	}
}

func TestNamesOfEnumerationValues(t *testing.T) {
	for _, test := range []struct{ value, want string }{
		{"p1", "p1"}, {"In stock", "In_stock"}, {"sold-out", "sold_out"}, {"A--b", "A_b"}, {" x ", "x"}, {"_x_", "x"},
		{"Crème brûlée", "Creme_brulee"}, {"Größe", "Groesse"}, {"R&D", "R_and_D"}, {"3d", "_3d"}, {"true", "_true"}, {"!", "_"},
	} {
		if got := enumValueName(test.value); got != test.want {
			t.Errorf("%q: %q, want %q", test.value, got, test.want)
		}
	}
	e := Enum{Values: []string{"a b", "a-b"}, Names: []string{"a_b", "a_b"}}
	if e.Value("a_b") != "a-b" {
		t.Errorf("a_b is %q; in Strapi the last value of a name counts", e.Value("a_b"))
	}
	if name, ok := e.Name("a b"); name != "a_b" || !ok {
		t.Errorf("%q, %v", name, ok)
	}
}

func TestTwoThingsOfOneNameAreRefused(t *testing.T) {
	for _, test := range []struct{ name, message string }{
		{"error", "a type of GraphQL itself and api::error.error would both be Error"},
		{"query", "api::query.query"},
	} {
		site := load(t, "testdata/kinds")
		one := *site.Type("api::settings.site-setting")
		one.UID, one.Singular, one.Plural = "api::"+test.name+"."+test.name, test.name, test.name+"-list"
		site.Types = append(site.Types, &one)
		if _, err := New(site); err == nil || !strings.Contains(err.Error(), test.message) {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

func TestImpossibleNameIsRefused(t *testing.T) {
	site := load(t, "testdata/kinds")
	a := *site.Type("api::plain.plain").Attribute("stateless")
	a.EnumName = "Shirt size"
	one := *site.Type("api::settings.site-setting")
	one.UID, one.Singular, one.Plural, one.Attributes = "api::a.shirt", "shirt", "shirts", []*schema.Attribute{&a}
	site.Types = append(site.Types, &one)
	if _, err := New(site); err == nil || !strings.Contains(err.Error(), `api::plain.plain.stateless would be "Shirt size"`) {
		t.Errorf("%v", err)
	}
}

// What a field means is known without its name.
func TestFieldsKnowWhatTheyMean(t *testing.T) {
	s := newSchema(t, "../../testdata/site")
	for _, test := range []struct {
		field      string
		op         Op
		attribute  string
		connection bool
	}{
		{"Query.restaurants", Find, "", false},
		{"Query.restaurants_connection", FindConnection, "", false},
		{"Query.restaurant", FindOne, "", false},
		{"Query.homepage", FindSingle, "", false},
		{"Query.usersPermissionsRoles", Find, "", false},
		{"Query.me", Special, "", false},
		{"Query.i18NLocales", Special, "", false},
		{"Mutation.createRestaurant", Create, "", false},
		{"Mutation.updateHomepage", Update, "", false},
		{"Mutation.deleteChef", Delete, "", false},
		{"Mutation.login", Special, "", false},
		{"Restaurant.name", NoOp, "name", false},
		{"Restaurant.documentId", NoOp, "documentId", false},
		{"Restaurant.categories_connection", NoOp, "categories", true},
		{"Restaurant.localizations", NoOp, "localizations", false},
		{"ComponentPlaceGeo.id", NoOp, "id", false},
		{"UploadFile.url", NoOp, "url", false},
		{"UploadFile.related", NoOp, "", false},
		{"UsersPermissionsRole.users", NoOp, "", false},
		{"UsersPermissionsRole.permissions_connection", NoOp, "", true},
	} {
		typeName, name, _ := strings.Cut(test.field, ".")
		means := s.Means(s.AST().Types[typeName].Fields.ForName(name))
		attribute := ""
		if means != nil && means.Attribute != nil {
			attribute = means.Attribute.Name
		}
		if means == nil || means.Op != test.op || attribute != test.attribute || means.Connection != test.connection || (means.Type == nil) != (means.Op == Special) {
			t.Errorf("%s: %+v", test.field, means)
		}
	}
}

// A content type can be called Subscription, or have the name of a type of changes.
func TestASubscriptionOfTheSite(t *testing.T) {
	for singular, want := range map[string]string{"subscription": "", "plain-change": "plainChanged(documentId: ID, filters: PlainFiltersInput, status: PublicationStatus = PUBLISHED): PlainChange_!"} {
		site := load(t, "testdata/kinds")
		one := *site.Type("api::settings.site-setting")
		one.UID, one.Singular, one.Plural = "api::a."+singular, singular, singular+"s"
		site.Types = append(site.Types, &one)
		s, err := New(site)
		check(t, err)
		if !strings.Contains(s.SDL(), want) || (s.AST().Subscription == nil) != (want == "") {
			t.Errorf("%s: %s", singular, s.SDL())
		}
		if want == "" {
			if _, refusal := s.Prepare(Request{Query: "subscription { documentId }", Streams: true}); refusal == nil || !refusal.Started {
				t.Errorf("%s: %v", singular, refusal)
			}
		}
	}
}

func check(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}
