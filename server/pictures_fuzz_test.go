package server

import (
	"errors"
	"testing"

	"quire/documents"
	"quire/schema/settings"
)

// FuzzPicture: a query string requests a picture within all limits, and the same picture
// in the form of signatures, or it is refused with the name of a parameter. Without a
// signature, only listed pictures are accepted.
func FuzzPicture(f *testing.F) {
	for _, query := range []string{
		"w=320", "w=800&h=600&fit=cover&q=80&format=webp", "w=320&w=320", "s=abc&w=5", "format=auto&h=1", "updatedAt=1", "w=%33%32%30", "w=320;h=5", "&&=&w=320", "fit=cover", "q=0", "w=4096&h=4097", "%77=1", "w=5&expires=1800000000&s=abc", "w=320&expires=1",
	} {
		f.Add(query)
	}
	rules := settings.Default().Upload.Pictures
	rules.Sizes = []settings.PictureSize{{Width: 320}, {Width: 800, Height: 600}}
	f.Fuzz(func(t *testing.T, query string) {
		a, err := parsePicture(query, &rules)
		if err != nil {
			var refused *problem
			if !errors.As(err, &refused) || refused.Status != 400 || refused.Details.(documents.QueryKey).Param != refused.Details.(documents.QueryKey).Key {
				t.Fatalf("%q: %v", query, err)
			}
			return
		}
		if a.Width < 0 || a.Width > settings.LongestSide || a.Height < 0 || a.Height > settings.LongestSide || a.Quality < 1 || a.Quality > 100 || a.Cover && (a.Width == 0 || a.Height == 0) {
			t.Fatalf("%q asks for %+v", query, a)
		}
		again, err := parsePicture(a.query(), &rules)
		if again.Ask != a.Ask || again.expires != a.expires || err != nil {
			t.Fatalf("%q is %+v, and %q is %+v, %v", query, a, a.query(), again, err)
		}
		size := settings.PictureSize{Width: a.Width, Height: a.Height}.String()
		if a.listed(&rules) == nil && (size != "320x" && size != "800x600" || a.Quality != 80) {
			t.Fatalf("%q lets in %+v", query, a)
		}
	})
}

// FuzzEdit: a body is an edit that rotates or crops, or it is refused with a reason.
func FuzzEdit(f *testing.F) {
	for _, body := range []string{`{"rotate": 90}`, `{"crop": {"x": 1, "y": 2, "width": 3, "height": 4}}`, `{"rotate": 0}`, `{"ROTATE": 90}`, `{"crop": {"x": 1e9}}`, `null`, `{"a":`, `{"rotate": 90}x`} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		e, err := parseEdit(body)
		if err != nil {
			var refused *problem
			if !errors.As(err, &refused) || refused.Status != 400 || refused.Message == "" || len(refused.body()) == 0 {
				t.Fatalf("%q: %v", body, err)
			}
			return
		}
		if e.Rotate%90 != 0 || e.Rotate < 0 || e.Rotate > 270 || e.Rotate == 0 && e.Crop == nil {
			t.Fatalf("%q is %+v", body, e)
		}
	})
}
