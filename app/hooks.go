package app

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"quire/content"
	"quire/notify/hook"
	"quire/notify/webhook"
)

// hooksVariable is the variable of the environment with the secrets that sign what hooks
// are asked, separated by spaces; with _FILE, of the file that has them.
const hooksVariable = "HOOKS_SECRET"

// hookSecrets are the secrets that sign what hooks are asked: those of the environment, or
// the one that follows from the keys in the data file.
func (a *App) hookSecrets() ([]string, error) {
	text, err := secretIfSet(hooksVariable)
	switch {
	case err != nil:
		return nil, err
	case text == "":
		return []string{webhook.SecretOf(a.auth.KeyFor("hooks")[:32])}, nil
	}
	secrets := strings.Fields(text)
	if len(secrets) == 0 || len(secrets) > 4 {
		return nil, errors.New(hooksVariable + " must have one to four secrets, separated by spaces")
	}
	for _, s := range secrets {
		if err := webhook.ParseSecret(s); err != nil {
			return nil, errors.New(hooksVariable + ": " + err.Error() + "; make one with: echo whsec_$(openssl rand -base64 32)")
		}
	}
	return secrets, nil
}

// asker is who is asked before the site as it is now is written to; nil for nobody.
func (a *App) asker() content.Asker {
	former := a.hooks
	a.hooks = hook.New(a.site, hook.Options{Secrets: a.hookKeys, Log: a.log, Observe: func(name, outcome string, took time.Duration) { a.metrics.CountHook(name, outcome, took) }})
	former.Close()
	if a.hooks == nil {
		return nil
	}
	return a.hooks
}

// doHooks runs a command on hooks: "hook secret" returns the secret that signs what they
// are asked, the first of several.
func (a *App) doHooks(_ context.Context, name string, _ json.RawMessage) (any, error) {
	if name != "hook secret" {
		return nil, errors.New("there is no command " + name)
	}
	secrets, err := a.hookSecrets()
	if err != nil {
		return nil, err
	}
	return secrets[0], nil
}
