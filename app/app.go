package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"quire/auth"
	"quire/auth/password"
	"quire/auth/users"
	"quire/content"
	"quire/content/search"
	"quire/content/verify"
	"quire/index"
	"quire/media"
	"quire/notify/hook"
	"quire/notify/webhook"
	"quire/schema"
	"quire/server"
	"quire/server/metrics"
	"quire/store"
	"quire/transfer/archive"
)

// App is an opened site: the packages that serve it, connected. The package comment
// describes its states.
type App struct {
	at        Location
	log       *slog.Logger
	site      *schema.Site
	adapted   bool // whether the data file fits a.site and no former site, until a.site is served
	keepsCode bool // whether the code of the project that was served before is served again

	owed *schema.Site // the site that the data file belongs to, while its content could not be read yet; nil otherwise
	db   *store.DB
	auth *auth.Auth

	lexicon *search.Lexicon // words of searches that are set in the admin
	missed  *search.Missed

	hookKeys       []string // sign what hooks are asked
	accountService *users.Service
	passwords      *password.Hasher
	admin          adminPart
	codePart
	node    nodePart
	copy    copyPart
	past    *Past // what is served in place of the present; nil for the present
	leading leadingPart
	schemas atomic.Pointer[string] // fingerprint of the served schemas and settings

	promoted chan struct{} // closed when it has to be

	// Start makes these, for commands that read or write content.
	streaming streaming
	index     *index.Index
	writer    *content.Writer
	files     *media.Folder
	webhooks  *webhook.Webhooks // the webhooks of the site as it is now
	sender    *webhook.Service  // sends changes to them
	hooks     *hook.Hooks       // asked before each write; nil for none
	server    *server.Server

	metrics   *metrics.Metrics
	stopDelay time.Duration // how long to go on serving after the signal to stop
	pages     string        // the folder of the admin's pages; empty for those in the program
	demo      bool          // see Options
	address   string        // where the server listens

	reopenRequests chan struct{}       // holds a token when the data file is to be reopened
	usesBefore     chan []index.Use    // uses of the indexes of replaced content
	saved          *index.SavedIndexes // what the file of indexes has; nil if it has nothing that fits
	leastSaved     int                 // see leastSaved

	folder    sync.Mutex                    // held while the site folder is read to serve it, or changed; locked before changing
	develops  atomic.Bool                   // whether the site is served for development
	changing  sync.Mutex                    // guards site, index, saved and writer from Start on
	importing atomic.Pointer[archive.Meter] // of the import under way
}

// Options control how a site is opened.
type Options struct {
	Log *slog.Logger

	// StopDelay is how long Serve continues after it was asked to stop. Meanwhile /_ready
	// reports that the server stops.
	StopDelay time.Duration

	// Joining names the cluster, if the server is a node of one.
	Joining Joining

	// Following names the leader, if the server follows one.
	Following Following

	// Past is served in place of the present; nil for the present.
	Past *Past

	// Demo is set for a site that is there to be tried: its page at / shows what to try, and
	// content types can be changed in the admin.
	Demo bool

	// Existing refuses to create a missing data file.
	Existing bool

	// AdminFolder is the folder with the pages of the admin during development. If it is
	// empty, the server uses the pages in the program.
	AdminFolder string
}

// Open loads the site and opens its data file, which it creates if necessary and not
// refused. Until Close, no other process can open the data file.
func Open(at Location, o Options) (a *App, err error) {
	if err := at.repairSchemas(); err != nil {
		return nil, fmt.Errorf("an interrupted change of the content types cannot be completed or reverted: %w", err)
	}
	a = &App{at: at, log: o.Log, stopDelay: o.StopDelay, pages: o.AdminFolder, demo: o.Demo, past: o.Past, passwords: password.NewHasher(), reopenRequests: make(chan struct{}, 1), usesBefore: make(chan []index.Use, 1), leastSaved: leastSaved}
	a.leading.fenced, a.promoted = make(chan *FencedError, 1), make(chan struct{})
	a.leading.duties, a.leading.end = context.WithCancel(context.Background())
	if a.site, err = at.Load(); err != nil {
		return nil, err
	}
	if o.Existing && !at.HasData() {
		return nil, &NoDataError{at.DataFile()}
	}
	if err = store.MakeFolder(at.DataFolder(), 0o700); err != nil {
		return nil, &folderError{at.DataFolder(), err}
	}
	if a.db, err = a.openData(o); err != nil {
		return nil, err
	}
	for _, open := range []func() error{a.openAuth, a.openSearches, a.openUsers, a.openAdmin} {
		if err = open(); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", at.DataFile(), err), a.Close())
		}
	}
	return a, nil
}

// Start reads the content into memory and creates the server.
func (a *App) Start() error {
	if a.past != nil { // it takes no writes
		a.db.Refuse(&store.PastError{At: a.past.At})
	}
	if err := collectAfter(a.db, func() (err error) { a.index, err = a.build(a.site); return }); err != nil {
		return err
	}
	a.metrics = metrics.New(Version())
	var err error
	if a.hookKeys, err = a.hookSecrets(); err != nil {
		return err
	}
	a.writer = a.newWriter()
	a.webhooks, a.sender = a.newHooks(), webhook.NewService(a.db, a.hookOptions())
	if a.files, err = a.at.openFiles(&a.site.Settings.Upload); err != nil {
		return err
	}
	a.files.SetPlaces(a.copied(a.files.Places()))
	a.nameSchemas()
	a.beginLeading()
	if err := a.joinCluster(); err != nil {
		return err
	}
	if err := a.startRoles(); err != nil { // the project's code may look for them
		return err
	}
	if a.server, err = server.New(a.deps()); err != nil {
		return err
	}
	return a.mountAdmin()
}

// startRoles creates the roles that the site needs. A node can start without them, because
// its schemas may differ from those of the cluster.
func (a *App) startRoles() error {
	err := a.ensureRoles()
	if err != nil && (a.isReplica() || a.past != nil) {
		a.log.Warn("cannot create roles that site.json names", "error", err)
		return nil
	}
	return err
}

// build makes an index of the content of the data file, which must fit the site.
func (a *App) build(site *schema.Site) (*index.Index, error) {
	x, err := buildOf(a.db, site)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.at.DataFile(), err)
	}
	if err := x.Shortage(); err != nil {
		a.log.Warn("more content is in memory than limits.memory, because it cannot be stored in a file", "error", err)
	}
	a.openSavedLocked(x)
	return x, nil
}

func buildOf(db *store.DB, site *schema.Site) (x *index.Index, err error) {
	err = db.View(func(tx *store.Tx) error {
		if err := verify.CheckLocalization(site, tx); err != nil {
			return err
		}
		if x, err = index.Build(site, tx); err != nil {
			return err
		}
		return verify.CheckSequences(site, tx, x.Snapshot())
	})
	return x, err
}

func (a *App) newWriter() *content.Writer {
	count := func(b content.Batch) { a.metrics.CountCommit(b.Writes, b.Commit, b.Err) }
	return content.NewWriter(a.db, a.index, a.site, content.WriterOptions{HashPassword: a.passwords.Hash, Observe: count, Reads: a.metrics.Reads, Asker: a.asker()})
}

func (a *App) deps() server.Deps {
	return server.Deps{
		Words: a.lexicon.Current, Missed: a.countMissed(),
		Site: a.site, DB: a.db, Index: a.index, Writer: a.writer, Files: a.files, Auth: a.auth, Accounts: a.accountService,
		Webhooks: a.webhooks, Log: a.log, Metrics: a.metrics, Version: Version(), Build: sources(),
		StopDelay: a.stopDelay, Suspended: a.requestReopen, LastBackup: a.lastBackup, NewestBackup: a.newestBackup, Stream: a.streamState,
		ProviderSecret: connectSecret, WebhookState: a.webhookState, Nodes: a.peers(), Leading: a.asLeader(), Decides: a.adminDecides, AdminName: a.adminName, LoadCode: a.loadCode, Assistants: a.assistant,
	}
}

// openAuth opens roles and tokens. The secret of sessions can be in the environment.
func (a *App) openAuth() error {
	secret, err := secretIfSet("JWT_SECRET")
	if err == nil {
		a.auth, err = auth.Open(a.db, a.site, auth.Options{Log: a.log, JWTSecret: secret})
	}
	return err
}

// openUsers opens the users of the site. The mail server can be in the environment.
func (a *App) openUsers() error {
	smtp, err := secretIfSet("SMTP_URL")
	if err == nil {
		a.accountService, err = users.Open(a.db, a.auth, a.site, users.Options{Log: a.log, Passwords: a.passwords, SMTP: smtp})
	}
	return err
}

// accounts returns the users and roles of the served site.
func (a *App) accounts() *users.Accounts {
	return a.accountService.Accounts(a.site, a.index, a.writer)
}

// ensureRoles creates the roles that the site needs and does not have.
func (a *App) ensureRoles() error { return a.accounts().EnsureRoles(context.Background()) }

// closeTimeout is how long Close waits for background work.
const closeTimeout = 10 * time.Second

// Close ends the background work and then writing, and closes the data file. It waits for a
// state change in progress.
func (a *App) Close() error {
	a.changing.Lock() // a command can still run after its caller has disconnected
	defer a.changing.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	var err error
	if a.auth != nil {
		err = a.auth.Close(ctx)
	}
	if a.lexicon != nil {
		a.lexicon.Close()
	}
	if a.accountService != nil {
		a.accountService.Close()
	}
	a.closeAdmin()
	if a.server != nil {
		a.server.CloseCode()
		a.server.EndFollowers(endFollowersTime)
	}
	a.leaveCluster()
	if a.writer != nil {
		err = errors.Join(err, a.writer.Close())
	}
	if a.files != nil {
		err = errors.Join(err, a.files.Close())
	}
	_ = a.saved.Close()
	return errors.Join(err, a.db.Close(), a.closeJournal())
}

// serving is what an App serves at one moment.
type serving struct {
	site     *schema.Site
	index    *index.Index
	writer   *content.Writer
	webhooks *webhook.Webhooks
}

// serving returns what is served now. It waits for an import or a restore to end.
func (a *App) serving() serving {
	a.changing.Lock()
	defer a.changing.Unlock()
	return serving{a.site, a.index, a.writer, a.webhooks}
}
