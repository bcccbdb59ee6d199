package bucket_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"quire/media/bucket"
	"quire/schema/settings"
)

// at is a bucket of an object store that answers as a test says.
func at(t *testing.T, answer http.Handler) *bucket.Bucket {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", "quire")
	t.Setenv("AWS_SECRET_ACCESS_KEY", secret)
	server := httptest.NewServer(answer)
	t.Cleanup(server.Close)
	b, err := bucket.New(settings.Storage{Bucket: "s3://guide", Endpoint: server.URL, Region: "us-east-1", PathStyle: true})
	if err != nil {
		t.Fatal(err)
	}
	return b
}
