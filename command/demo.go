package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"quire/app"
	"quire/app/listen"
)

func newDemo() *cobra.Command {
	var address string
	c := &cobra.Command{
		Use:   "demo [FOLDER]",
		Short: "Serve a starter site with content",
		Long: `Demo writes the starter site "guide" into a folder, fills it with content, makes
an API token, prints addresses to try and serves the site.

Without FOLDER the site is in a temporary folder, which is removed at the end. In a
FOLDER it stays: another demo there serves it as it was left, with a new token in
the place of the former one.

If the port is taken, demo uses the next one that is free, and says so.`,
		Example: `  quire demo
  quire demo --listen :8080 ./try-quire`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkAddress("listen", address); err != nil {
				return err
			}
			return demo(c.Context(), args, address, outputOf(c))
		},
	}
	c.Flags().StringVar(&address, "listen", defaultListen(), "address to listen at, `HOST:PORT`; by default from the environment's HOST and PORT")
	return c
}

// demo opens its address before it writes anything.
func demo(ctx context.Context, args []string, address string, out output) (err error) {
	l, err := listenNear(address, out)
	if err != nil {
		return nameFlag(err)
	}
	defer l.Close()
	folder, remove, err := demoFolder(args)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	log, finish, err := openLog(out.stderr, logging{level: out.logLevel("info")})
	if err != nil {
		return err
	}
	defer finish()
	p := app.Location{Site: folder}
	made, err := p.HasDemo()
	if err != nil {
		return err
	}
	if !made {
		if err := makeDemo(ctx, p, log); err != nil {
			return err
		}
	}
	return serveDemo(ctx, p, log, l, out)
}

// portsTried is how many further ports a demo tries if its port is taken.
const portsTried = 20

// listenNear listens at an address. If its port is taken, it tries the next ones, and
// reports which one it uses.
func listenNear(address string, out output) (net.Listener, error) {
	l, err := listen.At(address, listen.ForSite)
	host, text, _ := net.SplitHostPort(address)
	port, bad := strconv.Atoi(text)
	if !errors.Is(err, syscall.EADDRINUSE) || bad != nil {
		return l, err
	}
	for next := port + 1; next <= min(port+portsTried, largestPort); next++ {
		l, other := listen.At(net.JoinHostPort(host, strconv.Itoa(next)), listen.ForSite)
		if other == nil {
			out.remark("port %d is taken; the demo uses port %d", port, next)
			return l, nil
		}
	}
	return nil, err
}

const largestPort = 65535

// demoFolder names the folder of the demo and says how to remove it afterwards.
func demoFolder(args []string) (folder string, remove func() error, err error) {
	if len(args) > 0 {
		return args[0], func() error { return nil }, nil
	}
	parent, err := os.MkdirTemp("", "quire-demo-")
	if err != nil {
		return "", nil, err
	}
	return filepath.Join(parent, "guide"), func() error { return os.RemoveAll(parent) }, nil
}

// makeDemo writes the site and its content into a new or empty folder. If that fails, it
// empties the folder again.
func makeDemo(ctx context.Context, at app.Location, log *slog.Logger) (err error) {
	if err := writeStarter("guide", at.Site); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, empty(at.Site))
		}
	}()
	return at.FillDemo(ctx, log)
}

// empty removes the contents of a folder.
func empty(folder string) error {
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(folder, e.Name())))
	}
	return err
}

// serveDemo serves the site, and prints what to try.
func serveDemo(ctx context.Context, at app.Location, log *slog.Logger, l net.Listener, out output) (err error) {
	a, err := app.Open(at, app.Options{Log: log, Demo: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if err := a.Start(); err != nil {
		return err
	}
	token, err := a.DemoToken()
	if err != nil {
		return err
	}
	return a.Serve(ctx, app.Serving{Options: listen.Options{Site: l}}, func(s app.Served) {
		shown := servedOf(at, s)
		shown.Token = token
		out.report(shown, func(w io.Writer) error {
			printServed(w, at, s)
			_, err := fmt.Fprint(w, invitation(s.URL, token))
			return err
		})
	})
}

// invitation lists addresses of the demo to try.
func invitation(url, token string) string {
	text := `
Open BASE in a browser. The admin is at BASE/admin

Or try with curl:

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
  curl -X POST -H "Authorization: Bearer $TOKEN" BASE/api/homepage/actions/unpublish
  curl -X POST -H "Authorization: Bearer $TOKEN" BASE/api/homepage/actions/publish
  curl -H "Authorization: Bearer $TOKEN" BASE/api/homepage/history
  curl -H 'Content-Type: application/json' -H "Authorization: Bearer $TOKEN" \
       -d '{"at": "NEXTYEAR-01-01T00:00:00Z"}' BASE/api/homepage/actions/unpublish

docs/tour.md goes on from here: what a document was and back again, releases, many
writes at once, counts and figures, pages that nothing is missing from.

Stop with Ctrl-C.

`
	soon := strconv.Itoa(time.Now().Year() + 1)
	return strings.NewReplacer("BASE", url, "NEXTYEAR", soon).Replace(text)
}
