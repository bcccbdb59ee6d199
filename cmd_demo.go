package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"quire/auth"
)

func newDemo() *cobra.Command {
	var listen string
	c := &cobra.Command{
		Use:   "demo [FOLDER]",
		Short: "Serve a starter site with content, at once",
		Long: `Demo writes the starter site "guide" into a folder, fills it with content, makes
an API token, prints addresses to try and serves the site.

Without FOLDER the site is in a temporary folder, which is removed at the end.`,
		Example: `  quire demo
  quire demo --listen :8080 ./try-quire`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return demo(c.Context(), args, listen, c.OutOrStdout(), c.ErrOrStderr())
		},
	}
	c.Flags().StringVar(&listen, "listen", defaultListen(), "address to listen at, `HOST:PORT`; by default from the environment's HOST and PORT")
	return c
}

func demo(ctx context.Context, args []string, listen string, stdout, stderr io.Writer) (err error) {
	folder, remove, err := demoFolder(args)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	if err := writeStarter("guide", folder); err != nil {
		return err
	}
	log, finish, err := openLog(stderr, logging{level: "info"})
	if err != nil {
		return err
	}
	defer finish()
	a, err := openApp(place{site: folder}, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	if err := a.start(); err != nil {
		return err
	}
	return a.demo(ctx, listen, stdout)
}

// demoFolder names the folder of the demo and says how to remove it afterwards.
func demoFolder(args []string) (folder string, remove func() error, err error) {
	if len(args) > 0 {
		return args[0], func() error { return nil }, nil
	}
	parent, err := os.MkdirTemp("", "quire-demo-")
	if err != nil {
		return "", nil, err
	}
	return filepath.Join(parent, "site"), func() error { return os.RemoveAll(parent) }, nil
}

// demo fills the site, prints what to try and serves it.
func (a *app) demo(ctx context.Context, listen string, stdout io.Writer) error {
	if err := a.sow(ctx); err != nil {
		return err
	}
	token, err := a.auth.CreateToken(auth.TokenSpec{Name: "demo", Kind: auth.FullAccess})
	if err != nil {
		return err
	}
	greet := func(address string) { fmt.Fprint(stdout, invitation(address, token)) }
	return a.serve(ctx, serving{listen: listen}, stdout, greet)
}

// invitation lists addresses of the demo to try.
func invitation(address, token string) string {
	text := `
Try in a browser or with curl:

  BASE/api/restaurants
  BASE/api/restaurants?populate=*
  BASE/api/restaurants?locale=de&fields=name,summary
  BASE/api/restaurants?fields=name&populate[photo][fields]=url,formats
  BASE/api/restaurants?filters[cuisines][name]=Seafood&populate[cook][fields]=name
  BASE/api/restaurants?sort=seats:desc&pagination[pageSize]=2
  BASE/api/stories
  BASE/api/homepage?populate[featured][fields]=name

The whole API is described at BASE/api/docs

Drafts and writing need a token. This one may do everything:

  TOKEN=` + token + `
  curl -g -H "Authorization: Bearer $TOKEN" 'BASE/api/restaurants?status=draft&fields=name'
  curl -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \
       -d '{"data": {"name": "Soup"}}' BASE/api/cuisines

Stop with Ctrl-C.

`
	return strings.ReplaceAll(text, "BASE", "http://"+address)
}
