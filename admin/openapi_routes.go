package admin

import (
	"net/http"

	"quire/auth"
	"quire/auth/people"
	"quire/content/audit"
	"quire/media"
	"quire/schema/edit"
)

// operations has the description of each route.
var operations = map[string]operation{
	"GET /setup":            {summary: "Whether the first account is still to be made", out: neededOf{}},
	"POST /setup":           {summary: "Use a link: make the first account, or choose a password", in: people.Choice{}, out: signedIn{}},
	"POST /setup/link":      {summary: "What a link is for", in: linkForm{}, out: linkFor{}},
	"GET /session":          {summary: "Who has signed in", out: signedIn{}},
	"POST /session":         {summary: "Sign in", in: people.Credentials{}, out: signedIn{}},
	"PUT /session":          {summary: "Change one's own name and language", in: people.Profile{}, out: signedIn{}},
	"PUT /session/password": {summary: "Change one's own password", in: people.PasswordForm{}},
	"DELETE /session":       {summary: "Sign out"},

	"GET /session/openid":          {summary: "Sign in at the provider: the browser is sent there, and in the end to a page of the admin", query: []string{"to"}, status: http.StatusFound},
	"GET /session/openid/callback": {summary: "Where the provider sends the browser back: to a page of the admin, also where nobody is let in", query: []string{"code", "state", "iss", "error"}, status: http.StatusFound},

	"POST /session/passkey/begin":  {summary: "Ask for a sign-in with a passkey", out: passkeyChallenge{}},
	"POST /session/passkey":        {summary: "Sign in with a passkey", in: people.PasskeyAnswer{}, out: signedIn{}},
	"GET /session/passkeys":        {summary: "List the passkeys of the account", out: []passkeyOf{}},
	"POST /session/passkeys/begin": {summary: "Begin to add a passkey", in: people.Proof{}, out: passkeyBegun{}},
	"POST /session/passkeys":       {summary: "Add a passkey", in: people.NewPasskey{}},
	"PUT /session/passkeys/:id":    {summary: "Rename a passkey", in: passkeyName{}},
	"DELETE /session/passkeys/:id": {summary: "Remove a passkey"},

	"GET /sessions":        {summary: "List where the account has signed in", out: []placeOf{}},
	"DELETE /sessions":     {summary: "End all other sessions of the account"},
	"DELETE /sessions/:id": {summary: "End a session of the account"},

	"POST /session/code":                         {summary: "Say the code of the second factor, after the password", in: people.Step{}, out: signedIn{}},
	"GET /session/second-factor":                 {summary: "Whether one has a second factor", out: factorOf{}},
	"POST /session/second-factor/setup":          {summary: "Begin to set up one's second factor", in: people.Proof{}, out: factorSetUp{}},
	"PUT /session/second-factor":                 {summary: "Switch one's second factor on, with its first code", in: people.FactorConfirmation{}, out: recoveryOf{}},
	"POST /session/second-factor/recovery-codes": {summary: "Replace one's recovery codes", in: people.Proof{}, out: recoveryOf{}},
	"POST /session/second-factor/off":            {summary: "Switch one's second factor off", in: people.Proof{}},
	"DELETE /accounts/:id/second-factor":         {summary: "Remove the second factor of somebody else"},

	"GET /accounts":                 {summary: "List the accounts", out: []accountLine{}},
	"POST /accounts":                {summary: "Make an account", in: people.NewAccount{}, out: accountLine{}, status: http.StatusCreated},
	"PUT /accounts/:id":             {summary: "Change an account", in: people.AccountChange{}, out: accountLine{}},
	"DELETE /accounts/:id":          {summary: "Remove an account"},
	"DELETE /accounts/:id/sessions": {summary: "End the sessions of somebody else"},
	"POST /accounts/:id/reset-link": {summary: "Make a link that lets choose a password", out: resetLink{}},

	"GET /roles":        {summary: "List the roles", out: []roleLine{}},
	"POST /roles":       {summary: "Make a role", in: people.RoleForm{}, out: roleLine{}, status: http.StatusCreated},
	"PUT /roles/:id":    {summary: "Change a role", in: people.RoleForm{}, out: roleLine{}},
	"DELETE /roles/:id": {summary: "Remove a role"},

	"GET /tokens":         {summary: "List the API tokens of the site", out: []auth.TokenInfo{}},
	"POST /tokens":        {summary: "Make an API token, which the answer shows once", in: tokenForm{}, out: madeToken{}, status: http.StatusCreated},
	"POST /tokens/revoke": {summary: "Revoke an API token", in: tokenName{}},
	"GET /permissions":    {summary: "List what roles of the site and tokens may be allowed", out: permissionsOf{}},
	"GET /as/:role/*rest": {summary: "Read content as somebody with a role of the site would: the content API below /api", media: "*/*"},

	"GET /schema":       {summary: "The site as the account sees it", out: siteOf{}},
	"GET /types":        {summary: "The files of the content types and components, and whether they may be changed", out: typesOf{}},
	"POST /types/plan":  {summary: "What a change of content types would do to the files and the content", in: edit.Change{}, out: typesPlan{}},
	"POST /types/apply": {summary: "Carry out a change of content types that was planned, after a backup", in: typesApply{}, out: typesApplied{}},

	"GET /home":         {summary: "What the account goes on with", out: homeOf{}},
	"GET /search":       {summary: "Find documents of all types by what they are called", query: []string{"q"}, out: []*item{}},
	"GET /deleted/:uid": {summary: "Which documents of a type were deleted of late, the last first", out: []*deletedItem{}},
	"GET /links/:uid":   {summary: "What links to up to 100 documents of a type, whose ids have commas between them, besides these", query: []string{"documentIds"}, out: []linkingOf{}, meta: linkingMeta{}},
	"GET /preferences":  {summary: "The account's preferences", out: map[string]any{}},
	"PUT /preferences":  {summary: "Store the account's preferences", in: map[string]any{}, out: map[string]any{}},

	"GET /documents/:uid":             {summary: "What the editor needs of a single type", query: []string{"locale"}, out: openedDocument{}, meta: openedMeta{}},
	"GET /documents/:uid/:documentId": {summary: "What the editor needs of a document", query: []string{"locale"}, out: openedDocument{}, meta: openedMeta{}},

	"GET /autosaves":                     {summary: "List the forms that are not saved", out: []autosaveLine{}},
	"GET /autosaves/:uid":                {summary: "Read a form of a single type that is not saved", query: []string{"locale"}, out: autosaveOf{}},
	"PUT /autosaves/:uid":                {summary: "Keep a form of a single type that is not saved", query: []string{"locale"}, in: autosaveForm{}, out: savedOf{}},
	"DELETE /autosaves/:uid":             {summary: "Discard a form of a single type that is not saved", query: []string{"locale"}},
	"GET /autosaves/:uid/:documentId":    {summary: "Read a form that is not saved", query: []string{"locale"}, out: autosaveOf{}},
	"PUT /autosaves/:uid/:documentId":    {summary: "Keep a form that is not saved", query: []string{"locale"}, in: autosaveForm{}, out: savedOf{}},
	"DELETE /autosaves/:uid/:documentId": {summary: "Discard a form that is not saved", query: []string{"locale"}},

	"GET /live":         {summary: "Hear what changes, and who has a document open", query: []string{"uid", "documentId", "locale", "device", "since"}, media: "text/event-stream"},
	"PUT /live/:stream": {summary: "Say where one is typing", in: editingForm{}},

	"GET /media/files":           {summary: "List files of the library: parameters as at /api/upload/files/page, and links=none for those to which nothing links", query: []string{"filters", "sort", "fields", "populate", "pagination", "links"}, passed: true, media: "application/json"},
	"GET /media/files/:id/links": {summary: "List what links to a file", query: []string{"pagination"}, passed: true, media: "application/json"},
	"GET /media/folders":         {summary: "List the folders of files", query: []string{"filters", "sort", "fields", "populate"}, passed: true, media: "application/json"},
	"POST /media/folders":        {summary: "Make a folder", in: media.FolderForm{}, media: "application/json", status: http.StatusCreated},
	"PUT /media/folders/:id":     {summary: "Rename or move a folder", in: media.FolderForm{}, media: "application/json"},
	"POST /media/move":           {summary: "Move files and folders", in: media.Moving{}},
	"POST /media/describe":       {summary: "Change what is said about files", in: media.Describing{}},
	"POST /media/delete":         {summary: "Delete files and folders", in: media.Deleting{}},

	"POST /media/uploads":       {summary: "Begin an upload that comes in pieces", in: media.PartForm{}, media: "application/json", status: http.StatusCreated},
	"GET /media/uploads/:id":    {summary: "How far an upload is", media: "application/json"},
	"PUT /media/uploads/:id":    {summary: "Send the next piece of an upload, as it is; the last one makes the file", query: []string{"offset"}, media: "application/json"},
	"DELETE /media/uploads/:id": {summary: "Give an upload up"},

	"GET /content/*rest":    {summary: "Read content: the content API in the account's name, below /api", media: "*/*"},
	"POST /content/*rest":   {summary: "Make content, or act on it", in: map[string]any{}, media: "*/*"},
	"PUT /content/*rest":    {summary: "Change content", in: map[string]any{}, media: "*/*"},
	"DELETE /content/*rest": {summary: "Delete content", media: "*/*"},

	"GET /status":           {summary: "What quire status --json prints, without paths of the machine", out: map[string]any{}},
	"GET /status/series":    {summary: "How the site has done of late", out: Series{}},
	"GET /settings":         {summary: "What site.json sets and what is so by default, without secrets", out: settingsOf{}},
	"GET /mail":             {summary: "The templates of mail, filled in", out: mailOf{}},
	"GET /mail/:template":   {summary: "The HTML of a template of mail, filled in", media: "text/html"},
	"POST /mail/test":       {summary: "Send a sample to the account's own address", in: sampleForm{}},
	"GET /slow-requests":    {summary: "Requests that took long, the newest first", out: []slowRequest{}, meta: slowMeta{}},
	"GET /backups":          {summary: "List the backups of the site", out: []Backup{}, meta: backupsMeta{}},
	"POST /backups":         {summary: "Begin a backup", out: BackupJob{}, status: http.StatusAccepted},
	"GET /backups/:name":    {summary: "Take a backup along, for owners", media: "application/zstd", status: http.StatusPartialContent},
	"DELETE /backups/:name": {summary: "Remove a backup that was made on request, for owners"},

	"GET /transfer":          {summary: "What is done with the data as a whole, or was last, for owners", out: transferState{}},
	"DELETE /transfer":       {summary: "Stop what is done with the data as a whole, for owners"},
	"POST /transfer/look":    {summary: "Begin to read a backup: what restoring it would do, for owners", in: lookForm{}, out: Transfer{}, status: http.StatusAccepted},
	"POST /transfer/restore": {summary: "Begin to restore a backup, for owners", in: restoreForm{}, out: Transfer{}, status: http.StatusAccepted},
	"POST /transfer/export":  {summary: "Begin an export: an archive of everything or JSON lines, for owners", in: ExportForm{}, out: Transfer{}, status: http.StatusAccepted},
	"POST /transfer/file":    {summary: "Send the file of an import, as it is, for owners", query: []string{"name"}, body: "application/octet-stream", out: Transfer{}, status: http.StatusCreated},
	"DELETE /transfer/file":  {summary: "Remove the file of an import, for owners"},
	"POST /transfer/plan":    {summary: "Begin to find what an import would do, for owners", in: ImportForm{}, out: Transfer{}, status: http.StatusAccepted},
	"POST /transfer/import":  {summary: "Begin the import that was looked at, for owners", in: importForm{}, out: Transfer{}, status: http.StatusAccepted},
	"GET /transfer/export":   {summary: "Take the last export along, for owners", media: "application/gzip", status: http.StatusPartialContent},

	"GET /audit":        {summary: "The newest lines of the audit log", query: append([]string{"before"}, auditQuery...), out: []audit.Event{}, meta: auditMeta{}},
	"GET /audit/export": {summary: "The audit log as JSON lines, the oldest first", query: auditQuery, media: "application/jsonl"},

	"GET /openapi.json": {summary: "This document", media: "application/json"},
}
