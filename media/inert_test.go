package media

import "testing"

func TestOnlyInertTypesAreShownFreely(t *testing.T) {
	for kind, want := range map[string]bool{
		"image/png": true, "image/jpeg": true, "IMAGE/WEBP": true, "image/png; charset=binary": true, "audio/mpeg": true, "video/mp4": true, "text/plain": true,
		"image/svg+xml": false, "image/svg+xml; charset=utf-8": false, "image/SVG+XML": false, "image/svg+xml ": false, " image/svg+xml;": false,
		"text/html": false, "text/html; image/png": false, "application/pdf": false, "text/xml": false, "": false, "image": false, "image/png, text/html": false,
		"image/svg+xml; charset": false, "text/css": false, "text/plainly": false,
	} {
		if got := IsInert(kind); got != want {
			t.Errorf("%q is inert: %t", kind, got)
		}
	}
}
