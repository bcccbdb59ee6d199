package app

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
)

// longestSecret is the maximum size of a file with a secret, in bytes.
const longestSecret = 4 << 10

// secretFrom returns the secret in the environment variable with that name or, if the
// variable with the suffix _FILE has a path, the secret in that file, without the newline
// at the end.
func secretFrom(variable string) (string, error) {
	secret, path := os.Getenv(variable), os.Getenv(variable+"_FILE")
	switch {
	case secret != "" && path != "":
		return "", fmt.Errorf("the environment has both %s and %s_FILE", variable, variable)
	case secret != "":
		return secret, nil
	case path == "":
		return "", fmt.Errorf("the environment has neither %s nor %s_FILE", variable, variable)
	}
	secret, err := secretInFile(path)
	if err != nil {
		return "", fmt.Errorf("%s_FILE: %w", variable, err)
	}
	return secret, nil
}

// secretIfSet is secretFrom for a secret that need not be set; it is empty if it is not.
func secretIfSet(variable string) (string, error) {
	if os.Getenv(variable) == "" && os.Getenv(variable+"_FILE") == "" {
		return "", nil
	}
	return secretFrom(variable)
}

// secretInFile returns the secret in a file, without the newline at the end.
func secretInFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, longestSecret+1))
	if err == nil && len(text) > longestSecret {
		err = fmt.Errorf("the file is longer than %d bytes", longestSecret)
	}
	secret := strings.TrimRight(string(text), "\r\n")
	if err == nil && secret == "" {
		err = errors.New("the file is empty")
	}
	return secret, err
}

// The secrets of the admin: that of the client at the provider of its accounts, and the key for
// the language model.
const (
	providerVariable = "ADMIN_OPENID_SECRET"
	modelVariable    = "QUIRE_MODEL_KEY"
)

// adminSecret returns a secret of the admin. If it is not set, it is empty; package admin reports
// that when the secret is needed.
func adminSecret(log *slog.Logger, variable string) string {
	secret, err := secretIfSet(variable)
	if err != nil {
		log.Error("a secret of the admin cannot be read", "variable", variable, "error", err)
	}
	return secret
}

// connectSecret returns the client secret of a provider at which users sign in, such as
// CONNECT_GITHUB_SECRET for "github".
func connectSecret(provider string) (string, error) {
	return secretFrom("CONNECT_" + strings.ToUpper(strings.ReplaceAll(provider, "-", "_")) + "_SECRET")
}
