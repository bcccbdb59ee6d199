//go:build cluster

package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"quire/app"
)

// clusterCommands returns the commands of a program with the tag cluster.
func clusterCommands() []*cobra.Command {
	c := &cobra.Command{
		Use:   "cluster COMMAND",
		Short: "Have several nodes serve one site",
		Long: `Cluster has several nodes serve one site. etcd decides the order of what they write;
each node has all content and answers reads by itself. docs/cluster.md says when that is
worth it, and how to run it.`,
	}
	c.AddCommand(newClusterInit(), newClusterJoin(), newClusterStatus(), newClusterLeave(),
		newClusterActivate(), newClusterDrop(), newClusterMember(), newClusterRemove())
	return []*cobra.Command{c}
}

// onCluster makes c a command on a cluster. Its first argument is the address of the
// cluster, and a second one is a site folder.
func onCluster(c *cobra.Command, run func(*cobra.Command, app.Location, app.Joining, []string) error) *cobra.Command {
	var at app.Location
	var j app.Joining
	c.RunE = func(c *cobra.Command, args []string) error {
		j.Cluster = args[0]
		if err := completeJoining(&j); err != nil {
			return err
		}
		at.Site = siteArgument(args[1:])
		return run(c, at, j, args)
	}
	etcdFlags(c, &j)
	dataFlag(c, &at)
	return c
}

func newClusterInit() *cobra.Command {
	var how app.Beginning
	c := onCluster(&cobra.Command{
		Use:   "init CLUSTER [SITE]",
		Short: "Put a site's content into etcd",
		Long: `Init puts the content of a data file into etcd, as that of a cluster which has none yet.
No server may have the data file open. The data folder becomes that of the first node;
start it with quire serve --cluster.

Files are not put into etcd: nodes need a store that all of them reach, see
upload.storage in site.json.`,
		Example: `  quire cluster init etcd://127.0.0.1:2379/guide my-site`,
		Args:    cobra.RangeArgs(1, 2),
	}, func(c *cobra.Command, at app.Location, j app.Joining, _ []string) error {
		begun := time.Now()
		done, err := at.BeginCluster(c.Context(), j, how)
		if err != nil {
			return err
		}
		shown := begunCluster{j.Cluster, done.Values, done.Bytes, done.Before}
		if done.Before {
			return outputOf(c).report(shown, line("etcd holds %s already; it stays as it is", j.Cluster))
		}
		return outputOf(c).report(shown, line("etcd holds %s of %s, %s, in %s\nStart this node with: quire serve --cluster %s %s",
			count(int(done.Values), "value", "values"), j.Cluster, sized(done.Bytes), time.Since(begun).Round(time.Millisecond), j.Cluster, at.Site))
	})
	c.Flags().BoolVar(&how.Empty, "empty", false, "begin a new site, without content, where there is no data file")
	c.Flags().BoolVar(&how.IfMissing, "if-missing", false, "where etcd holds the site already, change nothing and succeed; for what runs at each start")
	return c
}

// begunCluster is what etcd contains of a new cluster, as JSON shows it.
type begunCluster struct {
	Cluster string `json:"cluster"`
	Values  int64  `json:"values"`
	Bytes   int64  `json:"bytes"`
	Before  bool   `json:"before"` // whether etcd had it already
}

func newClusterJoin() *cobra.Command {
	return onCluster(&cobra.Command{
		Use:   "join CLUSTER [SITE]",
		Short: "Make a data folder that of a node, and load the content",
		Long: `Join checks that etcd takes what Quire writes, and loads the content of the cluster into
a new data folder. It is done by quire serve --cluster too, which then takes longer to
answer the first time.`,
		Example: `  quire cluster join etcd://127.0.0.1:2379/guide my-site`,
		Args:    cobra.RangeArgs(1, 2),
	}, func(c *cobra.Command, at app.Location, j app.Joining, _ []string) error {
		begun := time.Now()
		name, err := at.JoinCluster(c.Context(), j)
		if err != nil {
			return err
		}
		return outputOf(c).report(map[string]string{"cluster": j.Cluster, "dataFile": at.DataFile(), "node": name},
			line("%s has the content of %s, in %s; the node is called %s", at.DataFile(), j.Cluster, time.Since(begun).Round(time.Millisecond), name))
	})
}

func newClusterLeave() *cobra.Command {
	return onCluster(&cobra.Command{
		Use:   "leave CLUSTER [SITE]",
		Short: "Take a data folder out of the cluster",
		Long: `Leave makes the data folder of a node that of a site by itself, with the content that
the node has. The cluster and its content stay. No server may have the data file open.`,
		Example: `  quire cluster leave etcd://127.0.0.1:2379/guide my-site`,
		Args:    cobra.RangeArgs(1, 2),
	}, func(c *cobra.Command, at app.Location, j app.Joining, _ []string) error {
		if err := at.LeaveCluster(c.Context(), j); err != nil {
			return err
		}
		return outputOf(c).report(map[string]string{"dataFolder": at.DataFolder()}, line("%s is that of a site by itself", at.DataFolder()))
	})
}

func newClusterActivate() *cobra.Command {
	var generation uint64
	c := onCluster(&cobra.Command{
		Use:   "activate CLUSTER [SITE]",
		Short: "Make the schemas of a site folder those of the cluster",
		Long: `Activate makes the schemas and site.json of a folder those that the cluster's content is
for. Nodes with that folder write from then on; nodes with another one forward what
they are asked to write, and read. Give all nodes the folder first.

With --generation, it makes a former copy of the content, as it was before an import, a
restore or a migration replaced it, the one that all nodes serve, for the schemas that it
was for. The copy whose place it takes is kept, so that one can go back again. What was
written since is in that one alone.`,
		Example: `  quire cluster activate etcd://127.0.0.1:2379/guide my-site
  quire cluster activate etcd://127.0.0.1:2379/guide --generation 1`,
		Args: cobra.RangeArgs(1, 2),
	}, func(c *cobra.Command, at app.Location, j app.Joining, _ []string) error {
		schema, err := activate(c.Context(), at, j, generation)
		if err != nil {
			return err
		}
		return outputOf(c).report(map[string]string{"cluster": j.Cluster, "schemas": schema}, line("The content of %s is for the schemas %.12s", j.Cluster, schema))
	})
	c.Flags().Uint64Var(&generation, "generation", 0, "`N` of a former copy of the content; quire cluster status lists them")
	return c
}

func activate(ctx context.Context, at app.Location, j app.Joining, generation uint64) (schema string, err error) {
	if generation != 0 {
		return at.GoBack(ctx, j, generation)
	}
	return at.ActivateSchemas(ctx, j)
}

func newClusterDrop() *cobra.Command {
	var number uint64
	c := onCluster(&cobra.Command{
		Use:   "drop CLUSTER --generation N",
		Short: "Remove a former copy of the content from etcd",
		Long: `Drop removes what the content was before an import, a restore or a migration replaced
it. Until then etcd keeps it, and its room is taken; quire cluster status lists what
there is.`,
		Example: `  quire cluster drop etcd://127.0.0.1:2379/guide --generation 1`,
		Args:    cobra.ExactArgs(1),
	}, func(c *cobra.Command, at app.Location, j app.Joining, _ []string) error {
		if number == 0 {
			return misused("--generation says which one; quire cluster status lists them")
		}
		if err := at.DropGeneration(c.Context(), j, number); err != nil {
			return err
		}
		return outputOf(c).report(map[string]uint64{"generation": number}, line("etcd no longer holds generation %d", number))
	})
	c.Flags().Uint64Var(&number, "generation", 0, "`N` of the copy")
	return c
}

func newClusterStatus() *cobra.Command {
	c := onCluster(&cobra.Command{
		Use:   "status CLUSTER",
		Short: "Show the nodes, what they have, and what etcd holds",
		Long: `Status shows the nodes of a cluster, which commit each of them has and how far behind
it is, which one writes and which one sends webhooks and mail, the schemas of each, the
copies of the content that etcd holds, and its size against its quota.`,
		Example: `  quire cluster status etcd://127.0.0.1:2379/guide`,
		Args:    cobra.ExactArgs(1),
	}, func(c *cobra.Command, at app.Location, j app.Joining, _ []string) error {
		out := outputOf(c)
		s, err := at.ClusterStatus(c.Context(), j)
		switch {
		case err == nil:
			return out.result(s, func(w io.Writer) error { return printCluster(w, s) })
		case !out.json && len(s.Members) > 0:
			return errors.Join(printMembers(&remembering{Writer: out.stdout}, s), err)
		}
		return err
	})
	return c
}

func printCluster(w io.Writer, s app.ClusterState) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "revision\t%d, %s\n", s.Revision, moment(s.Committed))
	fmt.Fprintf(table, "schemas\t%.12s\n", s.Schema)
	for _, n := range s.Nodes {
		fmt.Fprintf(table, "node\t%s\n", nodeLine(n, s))
	}
	for _, g := range s.Generations {
		fmt.Fprintf(table, "generation\t%d, %s, %s\n", g.Number, count(int(g.Values), "value", "values"), kindOf(g))
	}
	addMembers(table, s)
	return table.Flush()
}

// printMembers prints the members of etcd, if nothing else is known.
func printMembers(w io.Writer, s app.ClusterState) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	addMembers(table, s)
	return table.Flush()
}

func addMembers(table io.Writer, s app.ClusterState) {
	full := false
	for _, m := range s.Members {
		fmt.Fprintf(table, "etcd\t%s\n", memberLine(m))
		full = full || m.Full
	}
	if full {
		fmt.Fprintln(table, "alarm\tetcd is full and takes no writes: free space, or restart the members with a larger --quota; then run etcdctl alarm disarm")
	}
}

// kindOf describes a copy of the content, and what can be done with it.
func kindOf(g app.ClusterGeneration) string {
	switch {
	case g.Current:
		return "served"
	case !g.Whole:
		return "not whole: being written, or left over; quire cluster drop removes it"
	}
	return fmt.Sprintf("former, up to %s, schemas %.12s; quire cluster activate --generation goes back to it, drop removes it", moment(time.UnixMilli(g.Until)), g.Schema)
}

func nodeLine(n app.ClusterNode, s app.ClusterState) string {
	line := fmt.Sprintf("%s at %s, version %s", n.Name, n.Address, n.Version)
	switch {
	case n.Problem != "":
		line += ", does not answer: " + n.Problem
	case n.Revision < s.Revision:
		line += fmt.Sprintf(", at revision %d, %d behind", n.Revision, s.Revision-n.Revision)
	default:
		line += fmt.Sprintf(", at revision %d", n.Revision)
	}
	if n.Writes {
		line += ", writes"
	}
	if n.OnDuty {
		line += ", sends webhooks and mail"
	}
	if n.Schema != s.Schema {
		line += fmt.Sprintf(", has the schemas %.12s and forwards what it is to write", n.Schema)
	}
	return line
}

func memberLine(m app.ClusterMember) string {
	line := strings.TrimPrefix(m.Name+" at "+orElse(m.Endpoint, "an address that is not known yet"), " at ")
	if m.Problem != "" {
		return line + ", does not answer: " + m.Problem
	}
	line += fmt.Sprintf(", version %s, %s of %s", m.Version, sized(m.Size), sized(m.Quota))
	if m.Leader {
		line += ", leads"
	}
	if m.Corrupt {
		line += ", does not hold what the others do"
	}
	if m.Learner {
		line += ", has no vote yet"
	}
	if m.Unlisted {
		line += ", is not in the address of the cluster"
	}
	return line
}
