// Command terraform-provider-wide is a provider with as many resource types as those of large clouds have: its schema is
// what a server has to hold. Its objects live in the state alone.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
)

const (
	resourceTypes = 1500
	// Each type has so many attributes, and so many nested blocks with attributes of their own.
	attributes       = 16
	nestedBlocks     = 3
	nestedAttributes = 6
)

func main() {
	if err := tf6server.Serve("registry.terraform.io/planlens/wide", providerserver.NewProtocol6(&wide{})); err != nil {
		log.Fatal(err)
	}
}

type wide struct{}

func (*wide) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "wide"
	resp.Version = "1.0.0"
}

func (*wide) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

func (*wide) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}

func (*wide) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (*wide) Resources(context.Context) []func() resource.Resource {
	made := make([]func() resource.Resource, resourceTypes)
	for number := range made {
		made[number] = func() resource.Resource { return &kind{number} }
	}
	return made
}

// kind is the resource type of a number.
type kind struct{ number int }

func (k *kind) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = fmt.Sprintf("wide_thing_%d", k.number)
}

func (k *kind) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	made := map[string]schema.Attribute{
		"id": schema.StringAttribute{
			Computed:      true,
			PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
		},
		"name": schema.StringAttribute{
			Required:      true,
			Description:   fmt.Sprintf("The name of thing %d. Changing it replaces the thing.", k.number),
			PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
		},
	}
	for number := range attributes {
		description := fmt.Sprintf("What argument %d says of things of type %d, in a sentence as long as providers write them.", number, k.number)
		name := fmt.Sprintf("argument_%d", number)
		switch number % 4 {
		case 0:
			made[name] = schema.StringAttribute{Optional: true, Description: description}
		case 1:
			made[name] = schema.Int64Attribute{Optional: true, Description: description}
		case 2:
			made[name] = schema.BoolAttribute{Optional: true, Description: description}
		default:
			made[name] = schema.MapAttribute{ElementType: types.StringType, Optional: true, Description: description}
		}
	}
	blocks := map[string]schema.Block{}
	for block := range nestedBlocks {
		nested := map[string]schema.Attribute{}
		for number := range nestedAttributes {
			description := fmt.Sprintf("What argument %d says of block %d of things of type %d.", number, block, k.number)
			nested[fmt.Sprintf("detail_%d", number)] = schema.StringAttribute{Optional: true, Description: description}
		}
		blocks[fmt.Sprintf("block_%d", block)] = schema.ListNestedBlock{
			Description:  fmt.Sprintf("Block %d of things of type %d.", block, k.number),
			NestedObject: schema.NestedBlockObject{Attributes: nested},
		}
	}
	resp.Schema = schema.Schema{
		Description: fmt.Sprintf("Thing %d, one of many.", k.number),
		Attributes:  made,
		Blocks:      blocks,
	}
}

func (k *kind) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.State.Raw = req.Plan.Raw
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), fmt.Sprint(k.number))...)
}

func (*kind) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

func (*kind) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = req.Plan.Raw
}

func (*kind) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}
