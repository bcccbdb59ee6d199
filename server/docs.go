package server

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
)

// The page that shows the description of the API is one file without a framework
// and loads nothing but the description.
var (
	//go:embed docs/page.html
	docsPage string
	//go:embed docs/page.css
	docsStyle string
	//go:embed docs/page.js
	docsScript string
)

// docs answers GET /api/docs.
func docs(x *exchange) error {
	page := strings.NewReplacer("STYLE", docsStyle, "SCRIPT", docsScript).Replace(docsPage)
	h := x.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(page)))
	x.setPageHeaders(docsPolicy())
	x.WriteHeader(http.StatusOK)
	x.Write([]byte(page)) // a client that went away is no news
	return nil
}

// docsPolicy lets the page run its own script and no other, and talk to nobody
// but this server.
func docsPolicy() string {
	return "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; connect-src 'self'; " +
		"style-src " + digest(docsStyle) + "; script-src " + digest(docsScript)
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
