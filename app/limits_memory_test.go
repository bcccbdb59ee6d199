package app

import "testing"

// The limit on memory changes no response, before and after a reload, and after writes.
func TestContentBeyondTheMemory(t *testing.T) {
	a, _ := startGuide(t)
	const path = "/api/cuisines?populate=*&sort=name"
	requireSame := func(want string) {
		t.Helper()
		if status, got := ask(a, path); status != 200 || got != want {
			t.Errorf("%d %s, and before %s", status, got, want)
		}
	}
	reload := func(from, to string) {
		t.Helper()
		edit(t, a.at.Site, "site.json", from, to)
		check(t, a.reload())
	}
	_, whole := ask(a, path)
	reload(`"roles"`, `"limits": {"memory": 0}, "roles"`)
	if a.site.Settings.Limits.Memory != 0 {
		t.Fatal("site.json is not read")
	}
	requireSame(whole)
	check(t, sowCuisine(t, a))
	requireCuisines(t, a, "5")
	_, more := ask(a, path)
	reload(`"memory": 0`, `"memory": 0, "depth": 9`) // the written values go to the file, too
	requireSame(more)
	reload(`"memory": 0`, `"memory": 1000000`)
	requireSame(more)
}
