package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"quire/server"
	"quire/store"
)

func newStatus() *cobra.Command {
	var p place
	var asJSON bool
	c := &cobra.Command{
		Use:   "status [SITE]",
		Short: "Show whether a server runs, what it does and what there is",
		Long: `Status shows whether a server of the site runs, where and since when, what it has
answered and written since then, the size of the data file and of the uploads, the
last good backup, and the entries of each content type.

A running server is asked through its socket. Without one the data file is read;
nothing is written to it.`,
		Example: `  quire status
  quire status my-site
  quire status --json my-site | jq .server.requests.p99Seconds`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			p.site = siteArgument(args)
			status, err := p.status(c.Context())
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(c.OutOrStdout(), status)
			}
			return status.print(c.OutOrStdout())
		},
	}
	jsonFlag(c, &asJSON)
	dataFlag(c, &p)
	return c
}

// siteStatus is what is going on with a site.
type siteStatus struct {
	DataFile string          `json:"dataFile"`
	Address  string          `json:"address,omitempty"` // where the server listens, a URL
	Server   *server.Status  `json:"server"`            // null when none is running
	Content  server.Holdings `json:"content"`
	Uploads  folderSize      `json:"uploads"`
	Backup   *backedUp       `json:"backup"` // the last good one; null for none
}

// folderSize is what the files of a folder amount to.
type folderSize struct {
	Files int   `json:"files"`
	Bytes int64 `json:"bytes"`
}

// status asks the running server, or looks at the data file where there is none.
func (p place) status(ctx context.Context) (s siteStatus, err error) {
	answer, _, err := p.carryOutOr(ctx, "data status", nil, func() (json.RawMessage, error) {
		s, err := p.statusHere()
		if err != nil {
			return nil, err
		}
		return json.Marshal(s)
	})
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(answer, &s)
}

// statusHere reads the data file, which no server has open.
func (p place) statusHere() (s siteStatus, err error) {
	if _, err := os.Stat(p.dataFile()); errors.Is(err, fs.ErrNotExist) {
		return s, fmt.Errorf("there is no data file %s; `quire serve` makes it", p.dataFile())
	}
	db, err := store.Open(p.dataFile(), store.Options{ReadOnly: true})
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	s.DataFile = p.dataFile()
	if s.Content, err = holdingsOf(db); err != nil {
		return s, err
	}
	if err = s.addBackup(db); err != nil {
		return s, err
	}
	s.Uploads, err = sizeOf(p.filesFolder())
	return s, err
}

func holdingsOf(db *store.DB) (server.Holdings, error) {
	file, err := db.Stats()
	if err != nil {
		return server.Holdings{}, err
	}
	h := server.NewHoldings(file)
	err = db.View(func(tx *store.Tx) error {
		for _, uid := range tx.Types() {
			n, err := tx.Count(uid)
			if err != nil {
				return err
			}
			h.Add(server.TypeCount{Type: uid, Draft: n.Draft, Published: n.Published})
		}
		return nil
	})
	return h, err
}

// status is what the running server has to say.
func (a *app) status() (s siteStatus, err error) {
	s.DataFile, s.Address = a.dataFile(), a.address
	running, err := a.server.Status()
	if err != nil {
		return s, err
	}
	s.Server = &running
	if s.Content, err = a.server.Holdings(); err != nil {
		return s, err
	}
	if err = s.addBackup(a.db); err != nil && !a.db.Suspended() {
		return s, err
	}
	s.Uploads, err = sizeOf(a.filesFolder())
	return s, err
}

func (s *siteStatus) addBackup(db *store.DB) error {
	last, err := lastBackup(db)
	if err == nil && !last.Made.IsZero() {
		s.Backup = &last
	}
	return err
}

// sizeOf adds up the files of a folder without folders in it; one that is not
// there has none.
func sizeOf(folder string) (size folderSize, err error) {
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return size, nil
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue // it has gone meanwhile, or is none of ours
		}
		size.Files++
		size.Bytes += info.Size()
	}
	return size, err
}
