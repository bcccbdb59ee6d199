package settings_test

import (
	"slices"
	"testing"

	"quire/schema/settings"
)

func TestPictureSettings(t *testing.T) {
	p := readSettings(t, `{"upload": {"pictures": {"sizes": ["800x600", "320x", "x400"], "qualities": [60, 80], "formats": ["auto", "webp"], "signed": true, "cacheBytes": 0}}}`).Upload.Pictures
	want := []settings.PictureSize{{Width: 800, Height: 600}, {Width: 320}, {Height: 400}}
	if !p.On() || !p.Signed || !slices.Equal(p.Sizes, want) || !slices.Equal(p.Qualities, []int{60, 80}) || !slices.Equal(p.Formats, []string{"auto", "webp"}) || p.CacheBytes != 0 {
		t.Errorf("%+v", p)
	}
	byDefault := readSettings(t, `{}`).Upload.Pictures
	if byDefault.On() || byDefault.CacheBytes != 1<<30 || !slices.Equal(byDefault.Qualities, []int{80}) || len(byDefault.Formats) != 4 {
		t.Errorf("by default: %+v", byDefault)
	}
}

func TestPictureSizes(t *testing.T) {
	for _, text := range []string{"800x600", "1x1", "4096x4096", "320x", "x400"} {
		if size, ok := settings.ParsePictureSize(text); !ok || size.String() != text {
			t.Errorf("%s: %v, %t", text, size, ok)
		}
	}
	for _, text := range []string{"", "x", "800", "0x600", "800x0", "-1x600", "+8x6", "08x6", "4097x1", "1x4097", "8x6x4", " 8x6", "8 x6", "9999999999999999999x1", "axb"} {
		if size, ok := settings.ParsePictureSize(text); ok {
			t.Errorf("%s is read as %v", text, size)
		}
	}
}
