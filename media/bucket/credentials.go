package bucket

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/minio/minio-go/v7/pkg/credentials"
)

// ErrNoCredentials reports a bucket without credentials.
var ErrNoCredentials = errors.New("site.json names a bucket, and there are no credentials for it: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment, or name a file in credentials beside the bucket")

// keys are the credentials in a file.
type keys struct {
	AccessKeyID     string `json:"accessKeyId"`
	SecretAccessKey string `json:"secretAccessKey"`
	SessionToken    string `json:"sessionToken"`
}

// credentialsOf returns the credentials of a file or, if there is no file, of the
// environment. The file is read again from time to time, so that the credentials can be
// changed.
func credentialsOf(path string) (*credentials.Credentials, error) {
	if path == "" {
		k := keys{os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY"), os.Getenv("AWS_SESSION_TOKEN")}
		if k.AccessKeyID == "" || k.SecretAccessKey == "" {
			return nil, ErrNoCredentials
		}
		return credentials.NewStaticV4(k.AccessKeyID, k.SecretAccessKey, k.SessionToken), nil
	}
	f := &keyFile{path: path}
	if _, err := f.Retrieve(); err != nil {
		return nil, err
	}
	return credentials.New(f), nil
}

// keyFile reads credentials from a file.
type keyFile struct {
	path string
	read time.Time
}

const (
	rereadAfter = time.Minute
	longestKeys = 64 << 10 // bytes
)

// Retrieve reads the file. Its errors do not quote the file.
func (f *keyFile) Retrieve() (credentials.Value, error) {
	file, err := os.Open(f.path)
	if err != nil {
		return credentials.Value{}, fmt.Errorf("the file with the credentials of the bucket cannot be read: %w", err)
	}
	defer file.Close()
	var k keys
	if json.NewDecoder(io.LimitReader(file, longestKeys)).Decode(&k) != nil || k.AccessKeyID == "" || k.SecretAccessKey == "" {
		return credentials.Value{}, fmt.Errorf(`the file %s with the credentials of the bucket must be {"accessKeyId": "…", "secretAccessKey": "…"}`, f.path)
	}
	f.read = time.Now()
	return credentials.Value{AccessKeyID: k.AccessKeyID, SecretAccessKey: k.SecretAccessKey, SessionToken: k.SessionToken, SignerType: credentials.SignatureV4}, nil
}

// RetrieveWithCredContext is Retrieve.
func (f *keyFile) RetrieveWithCredContext(*credentials.CredContext) (credentials.Value, error) {
	return f.Retrieve()
}

// IsExpired reports whether the file must be read again.
func (f *keyFile) IsExpired() bool { return time.Since(f.read) > rereadAfter }
