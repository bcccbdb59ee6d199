package strapi

import (
	"regexp"
	"strings"
)

// databaseWords are the words and texts in the config/database that Strapi generates. The
// file only reads the DATABASE variables.
var databaseWords = func() map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(`
		import path from type Core isDatabaseClientKind const require module exports export default config env
		client connections mysql mysql2 postgres sqlite connection host port database user password ssl key cert ca
		capath cipher rejectUnauthorized pool min max connectionString schema filename join __dirname useNullAsDefault
		true false undefined int bool return acquireConnectionTimeout if throw new Error Config Shared ConfigParams
		Database Record ClientKind
		"path" "@strapi/strapi" "@strapi/database" "localhost" "strapi" "public" "mysql" "mysql2" "postgres" "sqlite"
		"connection" ".." ".tmp/data.db" 0 2 10 3306 5432 60000`) {
		words[word] = true
	}
	return words
}()

var databaseVariable = regexp.MustCompile(`^"DATABASE_[A-Z_]+"$`)

// templateText is the message of the generated file about an unknown client.
var templateText = regexp.MustCompile("`[^`]*`")

var databaseFile = regexp.MustCompile(`^config/(?:env/[^/]+/)?database\.[cm]?[jt]s$`)

// isGeneratedDatabase reports whether a config/database has only words of the one that
// Strapi generates.
func isGeneratedDatabase(text string) bool {
	for one := range strings.FieldsSeq(tokens(templateText.ReplaceAllString(text, ""))) {
		word := wordOrText.MatchString(one)
		if word && !databaseWords[one] && !databaseVariable.MatchString(one) || one == "?" || one == `"?"` {
			return false
		}
	}
	return true
}

var wordOrText = regexp.MustCompile(`^["\w$]`)
