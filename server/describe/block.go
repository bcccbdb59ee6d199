package describe

// blocks is rich text. Nodes may have members besides these.
func (d *document) blocks() value {
	inline := d.define("BlockInline", func() value {
		return anyOf(blockText(), blockNode("link", blockText(), member{"url", typed("string")}))
	})
	format := typed("string").with(member{"enum", texts([]string{"ordered", "unordered"})})
	item := blockNode("list-item", inline)
	aList := d.define("BlockList", func() value {
		return blockNode("list", anyOf(item, schemaRef("BlockList")), member{"format", format})
	})
	levels := object{{"type", text("integer")}, {"minimum", whole(1)}, {"maximum", whole(6)}}
	picture := object{{"type", text("object")}, {"properties", object{{"url", typed("string")}}}, {"required", texts([]string{"url"})}}
	return arrayOf(anyOf(
		blockNode("paragraph", inline), blockNode("quote", inline), blockNode("code", inline),
		blockNode("heading", inline, member{"level", levels}),
		blockNode("image", blockText(), member{"image", picture}),
		aList,
	))
}

// blockNode is one node of rich text, with what it holds.
func blockNode(kind string, child object, more ...member) object {
	children := arrayOf(child).with(member{"minItems", whole(1)})
	return closedNode(object{{"type", constant(kind)}}.with(more...).with(member{"children", children}))
}

func closedNode(properties object) object {
	var required []string
	for _, p := range properties {
		required = append(required, p.key)
	}
	return object{{"type", text("object")}, {"properties", properties}, {"required", texts(required)}}
}

func blockText() object {
	s := closedNode(object{{"type", constant("text")}, {"text", typed("string")}})
	for _, mark := range []string{"bold", "italic", "underline", "strikethrough", "code"} {
		s[1].value = s[1].value.(object).with(member{mark, nullable(typed("boolean"))})
	}
	return s
}
