package describe

import (
	"slices"

	"quire/schema"
)

// The endpoints of sign-in, users and roles take and give JSON without an
// envelope.

func (d *document) user() object { return d.entry(d.site.Type(schema.UserUID), entryForm{}) }

// formBody is a body of texts, all of them required.
func formBody(fields ...string) object {
	var properties object
	for _, f := range fields {
		properties = append(properties, member{f, formField(f)})
	}
	return requiredBody(jsonContent(closedNode(properties)))
}

func formField(name string) object {
	switch name {
	case "email":
		return typed("string").with(member{"format", text("email")})
	case "password", "passwordConfirmation", "currentPassword":
		return typed("string").with(member{"format", text("password")})
	}
	return typed("string")
}

func answerOK() answer {
	return answer{200, "Done.", jsonContent(closedObject(object{{"ok", object{{"type", text("boolean")}, {"const", flag(true)}}}}))}
}

func (d *document) signIn() map[string]operation {
	session := func(summary string, fields ...string) operation { return d.entering(summary, formBody(fields...)) }
	plain := func(summary string, body object, a answer) operation {
		return operation{summary: summary, body: body, answers: []answer{a}}
	}
	sent := closedObject(object{{"email", typed("string")}, {"sent", typed("boolean")}})
	renewed := closedObject(object{{"jwt", typed("string")}, {"refreshToken", typed("string")}})
	scope := openObject(object{{"scope", typed("string").with(member{"enum", texts([]string{"session", "all"})})}})
	return map[string]operation{
		"POST /api/auth/local":                   session("Sign in", "identifier", "password"),
		"POST /api/auth/local/register":          d.entering("Make an account", d.registration()),
		"POST /api/auth/change-password":         session("Change the own password", "currentPassword", "password", "passwordConfirmation"),
		"POST /api/auth/reset-password":          session("Choose a new password with a code from a mail", "code", "password", "passwordConfirmation"),
		"POST /api/auth/forgot-password":         plain("Have a mail sent to choose a new password with", formBody("email"), answerOK()),
		"POST /api/auth/send-email-confirmation": plain("Have a mail sent to confirm the address with", formBody("email"), answerFound(sent)),
		"GET /api/auth/email-confirmation":       confirmation(),
		"POST /api/auth/refresh":                 plain("Prolong a session", formBody("refreshToken"), answerFound(renewed)),
		"POST /api/auth/logout":                  plain("End the session, or all of the user", object{{"content", jsonContent(scope)}}, answerOK()),
	}
}

// connecting is signing in at the providers that the site names.
func (d *document) connecting() map[string]operation {
	callback := inQuery("callback", "The page of the front end to go on to, one of those that the site names; its query is free.", typed("string"))
	sent := answer{302, "To the provider, or back to the front end.", nil}
	back := list{inQuery("state", "Of the attempt to sign in.", typed("string")), inQuery("code", "What the provider gives for a token.", typed("string"))}
	proof := list{
		inQuery("access_token", "What the front end got; it works once, within two minutes.", typed("string")),
		inQuery("id_token", "In its place, an ID token of the provider, where the site takes them.", typed("string")),
	}
	all := map[string]operation{}
	for _, p := range d.site.Settings.Accounts.Providers {
		all["GET /api/connect/"+p.Name] = operation{summary: "Go to " + p.Name + " to sign in", parameters: list{callback}, answers: []answer{sent}}
		all["GET /api/connect/"+p.Name+"/callback"] = operation{summary: "Come back from " + p.Name, parameters: back, answers: []answer{sent}}
		o := d.entering("Sign in after coming back from "+p.Name, nil)
		o.parameters = slices.Concat(proof, o.parameters)
		all["GET /api/auth/"+p.Name+"/callback"] = o
	}
	return all
}

// entering is an operation that answers with a session.
func (d *document) entering(summary string, body value) operation {
	user := d.site.Type(schema.UserUID)
	return operation{summary: summary, parameters: d.show(user), body: body, answers: []answer{answerFound(d.define("SignedIn", d.session))}}
}

// session is the answer to a sign-in. It has no JWT as long as the user's address is
// not confirmed.
func (d *document) session() value {
	return openObject(object{{"jwt", typed("string")}, {"refreshToken", typed("string")}, {"user", d.user()}}, "user")
}

func (d *document) registration() object {
	base := []string{"username", "email", "password"}
	var properties object
	for _, name := range base {
		properties = append(properties, member{name, formField(name)})
	}
	user := d.site.Type(schema.UserUID)
	for _, name := range d.site.Settings.Accounts.Register.Fields {
		properties = append(properties, member{name, d.inputSchema(user.Attribute(name))})
	}
	return requiredBody(jsonContent(openObject(properties, base...)))
}

func confirmation() operation {
	return operation{
		summary:    "Confirm an address with a code from a mail",
		parameters: list{inQuery("confirmation", "The code.", typed("string"))},
		answers:    []answer{answerOK(), {302, "Done; the site has a page to go on from.", nil}},
	}
}

func (d *document) users() map[string]operation {
	user := d.site.Type(schema.UserUID)
	gone := answer{204, "There is no such user.", nil}
	return map[string]operation{
		"GET /api/users":        {summary: "List users", parameters: d.bareParameters(user), answers: []answer{answerFound(arrayOf(d.user()))}},
		"GET /api/users/count":  {summary: "Count users", parameters: list{d.filters(user), d.parameter("_q", search)}, answers: []answer{answerFound(typed("integer"))}},
		"GET /api/users/me":     {summary: "Read the own account", parameters: d.show(user), answers: []answer{answerFound(d.user())}},
		"GET /api/users/:id":    {summary: "Read a user", parameters: d.show(user), answers: []answer{answerFound(d.user()), gone}},
		"POST /api/users":       {summary: "Create a user", parameters: d.show(user), body: d.account(user, true), answers: []answer{answerCreated(d.user())}},
		"PUT /api/users/:id":    {summary: "Change a user", parameters: d.show(user), body: d.account(user, false), answers: []answer{answerWritten(d.user())}},
		"DELETE /api/users/:id": {summary: "Delete a user", parameters: d.show(user), answers: []answer{{200, "The user who is gone.", jsonContent(d.user())}, gone}},
	}
}

// account is the body that makes or changes a user. Other members are ignored.
func (d *document) account(t *schema.Type, isNew bool) object {
	properties, needed := d.inputs(t)
	s := object{{"type", text("object")}, {"properties", properties}}
	if isNew {
		s = s.with(member{"required", texts(needed)})
	}
	return requiredBody(jsonContent(s))
}

func (d *document) roles() map[string]operation {
	role := d.site.Type(schema.RoleUID)
	body := func(required ...string) object {
		properties := object{{"name", typed("string")}, {"description", typed("string")}, {"permissions", d.permissions()}}
		s := object{{"type", text("object")}, {"properties", properties}}
		if required != nil {
			s = s.with(member{"required", texts(required)})
		}
		return object{{"required", flag(true)}, {"content", jsonContent(s)}}
	}
	shown := func(name string, more object) object {
		return d.define(name, func() value { return d.entryWith(role, entryForm{}, more) })
	}
	all := closedObject(object{{"roles", arrayOf(shown("CountedRole", object{{"nb_users", typed("integer")}}))}})
	one := closedObject(object{{"role", shown("GrantedRole", object{{"permissions", d.permissions()}})}})
	return map[string]operation{
		"GET /api/users-permissions/roles":        {summary: "List roles", parameters: slices.Concat(list{d.filters(role)}, d.show(role)), answers: []answer{answerFound(all)}},
		"GET /api/users-permissions/roles/:id":    {summary: "Read a role and what it may do", parameters: d.show(role), answers: []answer{answerFound(one)}},
		"POST /api/users-permissions/roles":       {summary: "Create a role", body: body("name"), answers: []answer{answerOK()}},
		"PUT /api/users-permissions/roles/:id":    {summary: "Change a role", body: body(), answers: []answer{answerOK()}},
		"DELETE /api/users-permissions/roles/:id": {summary: "Delete a role", about: "Its users get the role of new users.", answers: []answer{answerOK()}},
		"GET /api/users-permissions/permissions":  {summary: "List all permissions, and which of them the caller holds", answers: []answer{answerFound(closedObject(object{{"permissions", d.permissions()}}))}},
	}
}

// permissions is a tree: API or plugin, controller, action.
func (d *document) permissions() object {
	return d.define("PermissionTree", func() value {
		mapOf := func(s object) object { return object{{"type", text("object")}, {"additionalProperties", s}} }
		action := openObject(object{{"enabled", typed("boolean")}, {"policy", typed("string")}}, "enabled")
		return mapOf(openObject(object{{"controllers", mapOf(mapOf(action))}}, "controllers"))
	})
}

// sharedNames are the schemas that are the same for every site.
func sharedNames() []string {
	return []string{
		"AggregateGroup", "AggregateResponse", "BlockInline", "BlockList", "Blocks", "BooleanComparison", "EntryCount", "CountResponse", "CountedRole", "GrantedRole", "DocumentLink", "Links", "ListMeta",
		"LocaleEntry", "MorphLink", "MorphLinks", "NumberComparison", "PermissionTree", "PictureFormat", "QuireActor", "QuireChange", "QuireChanges", "QuireDifferences", "QuireEvent", "QuireHistory", "QuireLink", "QuireLinks", "QuireListedSchedule", "QuireRelease", "QuireReleaseStep", "QuireSchedule", "QuireState", "QuireStepFailure", "QuireVersion", "QuireWebhook", "QuireWebhookAttempt", "QuireWebhookDelivery", "SignedIn", "StoredFile", "TextComparison",
	}
}
