package command

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"quire/app"
	"quire/auth"
	"quire/schema"
	"quire/server"
)

func newRoutes() *cobra.Command {
	c := &cobra.Command{
		Use:   "routes [SITE]",
		Short: "List every route, its action and who may call it",
		Long: `Routes prints one line for each route: its method and path, its action, the roles of
site.json that may call it, and the types of API token that may call it. A custom token
may if it has the action. The routes of the project's own code are at the end, with the
permissions that they need.`,
		Example: `  quire routes
  quire routes my-site | grep public
  quire routes --json my-site | jq -r '.[] | select(.open) | .path'`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			site, list, coded, err := app.Location{Site: siteArgument(args)}.Routes(c.Context())
			if err != nil {
				return err
			}
			routes := append(routesOf(site, list), codeRoutesOf(site, coded)...)
			return outputOf(c).result(routes, func(w io.Writer) error { return printRoutes(w, routes) })
		},
	}
	return c
}

// routeInfo is a route and who may call it.
type routeInfo struct {
	Method string   `json:"method"`
	Path   string   `json:"path"`
	Open   bool     `json:"open"`            // whether anyone may call it; then it has no action
	Action string   `json:"action"`          // empty if it is open
	Draft  string   `json:"draft,omitempty"` // the action that suffices with status=draft
	Also   string   `json:"also,omitempty"`  // an alternative action, with limited rights
	Roles  []string `json:"roles"`           // roles in site.json
	Tokens []string `json:"tokens"`          // types of API token
	File   string   `json:"file,omitempty"`  // of the project's own code
}

func routesOf(site *schema.Site, routes []server.Route) (list []routeInfo) {
	for _, r := range routes {
		info := routeInfo{Method: r.Method, Path: r.Path, Open: r.Open, Roles: []string{}, Tokens: []string{}}
		if !r.Open {
			info.Action, info.Roles, info.Tokens = r.Permission.String(), noNil(r.Roles(site)), noNil(auth.KindsWith(r.Permission))
		}
		if r.Draft != (auth.Permission{}) {
			info.Draft = r.Draft.String()
		}
		if r.Instead != (auth.Permission{}) {
			info.Also = r.Instead.String()
		}
		list = append(list, info)
	}
	return list
}

// codeRoutesOf lists the routes of the project's own code. A caller needs all permissions of
// the scope, and a token of full access if there are none.
func codeRoutesOf(site *schema.Site, routes []app.CodeRoute) (list []routeInfo) {
	for _, r := range routes {
		info := routeInfo{Method: r.Method, Path: r.Path, Open: r.Open, Roles: []string{}, Tokens: []string{}, File: r.File}
		if !r.Open {
			info.Action, info.Tokens = strings.Join(r.Scope, " and "), []string{string(auth.FullAccess)}
		}
		for i, name := range r.Scope {
			p, _ := auth.ParsePermission(name)
			needs := server.Route{Permission: p}
			roles, tokens := noNil(needs.Roles(site)), noNil(auth.KindsWith(p))
			if i > 0 {
				roles, tokens = shared(info.Roles, roles), shared(info.Tokens, tokens)
			}
			info.Roles, info.Tokens = roles, tokens
		}
		list = append(list, info)
	}
	return list
}

// shared returns what is in both lists.
func shared(a, b []string) []string {
	return slices.DeleteFunc(a, func(one string) bool { return !slices.Contains(b, one) })
}

func printRoutes(w io.Writer, routes []routeInfo) error {
	return printTable(w, "METHOD\tPATH\tACTION\tROLES\tTOKENS", routes, func(r routeInfo) string {
		action, roles, tokens := "-", "anyone", "-"
		if !r.Open {
			action, roles, tokens = r.Action, orNone(r.Roles), orNone(r.Tokens)
		}
		for _, other := range []string{r.Draft, r.Also} {
			if other != "" {
				action += " or " + path.Ext(other)[1:]
			}
		}
		return fmt.Sprintf("%s\t%s\t%s\t%s\t%s", r.Method, r.Path, action, roles, tokens)
	})
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "-"
	}
	return strings.Join(names, ",")
}
