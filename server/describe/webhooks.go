package describe

// webhooks are the endpoints of webhooks.
func (d *document) webhooks() map[string]operation {
	const all, one = "/api/_webhooks", "/api/_webhooks/:id"
	const forOthers = "Whoever makes or changes a webhook must be allowed to find what it shows, drafts included."
	shown := plainEnvelope(d.webhook())
	sent := jsonContent(plainEnvelope(closedObject(object{{"resent", typed("integer")}})))
	trial := object{{"delivered", typed("boolean")}, {"status", typed("integer")}, {"error", typed("string")}, {"milliseconds", typed("integer")}}
	return map[string]operation{
		"GET " + all:              {summary: "List webhooks, by name", answers: []answer{answerFound(plainEnvelope(arrayOf(d.webhook())))}},
		"POST " + all:             {summary: "Make a webhook", about: "The answer has the secret that signs, this once. " + forOthers, body: d.webhookBody("name", "url"), answers: []answer{answerCreated(shown)}},
		"GET " + one:              {summary: "Read a webhook", answers: []answer{answerFound(shown)}},
		"PUT " + one:              {summary: "Change a webhook", fails: []string{"409"}, about: "What the body leaves out stays as it is, but values of headers do not go to another address: write them again. " + forOthers, body: d.webhookBody(), answers: []answer{answerWritten(shown)}},
		"DELETE " + one:           {summary: "Delete a webhook", fails: []string{"409"}, about: "What waits for it is not sent any more.", answers: []answer{answerEmpty()}},
		"POST " + one + "/rotate": {summary: "Make another secret", fails: []string{"409"}, about: "The answer has it, this once. The former one signs too for a day.", body: emptyBody, answers: []answer{{200, "The webhook with its new secret.", jsonContent(shown)}}},
		"POST " + one + "/test":   {summary: "Send the event trigger-test once", fails: []string{"409"}, body: emptyBody, answers: []answer{{200, "How that went.", jsonContent(plainEnvelope(openObject(trial, "delivered", "milliseconds")))}}},
		"GET " + one + "/deliveries": {summary: "List what has not arrived, oldest first", about: "Of what the caller may find.", parameters: list{
			shortPages(), inQuery("state", "Only deliveries in this state.", words("waiting", "setAside")),
		}, answers: []answer{answerFound(closedObject(object{{"data", arrayOf(d.delivery())}, {"meta", d.define("ListMeta", listMeta)}}))}},
		"GET " + one + "/attempts":                     d.listAttempts(),
		"POST " + one + "/resend":                      {summary: "Send all that were set aside now", fails: []string{"409"}, body: emptyBody, answers: []answer{{200, "How many.", sent}}},
		"POST " + one + "/deliveries/:delivery/resend": {summary: "Send a delivery now", fails: []string{"409"}, about: "One that has not arrived, or one of those that were tried of late.", body: emptyBody, answers: []answer{{200, "That it is being sent.", sent}}},
	}
}

func (d *document) listAttempts() operation {
	return operation{summary: "List what was tried of late, the latest first", about: "The last 100 attempts of the webhook, of what the caller may find, about a second after they were made. Tests are not among them.", parameters: list{
		shortPages(), inQuery("outcome", "Only attempts that ended so.", words("delivered", "failed")),
		inQuery("event", "Only attempts about this event.", webhookEvents), inQuery("type", "Only attempts about this type.", typed("string")),
	}, answers: []answer{answerFound(closedObject(object{{"data", arrayOf(d.attempt())}, {"meta", d.define("ListMeta", listMeta)}}))}}
}

var webhookEvents = words("entry.create", "entry.update", "entry.delete", "entry.publish", "entry.unpublish", "media.create", "media.update", "media.delete")

// webhookBody is what a webhook is to be.
func (d *document) webhookBody(required ...string) object {
	names := arrayOf(typed("string"))
	headers := typed("object").with(member{"additionalProperties", nullable(typed("string"))})
	data := openObject(object{
		{"name", typed("string")}, {"url", typed("string")}, {"events", arrayOf(webhookEvents)}, {"types", names}, {"locales", names},
		{"headers", described(headers, "A null keeps the value that a header has, unless the address changes.")}, {"enabled", typed("boolean")},
	}, required...)
	return requiredBody(jsonContent(openObject(object{{"data", data}}, "data")))
}

func (d *document) webhook() object {
	return d.define("QuireWebhook", func() value {
		names := arrayOf(typed("string"))
		return openObject(object{
			{"id", typed("string")}, {"name", typed("string")}, {"url", typed("string")},
			{"events", described(arrayOf(webhookEvents), "Empty for all.")}, {"types", described(names, "Uids; empty for all but users.")},
			{"locales", described(names, "Empty for all.")}, {"headers", described(names, "The names of the headers that are added.")},
			{"enabled", typed("boolean")}, {"managed", described(typed("boolean"), "It is one of site.json, and cannot be changed here.")},
			{"waiting", typed("integer")}, {"setAside", typed("integer")}, {"createdAt", nullable(moment)}, {"updatedAt", nullable(moment)},
			{"secret", typed("string")}, {"formerSecretUntil", nullable(moment)},
		}, "id", "name", "url", "events", "types", "locales", "headers", "enabled", "managed", "waiting", "setAside", "createdAt", "updatedAt", "formerSecretUntil")
	})
}

func (d *document) delivery() object {
	return d.define("QuireWebhookDelivery", func() value {
		return openObject(object{
			{"id", typed("string")}, {"state", words("waiting", "setAside")}, {"event", webhookEvents}, {"type", typed("string")},
			{"documentId", typed("string")}, {"locale", typed("string")}, {"status", words("draft", "published")}, {"tries", typed("integer")},
			{"error", typed("string")}, {"at", moment}, {"nextAt", moment}, {"setAsideAt", moment},
		}, "id", "state", "event", "type", "documentId", "status", "tries", "at")
	})
}

func (d *document) attempt() object {
	return d.define("QuireWebhookAttempt", func() value {
		return openObject(object{
			{"delivery", described(typed("string"), "The id of the delivery, the same for each attempt.")}, {"at", moment}, {"delivered", typed("boolean")},
			{"event", webhookEvents}, {"type", typed("string")}, {"documentId", typed("string")}, {"locale", typed("string")}, {"status", words("draft", "published")},
			{"try", described(typed("integer"), "1 for the first.")}, {"answer", described(typed("integer"), "The status of the answer, if there was one.")},
			{"milliseconds", typed("integer")}, {"error", typed("string")}, {"nextAt", described(moment, "When it is tried again, as it was then.")},
		}, "delivery", "at", "delivered", "event", "type", "documentId", "status", "try", "milliseconds")
	})
}
