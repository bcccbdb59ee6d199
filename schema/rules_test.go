package schema_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"quire/schema"
	"quire/schema/settings"
)

// article is a site with one content type of these options and attributes.
func article(options, attributes string) string {
	return `-- src/api/blog/content-types/article/schema.json --
{"info": {"singularName": "article", "pluralName": "articles"}` + options + `, "attributes": {` + attributes + `}}
`
}

func TestCustomFields(t *testing.T) {
	site := mustLoad(t, folderOf(article("", `
		"known": {"type": "customField", "customField": "plugin::tags.tags"},
		"unknown": {"type": "customField", "customField": "plugin::colors.color"},
		"beside": {"type": "integer", "customField": "plugin::stars.stars"}
	`)+`-- site.json --
{"customFields": {"plugin::tags.tags": "json"}}
`))
	want := map[string]schema.Kind{"known": schema.JSON, "unknown": schema.String, "beside": schema.Integer}
	for name, kind := range want {
		a := site.Type("api::blog.article").Attribute(name)
		if a.Kind != kind || !strings.HasPrefix(a.CustomField, "plugin::") {
			t.Errorf("%s is %s of %q, want %s", name, a.Kind, a.CustomField, kind)
		}
	}
}

func TestPrivateByTypeAndBySite(t *testing.T) {
	site := mustLoad(t, folderOf(article(`, "options": {"privateAttributes": ["draftNote", "publishedAt", "createdBy"]}`, `
		"draftNote": {"type": "text"}, "margin": {"type": "text"}, "title": {"type": "string"}
	`)+`-- src/components/a/b.json --
{"attributes": {"margin": {"type": "string"}}}
-- site.json --
{"responses": {"privateAttributes": ["margin", "updatedAt", "updatedBy"]}}
`))
	tests := []struct {
		uid, name string
		private   bool
	}{
		{"api::blog.article", "draftNote", true},
		{"api::blog.article", "margin", true},
		{"api::blog.article", "title", false},
		{"api::blog.article", "publishedAt", true},
		{"api::blog.article", "updatedAt", true},
		{"api::blog.article", "createdAt", false},
		{"a.b", "margin", true},
		{schema.UserUID, "updatedAt", true},
		{schema.UserUID, "publishedAt", false},
	}
	for _, test := range tests {
		if got := site.Type(test.uid).Attribute(test.name).Private; got != test.private {
			t.Errorf("%s.%s is private: %v", test.uid, test.name, got)
		}
	}
}

// What privacy and signing in rest on survives a user type that leaves it out
// or says otherwise.
func TestExtendedUserKeepsWhatMatters(t *testing.T) {
	site := mustLoad(t, folderOf(article("", `
		"author": {"type": "relation", "relation": "manyToOne", "target": "plugin::users-permissions.user", "inversedBy": "articles"}
	`)+`-- src/extensions/users-permissions/content-types/user/schema.json --
{"info": {"singularName": "person", "pluralName": "persons"}, "options": {"privateAttributes": ["provider"]}, "attributes": {
  "phone": {"type": "string"},
  "resetPasswordToken": {"type": "string", "private": false},
  "password": {"type": "password", "private": false, "minLength": 12},
  "username": {"type": "string"},
  "articles": {"type": "relation", "relation": "oneToMany", "target": "api::blog.article", "mappedBy": "author"}
}}
`))
	user := site.Type(schema.UserUID)
	if got := names(user.Attributes); got != "phone resetPasswordToken password username articles email provider confirmationToken sessionEpoch providerKey confirmed blocked role" {
		t.Error("attributes:", got)
	}
	if got := names(hidden(user)); got != "resetPasswordToken password provider confirmationToken sessionEpoch providerKey" {
		t.Error("hidden:", got)
	}
	if a := user.Attribute("username"); !a.Required || !a.Unique {
		t.Errorf("username: %+v", a)
	}
	if user.Singular != "user" || user.Plural != "users" || *user.Attribute("password").MinLength != 12 {
		t.Errorf("user: %+v", user)
	}
	role := user.Attribute("role")
	if role.Owner != user || user.Attributes[role.Pos] != role || site.Type(schema.RoleUID).Attribute("users").Relation.Inverse != role {
		t.Errorf("role: %+v", role)
	}
	if got := site.Type("api::blog.article").Attribute("author").Relation.Inverse; got != user.Attribute("articles") {
		t.Errorf("author's other side: %+v", got)
	}
}

func TestMorphRelations(t *testing.T) {
	site := mustLoad(t, folderOf(article("", `
		"comments": {"type": "relation", "relation": "morphMany", "target": "api::c.comment", "morphBy": "about"},
		"tag": {"type": "relation", "relation": "morphOne", "target": "api::c.comment", "morphBy": "subjects"}
	`)+`-- src/api/c/content-types/comment/schema.json --
{"info": {"singularName": "comment", "pluralName": "comments"}, "attributes": {
  "about": {"type": "relation", "relation": "morphToOne"},
  "subjects": {"type": "relation", "relation": "morphToMany"}
}}
`))
	article, comment := site.Type("api::blog.article"), site.Type("api::c.comment")
	for name, many := range map[string]bool{"about": false, "subjects": true} {
		r := comment.Attribute(name).Relation
		if !r.Morph() || !r.Owns || r.Target != nil || r.Inverse != nil || r.Many() != many {
			t.Errorf("%s: %+v", name, r)
		}
	}
	comments, tag := article.Attribute("comments").Relation, article.Attribute("tag").Relation
	if comments.Owns || comments.Inverse != comment.Attribute("about") || comments.Target != comment || !comments.Exclusive() {
		t.Errorf("comments: %+v", comments)
	}
	if tag.Inverse != comment.Attribute("subjects") || tag.Many() || tag.Exclusive() {
		t.Errorf("tag: %+v", tag)
	}
}

func TestBoundsAndPatterns(t *testing.T) {
	site := mustLoad(t, folderOf(article("", `
		"big": {"type": "biginteger", "min": "-9223372036854775808", "max": 9223372036854775807, "default": "12"},
		"ratio": {"type": "decimal", "min": -0.5, "max": 1e3},
		"code": {"type": "string", "regex": "^[A-Z]{2}\\/\\d+$", "searchable": false, "default": "AB/1"},
		"data": {"type": "json", "unique": true, "default": {"a": [1]}},
		"day": {"type": "date", "default": "2024-02-29"},
		"hour": {"type": "time", "default": "08:30:00.000"},
		"moment": {"type": "datetime", "default": "2024-02-29T08:30:00.000Z", "column": {"defaultTo": 5}}
	`)))
	a := site.Type("api::blog.article")
	if big := a.Attribute("big"); *big.MinInt != -1<<63 || *big.MaxInt != 1<<63-1 || string(big.Default) != `"12"` {
		t.Errorf("big: %+v", big)
	}
	if ratio := a.Attribute("ratio"); *ratio.Min != -0.5 || *ratio.Max != 1000 {
		t.Errorf("ratio: %+v", ratio)
	}
	if code := a.Attribute("code"); !code.Pattern.MatchString("AB/12") || code.Pattern.MatchString("ab/12") ||
		code.PatternText != `^[A-Z]{2}\/\d+$` || code.Searchable() {
		t.Errorf("code: %+v", code)
	}
	if data := a.Attribute("data"); data.Unique || string(data.Default) != `{"a": [1]}` {
		t.Errorf("data: %+v", data)
	}
}

func TestEverySetting(t *testing.T) {
	site := mustLoad(t, folderOf(article("", `"title": {"type": "string"}`)+`-- site.json --
{
  "rest": {"defaultLimit": 10, "maxLimit": 50, "withCount": false},
  "limits": {"bodyBytes": 1, "urlBytes": 2, "depth": 3, "conditions": 4, "populateEntries": 5, "populateDepth": 6, "responseEntries": 7,
    "responseBytes": 8, "heavyCost": 9, "heavyQueries": 10, "memory": 19, "connections": 11, "requests": 12, "querySeconds": 13, "writeLinks": 14, "batchRequests": 15, "batchBytes": 16, "importBytes": 18, "streams": 5, "streamsPerAddress": 17},
  "roles": {"editor_in-chief": {
    "api::blog.article": ["find", "readDraft"],
    "plugin::users-permissions.auth": ["changePassword"],
    "plugin::i18n.locales": ["listLocales"]
  }},
  "defaults": {"api::blog.article": {
    "populate": {"cover": true}, "sort": ["title:asc"], "fields": "title", "pagination": {"pageSize": 5}
  }}
}
`))
	s := site.Settings
	if s.DefaultLimit != 10 || s.MaxLimit != 50 || s.WithCount {
		t.Errorf("rest: %+v", s)
	}
	want := settings.Limits{BodyBytes: 1, URLBytes: 2, Depth: 3, Conditions: 4, PopulateEntries: 5, PopulateDepth: 6, ResponseEntries: 7,
		ResponseBytes: 8, HeavyCost: 9, HeavyQueries: 10, Memory: 19, Connections: 11, Requests: 12, QueryTime: 13 * time.Second, WriteLinks: 14, BatchRequests: 15, BatchBytes: 16, ImportBytes: 18, Streams: 5, StreamsPerAddress: 17}
	if s.Limits != want {
		t.Errorf("limits: %+v", s.Limits)
	}
	editor := s.Roles["editor_in-chief"]
	if !slices.Equal(editor["api::blog.article"], []string{"find", "readDraft"}) ||
		!slices.Equal(editor["plugin::i18n.locales"], []string{"listLocales"}) {
		t.Errorf("roles: %v", s.Roles)
	}
	d := s.Defaults["api::blog.article"]
	if string(d["populate"]) != `{"cover": true}` || string(d["sort"]) != `["title:asc"]` || len(d) != 4 {
		t.Errorf("defaults: %s", d)
	}
}

func TestKindsAndFormsAreSpelledAsInSchemaFiles(t *testing.T) {
	if schema.BigInteger.String() != "biginteger" || schema.DynamicZone.String() != "dynamiczone" ||
		schema.OneToOne.String() != "oneToOne" || schema.MorphMany.String() != "morphMany" {
		t.Error(schema.BigInteger, schema.DynamicZone, schema.OneToOne, schema.MorphMany)
	}
}

// Strapi's editor refuses these names, but Strapi loads them; what a schema says of the
// attributes that each type has is ignored, as Strapi ignores it.
func TestNamesThatStrapiLoads(t *testing.T) {
	site := mustLoad(t, folderOf(article("", `
		"status": {"type": "enumeration", "enum": ["open", "closed"]}, "document": {"type": "media"}, "entryId": {"type": "integer"},
		"updatedAt": {"type": "string", "required": true}
	`)))
	a := site.Type("api::blog.article")
	for name, kind := range map[string]schema.Kind{"status": schema.Enumeration, "document": schema.Media, "entryId": schema.Integer, "updatedAt": schema.DateTime} {
		if got := a.Attribute(name); got == nil || got.Kind != kind || got.Required {
			t.Errorf("%s is %+v, want %s", name, got, kind)
		}
	}
}

// The owning side of a relation need not name the other side, which names it.
func TestMappedByAlone(t *testing.T) {
	site := mustLoad(t, folderOf(article("", `
		"topic": {"type": "relation", "relation": "manyToOne", "target": "api::topic.topic"}
	`)+`-- src/api/topic/content-types/topic/schema.json --
{"info": {"singularName": "topic", "pluralName": "topics"}, "attributes": {
	"articles": {"type": "relation", "relation": "oneToMany", "target": "api::blog.article", "mappedBy": "topic"}}}
`))
	one, many := site.Type("api::blog.article").Attribute("topic"), site.Type("api::topic.topic").Attribute("articles")
	if one.Relation.Inverse != many || many.Relation.Inverse != one || !one.Relation.Owns {
		t.Errorf("%+v and %+v", one.Relation, many.Relation)
	}
}

// As in Strapi, the owning side decides which attribute is the other side of a relation.
func TestTheOwningSideDecides(t *testing.T) {
	for name, test := range map[string]struct{ owner, inverse string }{
		"the inverse side names nothing that exists": {`"inversedBy": "articles"`, `"mappedBy": "mistyped"`},
		"the inverse side names nothing":             {`"inversedBy": "articles"`, `"x": 1`},
		"both sides claim to own it":                 {`"inversedBy": "articles"`, `"inversedBy": "topic"`},
		"the owning side names nothing":              {`"x": 1`, `"mappedBy": "topic"`},
		"the forms of both lists differ":             {`"inversedBy": "articles"`, `"mappedBy": "topic"`},
	} {
		form, back := "manyToOne", "oneToMany"
		if strings.HasPrefix(name, "both") {
			form, back = "manyToMany", "manyToMany"
		} else if strings.HasPrefix(name, "the forms") {
			form = "manyToMany"
		}
		site := mustLoad(t, folderOf(article("", `"topic": {"type": "relation", "relation": "`+form+`", "target": "api::topic.topic", `+test.owner+`}`)+`-- src/api/topic/content-types/topic/schema.json --
{"info": {"singularName": "topic", "pluralName": "topics"}, "attributes": {
	"articles": {"type": "relation", "relation": "`+back+`", "target": "api::blog.article", `+test.inverse+`}}}
`))
		one, many := site.Type("api::blog.article").Attribute("topic"), site.Type("api::topic.topic").Attribute("articles")
		if one.Relation.Inverse != many || many.Relation.Inverse != one || !one.Relation.Owns || many.Relation.Owns || !many.Relation.Many() || (form == "manyToMany") != (many.Relation.Form == schema.ManyToMany) || len(site.Notes) > 0 {
			t.Errorf("%s: %+v and %+v, %v", name, one.Relation, many.Relation, site.Notes)
		}
	}
}

// Attributes may have the names that people give them, also those that the editor refuses.
func TestNamesOfAttributes(t *testing.T) {
	site := mustLoad(t, folderOf(article("", `"año": {"type": "integer"}, "meta-title": {"type": "string"}, "名前": {"type": "string"}`)))
	if got := names(site.Type("api::blog.article").Attributes); got != "año meta-title 名前" {
		t.Error(got)
	}
}
