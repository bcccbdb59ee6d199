package settings

import (
	"net/netip"

	"quire/schema/source"
)

// Code has the settings of site.json under "code": what the project's own code may do.
type Code struct {
	Enabled      bool           // it runs, if the project has any
	Memory       int            // megabytes, 256
	AllowPrivate []netip.Prefix // networks that fetch may reach in addition to the public internet; none by default
}

const (
	leastCodeMemory = 16
	mostCodeMemory  = 4096
)

// read reads "code": {"enabled": true, "memory": 256, "allowPrivate": ["10.0.0.0/8"]}.
func (c *Code) read(o source.Object) {
	o.Only("enabled", "memory", "allowPrivate")
	c.Enabled = o.Flag("enabled", c.Enabled)
	c.Memory = o.Whole("memory", leastCodeMemory, c.Memory)
	if c.Memory > mostCodeMemory {
		o.RefuseAt("memory", "is more than 4096", "lower it; it is the memory of the code in megabytes")
	}
	c.AllowPrivate = readNetworks(o, "allowPrivate")
}

func (c *Code) show() []Shown {
	return []Shown{
		{Key: "code.enabled", Value: c.Enabled}, {Key: "code.memory", Value: c.Memory}, {Key: "code.allowPrivate", Value: written(c.AllowPrivate)},
	}
}

// CheckAddress returns an error if the code may not reach an address.
func (c *Code) CheckAddress(a netip.Addr) error {
	return (&Events{AllowPrivate: c.AllowPrivate}).CheckAddress(a)
}
