package describe

import (
	"fmt"

	"quire/schema"
)

// previewLink is the operation that makes a preview link.
func (d *document) previewLink(t *schema.Type) operation {
	parameters := list{d.parameter("linkStatus", func() object {
		about := "The version whose values stand in the address; by default the draft."
		return inQuery("status", about, words("draft", "published"))
	})}
	if t.Localized {
		parameters = append(parameters, d.localeParameter("linkLocale", false))
	}
	link := d.define("QuirePreviewLink", func() value {
		return closedObject(object{{"url", nullable(typed("string"))}, {"token", typed("string")}, {"expiresAt", moment}})
	})
	life := described(typed("string"), "How long the link is good, from 1m to 7d; by default 1h.").with(member{"examples", list{text("12h")}})
	return operation{
		summary: fmt.Sprintf("Make a link that shows a draft of the %s for a while", named(t)),
		about: "Whoever has it may read this one document and what it leads to, as its maker may at that moment; its token is the parameter `previewToken` of these reads." +
			" Making it needs `readDraft` and the permission to read the document as well.",
		parameters: parameters,
		body:       object{{"required", flag(false)}, {"content", jsonContent(openObject(object{{"expiresIn", life}}))}},
		answers:    []answer{{200, "The link.", jsonContent(plainEnvelope(link))}},
	}
}

// preview is the parameter of those who have a preview link, which types with drafts have.
func (d *document) preview(t *schema.Type) list {
	if !t.DraftAndPublish {
		return nil
	}
	return list{d.parameter("previewToken", func() object {
		return inQuery("previewToken", "The token of a preview link: shows its document alone, the draft unless `status` says otherwise, and needs no other credential.", typed("string"))
	})}
}
