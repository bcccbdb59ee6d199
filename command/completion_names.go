package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"quire/app"
	"quire/auth"
	"quire/auth/people"
	"quire/auth/users"
	"quire/notify/webhook"
	"quire/schema"
)

// These completers read the names from the site. If the site cannot be read, they offer
// nothing. They print nothing, and create no data file.

// at returns where the site and its data are.
func (c completing) at() app.Location {
	data, _ := c.Flags().GetString("data")
	return app.Location{Site: c.site, Data: data}
}

// listed returns the names of what a command lists, if there is a data file.
func listed[T any](c completing, command string, args any, name func(T) string) (names []string) {
	at := c.at()
	if kindAt(at.DataFile()) != aFile {
		return nil
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return nil
	}
	ctx := c.Context()
	answer, _, err := at.Call(ctx, command, raw)
	var list []T
	if err != nil || json.Unmarshal(answer, &list) != nil {
		return nil
	}
	for _, one := range list {
		names = append(names, name(one))
	}
	return names
}

func tokenNames(c completing) []string {
	return listed(c, "token list", struct{}{}, func(t auth.TokenInfo) string { return described(t.Name, string(t.Kind)) })
}

func assistantIDs(c completing) []string {
	return listed(c, "assistant list", struct{}{}, func(a people.AssistantInfo) string { return described(a.ID, a.Name+", "+a.Account) })
}

func userNames(c completing) []string {
	return listed(c, "user list", struct{}{}, func(u users.UserInfo) string { return described(u.Username, u.Role) })
}

func roleTypes(c completing) []string {
	return listed(c, "role list", struct{}{}, func(r users.RoleInfo) string { return described(r.Type, r.Name) })
}

func webhookNames(c completing) []string {
	return listed(c, "webhook list", webhook.Target{}, func(h webhook.Info) string { return described(h.Name, h.URL) })
}

func deliveryIDs(c completing) []string {
	return listed(c, "webhook deliveries", webhook.Target{Hook: c.args[0]}, func(d webhook.Delivery) string { return described(d.ID, d.Event) })
}

func queryCallers(c completing) []string {
	return append([]string{auth.AsOwner, auth.AsPublic}, tokenNames(c)...)
}

// schemas returns the site, or nil if it cannot be read.
func (c completing) schemas() *schema.Site {
	site, err := c.at().Load()
	if err != nil {
		return nil
	}
	return site
}

func typeUIDs(c completing) (uids []string) {
	if site := c.schemas(); site != nil {
		for _, t := range slices.Concat(slices.Collect(site.Served()), site.Components) {
			uids = append(uids, described(t.UID, t.Display))
		}
	}
	return uids
}

func tableTypes(c completing) (names []string) {
	if site := c.schemas(); site != nil {
		for t := range site.Served() {
			names = append(names, described(t.Singular, t.Display))
		}
	}
	return names
}

func routePaths(c completing) (paths []string) {
	if site := c.schemas(); site != nil {
		for t := range site.Served() {
			paths = append(paths, described(t.Route(), t.Display))
		}
	}
	return paths
}

func actionNames(c completing) (names []string) {
	if site := c.schemas(); site != nil {
		for _, p := range auth.TokenPermissions(site) {
			names = append(names, p.String())
		}
	}
	return names
}

// attributeNames returns the attributes of the type that the first argument names.
func attributeNames(c completing) (names []string) {
	site := c.schemas()
	if site == nil || site.Type(c.args[0]) == nil {
		return nil
	}
	for _, a := range site.Type(c.args[0]).Attributes {
		names = append(names, described(a.Name, a.Kind.String()))
	}
	return names
}

// backupFiles returns the backups of the site, in the reverse order of their names: of
// one kind, the newest first.
func backupFiles(c completing) (files []string) {
	folder := filepath.Join(c.at().DataFolder(), "backups")
	if site := c.schemas(); site != nil && site.Settings.Backup.Folder != "" {
		folder = site.Settings.Backup.Folder
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".tar.zst") {
			files = append(files, filepath.Join(folder, e.Name()))
		}
	}
	slices.Reverse(files)
	return files
}
