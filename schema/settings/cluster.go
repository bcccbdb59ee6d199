package settings

import "quire/schema/source"

// Cluster has the settings of site.json under "cluster", for a site that several nodes
// share. A site of one node ignores them.
type Cluster struct {
	// Linearizable are the reads that show every write that any node had acknowledged
	// before. Others show the writes that have reached this node, which is milliseconds
	// behind.
	Linearizable struct {
		Credential bool // of callers with a token, a session or a cookie
		Anonymous  bool // of all others
	}
}

func defaultCluster() (c Cluster) {
	c.Linearizable.Credential = true
	return c
}

// read reads "cluster": {"reads": {"credential": "linearizable", "anonymous": "local"}}.
func (c *Cluster) read(o source.Object) {
	o.Only("reads")
	reads := o.Object("reads")
	reads.Only("credential", "anonymous")
	readFreshness(reads, "credential", &c.Linearizable.Credential)
	readFreshness(reads, "anonymous", &c.Linearizable.Anonymous)
}

// Which writes a read shows: those of all nodes, or those that this node knows.
const (
	linearizable = "linearizable"
	local        = "local"
)

func readFreshness(o source.Object, key string, all *bool) {
	switch o.Text(key) {
	case "":
	case local:
		*all = false
	case linearizable:
		*all = true
	default:
		o.RefuseAt(key, "is neither linearizable nor local", "linearizable shows what all nodes have written, and local what this one knows of it")
	}
}

// show lists which writes reads show.
func (c Cluster) show() []Shown {
	kind := func(all bool) string {
		if all {
			return linearizable
		}
		return local
	}
	return []Shown{
		{Key: "cluster.reads.credential", Value: kind(c.Linearizable.Credential)},
		{Key: "cluster.reads.anonymous", Value: kind(c.Linearizable.Anonymous)},
	}
}
