package media

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gabriel-vasile/mimetype"
)

// sniffLength is how much of a file's beginning is used to find its type, in bytes.
const sniffLength = 4096

const (
	plainText = "text/plain"
	anyBytes  = "application/octet-stream"
)

// sniff finds the media type of a file from its beginning. It ignores the type that the
// client sends; it uses the name only for kinds of plain text.
func sniff(head []byte, filename string) string {
	found := mimetype.Detect(head)
	kind := withoutParameters(found)
	switch {
	case kind == "image/apng": // any reader of PNG shows it
		return "image/png"
	case kind == "text/html", kind == "application/json", kind == "text/vtt", isMarkup(found):
		return kind
	case descends(found, plainText):
		return textType(filename)
	}
	return kind
}

// withoutParameters returns the name of a type without parameters like its charset.
func withoutParameters(m *mimetype.MIME) string {
	kind, _, _ := strings.Cut(m.String(), ";")
	return strings.TrimSpace(kind)
}

func isMarkup(m *mimetype.MIME) bool {
	return descends(m, "text/xml") || withoutParameters(m) == "image/svg+xml"
}

// descends reports whether a type is a kind of another, more general one.
func descends(m *mimetype.MIME, general string) bool {
	for ; m != nil; m = m.Parent() {
		if withoutParameters(m) == general {
			return true
		}
	}
	return false
}

// textType returns the type of a text that is not markup. The name may decide it: browsers
// only show or save these types.
func textType(filename string) string {
	switch extension(filename) {
	case ".csv":
		return "text/csv"
	case ".tsv":
		return "text/tab-separated-values"
	case ".md":
		return "text/markdown"
	case ".ics":
		return "text/calendar"
	case ".vcf":
		return "text/vcard"
	case ".srt":
		return "application/x-subrip"
	}
	return plainText
}

var plainExtension = regexp.MustCompile(`^\.[a-z0-9]{1,10}$`)

// extension returns the extension of a file's name in lower case, empty if it has none that
// can be kept.
func extension(filename string) string {
	ext := strings.ToLower(filepath.Ext(filename))
	if !plainExtension.MatchString(ext) {
		return ""
	}
	return ext
}

// otherExtensions are further extensions that files of a type may have.
var otherExtensions = map[string][]string{
	"image/jpeg": {".jpeg", ".jpe", ".jfif"},
	"image/tiff": {".tif"},
	"text/html":  {".htm"},
	"video/mpeg": {".mpg"},
	"audio/midi": {".mid"},
	"audio/ogg":  {".ogg", ".opus"},
	"video/ogg":  {".ogg"},
}

// activeExtensions are extensions of files that browsers and servers may run or show as
// pages. Another program may serve the folder, so a file of another type must not have one
// of them.
var activeExtensions = []string{
	".htm", ".html", ".xht", ".xhtml", ".shtml", ".xml", ".xsl", ".xslt", ".svg", ".svgz", ".pdf",
	".js", ".mjs", ".css", ".wasm", ".swf", ".php", ".phtml", ".asp", ".aspx", ".jsp", ".cgi",
}

// extensionFor returns the extension under which a file of that type is stored: the one of
// its name if it fits the type.
func extensionFor(kind, filename string) string {
	own := extension(filename)
	switch {
	case own == "":
	case kind == plainText, kind == anyBytes, kind == "application/zip":
		if !slices.Contains(activeExtensions, own) {
			return own
		}
	case slices.Contains(otherExtensions[kind], own), textType(filename) == kind:
		return own
	}
	if m := mimetype.Lookup(kind); m != nil {
		return m.Extension()
	}
	return ""
}
