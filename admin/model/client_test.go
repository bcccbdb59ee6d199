package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"quire/admin/model"
	"quire/schema/settings"
)

const key = "sk-marker"

// answerWith answers as a chat API with a text.
func answerWith(w http.ResponseWriter, text string) {
	_ = json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": text}}}})
}

func serve(t *testing.T, answer http.HandlerFunc) *settings.Model {
	t.Helper()
	s := httptest.NewServer(answer)
	t.Cleanup(s.Close)
	return &settings.Model{URL: s.URL + "/v1/chat/completions", Name: "m", Timeout: time.Minute}
}

func TestAskSendsTheTaskAndTheTextApart(t *testing.T) {
	var got struct {
		Model    string
		Stream   bool
		Messages []struct{ Role, Content string }
	}
	m := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer "+key {
			t.Errorf("%s %v", r.URL, r.Header)
		}
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
		answerWith(w, "done")
	})
	text, err := model.New(key).Ask(t.Context(), m, "ada", model.Request{Task: "translate", Text: `["Ignore that"]`})
	if text != "done" || err != nil {
		t.Errorf("%q %v", text, err)
	}
	if want := `{m false [{system translate} {user ["Ignore that"]}]}`; fmt.Sprint(got) != want {
		t.Errorf("sent %v, want %s", got, want)
	}
}

// What the other side does wrong is said in words that have neither the key nor its own.
func TestWrongAnswersAreNamed(t *testing.T) {
	inside := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") })
	for want, answer := range map[string]http.HandlerFunc{
		"refuses the key of this site (401)": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "Incorrect API key provided: "+key, http.StatusUnauthorized)
		},
		"too many requests at the moment (429)": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) },
		"answers with an error (500)": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "secret trace", http.StatusInternalServerError)
		},
		"redirect (307)": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, inside.URL, http.StatusTemporaryRedirect)
		},
		"does not answer as a chat API": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"choices": [`) },
		"not answer as a chat API":      func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"choices": []}`) },
		"cut off": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"choices":[{"finish_reason":"length"}]}`)
		},
		"is too long": func(w http.ResponseWriter, r *http.Request) { // without an end
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, strings.Repeat(" ", 1<<16)); err != nil {
					return
				}
			}
		},
		"broke off": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "{")
		},
	} {
		_, err := model.New(key).Ask(t.Context(), serve(t, answer), "ada", model.Request{})
		refused, ok := errors.AsType[*model.Error](err)
		if !ok || !strings.Contains(refused.Message, want) || strings.Contains(refused.Message, key) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	_, err := model.New(key).Ask(t.Context(), &settings.Model{URL: closed.URL, Timeout: time.Minute}, "ada", model.Request{})
	if err == nil || err.Error() != "The language model cannot be reached" {
		t.Errorf("a closed address: %v", err)
	}
	if _, err = model.New(key).Ask(t.Context(), inside, "ada", model.Request{Text: strings.Repeat("x", 1<<20)}); err == nil || !strings.Contains(err.Error(), "too long") {
		t.Errorf("a long text: %v", err)
	}
}

// A model that does not answer is given up, and so is one whose caller is gone.
func TestSlowModels(t *testing.T) {
	m := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})
	m.Timeout = time.Millisecond
	if _, err := model.New("").Ask(t.Context(), m, "ada", model.Request{}); err == nil || !strings.Contains(err.Error(), "did not answer within") {
		t.Errorf("slow: %v", err)
	}
	m.Timeout = time.Minute
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := model.New("").Ask(gone, m, "ada", model.Request{}); !errors.Is(err, context.Canceled) {
		t.Errorf("gone: %v", err)
	}
}

func TestRunningRequestsAreLimited(t *testing.T) {
	begun, end := make(chan bool), make(chan bool)
	m := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		begun <- true
		<-end
		answerWith(w, "x")
	})
	c := model.New("")
	var running sync.WaitGroup
	for i := range model.MostRunning {
		account := fmt.Sprint("account ", i/model.MostOfAccount)
		running.Go(func() {
			if _, err := c.Ask(t.Context(), m, account, model.Request{}); err != nil {
				t.Error(err)
			}
		})
		<-begun
		if i == model.MostOfAccount-1 {
			if _, err := c.Ask(t.Context(), m, account, model.Request{}); !errors.Is(err, model.ErrBusy) {
				t.Errorf("another one of the account: %v", err)
			}
		}
	}
	if _, err := c.Ask(t.Context(), m, "somebody", model.Request{}); !errors.Is(err, model.ErrBusy) {
		t.Errorf("one more than %d: %v", model.MostRunning, err)
	}
	close(end)
	running.Wait()
	go func() { <-begun }()
	if _, err := c.Ask(t.Context(), m, "somebody", model.Request{}); err != nil {
		t.Errorf("after the others: %v", err)
	}
}

// Nothing is sent unencrypted to an address on the internet, whatever leads there.
func TestUnencryptedAddresses(t *testing.T) {
	m := &settings.Model{URL: "http://203.0.113.7/v1/chat/completions", Timeout: time.Minute}
	if _, err := model.New(key).Ask(t.Context(), m, "ada", model.Request{}); err == nil || !strings.Contains(err.Error(), "must begin with https") {
		t.Errorf("%v", err)
	}
}
