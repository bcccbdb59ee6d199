package mediatest

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// S3 is an object store in memory with the part of S3 that a storage needs: objects by
// path, conditional puts, ranges, lists by pages, and uploads in parts. It checks no
// signatures.
type S3 struct {
	URL string

	mu       sync.Mutex
	objects  map[string]storedObject // by bucket and key
	parts    map[string]map[int][]byte
	requests []string
	fault    func(*http.Request) *Fault
}

type storedObject struct {
	data   []byte
	header http.Header // headers of the request that put it
	at     time.Time
}

// Fault replaces the right response. Status 0 closes the connection.
type Fault struct {
	Status int
	Code   string
	Done   bool // a PUT is carried out all the same
}

// NewS3 starts an object store that ends with the test.
func NewS3(t testing.TB) *S3 {
	s := &S3{objects: map[string]storedObject{}, parts: map[string]map[int][]byte{}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.URL = server.URL
	return s
}

// FailWith answers requests with the result of fault, unless it is nil; a nil fault ends
// that.
func (s *S3) FailWith(fault func(*http.Request) *Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = fault
}

// Keys returns the keys of all objects, with their bucket before them.
func (s *S3) Keys() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.objects))
}

// Header returns the headers of the request that put an object.
func (s *S3) Header(key string) http.Header {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.objects[key].header
}

// Add puts an object of somebody else with a time.
func (s *S3) Add(key, content string, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.objects[key] = storedObject{[]byte(content), http.Header{}, at}
}

// Requests returns the requests so far, "PUT guide/files/a.txt".
func (s *S3) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

func (s *S3) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body := s3Body(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	key := strings.TrimPrefix(r.URL.Path, "/")
	s.requests = append(s.requests, r.Method+" "+key)
	if s.fault != nil {
		if f := s.fault(r); f != nil {
			if f.Done {
				s.put(httptest.NewRecorder(), r, key, body)
			}
			s.refuse(w, f.Status, f.Code)
			return
		}
	}
	q := r.URL.Query()
	switch {
	case q.Has("list-type"):
		s.list(w, key, q.Get("prefix"), q.Get("continuation-token"))
	case q.Has("uploads"):
		fmt.Fprintf(w, `<InitiateMultipartUploadResult><UploadId>%s</UploadId></InitiateMultipartUploadResult>`, s.begin())
	case q.Has("uploadId"):
		s.part(w, r, key, q.Get("uploadId"), q.Get("partNumber"), body)
	case r.Method == http.MethodPut:
		s.put(w, r, key, body)
	case r.Method == http.MethodDelete:
		delete(s.objects, key)
		w.WriteHeader(http.StatusNoContent)
	default:
		s.get(w, r, key)
	}
}

func (s *S3) refuse(w http.ResponseWriter, status int, code string) {
	if status == 0 {
		panic(http.ErrAbortHandler)
	}
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	fmt.Fprintf(w, `<Error><Code>%s</Code><Message>%s</Message></Error>`, code, code)
}

func (s *S3) put(w http.ResponseWriter, r *http.Request, key string, body []byte) {
	if _, taken := s.objects[key]; taken && r.Header.Get("If-None-Match") == "*" {
		s.refuse(w, http.StatusPreconditionFailed, "PreconditionFailed")
		return
	}
	s.objects[key] = storedObject{body, r.Header.Clone(), time.Now()}
	w.Header().Set("ETag", `"x"`)
}

func (s *S3) begin() string {
	id := strconv.Itoa(len(s.parts) + 1)
	s.parts[id] = map[int][]byte{}
	return id
}

// part takes a part of an upload, completes the upload or aborts it.
func (s *S3) part(w http.ResponseWriter, r *http.Request, key, id, number string, body []byte) {
	switch r.Method {
	case http.MethodPut:
		n, _ := strconv.Atoi(number)
		s.parts[id][n] = body
		w.Header().Set("ETag", `"`+number+`"`)
	case http.MethodPost:
		var whole []byte
		for _, n := range slices.Sorted(maps.Keys(s.parts[id])) {
			whole = append(whole, s.parts[id][n]...)
		}
		s.put(w, r, key, whole)
		fmt.Fprint(w, `<CompleteMultipartUploadResult><Bucket>b</Bucket><ETag>"x"</ETag></CompleteMultipartUploadResult>`)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

func (s *S3) get(w http.ResponseWriter, r *http.Request, key string) {
	o, ok := s.objects[key]
	if !ok {
		s.refuse(w, http.StatusNotFound, "NoSuchKey")
		return
	}
	w.Header().Set("ETag", `"x"`)
	w.Header().Set("Content-Type", o.header.Get("Content-Type"))
	for name, values := range o.header {
		if strings.HasPrefix(name, "X-Amz-Meta-") {
			w.Header()[name] = values
		}
	}
	http.ServeContent(w, r, "", o.at, bytes.NewReader(o.data))
}

// perPage is the maximum number of keys in a list, small so that few keys make several
// pages.
const perPage = 5

func (s *S3) list(w http.ResponseWriter, bucket, prefix, after string) {
	bucket = strings.TrimSuffix(bucket, "/") + "/"
	type content struct {
		Key          string
		Size         int
		LastModified string
	}
	page := struct {
		XMLName               xml.Name `xml:"ListBucketResult"`
		IsTruncated           bool
		NextContinuationToken string
		Contents              []content
	}{}
	for _, key := range slices.Sorted(maps.Keys(s.objects)) {
		name, ok := strings.CutPrefix(key, bucket)
		if !ok || !strings.HasPrefix(name, prefix) || name <= after {
			continue
		}
		if len(page.Contents) == perPage {
			page.IsTruncated, page.NextContinuationToken = true, page.Contents[perPage-1].Key
			break
		}
		page.Contents = append(page.Contents, content{name, len(s.objects[key].data), s.objects[key].at.UTC().Format(time.RFC3339)})
	}
	_ = xml.NewEncoder(w).Encode(page)
}

// s3Body reads a body, which may come in signed chunks.
func s3Body(r *http.Request) (data []byte) {
	if !strings.HasPrefix(r.Header.Get("X-Amz-Content-Sha256"), "STREAMING-") {
		data, _ = io.ReadAll(r.Body)
		return data
	}
	in := bufio.NewReader(r.Body)
	for {
		line, err := in.ReadString('\n')
		size, _, _ := strings.Cut(line, ";")
		n, parseErr := strconv.ParseInt(strings.TrimSpace(size), 16, 64)
		if err != nil || parseErr != nil || n == 0 {
			return data
		}
		chunk := make([]byte, n+2) // including its line end
		if _, err := io.ReadFull(in, chunk); err != nil {
			return data
		}
		data = append(data, chunk[:n]...)
	}
}
