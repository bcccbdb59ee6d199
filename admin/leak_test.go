package admin_test

import (
	"strings"
	"testing"
)

// Whoever makes a webhook sees all that it sends.
func TestWebhooksAndHiddenAttributes(t *testing.T) {
	v := openOffice(t).owner()
	const body = `{"data":{"name":"%","url":"https://example.org/","types":["api::dish.dish"]}}`
	hook := v.want(201, "POST", "/content/_webhooks", strings.ReplaceAll(body, "%", "all")).text("data.id")
	for hidden, status := range map[string]int{"": 201, "price": 403} {
		role := v.want(201, "POST", "/roles", `{"name":"R","rights":{"types":{"api::dish.dish":{"actions":["read"],"hidden":[`+quoted(hidden)+`]}},"files":["read"],"site":["settings"]}}`).text("data.id")
		_, them := v.hire("sees"+hidden, role)
		a := them.want(status, "POST", "/content/_webhooks", strings.ReplaceAll(body, "%", "sees "+hidden))
		if strings.Contains(a.body, "price") {
			t.Errorf("it names what is hidden: %s", a.body)
		}
		if status == 403 {
			them.want(403, "PUT", "/content/_webhooks/"+hook, `{"data":{"url":"https://example.com/"}}`)
		}
	}
}

// quoted is a text in quotes, nothing for none.
func quoted(text string) string {
	if text == "" {
		return ""
	}
	return `"` + text + `"`
}

// The paths of figures are no documents.
func TestFiguresAreNoDocuments(t *testing.T) {
	v := openOffice(t).owner()
	v.make("restaurants", `{"name":"Blue Door"}`)
	for _, name := range []string{"_count", "_aggregate", "_"} {
		v.want(404, "GET", "/documents/api::restaurant.restaurant/"+name, "")
		v.want(404, "PUT", "/autosaves/api::restaurant.restaurant/"+name, `{"form":{}}`)
	}
}
