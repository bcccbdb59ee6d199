package media

import (
	"strings"
	"testing"
)

// The content determines the type. The name only determines the kind of plain text.
func TestSniff(t *testing.T) {
	tests := []struct{ filename, head, mime, ext string }{
		{"a.txt", "Soup 4.00\n", "text/plain", ".txt"},
		{"a", "Soup 4.00\n", "text/plain", ".txt"},
		{"a.jpg", "Soup 4.00\n", "text/plain", ".jpg"},
		{"a.LOG", "Soup 4.00\n", "text/plain", ".log"},
		{"a.csv", "a;b\n1;2\n", "text/csv", ".csv"},
		{"a.txt", "a,b\n1,2\n", "text/plain", ".txt"},
		{"a.md", "# A\n", "text/markdown", ".md"},
		{"a.go", "package a\n", "text/plain", ".go"},
		{"a.js", "alert(1)\n", "text/plain", ".txt"},
		{"a.php", "<?php echo 1;", "text/plain", ".txt"},
		{"a.json", `{"a": 1}`, "application/json", ".json"},
		{"a.html", "<!DOCTYPE html><p>", "text/html", ".html"},
		{"a.htm", "<!DOCTYPE html><p>", "text/html", ".htm"},
		{"a.jpg", "<!DOCTYPE html><p>", "text/html", ".html"},
		{"a.txt", "  <script>alert(1)</script>", "text/html", ".html"},
		{"a.svg", `<svg xmlns="http://www.w3.org/2000/svg"/>`, "image/svg+xml", ".svg"},
		{"a.png", `<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>`, "image/svg+xml", ".svg"},
		{"a.txt", `<?xml version="1.0"?><a/>`, "text/xml", ".xml"},
		{"a.xhtml", `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>`, "application/xhtml+xml", ".html"},
		{"a.exe", "%PDF-1.7\n", "application/pdf", ".pdf"},
		{"a.zip", "PK\x03\x04\x14\x00", "application/zip", ".zip"},
		{"a.html", "PK\x03\x04\x14\x00", "application/zip", ".zip"},
		{"a.bin", "\x00\x01\x02\x03", "application/octet-stream", ".bin"},
		{"a.svg", "\x00\x01\x02\x03", "application/octet-stream", ""},
		{"a.x-y", "\x00\x01\x02\x03", "application/octet-stream", ""},
		{"a.JPEG", "\xFF\xD8\xFF\xE0", "image/jpeg", ".jpeg"},
		{"a.png", "\xFF\xD8\xFF\xE0", "image/jpeg", ".jpg"},
		{"a.mp4", "\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00mp42isom", "video/mp4", ".mp4"},
	}
	for _, test := range tests {
		mime := sniff([]byte(test.head), test.filename)
		if ext := extensionFor(mime, test.filename); mime != test.mime || ext != test.ext {
			t.Errorf("%s, %q: got %s %q, want %s %q", test.filename, test.head, mime, ext, test.mime, test.ext)
		}
	}
	for name, mime := range map[string]string{
		"wide.jpg": "image/jpeg", "dot.png": "image/png", "anim.gif": "image/gif", "logo.svg": "image/svg+xml", "menu.txt": "text/plain",
	} {
		head := sample(t, name)
		if got := sniff(head[:min(len(head), sniffLength)], strings.ToUpper(name)); got != mime {
			t.Errorf("%s: got %s", name, got)
		}
	}
}
