package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"quire/app"
	"quire/transfer/stream"
)

// streamed is what the restore command does with a stream.
type streamed struct {
	at          string
	list, check bool
	from        app.Streamed
}

func (p *streamed) flags(c *cobra.Command) {
	c.Flags().StringVar(&p.at, "at", "", "restore the stream as of `TIME`: 2026-11-23T14:32:10Z, or latest")
	c.Flags().BoolVar(&p.list, "list", false, "print which moments the stream has, and change nothing")
	c.Flags().BoolVar(&p.check, "check", false, "check the whole stream, restore it into a temporary folder, and change nothing")
	c.Flags().StringVar(&p.from.Of, "of", "", "the stream of the data folder with this `ID`; by default that of the site, or the only one")
	c.Flags().StringVar(&p.from.KeyFile, "key-file", "", "`FILE` with the key of the stream; by default the one that site.json names")
	c.MarkFlagsMutuallyExclusive("at", "list", "check", "from", "verify")
	c.MarkFlagsMutuallyExclusive("list", "replace")
	c.MarkFlagsMutuallyExclusive("check", "replace")
}

// wanted reports whether the command is about a stream.
func (p *streamed) wanted() bool { return p.at != "" || p.list || p.check }

// onlyWith refuses flags that have a meaning only for a stream.
func (p *streamed) onlyWith(c *cobra.Command) error {
	for _, name := range []string{"of", "key-file"} {
		if c.Flags().Changed(name) && !p.wanted() {
			return misused("--%s goes with --at, --list or --check", name)
		}
	}
	if c.Flags().Changed("at") && p.at == "" {
		return misused("--at needs a time: 2026-11-23T14:32:10Z, or latest")
	}
	return nil
}

func (p *streamed) run(ctx context.Context, at app.Location, replace bool, out output) error {
	var err error
	switch {
	case p.list:
		err = p.runList(ctx, at, out)
	case p.check:
		err = p.runCheck(ctx, at, out)
	default:
		err = p.restore(ctx, at, replace, out)
	}
	return explainStream(err)
}

// explainStream shows how a stream is set up to whoever has none.
func explainStream(err error) error {
	if errors.Is(err, app.ErrNoStream) {
		return fmt.Errorf(`%w: "backup": {"stream": {"folder": "/mnt/other/my-site"}}`, err)
	}
	return err
}

// momentOf reads --at.
func momentOf(text string) (time.Time, error) {
	if text == "latest" {
		return stream.Latest, nil
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return at, misused("--at %q is no time; write it like 2026-11-23T14:32:10Z, or latest", text)
	}
	return at, nil
}

func (p *streamed) restore(ctx context.Context, at app.Location, replace bool, out output) error {
	moment, err := momentOf(p.at)
	if err != nil {
		return err
	}
	schemas, err := at.SchemaFingerprint()
	if err != nil {
		return err
	}
	done, m, err := at.RestoreStream(ctx, p.from, moment, replace)
	if err != nil {
		return explainRestore(err, replace)
	}
	shown := struct {
		At       time.Time  `json:"at"`
		Image    time.Time  `json:"image"`
		Commits  int        `json:"commits"` // after the image
		Revision uint64     `json:"revision"`
		Uploads  int        `json:"uploads"`
		Missing  []string   `json:"missing"`
		Skipped  []string   `json:"skipped"` // damaged images, instead of which an earlier one was used
		Gap      *time.Time `json:"gap"`     // the stream was interrupted after at, and has nothing until then
		Kept     string     `json:"kept,omitempty"`
	}{m.At, m.Image, m.Commits, m.Commit.Revision, len(m.Files), noNil(done.Missing), noNil(m.Skipped), m.Gap, done.Kept}
	return out.report(shown, func(w io.Writer) error {
		fmt.Fprintf(w, "restored the site as of %s: %s\n", m.At.Format(time.RFC3339Nano), contents(done.Manifest))
		fmt.Fprintf(w, "from the image of %s and %s after it\n", m.Image.Format(time.RFC3339), count(m.Commits, "commit", "commits"))
		if m.Gap != nil {
			fmt.Fprintf(w, "note: the stream was interrupted after that, and has nothing until %s\n", m.Gap.Format(time.RFC3339Nano))
		}
		for _, why := range m.Skipped {
			fmt.Fprintf(w, "note: %s; an earlier image was used\n", why)
		}
		for _, name := range done.Missing {
			fmt.Fprintf(w, "note: the upload %s is missing in the stream\n", name)
		}
		if done.Kept != "" {
			fmt.Fprintf(w, "what was there is kept in %s; remove it when all is well\n", done.Kept)
		}
		if schemas != done.Schemas {
			fmt.Fprintln(w, "note: the site folder is not as it was when the image was made; `quire check` says what does not fit")
		}
		return nil
	})
}

func (p *streamed) runList(ctx context.Context, at app.Location, out output) error {
	list, err := at.ListStream(ctx, p.from)
	if err != nil {
		return err
	}
	return out.result(list, func(w io.Writer) error {
		fmt.Fprintf(w, "%s: the stream of the data folder %s, %s\n", list.Target, list.ID, sized(list.Bytes))
		for _, r := range list.Ranges {
			fmt.Fprintf(w, "%s to %s: %s, %s\n", r.From.Format(time.RFC3339), r.To.Format(time.RFC3339Nano), count(r.Images, "image", "images"), count(r.Segments, "segment", "segments"))
			for _, d := range r.Every {
				fmt.Fprintf(w, "  every %s from %s\n", d.Every, d.From.Format(time.RFC3339))
			}
		}
		return nil
	})
}

func (p *streamed) runCheck(ctx context.Context, at app.Location, out output) error {
	checked, err := at.CheckStream(ctx, p.from)
	if err != nil {
		return err
	}
	err = out.report(checked, func(w io.Writer) error {
		for _, problem := range checked.Problems {
			fmt.Fprintln(w, problem)
		}
		for _, r := range checked.Whole {
			fmt.Fprintf(w, "can be restored: %s to %s\n", r.From.Format(time.RFC3339Nano), r.To.Format(time.RFC3339Nano))
		}
		parts := []string{count(checked.Images, "image", "images"), count(checked.Segments, "segment", "segments"), count(checked.Files, "upload", "uploads")}
		_, err := fmt.Fprintf(w, "read %s, %s; restored the site as of %s; took %s\n", strings.Join(parts, ", "), sized(checked.Bytes), checked.Restored.Format(time.RFC3339Nano), checked.Took.Round(time.Millisecond))
		return err
	})
	if err == nil && len(checked.Problems) > 0 {
		err = fmt.Errorf("%s in the stream", count(len(checked.Problems), "problem is", "problems are"))
	}
	return err
}
