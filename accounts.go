package main

import (
	"context"
	"log/slog"
	"os"

	"quire/auth"
)

// authOptions takes the secrets that an operator keeps in the environment.
func authOptions(log *slog.Logger, passwords *auth.Passwords) auth.Options {
	return auth.Options{Log: log, Passwords: passwords, JWTSecret: os.Getenv("JWT_SECRET"), SMTP: os.Getenv("SMTP_URL")}
}

// accounts is the users and roles of the site as it is served.
func (a *app) accounts() *auth.Accounts { return a.auth.Accounts(a.site, a.index, a.writer) }

// ensureRoles makes the roles that the site needs and does not have yet.
func (a *app) ensureRoles() error { return a.accounts().EnsureRoles(context.Background()) }
