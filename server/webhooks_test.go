package server_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"quire/auth"
	"quire/store"
)

// hooked is a site with several callers who have rights on webhooks.
type hooked struct{ *accountSite }

func openHooked(t *testing.T, siteJSON string) *hooked {
	t.Helper()
	h := &hooked{openAccountSite(t, sampleWith(t, siteJSON, noRoles), options{})}
	const uid = "plugin::quire.webhooks."
	for name, list := range map[string][]string{
		"reader":   {uid + "read"},
		"sender":   {uid + "send"},
		"maker":    {uid + "create", uid + "update", uid + "read"},
		"chefs":    {uid + "create", uid + "update", uid + "read", "api::chef.chef.find", "api::chef.chef.readDraft"},
		"stranger": {"api::chef.chef.find"},
	} {
		var err error
		h.tokens[name], err = h.auth.CreateToken(t.Context(), auth.TokenSpec{Name: name, Kind: auth.Custom, Permissions: list})
		check(t, err)
	}
	return h
}

func (h *hooked) expect(as, method, path, body string, status int, shows string) *answer {
	h.t.Helper()
	a := h.send(as, method, path, body)
	if a.status != status || !strings.Contains(a.body, shows) {
		h.t.Errorf("%s %s %s by %q: %d %s", method, path, body, as, a.status, a.body)
	}
	return a
}

// withPrivate is a site.json that allows webhooks to this machine.
const withPrivate = unlimited + `, "events": {"allowPrivate": ["127.0.0.1"]}%s`

// A webhook can be created, shown without its secrets, changed, tested and removed.
func TestWebhooksOverTheAPI(t *testing.T) {
	t.Parallel()
	var event, signature string
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		event, signature = r.Header.Get("X-Strapi-Event"), r.Header.Get("webhook-signature")
	}))
	defer receiver.Close()
	h := openHooked(t, fmt.Sprintf(withPrivate, ""))
	made := h.expect("full", "POST", "/api/_webhooks", `{"data": {"name": "deploy", "url": "`+receiver.URL+`", "headers": {"Authorization": "Bearer hush"}}}`, 201, `"secret":"whsec_`)
	if !strings.Contains(made.body, `"headers":["Authorization"]`) || !strings.Contains(made.body, `"enabled":true,"managed":false,"waiting":0,"setAside":0`) {
		t.Errorf("made: %s", made.body)
	}
	at := "/api/_webhooks/" + idOf(t, made)
	for _, a := range []*answer{
		h.expect("reader", "GET", "/api/_webhooks", "", 200, `"name":"deploy"`),
		h.expect("reader", "GET", at, "", 200, `"url":"`+receiver.URL),
		h.expect("full", "PUT", at, `{"data": {"events": ["entry.publish"], "headers": {"Authorization": null, "X-A": "b"}}}`, 200, `"headers":["Authorization","X-A"]`),
	} {
		if strings.Contains(a.body, "hush") || strings.Contains(a.body, "whsec_") {
			t.Errorf("shows what is secret: %s", a.body)
		}
	}
	h.expect("sender", "POST", at+"/test", "", 200, `"delivered":true,"status":200`)
	if event != "trigger-test" || !strings.HasPrefix(signature, "v1,") || strings.Contains(signature, " ") {
		t.Errorf("sent %s with %s", event, signature)
	}
	h.expect("full", "POST", at+"/rotate", "", 200, `"secret":"whsec_`)
	h.expect("sender", "POST", at+"/test", "", 200, `"delivered":true`)
	if strings.Count(signature, "v1,") != 2 {
		t.Errorf("after a rotation: %s", signature)
	}
	h.expect("reader", "GET", at+"/deliveries", "", 200, `"data":[]`)
	h.expect("sender", "POST", at+"/resend", "", 200, `"resent":0`)
	h.expect("full", "POST", "/api/_webhooks", `{"data": {"name": "deploy", "url": "`+receiver.URL+`"}}`, 400, `there is a webhook \"deploy\" already`)
	h.expect("full", "DELETE", at, "", 204, "")
	h.expect("full", "GET", at, "", 404, "")
}

// Each route needs its permission. A caller who creates a webhook must be allowed to find
// everything that it would show.
func TestWhoMayDoSomethingToWebhooks(t *testing.T) {
	t.Parallel()
	h := openHooked(t, fmt.Sprintf(withPrivate, ""))
	const body = `{"data": {"name": "a", "url": "https://example.org/"%s}}`
	at := "/api/_webhooks/" + idOf(t, h.expect("full", "POST", "/api/_webhooks", fmt.Sprintf(body, ""), 201, ""))
	for _, route := range []struct{ method, path, may string }{
		{"GET", "/api/_webhooks", "reader"}, {"GET", at, "reader"}, {"GET", at + "/deliveries", "reader"}, {"GET", at + "/attempts", "reader"},
		{"POST", at + "/resend", "sender"}, {"POST", at + "/rotate", "maker"},
	} {
		for _, as := range []string{"", "read", "stranger", "reader", "sender", "maker"} {
			a := h.send(as, route.method, route.path, "")
			if may := as == route.may || as == "maker" && route.may == "reader"; (a.status == 200) != may || !may && a.status != 403 {
				t.Errorf("%s %s by %q: %d %s", route.method, route.path, as, a.status, a.body)
			}
		}
	}
	for _, as := range []string{"reader", "sender", "chefs"} {
		h.expect(as, "DELETE", at, "", 403, "")
	}
	h.expect("maker", "POST", "/api/_webhooks", fmt.Sprintf(body, ""), 403, "so this one needs ")
	h.expect("chefs", "POST", "/api/_webhooks", fmt.Sprintf(body, `, "types": ["api::restaurant.restaurant"]`), 403, "api::restaurant.restaurant.find")
	h.expect("chefs", "PUT", at, `{"data": {"url": "https://example.com/"}}`, 403, "so this one needs ")
	h.expect("chefs", "POST", "/api/_webhooks", fmt.Sprintf(body, `, "types": ["api::chef.chef"]`), 403, "so this one needs api::") // to which chefs lead
	h.expect("full", "POST", "/api/_webhooks", fmt.Sprintf(body, `, "types": ["plugin::users-permissions.role"]`), 400, "types[0]")
}

// Invalid input is refused, and the message names the key.
func TestWebhooksThatMakeNoSense(t *testing.T) {
	t.Parallel()
	h := openHooked(t, fmt.Sprintf(withPrivate, ""))
	for body, shows := range map[string]string{
		``:                                  `The body must be JSON`,
		`{"data": 5}`:                       `must be an object`,
		`{"data": {}}`:                      `name: must be a text of 1 to 100 characters`,
		`{"data": {"name": "a"}}`:           `url: is missing`,
		`{"data": {"name": "a", "url": 5}}`: `url: must be a text`,
		`{"data": {"name": "a", "url": "https://example.org", "colour": "red"}}`:                    `colour: \"colour\" is not a setting`,
		`{"data": {"name": "a", "url": "http://10.0.0.1/"}}`:                                        `url: cannot be used: the address is of a private network`,
		`{"data": {"name": "a", "url": "http://[::1]/"}}`:                                           `url: cannot be used: the address is of this machine`,
		`{"data": {"name": "a", "url": "https://a:b@example.org"}}`:                                 `url: has a user name`,
		`{"data": {"name": "a", "url": "https://example.org:22"}}`:                                  `url: has the port 22`,
		`{"data": {"name": "a", "url": "http://0x7f000001"}}`:                                       `which is a number but no IP address`,
		`{"data": {"name": "a", "url": "https://example.org", "events": ["entry.burn"]}}`:           `events[0]: \"entry.burn\" is not an event`,
		`{"data": {"name": "a", "url": "https://example.org", "types": ["api::no.no"]}}`:            `types[0]: there is no content type`,
		`{"data": {"name": "a", "url": "https://example.org", "locales": ["tlh"]}}`:                 `locales[0]: \"tlh\" is not a locale`,
		`{"data": {"name": "a", "url": "https://example.org", "enabled": "yes"}}`:                   `enabled: must be`,
		`{"data": {"name": "a", "url": "https://example.org", "headers": {"Host": "a"}}}`:           `headers.Host: \"Host\" is not a header`,
		`{"data": {"name": "a", "url": "https://example.org", "headers": {"webhook-id": "a"}}}`:     `headers.webhook-id`,
		`{"data": {"name": "a", "url": "https://example.org", "headers": {"X-A": "a\r\nX-B: b"}}}`:  `headers.X-A: is not the value`,
		`{"data": {"name": "a", "url": "https://example.org", "headers": {"X-A": null}}}`:           `headers.X-A: must be a text`,
		`{"data": {"name": "` + strings.Repeat("x", 101) + `", "url": "https://example.org"}}`:      `name: must be a text of 1 to 100`,
		`{"data": {"name": "a", "url": "https://example.org/` + strings.Repeat("x", 2048) + `"}}`:   `url: is longer than 2048 bytes`,
		`{"data": {"name": "a", "url": "https://example.org", "headers": {` + manyHeaders() + `}}}`: `headers: has 21 headers`,
	} {
		h.expect("full", "POST", "/api/_webhooks", body, 400, shows)
	}
	at := "/api/_webhooks/" + idOf(t, h.expect("full", "POST", "/api/_webhooks", `{"data": {"name": "a", "url": "https://example.org"}}`, 201, ""))
	h.expect("full", "GET", at+"/deliveries?state=lost", "", 400, "state")
	h.expect("full", "GET", at+"/attempts?outcome=lost", "", 400, "outcome must be one of delivered, failed")
	h.expect("full", "GET", at+"/attempts?event=entry.burn", "", 400, "event must be one of entry.create")
	h.expect("full", "GET", at+"/attempts?type[$eq]=a", "", 400, "type must be a text")
	h.expect("full", "GET", at+"/attempts?pagination[pageSize]=-1", "", 400, "pageSize")
	h.expect("full", "GET", "/api/_webhooks/none/attempts", "", 404, "")
	h.expect("full", "POST", at+"/test", `{"at": 5}`, 400, "at")
	h.expect("full", "POST", at+"/deliveries/none/resend", "", 404, "")
}

// The values of headers are never shown, and are not sent to another address either.
func TestHeadersStayWithTheAddress(t *testing.T) {
	t.Parallel()
	h := openHooked(t, fmt.Sprintf(withPrivate, ""))
	const hook = `{"data": {"url": "https://%s", "name": "a", "headers": %s}}`
	at := "/api/_webhooks/" + idOf(t, h.expect("full", "POST", "/api/_webhooks", fmt.Sprintf(hook, "a.example", `{"X-A": "hush"}`), 201, ""))
	h.expect("full", "PUT", at, `{"data": {"url": "https://b.example"}}`, 400, `headers: has values that are not sent to another address`)
	h.expect("full", "PUT", at, fmt.Sprintf(hook, "b.example", `{"X-A": null}`), 400, `headers.X-A: has values that are not sent to another address`)
	h.expect("full", "PUT", at, fmt.Sprintf(hook, "a.example", `{"X-A": null}`), 200, `"headers":["X-A"]`)
	h.expect("full", "PUT", at, fmt.Sprintf(hook, "b.example", `{"X-A": "new"}`), 200, `"headers":["X-A"]`)
	h.expect("full", "PUT", at, fmt.Sprintf(hook, "c.example", `{}`), 200, `"headers":[]`)
	h.expect("full", "PUT", at, `{"data": {"url": "https://d.example"}}`, 200, "d.example")
	h.expect("full", "PUT", at, fmt.Sprintf(hook, "d.example", `{"X-A": "a", "x-a": "b"}`), 400, `headers.x-a: \"x-a\" occurs twice`)
}

func manyHeaders() string {
	var headers []string
	for i := range 21 {
		headers = append(headers, fmt.Sprintf(`"X-%d": ""`, i))
	}
	return strings.Join(headers, ", ")
}

// The webhooks of site.json can be shown, tested and rotated, and not changed.
func TestWebhooksOfSiteJSON(t *testing.T) {
	t.Parallel()
	h := openHooked(t, fmt.Sprintf(withPrivate, `, "webhooks": [{"name": "deploy", "url": "http://127.0.0.1:1024/"}]`))
	a := h.expect("full", "GET", "/api/_webhooks", "", 200, `"managed":true`)
	var list struct{ Data []struct{ ID string } }
	check(t, json.Unmarshal([]byte(a.body), &list))
	at := "/api/_webhooks/" + list.Data[0].ID
	h.expect("full", "GET", "/api/_webhooks/deploy", "", 404, "") // only by its id
	h.expect("full", "PUT", at, `{"data": {"enabled": false}}`, 400, "change it there")
	h.expect("full", "DELETE", at, "", 400, "change it there")
	h.expect("full", "POST", at+"/test", "", 200, `"delivered":false`)
	h.expect("full", "POST", at+"/rotate", "", 200, `"secret":"whsec_`)
}

// putDelivery puts a change of a category into the outbox, as if it had not arrived. It
// returns the id of the delivery.
func (h *accountSite) putDelivery(hook string) string {
	h.t.Helper()
	const change = `{"At": "2030-01-01T00:00:00Z", "Event": {"Position": {"Revision": 7}, "Type": "api::category.category", "DocumentID": "one", "Status": 112, "Action": 1}, "Cause": "away"}`
	check(h.t, h.db.Update(func(tx *store.Tx) error {
		return tx.PutParcel(&store.Parcel{Kind: "webhook", Key: hook + "/one/1", Body: []byte(change)})
	}))
	return "msg_" + hook + "_7"
}

// Deliveries are shown to callers who may find what they are about.
func TestDeliveriesAreShownToThoseWhoMayFindThem(t *testing.T) {
	t.Parallel()
	h := openHooked(t, fmt.Sprintf(withPrivate, ""))
	id := idOf(t, h.expect("full", "POST", "/api/_webhooks", `{"data": {"name": "a", "url": "http://127.0.0.1:1024/"}}`, 201, ""))
	delivery := h.putDelivery(id)
	at := "/api/_webhooks/" + id
	h.expect("full", "GET", at+"/deliveries", "", 200, `"id":"`+delivery+`","state":"waiting"`)
	h.expect("full", "GET", at+"/deliveries?state=setAside", "", 200, `"data":[]`)
	h.expect("reader", "GET", at+"/deliveries", "", 200, `"data":[]`)
	h.expect("reader", "GET", at, "", 200, `"waiting":1`)
	h.expect("sender", "POST", at+"/deliveries/"+delivery+"/resend", "", 200, `"resent":1`)
}

// putAttempts stores attempts in the data file: a change of a category that arrived at the
// second attempt.
func (h *accountSite) putAttempts(hook string) (delivery string) {
	h.t.Helper()
	const attempt = `{"Number": %d, "Change": {"At": "2030-01-01T00:00:00Z", "Event": {"Position": {"Revision": 7}, "Type": "api::category.category", "DocumentID": "one", "Status": 112, "Action": 1}, "Cause": %q},
		"Began": "2030-01-01T00:00:0%[1]dZ", "Took": 7000000, "Try": %[3]d, "Answer": %[4]d, "Next": "2030-01-01T00:00:10Z"}`
	check(h.t, h.db.Update(func(tx *store.Tx) error {
		return errors.Join(
			tx.PutRecord("webhook-attempts", hook+"/00", fmt.Appendf(nil, attempt, 0, "the receiver answered 503", 1, 503)),
			tx.PutRecord("webhook-attempts", hook+"/01", fmt.Appendf(nil, attempt, 1, "", 2, 204)))
	}))
	return "msg_" + hook + "_7"
}

// Attempts are shown to callers who may find what they are about, and can be sent again.
func TestAttemptsAreShownToThoseWhoMayFindThem(t *testing.T) {
	t.Parallel()
	h := openHooked(t, fmt.Sprintf(withPrivate, ""))
	id := idOf(t, h.expect("full", "POST", "/api/_webhooks", `{"data": {"name": "a", "url": "http://127.0.0.1:1024/"}}`, 201, ""))
	delivery, at := h.putAttempts(id), "/api/_webhooks/"+id
	const arrived, failed = `"delivered":true,`, `"delivered":false,`
	a := h.expect("full", "GET", at+"/attempts", "", 200, `"data":[{"delivery":"`+delivery+`","at":"2030-01-01T00:00:01Z",`+arrived)
	for _, shows := range []string{`"try":1,"answer":503,"milliseconds":7,"error":"the receiver answered 503","nextAt":"2030-01-01T00:00:10Z"}]`, `"total":2`} {
		if !strings.Contains(a.body, shows) {
			t.Errorf("%s lacks %s", a.body, shows)
		}
	}
	for query, shows := range map[string][2]string{
		"outcome=delivered": {arrived, failed}, "outcome=failed": {failed, arrived}, "event=entry.create&type=api::category.category": {`"total":2`, `"total":0`},
		"event=media.create": {`"data":[]`, arrived}, "type=api::chef.chef": {`"data":[]`, arrived}, "pagination[pageSize]=1": {`"pageCount":2`, failed},
	} {
		if a := h.expect("full", "GET", at+"/attempts?"+query, "", 200, shows[0]); strings.Contains(a.body, shows[1]) {
			t.Errorf("%s: %s", query, a.body)
		}
	}
	h.expect("reader", "GET", at+"/attempts", "", 200, `"data":[]`) // may not find categories
	h.expect("reader", "POST", at+"/deliveries/"+delivery+"/resend", "", 403, "")
	h.expect("sender", "POST", at+"/deliveries/"+delivery+"/resend", "", 200, `"resent":1`)
	h.expect("full", "GET", at, "", 200, `"waiting":1`)
}
