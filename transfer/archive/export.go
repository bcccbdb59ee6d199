package archive

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"quire/auth/people"
	"quire/content/arrange"
	"quire/content/review"
	"quire/schema"
	"quire/store"
)

// strapiVersion is the version of Strapi whose archives the export imitates.
const strapiVersion = "5.54.0"

// Packing configures how an archive is written.
type Packing struct {
	Plain bool   // not compressed
	Key   string // encrypts the archive, unless it is empty
}

// ExportArchive writes all content of a site to w as an archive that Quire and Strapi can
// import: schemas, entries, links, files, users and roles. As in Strapi, it leaves out API
// tokens and sessions.
func ExportArchive(ctx context.Context, from Origin, w io.Writer, p Packing, m *Meter) (*Report, error) {
	report := &Report{}
	err := from.read(m, func(c *contents) error {
		out, err := packTo(&meteredWriter{m, w}, p)
		if err != nil {
			return err
		}
		e := &exporter{contents: c, report: report, now: time.Now().UTC(), out: tar.NewWriter(out)}
		return errors.Join(e.run(ctx), e.out.Close(), out.Close())
	})
	return report, err
}

type meteredWriter struct {
	meter *Meter
	to    io.Writer
}

func (w *meteredWriter) Write(p []byte) (int, error) {
	n, err := w.to.Write(p)
	if w.meter != nil {
		w.meter.read.Add(int64(n))
	}
	return n, err
}

// packTo returns a writer for the tar stream.
func packTo(w io.Writer, p Packing) (io.WriteCloser, error) {
	out := &packed{buffer: bufio.NewWriterSize(w, 64<<10)}
	out.top = out.buffer
	if p.Key != "" {
		block, err := newCipher(p.Key)
		if err != nil {
			return nil, err
		}
		enc := &encrypter{to: out.top, block: block}
		out.top, out.closers = enc, append(out.closers, enc)
	}
	if !p.Plain {
		z := gzip.NewWriter(out.top)
		out.top, out.closers = z, append(out.closers, z)
	}
	return out, nil
}

type packed struct {
	top     io.Writer
	closers []io.Closer // innermost last
	buffer  *bufio.Writer
}

func (p *packed) Write(b []byte) (int, error) { return p.top.Write(b) }

func (p *packed) Close() error {
	for i := len(p.closers) - 1; i >= 0; i-- {
		if err := p.closers[i].Close(); err != nil {
			return err
		}
	}
	return p.buffer.Flush()
}

// exporter writes one archive.
type exporter struct {
	*contents
	out    *tar.Writer
	report *Report
	now    time.Time

	components map[string]uint64 // the highest id of each component's instances
	granted    []grant
	folders    map[string]string // paths of the folders of files, by documentId
}

// grant is one permission of a role.
type grant struct {
	role   *store.Entry
	action string
}

func (x *exporter) run(ctx context.Context) error {
	x.components = map[string]uint64{}
	for _, t := range x.Site.Components {
		x.components[t.UID] = x.tx.Sequence(t.UID)
	}
	if err := x.readFolders(ctx); err != nil {
		return err
	}
	schemas, err := x.schemaLines()
	if err != nil {
		return err
	}
	if err := x.spool(ctx, "schemas", schemas); err != nil {
		return err
	}
	links, err := x.newSpool()
	if err != nil {
		return err
	}
	defer links.Close()
	if err := x.spool(ctx, "entities", func(ctx context.Context, s *spool) error { return x.entities(ctx, s, links) }); err != nil {
		return err
	}
	if err := x.files(ctx); err != nil {
		return err
	}
	if err := x.add("links", links); err != nil {
		return err
	}
	if err := x.spool(ctx, "configuration", x.configuration); err != nil {
		return err
	}
	if err := x.leftover(x.report); err != nil {
		return err
	}
	return x.metadata()
}

func (x *exporter) metadata() error {
	text, err := json.MarshalIndent(map[string]any{
		"createdAt": x.now.Format(schema.DateTimeLayout),
		"strapi":    map[string]string{"version": strapiVersion},
	}, "", "  ")
	if err != nil {
		return err
	}
	if err := x.header(metadataFile, int64(len(text))); err != nil {
		return err
	}
	_, err = x.out.Write(text)
	return err
}

func (x *exporter) header(name string, size int64) error {
	return x.out.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o644, ModTime: x.now.Truncate(time.Second)})
}

// configuration writes the setting that Strapi needs, how forms and lists are arranged,
// the stages of types, and the reviews of documents.
func (x *exporter) configuration(_ context.Context, s *spool) error {
	locale := appendText(nil, x.Site.Settings.DefaultLocale)
	if err := s.setting(1, "plugin_i18n_default_locale", "string", locale); err != nil {
		return err
	}
	id := uint64(1)
	for _, t := range slices.Concat(x.Site.Types, x.Site.Components) {
		arranged, err := arrange.Export(x.tx, t.UID)
		if err != nil {
			return err
		}
		if arranged == nil || t.BuiltIn {
			continue
		}
		value, err := arranged.Strapi(t)
		if err != nil {
			return err
		}
		id++
		if err := s.setting(id, arrange.SettingKey(t), "object", value); err != nil {
			return err
		}
		x.report.add("arrangements", 1)
	}
	return x.stages(s, &id)
}

// stages writes the stages of types, and the reviews of their documents. next counts the settings.
func (x *exporter) stages(s *spool, next *uint64) error {
	accounts, err := people.Contacts(x.tx)
	if err != nil {
		return err
	}
	for _, t := range x.Site.Types {
		w, err := review.WorkflowOf(x.tx, t.UID)
		if err != nil {
			return err
		}
		if len(w.Stages) > 0 {
			value, err := json.Marshal(w)
			if err != nil {
				return err
			}
			*next++
			if err := s.setting(*next, review.SettingKey+t.UID, "object", value); err != nil {
				return err
			}
			x.report.add("stages of types", 1)
		}
		if err := x.reviews(s, t, w, accounts, next); err != nil {
			return err
		}
	}
	return nil
}

// setting writes one line of the configuration.
func (s *spool) setting(id uint64, key, kind string, json []byte) error {
	value := beginObject(nil)
	value.number("id", id)
	value.text("key", key)
	value.raw("value", json)
	value.text("type", kind)
	value.raw("environment", []byte("null"))
	value.raw("tag", []byte("null"))
	line := beginObject(nil)
	line.text("type", "core-store")
	line.raw("value", value.end())
	return s.line(line.end())
}

// spool is a file of lines for a tar file, which must know its size first.
type spool struct {
	*bufio.Writer
	file *os.File
	size int64
}

func (x *exporter) newSpool() (*spool, error) {
	f, err := x.DB.Nameless()
	if err != nil {
		return nil, err
	}
	return &spool{Writer: bufio.NewWriterSize(f, 64<<10), file: f}, nil
}

func (s *spool) line(text []byte) error {
	s.size += int64(len(text)) + 1
	_, err := s.Write(append(text, '\n'))
	return err
}

func (s *spool) Close() error { return s.file.Close() }

// spool adds the lines that fn writes.
func (x *exporter) spool(ctx context.Context, folder string, fn func(context.Context, *spool) error) error {
	s, err := x.newSpool()
	if err != nil {
		return err
	}
	defer s.Close()
	if err := fn(ctx, s); err != nil {
		return err
	}
	return x.add(folder, s)
}

// add puts a spool into the archive.
func (x *exporter) add(folder string, s *spool) error {
	if err := s.Flush(); err != nil {
		return err
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := x.header(fmt.Sprintf("%s/%s_00001.jsonl", folder, folder), s.size); err != nil {
		return err
	}
	_, err := io.Copy(x.out, s.file)
	return err
}
