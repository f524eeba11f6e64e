package cloud

import (
	"encoding/json"

	"github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/zclconf/go-cty/cty"
)

func attributePath(name string) *tftypes.AttributePath {
	return tftypes.NewAttributePath().WithAttributeName(name)
}

func all(types Types) map[string]*tfprotov6.Schema {
	made := make(map[string]*tfprotov6.Schema, len(types))
	for name, of := range types {
		made[name] = schema(of())
	}
	return made
}

func schema(of *tfjson.Schema) *tfprotov6.Schema {
	return &tfprotov6.Schema{Version: int64(of.Version), Block: block(of.Block)}
}

func block(of *tfjson.SchemaBlock) *tfprotov6.SchemaBlock {
	made := &tfprotov6.SchemaBlock{Description: of.Description, Deprecated: of.Deprecated}
	for name, attribute := range of.Attributes {
		made.Attributes = append(made.Attributes, attributeOf(name, attribute))
	}
	for name, nested := range of.NestedBlocks {
		made.BlockTypes = append(made.BlockTypes, &tfprotov6.SchemaNestedBlock{
			TypeName: name,
			Block:    block(nested.Block),
			Nesting:  nesting[nested.NestingMode],
			MinItems: int64(nested.MinItems),
			MaxItems: int64(nested.MaxItems),
		})
	}
	return made
}

var nesting = map[tfjson.SchemaNestingMode]tfprotov6.SchemaNestedBlockNestingMode{
	tfjson.SchemaNestingModeSingle: tfprotov6.SchemaNestedBlockNestingModeSingle,
	tfjson.SchemaNestingModeGroup:  tfprotov6.SchemaNestedBlockNestingModeGroup,
	tfjson.SchemaNestingModeList:   tfprotov6.SchemaNestedBlockNestingModeList,
	tfjson.SchemaNestingModeSet:    tfprotov6.SchemaNestedBlockNestingModeSet,
	tfjson.SchemaNestingModeMap:    tfprotov6.SchemaNestedBlockNestingModeMap,
}

var objectNesting = map[tfjson.SchemaNestingMode]tfprotov6.SchemaObjectNestingMode{
	tfjson.SchemaNestingModeSingle: tfprotov6.SchemaObjectNestingModeSingle,
	tfjson.SchemaNestingModeList:   tfprotov6.SchemaObjectNestingModeList,
	tfjson.SchemaNestingModeSet:    tfprotov6.SchemaObjectNestingModeSet,
	tfjson.SchemaNestingModeMap:    tfprotov6.SchemaObjectNestingModeMap,
}

func attributeOf(name string, of *tfjson.SchemaAttribute) *tfprotov6.SchemaAttribute {
	made := &tfprotov6.SchemaAttribute{
		Name:        name,
		Description: of.Description,
		Required:    of.Required,
		Optional:    of.Optional,
		Computed:    of.Computed,
		Sensitive:   of.Sensitive,
		Deprecated:  of.Deprecated,
		WriteOnly:   of.WriteOnly,
	}
	if nested := of.AttributeNestedType; nested != nil {
		made.NestedType = &tfprotov6.SchemaObject{Nesting: objectNesting[nested.NestingMode]}
		for name, attribute := range nested.Attributes {
			made.NestedType.Attributes = append(made.NestedType.Attributes, attributeOf(name, attribute))
		}
		return made
	}
	text, err := of.AttributeType.MarshalJSON()
	if err != nil {
		panic(err)
	}
	//nolint:staticcheck // The one way from a schema's JSON to a type.
	made.Type, err = tftypes.ParseJSONType(json.RawMessage(text))
	if err != nil {
		panic(err)
	}
	return made
}

func implied(block *tfjson.SchemaBlock) cty.Type {
	types := map[string]cty.Type{}
	for name, attribute := range block.Attributes {
		types[name] = attributeType(attribute)
	}
	for name, nested := range block.NestedBlocks {
		types[name] = nestedType(nested.NestingMode, implied(nested.Block))
	}
	return cty.Object(types)
}

func attributeType(attribute *tfjson.SchemaAttribute) cty.Type {
	nested := attribute.AttributeNestedType
	if nested == nil {
		return attribute.AttributeType
	}
	types := map[string]cty.Type{}
	for name, attribute := range nested.Attributes {
		types[name] = attributeType(attribute)
	}
	return nestedType(nested.NestingMode, cty.Object(types))
}

func nestedType(mode tfjson.SchemaNestingMode, element cty.Type) cty.Type {
	switch mode {
	case tfjson.SchemaNestingModeList:
		return cty.List(element)
	case tfjson.SchemaNestingModeSet:
		return cty.Set(element)
	case tfjson.SchemaNestingModeMap:
		return cty.Map(element)
	default:
		return element
	}
}

// Configuration is the schema of a provider's own block with optional texts, and with nested blocks of such.
func Configuration(texts []string, blocks map[string][]string) *tfjson.Schema {
	made := &tfjson.SchemaBlock{Attributes: optional(texts), NestedBlocks: map[string]*tfjson.SchemaBlockType{}}
	for name, texts := range blocks {
		inner := &tfjson.SchemaBlock{Attributes: optional(texts)}
		made.NestedBlocks[name] = &tfjson.SchemaBlockType{NestingMode: tfjson.SchemaNestingModeList, MaxItems: 1, Block: inner}
	}
	return &tfjson.Schema{Block: made}
}

func optional(names []string) map[string]*tfjson.SchemaAttribute {
	made := map[string]*tfjson.SchemaAttribute{}
	for _, name := range names {
		made[name] = &tfjson.SchemaAttribute{AttributeType: cty.String, Optional: true}
	}
	if _, ok := made["tags"]; ok {
		made["tags"].AttributeType = cty.Map(cty.String)
	}
	return made
}
