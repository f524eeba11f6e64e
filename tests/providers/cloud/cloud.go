// Package cloud is a provider that serves the published schemas of a large cloud's provider and plans as a simple one does:
// what is computed is unknown until it is applied, and stays then. Its objects live in the state alone. The schema is the
// cloud's, the planning is not.
package cloud

import (
	"context"
	"fmt"
	"hash/crc32"
	"log"
	"sync"

	"github.com/hashicorp/terraform-json"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
	"github.com/zclconf/go-cty/cty/msgpack"
)

// Schemas are those of a provider. What configures it is not published with them.
type Schemas struct {
	Provider                          *tfjson.Schema
	Resources, DataSources, Ephemeral Types
	// Attributes that replace an object when they change, whatever its type.
	Replacing []string
}

// Types are the schemas of all types of one kind. Reading all of aws takes two seconds, so each is read when it is asked for: the
// provider starts as fast as the real one, which builds its schemas from code.
type Types map[string]func() *tfjson.Schema

func (types Types) block(name string) *tfjson.SchemaBlock {
	return types[name]().Block
}

func (types Types) readOnce() {
	for name, read := range types {
		types[name] = sync.OnceValue(read)
	}
}

// Serve answers Terraform as the provider with the given name until it is told to end.
func Serve(name string, schemas Schemas) {
	schemas.Resources.readOnce()
	schemas.DataSources.readOnce()
	schemas.Ephemeral.readOnce()
	serve := func() tfprotov6.ProviderServer { return &server{Schemas: schemas} }
	if err := tf6server.Serve("registry.terraform.io/hashicorp/"+name, serve); err != nil {
		log.Fatal(err)
	}
}

type server struct {
	// For what is never asked.
	tfprotov6.ProviderServer
	Schemas
}

func (s *server) GetMetadata(context.Context, *tfprotov6.GetMetadataRequest) (*tfprotov6.GetMetadataResponse, error) {
	found := &tfprotov6.GetMetadataResponse{ServerCapabilities: &tfprotov6.ServerCapabilities{GetProviderSchemaOptional: true}}
	for name := range s.Resources {
		found.Resources = append(found.Resources, tfprotov6.ResourceMetadata{TypeName: name})
	}
	for name := range s.DataSources {
		found.DataSources = append(found.DataSources, tfprotov6.DataSourceMetadata{TypeName: name})
	}
	for name := range s.Ephemeral {
		found.EphemeralResources = append(found.EphemeralResources, tfprotov6.EphemeralResourceMetadata{TypeName: name})
	}
	return found, nil
}

func (s *server) GetProviderSchema(context.Context, *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	return &tfprotov6.GetProviderSchemaResponse{
		ServerCapabilities:       &tfprotov6.ServerCapabilities{GetProviderSchemaOptional: true},
		Provider:                 schema(s.Provider),
		ResourceSchemas:          all(s.Resources),
		DataSourceSchemas:        all(s.DataSources),
		EphemeralResourceSchemas: all(s.Ephemeral),
	}, nil
}

func (s *server) GetResourceIdentitySchemas(context.Context, *tfprotov6.GetResourceIdentitySchemasRequest) (*tfprotov6.GetResourceIdentitySchemasResponse, error) {
	return &tfprotov6.GetResourceIdentitySchemasResponse{}, nil
}

func (s *server) GetFunctions(context.Context, *tfprotov6.GetFunctionsRequest) (*tfprotov6.GetFunctionsResponse, error) {
	return &tfprotov6.GetFunctionsResponse{}, nil
}

func (s *server) ValidateProviderConfig(_ context.Context, request *tfprotov6.ValidateProviderConfigRequest) (*tfprotov6.ValidateProviderConfigResponse, error) {
	return &tfprotov6.ValidateProviderConfigResponse{PreparedConfig: request.Config}, nil
}

func (s *server) ConfigureProvider(context.Context, *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	return &tfprotov6.ConfigureProviderResponse{}, nil
}

func (s *server) StopProvider(context.Context, *tfprotov6.StopProviderRequest) (*tfprotov6.StopProviderResponse, error) {
	return &tfprotov6.StopProviderResponse{}, nil
}

func (s *server) ValidateResourceConfig(context.Context, *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	return &tfprotov6.ValidateResourceConfigResponse{}, nil
}

func (s *server) ValidateDataResourceConfig(context.Context, *tfprotov6.ValidateDataResourceConfigRequest) (*tfprotov6.ValidateDataResourceConfigResponse, error) {
	return &tfprotov6.ValidateDataResourceConfigResponse{}, nil
}

func (s *server) UpgradeResourceState(_ context.Context, request *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	value, err := ctyjson.Unmarshal(request.RawState.JSON, typeOf(s.Resources.block(request.TypeName)))
	if err != nil {
		return nil, err
	}
	upgraded, err := encode(value)
	return &tfprotov6.UpgradeResourceStateResponse{UpgradedState: upgraded}, err
}

func (s *server) ReadResource(_ context.Context, request *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	return &tfprotov6.ReadResourceResponse{NewState: request.CurrentState, Private: request.Private}, nil
}

func (s *server) PlanResourceChange(_ context.Context, request *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	response := &tfprotov6.PlanResourceChangeResponse{PlannedState: request.ProposedNewState, PlannedPrivate: request.PriorPrivate}
	block := s.Resources.block(request.TypeName)
	proposed, err := decode(request.ProposedNewState, block)
	if err != nil || proposed.IsNull() {
		return response, err
	}
	prior, err := decode(request.PriorState, block)
	if err != nil {
		return nil, err
	}
	planned := filled(block, proposed, unknown)
	if !prior.IsNull() {
		for _, name := range s.Replacing {
			attribute := block.Attributes[name]
			if attribute == nil || planned.GetAttr(name).RawEquals(prior.GetAttr(name)) {
				continue
			}
			response.RequiresReplace = append(response.RequiresReplace, attributePath(name))
		}
	}
	response.PlannedState, err = encode(planned)
	return response, err
}

func (s *server) ApplyResourceChange(_ context.Context, request *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	block := s.Resources.block(request.TypeName)
	planned, err := decode(request.PlannedState, block)
	if err != nil {
		return nil, err
	}
	made, err := cty.Transform(planned, func(path cty.Path, value cty.Value) (cty.Value, error) {
		if value.IsKnown() {
			return value, nil
		}
		return invented(nameOf(path), request.Config.MsgPack, value.Type()), nil
	})
	if err != nil {
		return nil, err
	}
	state, err := encode(made)
	return &tfprotov6.ApplyResourceChangeResponse{NewState: state, Private: request.PlannedPrivate}, err
}

func (s *server) ReadDataSource(_ context.Context, request *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	block := s.DataSources.block(request.TypeName)
	config, err := decode(request.Config, block)
	if err != nil {
		return nil, err
	}
	state, err := encode(filled(block, config, func(name string, ty cty.Type) cty.Value {
		return invented(name, request.Config.MsgPack, ty)
	}))
	return &tfprotov6.ReadDataSourceResponse{State: state}, err
}

func decode(value *tfprotov6.DynamicValue, block *tfjson.SchemaBlock) (cty.Value, error) {
	return msgpack.Unmarshal(value.MsgPack, typeOf(block))
}

// The types of blocks that were asked about: large ones take a millisecond to build.
var types sync.Map

func typeOf(block *tfjson.SchemaBlock) cty.Type {
	known, ok := types.Load(block)
	if !ok {
		known, _ = types.LoadOrStore(block, implied(block))
	}
	return known.(cty.Type)
}

func encode(value cty.Value) (*tfprotov6.DynamicValue, error) {
	bytes, err := msgpack.Marshal(value, value.Type())
	return &tfprotov6.DynamicValue{MsgPack: bytes}, err
}

func unknown(_ string, ty cty.Type) cty.Value { return cty.UnknownVal(ty) }

// filled is a block's value in which what is computed and not set is what fill says.
func filled(block *tfjson.SchemaBlock, value cty.Value, fill func(string, cty.Type) cty.Value) cty.Value {
	if value.IsNull() || !value.IsKnown() {
		return value
	}
	made := value.AsValueMap()
	for name, attribute := range block.Attributes {
		if attribute.Computed && made[name].IsNull() {
			made[name] = fill(name, made[name].Type())
		}
	}
	for name, nested := range block.NestedBlocks {
		blocks := made[name]
		switch {
		case blocks.IsNull() || !blocks.IsKnown():
		case blocks.Type().IsObjectType():
			made[name] = filled(nested.Block, blocks, fill)
		case blocks.LengthInt() == 0:
		case blocks.Type().IsMapType():
			entries := blocks.AsValueMap()
			for key, entry := range entries {
				entries[key] = filled(nested.Block, entry, fill)
			}
			made[name] = cty.MapVal(entries)
		default:
			elements := blocks.AsValueSlice()
			for index, element := range elements {
				elements[index] = filled(nested.Block, element, fill)
			}
			if blocks.Type().IsSetType() {
				made[name] = cty.SetVal(elements)
			} else {
				made[name] = cty.ListVal(elements)
			}
		}
	}
	return cty.ObjectVal(made)
}

// What a cloud would answer, if it has to be something that other arguments take.
var wellKnown = map[string]string{
	"account_id":  "123456789012",
	"region":      "eu-west-1",
	"partition":   "aws",
	"dns_suffix":  "amazonaws.com",
	"json":        "{}",
	"policy":      "{}",
	"cidr_block":  "10.0.0.0/16",
	"tenant_id":   "00000000-0000-0000-0000-000000000000",
	"project":     "example-project",
	"hosted_zone": "Z2FDTNDATAQYW2",
}

// invented is a value of a type that is always the same for the same seed.
func invented(name string, seed []byte, ty cty.Type) cty.Value {
	switch {
	case ty == cty.String:
		if known, ok := wellKnown[name]; ok {
			return cty.StringVal(known)
		}
		return cty.StringVal(fmt.Sprintf("%s-%08x", name, crc32.ChecksumIEEE(seed)))
	case ty == cty.Number:
		return cty.NumberIntVal(int64(len(name)))
	case ty == cty.Bool:
		return cty.False
	case ty.Equals(cty.List(cty.String)):
		var elements []cty.Value
		for _, letter := range "abc" {
			elements = append(elements, cty.StringVal(fmt.Sprintf("%s-%c", name, letter)))
		}
		return cty.ListVal(elements)
	case ty.IsListType():
		return cty.ListValEmpty(ty.ElementType())
	case ty.IsSetType():
		return cty.SetValEmpty(ty.ElementType())
	case ty.IsMapType():
		return cty.MapValEmpty(ty.ElementType())
	case ty.IsObjectType():
		attributes := map[string]cty.Value{}
		for name, ty := range ty.AttributeTypes() {
			attributes[name] = invented(name, seed, ty)
		}
		return cty.ObjectVal(attributes)
	default:
		return cty.NullVal(ty)
	}
}

func nameOf(path cty.Path) string {
	for index := len(path) - 1; index >= 0; index-- {
		if step, ok := path[index].(cty.GetAttrStep); ok {
			return step.Name
		}
	}
	return ""
}
