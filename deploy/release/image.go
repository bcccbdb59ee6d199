package main

import (
	"archive/tar"
	"bytes"
	"encoding/pem"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// user is the user in the container: an id that hosts do not use.
const user = 65532

// writeImages writes an image for each kind of program, with one image inside for
// each architecture of Linux.
func writeImages(out string, programs []*program) error {
	images := map[string]v1.ImageIndex{}
	var names []string
	for _, p := range programs {
		if p.os != "linux" {
			continue
		}
		image, err := imageOf(p)
		if err != nil {
			return fmt.Errorf("image of %s: %w", p.file(), err)
		}
		name := p.name + "_" + p.version() + "_image.tar"
		if images[name] == nil {
			images[name] = mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
			names = append(names, name)
		}
		images[name] = mutate.AppendManifests(images[name], mutate.IndexAddendum{
			Add: image, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: p.os, Architecture: p.arch}},
		})
	}
	for _, name := range names {
		if err := writeImage(filepath.Join(out, name), images[name], programs[0].committed); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// imageOf returns the image that deploy/Dockerfile makes, without a builder: the program,
// the certificates of the usual authorities, and an empty data folder.
func imageOf(p *program) (v1.Image, error) {
	layer, err := layerOf(p)
	if err != nil {
		return nil, err
	}
	image, err := mutate.Append(mutate.MediaType(empty.Image, types.OCIManifestSchema1), mutate.Addendum{Layer: layer, MediaType: types.OCILayer,
		History: v1.History{Created: v1.Time{Time: p.committed}, CreatedBy: "deploy/release"}})
	if err != nil {
		return nil, err
	}
	image = mutate.ConfigMediaType(image, types.OCIConfigJSON)
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = p.os, p.arch, v1.Time{Time: p.committed}
	config.Config = v1.Config{
		User:         fmt.Sprintf("%d:%d", user, user),
		Volumes:      map[string]struct{}{"/data": {}},
		ExposedPorts: map[string]struct{}{"1337/tcp": {}},
		Env:          []string{"HOST=0.0.0.0", "PORT=1337", "TMPDIR=/data"},
		Entrypoint:   []string{"/quire"},
		Cmd:          []string{"serve", "--data", "/data", "/site"},
		Healthcheck: &v1.HealthConfig{Interval: 30 * time.Second, Timeout: 5 * time.Second, StartPeriod: 30 * time.Second,
			Test: []string{"CMD", "/quire", "health", "--data", "/data", "/site"}},
		Labels: map[string]string{"org.opencontainers.image.title": p.name, "org.opencontainers.image.version": p.version(), "org.opencontainers.image.licenses": "MIT"},
	}
	return mutate.ConfigFile(image, config)
}

// layerOf returns the one layer of an image.
func layerOf(p *program) (v1.Layer, error) {
	content, err := os.ReadFile(p.path)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	t := tar.NewWriter(&out)
	for _, e := range []struct {
		tar.Header
		content []byte
	}{
		{tar.Header{Name: "data/", Typeflag: tar.TypeDir, Mode: 0o755, Uid: user, Gid: user}, nil},
		{tar.Header{Name: "etc/ssl/certs/ca-certificates.crt", Mode: 0o644}, certificates()},
		{tar.Header{Name: "quire", Mode: 0o755}, content},
	} {
		e.Size, e.ModTime, e.Format = int64(len(e.content)), p.committed, tar.FormatUSTAR
		if err := t.WriteHeader(&e.Header); err != nil {
			return nil, err
		}
		if _, err := t.Write(e.content); err != nil {
			return nil, err
		}
	}
	if err := t.Close(); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(out.Bytes())), nil }, tarball.WithMediaType(types.OCILayer))
}

// certificates returns the certificates of the authorities that Mozilla trusts, as one PEM
// file. They are for mail, webhooks and object stores over TLS.
func certificates() []byte {
	var out []byte
	for root := range bundle.Roots() {
		out = append(out, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate})...)
	}
	return out
}

// writeImage writes an image as a tar file of an OCI layout, which docker load,
// podman load and skopeo read.
func writeImage(path string, image v1.ImageIndex, at time.Time) error {
	folder, err := os.MkdirTemp("", "quire-image-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if _, err := layout.Write(folder, image); err != nil {
		return err
	}
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	defer out.Close()
	t := tar.NewWriter(out)
	err = filepath.WalkDir(folder, func(from string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(folder, from)
		if err != nil {
			return err
		}
		return addToTar(t, file{from, filepath.ToSlash(name), 0o644}, at)
	})
	if err != nil {
		return err
	}
	if err := t.Close(); err != nil {
		return err
	}
	return out.Close()
}
