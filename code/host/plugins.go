package host

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"quire/auth"
	"quire/auth/users"
	"quire/content"
	"quire/media"
	"quire/schema"
	"quire/store"
)

// What the services of Strapi's plugins do: accounts, mail, files, and values that the code
// stores under keys.

// onUsers makes the call one about users.
func (c *call) onUsers() { c.arguments["uid"] = json.RawMessage(`"` + schema.UserUID + `"`) }

func (c *call) addUser() ([]byte, error)    { c.onUsers(); return c.createRow() }
func (c *call) editUser() ([]byte, error)   { c.onUsers(); return c.updateRow() }
func (c *call) removeUser() ([]byte, error) { c.onUsers(); return c.deleteRow() }

// id returns the numeric id that a call names; 0 for none.
func (c *call) id(arguments map[string]json.RawMessage) (id uint64) {
	_ = json.Unmarshal(arguments["id"], &id) // another value counts as missing
	return id
}

func (c *call) sendConfirmation() ([]byte, error) {
	t := c.service.Site.Type(schema.UserUID)
	k, found := c.snapshot().ByID(t, c.id(c.arguments))
	if !found {
		return nil, &Error{Name: "NotFoundError", Message: "There is no such user", Status: 404}
	}
	user, _ := c.snapshot().Lookup(t, store.Published).ByDocument(k.DocumentID, "")
	f, err := users.ReadForm(fmt.Appendf(nil, `{"email": %q}`, user.Text("email")))
	if err == nil {
		_, err = c.Accounts.SendConfirmation(c.ctx, f)
	}
	return []byte("null"), err
}

func (c *call) hasPassword() ([]byte, error) {
	ok, err := c.Accounts.HasPassword(c.ctx, c.snapshot(), c.id(c.arguments), c.text("password"))
	if errors.As(err, new(*auth.ThrottledError)) {
		err = &Error{Name: "RateLimitError", Message: "Too many requests, please try again later.", Status: 429}
	}
	return strconv.AppendBool(nil, ok), err
}

func (c *call) issueJWT() ([]byte, error) {
	var payload map[string]json.RawMessage
	_ = json.Unmarshal(c.arguments["payload"], &payload) // without an id it names nobody
	jwt, err := c.Accounts.SignInAs(c.ctx, c.snapshot(), c.id(payload))
	if err != nil {
		return nil, err
	}
	return json.Marshal(jwt)
}

func (c *call) verifyJWT() ([]byte, error) {
	id, err := c.Accounts.VerifyJWT(c.text("token"))
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, `{"id":%d}`, id), nil
}

// sendMail puts a mail for each receiver into the outbox. It is sent if the transaction is
// committed.
func (c *call) sendMail() ([]byte, error) {
	for _, key := range []string{"cc", "bcc", "attachments"} {
		if value := c.arguments[key]; value != nil && string(value) != "null" && string(value) != "[]" {
			return nil, &Error{Name: "NotImplementedError", Message: "A mail has no " + key + " here", Status: 501}
		}
	}
	var receivers []string
	if json.Unmarshal(c.arguments["to"], &receivers) != nil {
		receivers = strings.Split(c.text("to"), ",")
	}
	for _, to := range receivers {
		write, err := c.Accounts.Mail(users.Message{From: c.text("from"), To: strings.TrimSpace(to), Subject: c.text("subject"), Text: c.text("text"), HTML: c.text("html")})
		if err == nil {
			_, err = c.do(content.ToRecord(write))
		}
		if err != nil {
			return nil, err
		}
	}
	return []byte("null"), nil
}

type openKey struct{}

// WithFiles returns a context for calls that may open files as the code may.
func WithFiles(ctx context.Context, open func(path string) (*os.File, error)) context.Context {
	return context.WithValue(ctx, openKey{}, open)
}

// mostUploads is the number of files in one call.
const mostUploads = 100

// upload stores files that the code may read, and answers their records.
func (c *call) upload() ([]byte, error) {
	var given []struct{ Path, Name string }
	if err := json.Unmarshal(c.arguments["files"], &given); err != nil || len(given) == 0 || len(given) > mostUploads {
		return nil, &Error{Name: "ValidationError", Message: fmt.Sprintf("files must be 1 to %d files with filepath and originalFilename", mostUploads), Status: 400}
	}
	to, err := c.attachment()
	if err != nil {
		return nil, err
	}
	var infos []media.FileInfo
	if text := c.arguments["fileInfo"]; text != nil && string(text) != "null" {
		if infos, err = media.ParseInfo(string(text), len(given)); err != nil {
			return nil, err
		}
	}
	var uploads []*media.Upload
	defer func() {
		for _, u := range uploads {
			u.Discard() // quire check finds strays that cannot be removed here
		}
	}()
	for i, one := range given {
		u, err := c.receive(one.Path, cmp.Or(one.Name, filepath.Base(one.Path)))
		if err != nil {
			return nil, err
		}
		if uploads = append(uploads, u); i < len(infos) {
			u.Info = infos[i]
		}
	}
	results, err := c.Library.Save(c.ctx, uploads, to)
	if err != nil {
		return nil, err
	}
	t, list := c.service.Site.Type(schema.FileUID), make([]json.RawMessage, len(results))
	for i, r := range results {
		if list[i], err = c.show(t, r.Snapshot, keyOf(r)); err != nil {
			return nil, err
		}
	}
	return json.Marshal(list)
}

// receive takes a file from the disk.
func (c *call) receive(path, name string) (*media.Upload, error) {
	open, ok := c.ctx.Value(openKey{}).(func(string) (*os.File, error))
	if !ok {
		return nil, fmt.Errorf("no file can be opened here: %s", path)
	}
	f, err := open(path)
	if err != nil {
		return nil, &Error{Name: "Error", Message: err.Error(), Status: 500}
	}
	defer f.Close()
	return c.Library.Receive(c.ctx, f, name)
}

// attachment is the attribute of an entry to which files are attached, by ref, refId and
// field; nil for none.
func (c *call) attachment() (*content.Attachment, error) {
	if c.text("ref") == "" {
		return nil, nil
	}
	t := c.service.Site.Type(c.text("ref"))
	if t == nil || t.IsComponent() {
		return nil, &Error{Name: "ValidationError", Message: fmt.Sprintf("ref must be the uid of a content type, not %q", c.text("ref")), Status: 400}
	}
	a := t.Attribute(c.text("field"))
	if a == nil || a.Kind != schema.Media {
		return nil, &Error{Name: "ValidationError", Message: fmt.Sprintf("field must be a media attribute of %s, not %q", t.UID, c.text("field")), Status: 400}
	}
	id := c.text("refId")
	if len(c.snapshot().Versions(t, id)) > 0 {
		return &content.Attachment{Attribute: a, DocumentID: id, Status: store.Published}, nil
	}
	n, err := strconv.ParseUint(cmp.Or(id, string(c.arguments["refId"])), 10, 64)
	k, found := c.snapshot().ByID(t, n)
	if err != nil || !found {
		return nil, &Error{Name: "ValidationError", Message: fmt.Sprintf("refId must be the id or documentId of an entry of %s", t.UID), Status: 400}
	}
	return &content.Attachment{Attribute: a, DocumentID: k.DocumentID, Locale: k.Locale, Status: k.Status}, nil
}

// file returns the documentId of the file that a call names.
func (c *call) file() (string, error) {
	k, found := c.snapshot().ByID(c.service.Site.Type(schema.FileUID), c.id(c.arguments))
	if !found {
		return "", media.ErrNotFound
	}
	return k.DocumentID, nil
}

func (c *call) updateFile() ([]byte, error) {
	documentID, err := c.file()
	if err != nil {
		return nil, err
	}
	var info media.FileInfo
	text, err := json.Marshal(map[string]json.RawMessage{"name": c.arguments["name"], "alternativeText": c.arguments["alternativeText"], "caption": c.arguments["caption"]})
	if err == nil {
		err = json.Unmarshal(text, &info)
	}
	if err != nil {
		return nil, &Error{Name: "ValidationError", Message: "name, alternativeText and caption are texts", Status: 400}
	}
	_, err = c.Library.Describe(c.ctx, documentID, info)
	return []byte("null"), err
}

func (c *call) removeFile() ([]byte, error) {
	documentID, err := c.file()
	if err == nil {
		err = c.Library.Delete(c.ctx, documentID)
	}
	return []byte("null"), err
}

// storeBucket has the values of strapi.store.
const storeBucket = "code-store"

const (
	longestStoreKey = 512
	mostStored      = 1 << 20 // bytes of a value
)

func (c *call) getStored() (value []byte, err error) {
	key := c.text("key")
	if c.tx != nil {
		c.mu.Lock()
		pending, ok := c.own.stored[key]
		c.mu.Unlock()
		if ok {
			return orNull(pending), nil
		}
	}
	err = c.service.DB.View(func(tx *store.Tx) error {
		value, err = tx.Record(storeBucket, key)
		return err
	})
	return orNull(value), err
}

// mostListed is the number of bytes of all values that strapi.store lists.
const mostListed = 64 << 20

// listStored answers all that the code has stored, by key.
func (c *call) listStored() ([]byte, error) {
	all, size := map[string]json.RawMessage{}, 0
	err := c.service.DB.View(func(tx *store.Tx) error {
		return tx.Records(storeBucket, func(key string, value []byte) error {
			if size += len(value); size > mostListed {
				return &Error{Name: "PayloadTooLargeError", Message: "The code has stored too much to be listed; read one key after another", Status: 413}
			}
			all[key] = bytes.Clone(value)
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	if c.tx != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		maps.Copy(all, c.own.stored)
		maps.DeleteFunc(all, func(_ string, value json.RawMessage) bool { return value == nil })
	}
	return json.Marshal(all)
}

// adminUsers answers the accounts of the admin as rows of admin::user.
func (c *call) adminUsers() ([]byte, error) {
	rows := []any{}
	if c.Admins != nil {
		rows = append(rows, c.Admins()...)
	}
	return json.Marshal(rows)
}

func orNull(value []byte) []byte {
	if value == nil {
		return []byte("null")
	}
	return value
}

func (c *call) setStored() ([]byte, error) {
	value := bytes.Clone(orNull(c.arguments["value"]))
	if len(c.text("key")) == 0 || len(c.text("key")) > longestStoreKey || len(value) > mostStored {
		return nil, &Error{Name: "ValidationError", Message: fmt.Sprintf("strapi.store takes keys of at most %d and values of at most %d bytes", longestStoreKey, mostStored), Status: 400}
	}
	return c.store(value)
}

func (c *call) deleteStored() ([]byte, error) { return c.store(nil) }

func (c *call) store(value []byte) ([]byte, error) {
	key := c.text("key")
	_, err := c.do(content.ToRecord(func(tx *store.Tx) error {
		if value == nil {
			return tx.DeleteRecord(storeBucket, key)
		}
		return tx.PutRecord(storeBucket, key, value)
	}))
	if err == nil && c.tx != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.own.stored == nil {
			c.own.stored = map[string]json.RawMessage{}
		}
		c.own.stored[key] = value
	}
	return []byte("null"), err
}
