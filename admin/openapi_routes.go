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
	"GET /setup":            {says: "Whether the first account is still to be made", out: neededOf{}},
	"POST /setup":           {says: "Use a link: make the first account, or choose a password", in: people.Choice{}, out: signedIn{}},
	"POST /setup/link":      {says: "What a link is for", in: linkForm{}, out: linkFor{}},
	"GET /session":          {says: "Who has signed in", out: signedIn{}},
	"POST /session":         {says: "Sign in", in: people.Credentials{}, out: signedIn{}},
	"PUT /session":          {says: "Change one's own name and language", in: people.Profile{}, out: signedIn{}},
	"PUT /session/password": {says: "Change one's own password", in: people.PasswordForm{}},
	"DELETE /session":       {says: "Sign out"},

	"GET /session/openid":          {says: "Sign in at the provider: the browser is sent there, and in the end to a page of the admin", query: []string{"to"}, status: http.StatusFound},
	"GET /session/openid/callback": {says: "Where the provider sends the browser back: to a page of the admin, also where nobody is let in", query: []string{"code", "state", "iss", "error"}, status: http.StatusFound},

	"POST /session/passkey/begin":  {says: "Ask for a sign-in with a passkey", out: passkeyAsked{}},
	"POST /session/passkey":        {says: "Sign in with a passkey", in: people.PasskeyAnswer{}, out: signedIn{}},
	"GET /session/passkeys":        {says: "List the passkeys of the account", out: []passkeyOf{}},
	"POST /session/passkeys/begin": {says: "Begin to add a passkey", in: people.Proof{}, out: passkeyBegun{}},
	"POST /session/passkeys":       {says: "Add a passkey", in: people.NewPasskey{}},
	"PUT /session/passkeys/:id":    {says: "Rename a passkey", in: passkeyName{}},
	"DELETE /session/passkeys/:id": {says: "Remove a passkey"},

	"GET /sessions":        {says: "List where the account has signed in", out: []placeOf{}},
	"DELETE /sessions":     {says: "End all other sessions of the account"},
	"DELETE /sessions/:id": {says: "End a session of the account"},

	"POST /session/code":                         {says: "Say the code of the second factor, after the password", in: people.Step{}, out: signedIn{}},
	"GET /session/second-factor":                 {says: "Whether one has a second factor", out: factorOf{}},
	"POST /session/second-factor/setup":          {says: "Begin to set up one's second factor", in: people.Proof{}, out: factorSetUp{}},
	"PUT /session/second-factor":                 {says: "Switch one's second factor on, with its first code", in: people.FactorConfirmation{}, out: recoveryOf{}},
	"POST /session/second-factor/recovery-codes": {says: "Replace one's recovery codes", in: people.Proof{}, out: recoveryOf{}},
	"POST /session/second-factor/off":            {says: "Switch one's second factor off", in: people.Proof{}},
	"DELETE /accounts/:id/second-factor":         {says: "Remove the second factor of somebody else"},

	"GET /accounts":                 {says: "List the accounts", out: []accountLine{}},
	"POST /accounts":                {says: "Make an account", in: people.NewAccount{}, out: accountLine{}, status: http.StatusCreated},
	"PUT /accounts/:id":             {says: "Change an account", in: people.AccountChange{}, out: accountLine{}},
	"DELETE /accounts/:id":          {says: "Remove an account"},
	"DELETE /accounts/:id/sessions": {says: "End the sessions of somebody else"},
	"POST /accounts/:id/reset-link": {says: "Make a link that lets choose a password", out: resetLink{}},

	"GET /roles":        {says: "List the roles", out: []roleLine{}},
	"POST /roles":       {says: "Make a role", in: people.RoleForm{}, out: roleLine{}, status: http.StatusCreated},
	"PUT /roles/:id":    {says: "Change a role", in: people.RoleForm{}, out: roleLine{}},
	"DELETE /roles/:id": {says: "Remove a role"},

	"GET /tokens":         {says: "List the API tokens of the site", out: []auth.TokenInfo{}},
	"POST /tokens":        {says: "Make an API token, which the answer shows once", in: tokenForm{}, out: madeToken{}, status: http.StatusCreated},
	"POST /tokens/revoke": {says: "Revoke an API token", in: tokenName{}},
	"GET /permissions":    {says: "List what roles of the site and tokens may be allowed", out: permissionsOf{}},
	"GET /as/:role/*rest": {says: "Read content as somebody with a role of the site would: the content API below /api", media: "*/*"},

	"GET /schema":       {says: "The site as the account sees it", out: siteOf{}},
	"GET /types":        {says: "The files of the content types and components, and whether they may be changed", out: typesOf{}},
	"POST /types/plan":  {says: "What a change of content types would do to the files and the content", in: edit.Change{}, out: typesPlan{}},
	"POST /types/apply": {says: "Carry out a change of content types that was planned, after a backup", in: typesApply{}, out: typesApplied{}},

	"GET /home":         {says: "What the account goes on with", out: homeOf{}},
	"GET /search":       {says: "Find documents of all types by what they are called", query: []string{"q"}, out: []*item{}},
	"GET /deleted/:uid": {says: "Which documents of a type were deleted of late, the last first", out: []*deletedItem{}},
	"GET /links/:uid":   {says: "What links to up to 100 documents of a type, whose ids have commas between them, besides these", query: []string{"documentIds"}, out: []linkingOf{}, meta: linkingMeta{}},
	"GET /preferences":  {says: "The account's preferences", out: map[string]any{}},
	"PUT /preferences":  {says: "Store the account's preferences", in: map[string]any{}, out: map[string]any{}},

	"GET /documents/:uid":             {says: "What the editor needs of a single type", query: []string{"locale"}, out: openedDocument{}, meta: openedMeta{}},
	"GET /documents/:uid/:documentId": {says: "What the editor needs of a document", query: []string{"locale"}, out: openedDocument{}, meta: openedMeta{}},

	"GET /autosaves":                     {says: "List the forms that are not saved", out: []autosaveLine{}},
	"GET /autosaves/:uid":                {says: "Read a form of a single type that is not saved", query: []string{"locale"}, out: autosaveOf{}},
	"PUT /autosaves/:uid":                {says: "Keep a form of a single type that is not saved", query: []string{"locale"}, in: autosaveForm{}, out: savedOf{}},
	"DELETE /autosaves/:uid":             {says: "Discard a form of a single type that is not saved", query: []string{"locale"}},
	"GET /autosaves/:uid/:documentId":    {says: "Read a form that is not saved", query: []string{"locale"}, out: autosaveOf{}},
	"PUT /autosaves/:uid/:documentId":    {says: "Keep a form that is not saved", query: []string{"locale"}, in: autosaveForm{}, out: savedOf{}},
	"DELETE /autosaves/:uid/:documentId": {says: "Discard a form that is not saved", query: []string{"locale"}},

	"GET /live":         {says: "Hear what changes, and who has a document open", query: []string{"uid", "documentId", "locale", "device", "since"}, media: "text/event-stream"},
	"PUT /live/:stream": {says: "Say where one is typing", in: editingForm{}},

	"GET /media/files":           {says: "List files of the library: parameters as at /api/upload/files/page, and links=none for those to which nothing links", query: []string{"filters", "sort", "fields", "populate", "pagination", "links"}, passed: true, media: "application/json"},
	"GET /media/files/:id/links": {says: "List what links to a file", query: []string{"pagination"}, passed: true, media: "application/json"},
	"GET /media/folders":         {says: "List the folders of files", query: []string{"filters", "sort", "fields", "populate"}, passed: true, media: "application/json"},
	"POST /media/folders":        {says: "Make a folder", in: media.FolderForm{}, media: "application/json", status: http.StatusCreated},
	"PUT /media/folders/:id":     {says: "Rename or move a folder", in: media.FolderForm{}, media: "application/json"},
	"POST /media/move":           {says: "Move files and folders", in: media.Moving{}},
	"POST /media/describe":       {says: "Change what is said about files", in: media.Describing{}},
	"POST /media/delete":         {says: "Delete files and folders", in: media.Deleting{}},

	"POST /media/uploads":       {says: "Begin an upload that comes in pieces", in: media.PartForm{}, media: "application/json", status: http.StatusCreated},
	"GET /media/uploads/:id":    {says: "How far an upload is", media: "application/json"},
	"PUT /media/uploads/:id":    {says: "Send the next piece of an upload, as it is; the last one makes the file", query: []string{"offset"}, media: "application/json"},
	"DELETE /media/uploads/:id": {says: "Give an upload up"},

	"GET /content/*rest":    {says: "Read content: the content API in the account's name, below /api", media: "*/*"},
	"POST /content/*rest":   {says: "Make content, or act on it", in: map[string]any{}, media: "*/*"},
	"PUT /content/*rest":    {says: "Change content", in: map[string]any{}, media: "*/*"},
	"DELETE /content/*rest": {says: "Delete content", media: "*/*"},

	"GET /status":           {says: "What quire status --json prints, without paths of the machine", out: map[string]any{}},
	"GET /status/series":    {says: "How the site has done of late", out: Series{}},
	"GET /settings":         {says: "What site.json sets and what is so by default, without secrets", out: settingsOf{}},
	"GET /mail":             {says: "The templates of mail, filled in", out: mailOf{}},
	"GET /mail/:template":   {says: "The HTML of a template of mail, filled in", media: "text/html"},
	"POST /mail/test":       {says: "Send a sample to the account's own address", in: sampleForm{}},
	"GET /slow-requests":    {says: "Requests that took long, the newest first", out: []slowRequest{}, meta: slowMeta{}},
	"GET /backups":          {says: "List the backups of the site", out: []Backup{}, meta: backupsMeta{}},
	"POST /backups":         {says: "Begin a backup", out: BackupJob{}, status: http.StatusAccepted},
	"GET /backups/:name":    {says: "Take a backup along, for owners", media: "application/zstd", status: http.StatusPartialContent},
	"DELETE /backups/:name": {says: "Remove a backup that was made on request, for owners"},

	"GET /transfer":          {says: "What is done with the data as a whole, or was last, for owners", out: transferState{}},
	"DELETE /transfer":       {says: "Stop what is done with the data as a whole, for owners"},
	"POST /transfer/look":    {says: "Begin to read a backup: what restoring it would do, for owners", in: lookForm{}, out: Transfer{}, status: http.StatusAccepted},
	"POST /transfer/restore": {says: "Begin to restore a backup, for owners", in: restoreForm{}, out: Transfer{}, status: http.StatusAccepted},
	"POST /transfer/export":  {says: "Begin an export: an archive of everything or JSON lines, for owners", in: ExportForm{}, out: Transfer{}, status: http.StatusAccepted},
	"POST /transfer/file":    {says: "Send the file of an import, as it is, for owners", query: []string{"name"}, body: "application/octet-stream", out: Transfer{}, status: http.StatusCreated},
	"DELETE /transfer/file":  {says: "Remove the file of an import, for owners"},
	"POST /transfer/plan":    {says: "Begin to find what an import would do, for owners", in: ImportForm{}, out: Transfer{}, status: http.StatusAccepted},
	"POST /transfer/import":  {says: "Begin the import that was looked at, for owners", in: importForm{}, out: Transfer{}, status: http.StatusAccepted},
	"GET /transfer/export":   {says: "Take the last export along, for owners", media: "application/gzip", status: http.StatusPartialContent},

	"GET /audit":        {says: "The newest lines of the audit log", query: append([]string{"before"}, auditQuery...), out: []audit.Event{}, meta: auditMeta{}},
	"GET /audit/export": {says: "The audit log as JSON lines, the oldest first", query: auditQuery, media: "application/jsonl"},

	"GET /openapi.json": {says: "This document", media: "application/json"},
}
