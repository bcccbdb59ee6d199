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
// so when it is made, and fails where the member is gone then; this one does so with the
// first call that needs it, and again when etcd has forgotten the token: after some minutes
// without a call, and after a restart of the member.
type login struct {
	user, password string
	asking         chan struct{} // has one place: for who signs in, or reads and changes what follows
	token          string
	known          bool // the token is what calls have to show; it is empty where etcd has no users
}

func newLogin(user, password string) *login {
	return &login{user: user, password: password, asking: make(chan struct{}, 1)}
}

// options have a connection sign in.
func (l *login) options() []grpc.DialOption {
	return []grpc.DialOption{grpc.WithChainUnaryInterceptor(l.call), grpc.WithChainStreamInterceptor(l.stream)}
}

// call makes a call with the token, and once more with a new one where that is refused.
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

// stream begins a stream with the token. Of one that is refused there the stream says so:
// it is begun again by whoever follows it, and a call has renewed the token by then.
func (l *login) stream(ctx context.Context, d *grpc.StreamDesc, to *grpc.ClientConn, method string, do grpc.Streamer, o ...grpc.CallOption) (grpc.ClientStream, error) {
	token, err := l.signIn(ctx, to)
	if err != nil {
		return nil, err
	}
	return do(showing(ctx, token), d, to, method, o...)
}

// signIn returns the token, and gets one where there is none.
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

// forget has the next call sign in again, unless another has done so meanwhile.
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

// showing is a context whose call shows the token.
func showing(ctx context.Context, token string) context.Context {
	if token == "" {
		return ctx
	}
	return metadata.AppendToOutgoingContext(ctx, rpctypes.TokenFieldNameGRPC, token)
}

// isForgotten reports whether etcd wants another token, or wants one since it has users.
func isForgotten(err error) bool {
	err = rpctypes.Error(err)
	return errors.Is(err, rpctypes.ErrInvalidAuthToken) || errors.Is(err, rpctypes.ErrAuthOldRevision) || errors.Is(err, rpctypes.ErrUserEmpty)
}
