package server_test

import (
	"log/slog"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"quire/auth"
	"quire/test/replay"
)

// The log of the recorded suites contains no token, password, code or mail address, at
// any level.
func TestNothingSecretIsLogged(t *testing.T) {
	for _, name := range replay.Suites {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := &safeLog{}
			served, keys, _ := open(t, folderOfSuite(t, name), siteOfSuite(t, name), slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})))
			s := replaying(served.Handler(), map[string]string{
				"full": createToken(t, keys, "full", auth.FullAccess), "readonly": createToken(t, keys, "readonly", auth.ReadOnly),
			})
			secrets := map[string]bool{}
			for _, step := range readSuite(t, name) {
				_, answer, err := s.Send(step)
				check(t, err)
				s.Keep(step.Save, answer)
				var body any
				if replay.Decode(step.Body, &body) == nil {
					gather(secrets, "", body)
				}
				gather(secrets, "", answer)
			}
			for _, token := range s.Tokens {
				secrets[token] = true
			}
			if name == "11-users" && len(secrets) < 20 {
				t.Errorf("only %d secrets were looked for", len(secrets))
			}
			requireSecret(t, log.String(), secrets)
		})
	}
}

var (
	secretName = regexp.MustCompile(`(?i)password|token|jwt|^code$`)
	mailForm   = regexp.MustCompile(`[\w.+-]+@[\w.-]+\.\w+`)
)

// gather finds the secrets in a body, by their names or forms.
func gather(secrets map[string]bool, name string, value any) {
	switch value := value.(type) {
	case string:
		if secretName.MatchString(name) && len(value) >= 6 {
			secrets[value] = true
		}
		for _, mail := range mailForm.FindAllString(value, -1) {
			secrets[mail] = true
		}
	case []any:
		for _, item := range value {
			gather(secrets, name, item)
		}
	case map[string]any:
		for key, item := range value {
			gather(secrets, key, item)
		}
	}
}

func requireSecret(t *testing.T, log string, secrets map[string]bool) {
	t.Helper()
	if strings.Count(log, `"msg":"request"`) < 10 {
		t.Fatalf("too little was logged to tell:\n%s", log)
	}
	for secret := range secrets {
		if strings.Contains(log, secret) {
			t.Errorf("the log has %q", secret)
		}
	}
	if strings.Contains(log, "?") {
		t.Error("the log has a query")
	}
}

// An error, the log line of its request, and all other log lines about it have one id.
// So has every response to a client that has sent one.
func TestErrorsCarryTheIDOfTheirLine(t *testing.T) {
	t.Parallel()
	log := &safeLog{}
	s, keys, _ := open(t, t.TempDir(), sampleSite(t), slog.New(slog.NewJSONHandler(log, nil)))
	h, token := s.Handler(), createToken(t, keys, "full", auth.FullAccess)
	var ids []string
	for _, test := range []struct{ method, path, send, want string }{
		{"GET", "/api/zzz", "", ""},
		{"BREW", "/api/restaurants", "", ""},
		{"GET", "/api/restaurants?filters[zzz]=1", "", ""},
		{"GET", "/api/restaurants", "proxy-0198f3c2_77", "proxy-0198f3c2_77"},
		{"OPTIONS", "/api/restaurants", "proxy-0198f3c2_78", "proxy-0198f3c2_78"},
		{"GET", "/_ready", "proxy-0198f3c2_79", "proxy-0198f3c2_79"},
		{"GET", "/api/zzz", "proxy-0198f3c2_80", "proxy-0198f3c2_80"},
		{"GET", "/api/zzz", `forged" level="ERROR`, ""},
		{"GET", "/api/zzz", strings.Repeat("a", 65), ""},
	} {
		var headers []string
		if test.send != "" {
			headers = []string{"X-Request-Id", test.send}
		}
		id := request(h, token, test.method, test.path, "", headers...).Header().Get("X-Request-Id")
		if test.want != "" && id != test.want || test.want == "" && (id == test.send || len(id) < 10) {
			t.Errorf("%s %s with the id %q: %q", test.method, test.path, test.send, id)
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	if len(slices.Compact(slices.Clone(ids))) != len(ids) {
		t.Errorf("an id is used twice: %v", ids)
	}
	for _, id := range ids {
		if n := strings.Count(log.String(), `"id":"`+id+`"`); n != 1 {
			t.Errorf("%d lines have the id %s", n, id)
		}
	}
	if strings.Contains(log.String(), "forged") {
		t.Error("a forged id is in the log")
	}
}

// Above the level of requests, requests are not logged.
func TestRequestsHaveALevel(t *testing.T) {
	t.Parallel()
	log := &safeLog{}
	s, _, _ := open(t, t.TempDir(), sampleSite(t), slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn})))
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/api/zzz", nil))
	if log.String() != "" || w.Header().Get("X-Request-Id") == "" {
		t.Errorf("%v, the log: %s", w.Header(), log.String())
	}
}
