package content_test

import (
	"quire/content"
	"quire/content/contenttest"
)

func init() { content.AuditFixture = contenttest.RequireNoFault }
