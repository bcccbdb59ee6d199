package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"

	"quire/auth"
	"quire/store"
)

// The record in the data file of a demo that says that all content is complete.
const (
	demoRecords = "demo"
	demoRecord  = "made"
)

// HasDemo reports whether demo created the site. It returns an error for a site that demo
// did not create.
func (l Location) HasDemo() (made bool, err error) {
	if _, err := os.Stat(l.DataFile()); err != nil {
		return false, nil
	}
	db, err := store.Open(l.DataFile(), store.Options{ReadOnly: true})
	if err != nil {
		return false, err
	}
	err = db.View(func(tx *store.Tx) error {
		mark, err := tx.Record(demoRecords, demoRecord)
		made = mark != nil
		return err
	})
	if err = errors.Join(err, db.Close()); err == nil && !made {
		err = fmt.Errorf("the folder %s holds a site that no demo made; name another folder, or serve it with `quire serve %s`", l.Site, l.Site)
	}
	return made, err
}

// DemoToken creates a full-access token, which replaces the token of the previous demo,
// because that one cannot be printed again.
func (a *App) DemoToken() (string, error) {
	const name = "demo"
	ctx := byCommand(context.Background(), name)
	if err := a.auth.RevokeToken(ctx, name); err != nil && !errors.As(err, new(*auth.NoSuchError)) {
		return "", err
	}
	return a.auth.CreateToken(ctx, auth.TokenSpec{Name: name, Kind: auth.FullAccess})
}

// FillDemo fills an empty starter site with content, and marks it as a demo.
func (l Location) FillDemo(ctx context.Context, log *slog.Logger) (err error) {
	a, err := Open(l, Options{Log: log})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if err := a.Start(); err != nil {
		return err
	}
	if err := a.sow(ctx); err != nil {
		return err
	}
	return a.db.Update(func(tx *store.Tx) error { return tx.PutRecord(demoRecords, demoRecord, []byte("true")) })
}
