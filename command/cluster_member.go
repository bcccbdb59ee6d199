//go:build cluster

package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"quire/cluster/member"
)

func newClusterMember() *cobra.Command {
	var o member.Options
	c := &cobra.Command{
		Use:   "member",
		Short: "Run a member of etcd",
		Long: `Member runs a member of etcd with the limits that Quire needs, for those who have no
etcd of their own. Run three on three machines: then one may fail. It ends with SIGINT
(Ctrl-C) or SIGTERM.`,
		Example: `  quire cluster member --data /var/lib/etcd
  quire cluster member --name a --data /var/lib/etcd \
    --client http://10.0.0.1:2379 --peer http://10.0.0.1:2380 \
    --members a=http://10.0.0.1:2380,b=http://10.0.0.2:2380,c=http://10.0.0.3:2380`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			m, err := member.Start(c.Context(), o)
			if err != nil {
				return err
			}
			defer m.Close()
			fmt.Fprintf(c.OutOrStdout(), "The member %s of etcd answers at %s\n", o.Name, o.Client)
			select {
			case <-c.Context().Done():
				return nil
			case err := <-m.Failed():
				return err
			}
		},
	}
	f := c.Flags()
	f.StringVar(&o.Name, "name", "a", "`NAME` of the member, which no other one has")
	f.StringVar(&o.Folder, "data", "etcd", "`FOLDER` of the member's data")
	f.StringVar(&o.Client, "client", "http://127.0.0.1:2379", "`URL` at which nodes reach it")
	f.StringVar(&o.Peer, "peer", "http://127.0.0.1:2380", "`URL` at which other members reach it")
	f.StringVar(&o.PeerListen, "peer-listen", "", "`URL` at which it listens for them, where that is another one (default that of --peer)")
	f.StringVar(&o.Members, "members", "", "all members that the cluster begins with, `NAME=URL,…` (default this one alone)")
	f.BoolVar(&o.Joins, "join", false, "the other members run already, and know of this one")
	f.StringVar(&o.CA, "ca", "", "`FILE` with the authority whose certificates clients and members must show (PEM)")
	f.StringVar(&o.Certificate, "cert", "", "`FILE` with the member's certificate (PEM)")
	f.StringVar(&o.Key, "key", "", "`FILE` with its key (PEM)")
	f.Int64Var(&o.Quota, "quota", 0, "`BYTES` that the database may take (default 8 GiB)")
	c.MarkFlagDirname("data")
	return c
}
