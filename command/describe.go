package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"

	"quire/app"
	"quire/server/describe"
	"quire/server/graphql"
)

func newTypes() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "types [SITE]",
		Short: "Print TypeScript types for the requests and responses of the API",
		Long: `Types prints a TypeScript module with the types of every content type and
component: what answers show of them, populated and not, and what bodies may say.
It depends on nothing but the schemas and site.json, and compiles under --strict.`,
		Example: `  quire types > types.ts
  quire types --out web/src/api.ts my-site`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			site, err := app.Location{Site: siteArgument(args)}.Load()
			if err != nil {
				return err
			}
			text := describe.TypeScript(site)
			if out != "" {
				return writeTo(c, out, []byte(text))
			}
			return outputOf(c).result(map[string]string{"types": text}, func(w io.Writer) error {
				_, err := io.WriteString(w, text)
				return err
			})
		},
	}
	c.Flags().StringVar(&out, "out", "", "write to this `FILE` instead of standard output")
	return c
}

func newGraphQLSchema() *cobra.Command {
	var out string
	c := &cobra.Command{
		Use:   "graphql-schema [SITE]",
		Short: "Print the GraphQL schema of the site",
		Long: `Graphql-schema prints the schema that /graphql has if site.json switches GraphQL on,
in the schema definition language. Tools such as graphql-codegen make types of
operations from it.`,
		Example: `  quire graphql-schema > schema.graphql
  quire graphql-schema --out web/schema.graphql my-site`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			site, err := app.Location{Site: siteArgument(args)}.Load()
			if err != nil {
				return err
			}
			s, err := graphql.New(site)
			if err != nil {
				return err
			}
			if out != "" {
				return writeTo(c, out, []byte(s.SDL()))
			}
			return outputOf(c).result(map[string]string{"schema": s.SDL()}, func(w io.Writer) error {
				_, err := io.WriteString(w, s.SDL())
				return err
			})
		},
	}
	c.Flags().StringVar(&out, "out", "", "write to this `FILE` instead of standard output")
	return c
}

// writeTo writes a text to a file. It prints a report only with --json.
func writeTo(c *cobra.Command, file string, text []byte) error {
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return err
	}
	return outputOf(c).report(map[string]string{"file": file}, silent)
}

func newOpenAPI() *cobra.Command {
	var out string
	var admin bool
	c := &cobra.Command{
		Use:   "openapi [SITE]",
		Short: "Print an OpenAPI 3.1 document of every route",
		Long: `Openapi prints an OpenAPI 3.1 document, in JSON, of exactly the routes that the
site serves: parameters, bodies, answers, errors, and who needs a credential as far
as site.json says. Of routes that the code of the project answers, it names the handler.
A running server answers GET /api/openapi.json with the same, and
shows it as a page at /api/docs.

With --admin it prints that of the admin's own API, which is the same for every site.`,
		Example: `  quire openapi > openapi.json
  quire openapi --out openapi.json my-site`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			document := app.AdminOpenAPI()
			if !admin {
				var err error
				if document, err = (app.Location{Site: siteArgument(args)}).OpenAPI(c.Context()); err != nil {
					return err
				}
			}
			if document == nil {
				return errors.New("this program was built without the admin")
			}
			var text bytes.Buffer
			if err := json.Indent(&text, document, "", "  "); err != nil {
				return err
			}
			text.WriteByte('\n')
			if out != "" {
				return writeTo(c, out, text.Bytes())
			}
			_, err := text.WriteTo(c.OutOrStdout())
			return err
		},
	}
	c.Flags().StringVar(&out, "out", "", "write to this `FILE` instead of standard output")
	c.Flags().BoolVar(&admin, "admin", false, "describe the API of the admin")
	return c
}
