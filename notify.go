package main

import (
	"net"
	"os"
)

// notify tells the service manager how the service is, if it asked for that as
// systemd does: one datagram to the socket that NOTIFY_SOCKET names.
func notify(state string) error {
	path := os.Getenv("NOTIFY_SOCKET")
	if path == "" {
		return nil
	}
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: path, Net: "unixgram"}) // "@" begins an abstract name, to both
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.Write([]byte(state))
	return err
}

// tell is notify for whom it is no harm if nobody listens.
func (a *app) tell(state string) {
	if err := notify(state); err != nil {
		a.log.Warn("the service manager cannot be told how this server is", "error", err)
	}
}
