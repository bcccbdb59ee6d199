package schema_test

import (
	"reflect"
	"testing"
	"time"

	"quire/schema/settings"
)

func TestCacheAndLog(t *testing.T) {
	s := mustLoad(t, folderOf(article("", `"title": {"type": "string"}`)+`-- site.json --
{
  "cache": {"api::blog.article": {"maxAge": 60}, "plugin::upload.file": {"maxAge": 0}},
  "log": {"slowMs": 250}
}
`)).Settings
	if len(s.Cache) != 1 || s.Cache["api::blog.article"] != time.Minute {
		t.Errorf("cache: %v", s.Cache)
	}
	if s.Log.Slow != 250*time.Millisecond {
		t.Errorf("log: %+v", s.Log)
	}
	never := mustLoad(t, folderOf("-- site.json --\n{\"log\": {\"slowMs\": 0}}\n")).Settings
	if never.Log.Slow != 0 {
		t.Errorf("switched off: %+v", never.Log)
	}
}

func TestSettingsWithoutSiteJSON(t *testing.T) {
	if s := mustLoad(t, folderOf("-- src/api/.gitkeep --\n")).Settings; !reflect.DeepEqual(s, settings.Default()) {
		t.Errorf("got %+v", s)
	}
}

func TestFingerprintTellsSitesApart(t *testing.T) {
	const settings = "-- site.json --\n{}\n"
	const type1 = "-- src/api/a/content-types/a/schema.json --\n{\"info\": {\"singularName\": \"a\", \"pluralName\": \"as\"}, \"attributes\": {}}\n"
	const type2 = "-- src/api/b/content-types/a/schema.json --\n{\"info\": {\"singularName\": \"a\", \"pluralName\": \"as\"}, \"attributes\": {}}\n"
	first := mustLoad(t, folderOf(settings+type1))
	if again := mustLoad(t, folderOf(type1+settings+"-- src/api/a/readme.md --\nx\n")); again.Fingerprint != first.Fingerprint {
		t.Error("one site has two fingerprints")
	}
	seen := map[[32]byte]string{first.Fingerprint: settings + type1}
	for _, folder := range []string{settings, type1, settings + type2, "-- site.json --\n{ }\n" + type1} {
		site := mustLoad(t, folderOf(folder))
		if other, ok := seen[site.Fingerprint]; ok {
			t.Errorf("two sites have one fingerprint:\n%s\n%s", folder, other)
		}
		seen[site.Fingerprint] = folder
	}
}
