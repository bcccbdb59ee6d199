package media

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gabriel-vasile/mimetype"
)

// sniffLength is how much of a file's beginning its type is found in, in bytes.
const sniffLength = 4096

const (
	plainText = "text/plain"
	anyBytes  = "application/octet-stream"
)

// sniff finds the media type of a file in its beginning. What the client says
// about the type is not asked; of the name, only what it says about plain text.
func sniff(head []byte, filename string) string {
	found := mimetype.Detect(head)
	kind := withoutParameters(found)
	switch {
	case kind == "image/apng": // any reader of PNG shows it
		return "image/png"
	case kind == "text/html", kind == "application/json", kind == "text/vtt", isMarkup(found):
		return kind
	case isText(found):
		return textType(filename)
	}
	return kind
}

// withoutParameters is the name of a type without parameters such as its charset.
func withoutParameters(m *mimetype.MIME) string {
	kind, _, _ := strings.Cut(m.String(), ";")
	return strings.TrimSpace(kind)
}

func isText(m *mimetype.MIME) bool { return descends(m, plainText) }
func isMarkup(m *mimetype.MIME) bool {
	return descends(m, "text/xml") || withoutParameters(m) == "image/svg+xml"
}

// descends reports whether a type is of another, more general one.
func descends(m *mimetype.MIME, general string) bool {
	for ; m != nil; m = m.Parent() {
		if withoutParameters(m) == general {
			return true
		}
	}
	return false
}

// textType is the type of a text that is no markup. The name may decide it: browsers
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

// extension is that of a file's name in lower case, empty where it has none
// that can be kept.
func extension(filename string) string {
	ext := strings.ToLower(filepath.Ext(filename))
	if !plainExtension.MatchString(ext) {
		return ""
	}
	return ext
}

// otherExtensions are those that files of a type may have besides its usual one.
var otherExtensions = map[string][]string{
	"image/jpeg": {".jpeg", ".jpe", ".jfif"},
	"image/tiff": {".tif"},
	"text/html":  {".htm"},
	"video/mpeg": {".mpg"},
	"audio/midi": {".mid"},
	"audio/ogg":  {".ogg", ".opus"},
	"video/ogg":  {".ogg"},
}

// activeExtensions are those of files that browsers and servers may run or show
// as pages. Another program may serve the folder, so a file of another type must not
// have one of them.
var activeExtensions = []string{
	".htm", ".html", ".xht", ".xhtml", ".shtml", ".xml", ".xsl", ".xslt", ".svg", ".svgz", ".pdf",
	".js", ".mjs", ".css", ".wasm", ".swf", ".php", ".phtml", ".asp", ".aspx", ".jsp", ".cgi",
}

// extensionFor is the extension under which a file of that type is stored: the
// one of its name where it fits the type.
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
