//go:build cluster

package cluster

import (
	"context"
	"errors"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
)

// login signs in to one member of etcd with a user and a password. etcd's own client does
// so when it is created, and fails if the member is down; this one does so with the first
// call that needs it, and again when etcd has dropped the token: after some minutes without
// a call, and after a restart of the member.
type login struct {
	user, password string
	asking         chan struct{} // has one slot: held while signing in, and to access the fields below
	token          string
	known          bool // the token must be sent with calls; it is empty if etcd has no users
}

// options makes a connection sign in.
func (l *login) options() []grpc.DialOption {
	return []grpc.DialOption{grpc.WithChainUnaryInterceptor(l.call), grpc.WithChainStreamInterceptor(l.stream)}
}

// call makes a call with the token, and repeats it with a new one if that is refused.
func (l *login) call(ctx context.Context, method string, request, answer any, to *grpc.ClientConn, do grpc.UnaryInvoker, o ...grpc.CallOption) error {
	if method == pb.Auth_Authenticate_FullMethodName {
		return do(ctx, method, request, answer, to, o...)
	}
	token, err := l.signIn(ctx, to)
	if err != nil {
		return err
	}
	err = do(showing(ctx, token), method, request, answer, to, o...)
	if !isForgotten(err) {
		return err
	}
	l.forget(ctx, token)
	if token, err = l.signIn(ctx, to); err != nil {
		return err
	}
	return do(showing(ctx, token), method, request, answer, to, o...)
}

// stream begins a stream with the token. If the token is refused, the stream reports it:
// its user begins it again, and by then a call has renewed the token.
func (l *login) stream(ctx context.Context, d *grpc.StreamDesc, to *grpc.ClientConn, method string, do grpc.Streamer, o ...grpc.CallOption) (grpc.ClientStream, error) {
	token, err := l.signIn(ctx, to)
	if err != nil {
		return nil, err
	}
	return do(showing(ctx, token), d, to, method, o...)
}

// signIn returns the token, and gets one if there is none.
func (l *login) signIn(ctx context.Context, to *grpc.ClientConn) (string, error) {
	if err := l.lock(ctx); err != nil {
		return "", err
	}
	defer l.unlock()
	if l.known {
		return l.token, nil
	}
	answer, err := pb.NewAuthClient(to).Authenticate(ctx, &pb.AuthenticateRequest{Name: l.user, Password: l.password})
	switch {
	case errors.Is(rpctypes.Error(err), rpctypes.ErrAuthNotEnabled):
		l.token = ""
	case err != nil:
		return "", err
	default:
		l.token = answer.Token
	}
	l.known = true
	return l.token, nil
}

// forget makes the next call sign in again, unless another has done so meanwhile.
func (l *login) forget(ctx context.Context, token string) {
	if l.lock(ctx) != nil {
		return
	}
	defer l.unlock()
	l.known = l.known && l.token != token
}

func (l *login) lock(ctx context.Context) error {
	select {
	case l.asking <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *login) unlock() { <-l.asking }

// showing returns a context whose call sends the token.
func showing(ctx context.Context, token string) context.Context {
	if token == "" {
		return ctx
	}
	return metadata.AppendToOutgoingContext(ctx, rpctypes.TokenFieldNameGRPC, token)
}

// isForgotten reports whether etcd requires a new token, or requires one since it has
// users.
func isForgotten(err error) bool {
	err = rpctypes.Error(err)
	return errors.Is(err, rpctypes.ErrInvalidAuthToken) || errors.Is(err, rpctypes.ErrAuthOldRevision) || errors.Is(err, rpctypes.ErrUserEmpty)
}
