//go:build cluster

package command

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"quire/app"
)

// nodeFlags adds the flags of a server that may be a node.
func nodeFlags(c *cobra.Command, j *app.Joining) {
	f := c.Flags()
	f.StringVar(&j.Cluster, "cluster", os.Getenv("QUIRE_CLUSTER"), "serve as a node of this cluster, `etcd://HOST:PORT,HOST:PORT/SITE`; by default from the environment's QUIRE_CLUSTER")
	f.StringVar(&j.Listen, "node-listen", "127.0.0.1:0", "address that other nodes reach this one at, `HOST:PORT`")
	f.StringVar(&j.Advertise, "node-address", "", "the same as the other nodes see it, `HOST:PORT`, where that is another one")
	f.StringVar(&j.Name, "node", "", "`NAME` of the node, which no other one has (default one that the data folder keeps)")
	etcdFlags(c, j)
}

// compareFlags adds the flags of a check that may compare a node with etcd.
func compareFlags(c *cobra.Command, j *app.Joining) {
	c.Flags().StringVar(&j.Cluster, "cluster", "", "compare the data file of a stopped node with what etcd has of this cluster, `etcd://HOST:PORT,HOST:PORT/SITE`")
	etcdFlags(c, j)
}

// etcdFlags adds the flags for the connection to etcd.
func etcdFlags(c *cobra.Command, j *app.Joining) {
	f := c.Flags()
	f.StringVar(&j.CA, "etcd-ca", os.Getenv("QUIRE_ETCD_CA"), "`FILE` with the authority that etcd's certificates are from (PEM); by default from QUIRE_ETCD_CA")
	f.StringVar(&j.Certificate, "etcd-cert", os.Getenv("QUIRE_ETCD_CERT"), "`FILE` with the certificate to show to etcd (PEM); by default from QUIRE_ETCD_CERT")
	f.StringVar(&j.Key, "etcd-key", os.Getenv("QUIRE_ETCD_KEY"), "`FILE` with the key of that certificate (PEM); by default from QUIRE_ETCD_KEY")
	f.StringVar(&j.User, "etcd-user", os.Getenv("QUIRE_ETCD_USER"), "`NAME` to sign in to etcd; by default from QUIRE_ETCD_USER. The password is in QUIRE_ETCD_PASSWORD, or in the file that QUIRE_ETCD_PASSWORD_FILE names")
}

// completeJoining reads the password for etcd, and refuses flags that exclude each
// other.
func completeJoining(j *app.Joining) (err error) {
	if j.Cluster == "" {
		return nil
	}
	if j.Password, err = etcdPassword(); err != nil {
		return err
	}
	switch {
	case (j.Certificate == "") != (j.Key == ""):
		return misused("--etcd-cert and --etcd-key belong together; give both")
	case (j.User == "") != (j.Password == ""):
		return misused("--etcd-user and a password for etcd belong together; give both")
	}
	return nil
}

func etcdPassword() (string, error) {
	file := os.Getenv("QUIRE_ETCD_PASSWORD_FILE")
	if file == "" {
		return os.Getenv("QUIRE_ETCD_PASSWORD"), nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("QUIRE_ETCD_PASSWORD_FILE: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}
