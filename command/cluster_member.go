//go:build cluster

package command

import (
	"os"

	"github.com/spf13/cobra"

	"quire/app"
	"quire/store/cluster/member"
)

func newClusterMember() *cobra.Command {
	var o member.Options
	c := &cobra.Command{
		Use:   "member",
		Short: "Run a member of etcd",
		Long: `Member runs a member of etcd with the limits that Quire needs, for those who have no
etcd of their own. Run three on three machines: then one may fail. It ends with SIGINT
(Ctrl-C) or SIGTERM.

With --join it adds itself to members that run. It gets its vote once it has all data;
until then the others do without it. Started again with the same flags, it goes on.`,
		Example: `  quire cluster member --data /var/lib/etcd
  quire cluster member --name a --data /var/lib/etcd \
    --client http://10.0.0.1:2379 --peer http://10.0.0.1:2380 \
    --members a=http://10.0.0.1:2380,b=http://10.0.0.2:2380,c=http://10.0.0.3:2380
  quire cluster member --name d --data /var/lib/etcd \
    --client http://10.0.0.4:2379 --peer http://10.0.0.4:2380 \
    --join 10.0.0.1:2379,10.0.0.2:2379,10.0.0.3:2379`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return runMember(c, o) },
	}
	f := c.Flags()
	f.StringVar(&o.Name, "name", "a", "`NAME` of the member, which no other one has")
	f.StringVar(&o.Folder, "data", "etcd", "`FOLDER` of the member's data")
	f.StringVar(&o.Client, "client", "http://127.0.0.1:2379", "`URL` at which nodes reach it")
	f.StringVar(&o.Peer, "peer", "http://127.0.0.1:2380", "`URL` at which other members reach it")
	f.StringVar(&o.PeerListen, "peer-listen", "", "`URL` at which it listens for them, where that is another one (default that of --peer)")
	f.StringVar(&o.Members, "members", "", "all members that the cluster begins with, `NAME=URL,…` (default this one alone)")
	f.StringVar(&o.Join, "join", "", "add this member to those that run, and answer clients at `HOST:PORT,…`")
	f.StringVar(&o.User, "etcd-user", os.Getenv("QUIRE_ETCD_USER"), "`NAME` to sign in to etcd with for --join; by default from QUIRE_ETCD_USER. The password is in QUIRE_ETCD_PASSWORD, or in the file that QUIRE_ETCD_PASSWORD_FILE names")
	f.StringVar(&o.CA, "ca", "", "`FILE` with the authority whose certificates clients and members must show (PEM)")
	f.StringVar(&o.Certificate, "cert", "", "`FILE` with the member's certificate (PEM)")
	f.StringVar(&o.Key, "key", "", "`FILE` with its key (PEM)")
	f.Int64Var(&o.Quota, "quota", 0, "`BYTES` that the database may take (default 8 GiB)")
	c.MarkFlagDirname("data")
	return c
}

// runMember runs a member until the command ends or the member fails.
func runMember(c *cobra.Command, o member.Options) (err error) {
	if o.Join != "" && o.Members != "" {
		return misused("--members is for members that begin together, and --join for one that comes later; give one of them")
	}
	if o.Password, err = etcdPassword(); err != nil {
		return err
	}
	m, err := member.Start(c.Context(), o)
	if err != nil {
		return err
	}
	defer m.Close()
	if err := outputOf(c).report(map[string]string{"member": o.Name, "client": o.Client}, line("The member %s of etcd answers at %s", o.Name, o.Client)); err != nil {
		return err
	}
	select {
	case <-c.Context().Done():
		return nil
	case err := <-m.Failed():
		return err
	}
}

func newClusterRemove() *cobra.Command {
	var name string
	c := onCluster(&cobra.Command{
		Use:   "remove CLUSTER --member NAME",
		Short: "Take a member out of etcd",
		Long: `Remove takes a member out of etcd: one whose machine is gone for good, before another
one takes its place with quire cluster member --join, or one that is not needed any more.
It is refused where the members that are left would be too few to go on.`,
		Example: `  quire cluster remove etcd://10.0.0.1:2379,10.0.0.2:2379/guide --member c`,
		Args:    cobra.ExactArgs(1),
	}, func(c *cobra.Command, at app.Location, j app.Joining, _ []string) error {
		if name == "" {
			return misused("--member says which one; quire cluster status lists them")
		}
		if err := at.RemoveMember(c.Context(), j, name); err != nil {
			return err
		}
		return outputOf(c).report(map[string]string{"member": name}, line("The member %s is none of etcd any more; its data folder is of no use", name))
	})
	c.Flags().StringVar(&name, "member", "", "`NAME` of the member, or the HOST:PORT at which clients reach it")
	return c
}
