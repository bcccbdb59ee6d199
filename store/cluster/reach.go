//go:build cluster

package cluster

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc/status"

	"quire/store"
)

// UnreachableError: no majority of etcd responds.
type UnreachableError struct {
	Problems []string // of each member: HOST:PORT: why
	Err      error    // of the last call
}

func (e *UnreachableError) Error() string {
	return "etcd cannot be reached: " + strings.Join(e.Problems, "; ")
}

func (e *UnreachableError) Unwrap() error { return e.Err }

// AccessError: etcd responds, and refuses this program.
type AccessError struct{ Problem string }

func (e *AccessError) Error() string { return e.Problem }

// Reach checks whether etcd can be used. The error is an *UnreachableError or an
// *AccessError.
func (j *Journal) Reach(ctx context.Context) error {
	_, err := j.storedFormat(ctx)
	return err
}

// storedFormat returns the format of the site in etcd, empty if the site is not there.
func (j *Journal) storedFormat(ctx context.Context) (string, error) {
	var got *clientv3.GetResponse
	err := j.again(ctx, func(ctx context.Context) (err error) {
		got, err = j.etcd().Get(ctx, j.keys.format())
		return err
	})
	switch {
	case err != nil:
		return "", j.explain(ctx, err)
	case len(got.Kvs) == 0:
		return "", nil
	}
	return string(got.Kvs[0].Value), nil
}

// explain returns why etcd did not do what was requested.
func (j *Journal) explain(ctx context.Context, err error) error {
	user := fmt.Sprintf("the user %q", j.address.User)
	if j.address.User == "" {
		user = "whoever has this certificate"
	}
	switch {
	case errors.Is(err, rpctypes.ErrAuthFailed):
		return &AccessError{fmt.Sprintf("etcd does not let %s in: the name or the password is wrong", user)}
	case errors.Is(err, rpctypes.ErrUserEmpty):
		return &AccessError{"etcd lets nobody in without a user; give --etcd-user and a password"}
	case errors.Is(err, rpctypes.ErrPermissionDenied):
		return &AccessError{fmt.Sprintf("etcd does not let %s do this; a node reads and writes all keys that begin with %s", user, j.keys.top())}
	case isFull(err):
		return fmt.Errorf("etcd has reached its quota: %w (%w)", err, store.ErrFull)
	case isNoAnswer(err):
		return j.diagnose(ctx, err)
	}
	return err
}

// isNoAnswer reports whether an error means that a call to etcd had no response.
func isNoAnswer(err error) bool {
	_, call := status.FromError(err)
	return errors.Is(err, context.DeadlineExceeded) || (call || errors.As(err, new(rpctypes.EtcdError))) && worthAnother(err)
}

// diagnose asks every member of the address why there is no response.
func (j *Journal) diagnose(ctx context.Context, err error) error {
	problems := make([]error, len(j.members))
	var pending sync.WaitGroup
	for i, endpoint := range j.address.Endpoints {
		pending.Go(func() {
			problems[i] = within(ctx, func(ctx context.Context) error { return j.address.whyNot(ctx, endpoint) })
		})
	}
	pending.Wait()
	e := &UnreachableError{Err: err}
	for i, endpoint := range j.address.Endpoints {
		var refused *AccessError
		if errors.As(problems[i], &refused) {
			return &AccessError{fmt.Sprintf("etcd at %s %s", endpoint, refused.Problem)}
		}
		e.Problems = append(e.Problems, endpoint+": "+cmp.Or(problems[i], errAlone).Error())
	}
	return e
}

var errAlone = errors.New("it answers, but a majority of the members does not")

// greeting is the beginning of HTTP/2, and so of each connection to etcd, from the client.
const greeting = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00"

// whyNot connects to a member directly, because etcd's client only reports that there was
// no response. It returns nil for a member that greets; an *AccessError is about
// certificates.
func (a Address) whyNot(ctx context.Context, endpoint string) error {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", endpoint)
	if err != nil {
		if failed, ok := errors.AsType[*net.OpError](err); ok {
			return failed.Err
		}
		return err
	}
	defer conn.Close()
	if end, bounded := ctx.Deadline(); bounded {
		_ = conn.SetDeadline(end) // without a deadline it takes longer
	}
	config, err := a.tls()
	if err != nil {
		return &AccessError{"is not asked: " + err.Error()}
	}
	if config != nil {
		if config.ServerName, _, err = net.SplitHostPort(endpoint); err != nil {
			return err
		}
		config.NextProtos = []string{"h2"}
		conn = tls.Client(conn, config)
	}
	_, err = io.WriteString(conn, greeting)
	answer := make([]byte, 9)
	if err == nil {
		_, err = io.ReadFull(conn, answer)
	}
	return a.judgeGreeting(answer, err)
}

// judgeGreeting explains the response to a greeting.
func (a Address) judgeGreeting(answer []byte, err error) error {
	var timeout net.Error
	switch {
	case errors.As(err, &timeout) && timeout.Timeout():
		return errors.New("it does not answer")
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return &AccessError{"shows a certificate that is not to be trusted: " + err.Error()}
	case err != nil && strings.Contains(err.Error(), "certificate required"):
		return &AccessError{"demands a certificate; give --etcd-cert and --etcd-key"}
	case err != nil && strings.Contains(err.Error(), "remote error: tls:"):
		return &AccessError{"refuses the certificate " + a.Certificate + ": " + err.Error()}
	case err != nil && a.CA == "":
		return errors.New("it closes the connection, as it does where it uses TLS and --etcd-ca is not given")
	case err != nil:
		return fmt.Errorf("it closes the connection, as it does where it uses no TLS and --etcd-ca is given: %w", err)
	case !bytes.Equal(answer[3:4], []byte{4}):
		return errors.New("the server there is not etcd")
	}
	return nil
}
