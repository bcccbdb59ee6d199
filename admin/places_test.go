package admin_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// place is a session as its account sees it.
type place struct {
	ID, Address, Agent, LastUsedAt string
	Current                        bool
}

func (v *client) places() (list []place) {
	v.t.Helper()
	var said struct{ Data []place }
	check(v.t, json.Unmarshal([]byte(v.want(200, "GET", "/sessions", "").body), &said))
	return said.Data
}

// An account sees where it has signed in, and ends what it does not know.
func TestPlaces(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	o.clock.pass(time.Minute)
	phone := o.client()
	phone.from = "[2001:db8::1]:4711"
	agent := strings.Repeat("Phone é", 50)
	phone.want(200, "POST", "/session", anaSignsIn, "User-Agent", agent+"\x01")
	_, bob := v.addAccount("bob", "reader")
	o.clock.pass(time.Minute)
	list := v.places()
	if len(list) != 2 || !list[0].Current || list[0].Address != "192.0.2.1" || list[1].Current {
		t.Fatalf("ana sees %+v", list)
	}
	if other := list[1]; other.Address != "2001:db8::1" || len(other.Agent) > 300 || !strings.HasPrefix(agent, other.Agent) || other.LastUsedAt != "2026-05-04T09:01:00Z" {
		t.Errorf("the phone is %+v", other)
	}
	if body := v.want(200, "GET", "/sessions", "").body; strings.Contains(body, v.cookie) || strings.Contains(body, phone.cookie) {
		t.Error("the list has the token of a session")
	}
	if list := bob.places(); len(list) != 1 {
		t.Errorf("bob sees %+v", list)
	}
	bob.want(404, "DELETE", "/sessions/"+list[1].ID, "")
	bob.want(404, "DELETE", "/sessions/x", "")
	v.want(403, "DELETE", "/sessions/"+list[1].ID, "", "X-Quire-Admin", "-")
	phone.want(200, "GET", "/session", "")
	v.want(204, "DELETE", "/sessions/"+list[1].ID, "")
	phone.want(401, "GET", "/session", "")
	v.want(404, "DELETE", "/sessions/"+list[1].ID, "")
	v.want(204, "DELETE", "/sessions/"+list[0].ID, "")
	v.want(401, "GET", "/session", "")
}

// All other sessions end at once; those of others only through whoever may change them.
func TestEndingOtherSessions(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	me := v.want(200, "GET", "/session", "").text("data.account.id")
	second, third := o.client(), o.client()
	second.want(200, "POST", "/session", anaSignsIn)
	third.want(200, "POST", "/session", anaSignsIn)
	id, bob := v.addAccount("bob", "editor")
	second.want(204, "DELETE", "/sessions", "")
	v.want(401, "GET", "/session", "")
	third.want(401, "GET", "/session", "")
	bob.want(403, "DELETE", "/accounts/"+me+"/sessions", "")
	second.want(400, "DELETE", "/accounts/"+me+"/sessions", "")
	bob.want(200, "GET", "/session", "")
	second.want(204, "DELETE", "/accounts/"+id+"/sessions", "")
	bob.want(401, "GET", "/session", "")
	second.want(404, "DELETE", "/accounts/nobody/sessions", "")
}
