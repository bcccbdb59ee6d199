package hook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"quire/content"
)

// Limits of a refusal of a hook.
const (
	longestMessage = 1000    // characters
	longestDetails = 8 << 10 // bytes
)

// refusals are the statuses with which a hook can refuse; others become 400. Statuses with
// another meaning for clients, proxies or caches are missing.
var refusals = []int{
	http.StatusBadRequest, http.StatusPaymentRequired, http.StatusForbidden, http.StatusNotFound, http.StatusConflict, http.StatusGone,
	http.StatusUnprocessableEntity, http.StatusLocked, http.StatusTooManyRequests, http.StatusUnavailableForLegalReasons,
}

// refusal is the body of an answer that refuses: {"error": {"message": …}} or {"message":
// …}.
type refusal struct {
	Message *string         `json:"message"`
	Details json.RawMessage `json:"details"`
	Error   json.RawMessage `json:"error"`
}

// read interprets an answer: the data to write, nil to leave it unchanged, or a
// *content.RefusedError. Any other error reports an invalid answer.
func (h *hook) read(status int, text []byte) (json.RawMessage, error) {
	switch {
	case status >= 200 && status <= 299:
		return readAllowed(text)
	case status >= 300 && status <= 399:
		return nil, fmt.Errorf("it answered %d, a redirect, which is not followed", status)
	case status >= 400 && status <= 499:
		return nil, h.readRefusal(status, text)
	}
	return nil, fmt.Errorf("it answered %d", status)
}

// readAllowed reads nothing, {} or {"data": {…}}.
func readAllowed(text []byte) (json.RawMessage, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, nil
	}
	var answer map[string]json.RawMessage
	if !utf8.Valid(text) || json.Unmarshal(text, &answer) != nil || answer == nil {
		return nil, errors.New("its answer is neither empty nor a JSON object")
	}
	for key := range answer {
		if key != "data" {
			return nil, fmt.Errorf(`its answer has the key %.100q; the only one is "data"`, key)
		}
	}
	data := bytes.TrimSpace(answer["data"])
	switch {
	case len(data) == 0 || string(data) == "null":
		return nil, nil
	case data[0] != '{':
		return nil, errors.New(`"data" of its answer is no object`)
	}
	return data, nil
}

// readRefusal reads why a write is refused. An answer without a message is none: it may
// come from another program, or say that the signature is wrong. Bytes that are not UTF-8
// become U+FFFD, because what it says is part of a response.
func (h *hook) readRefusal(status int, text []byte) error {
	var said refusal
	text = bytes.ToValidUTF8(text, []byte("\uFFFD"))
	if json.Unmarshal(text, &said) == nil && said.Error != nil {
		_ = json.Unmarshal(said.Error, &said) // a missing message is reported below
	}
	if said.Message == nil {
		return fmt.Errorf("it answered %d without a message", status)
	}
	message := tidy(*said.Message)
	if message == "" {
		return fmt.Errorf("it answered %d without a message", status)
	}
	refused := &content.RefusedError{Hook: h.Hook.Name, Status: status, Message: message}
	if !slices.Contains(refusals, status) {
		refused.Status = http.StatusBadRequest
	}
	if details := bytes.TrimSpace(said.Details); len(details) > 0 && len(details) <= longestDetails && details[0] == '{' {
		refused.Details = json.RawMessage(details)
	}
	return refused
}

// tidy makes a message one line of limited length.
func tidy(message string) string {
	message = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Zl, unicode.Zp) {
			return ' '
		}
		return r
	}, message))
	if utf8.RuneCountInString(message) > longestMessage {
		message = string([]rune(message)[:longestMessage]) + "…"
	}
	return message
}
