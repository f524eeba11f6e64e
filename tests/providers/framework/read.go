package main

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	ephemeralschema "github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// lookup finds something by its name; what it finds follows from that alone.
type lookup struct{}

type found struct {
	Name    types.String `tfsdk:"name"`
	Region  types.String `tfsdk:"region"`
	ID      types.String `tfsdk:"id"`
	Secret  types.String `tfsdk:"secret"`
	Tags    types.Map    `tfsdk:"tags"`
	Network types.Object `tfsdk:"network"`
	Filter  types.Set    `tfsdk:"filter"`
}

func (*lookup) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "lab6_lookup"
}

func (*lookup) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		Attributes: map[string]schema.Attribute{
			"name":   schema.StringAttribute{Required: true, MarkdownDescription: "What to look for. `nothing` is not found."},
			"region": schema.StringAttribute{Optional: true, Computed: true},
			"id":     schema.StringAttribute{Computed: true},
			"secret": schema.StringAttribute{Computed: true, Sensitive: true},
			"tags":   schema.MapAttribute{ElementType: types.StringType, Computed: true},
			"network": schema.SingleNestedAttribute{Computed: true, Attributes: map[string]schema.Attribute{
				"cidr": schema.StringAttribute{Computed: true},
				"mtu":  schema.Int64Attribute{Computed: true},
			}},
		},
		Blocks: map[string]schema.Block{
			"filter": schema.SetNestedBlock{NestedObject: schema.NestedBlockObject{Attributes: map[string]schema.Attribute{
				"name":   schema.StringAttribute{Required: true},
				"values": schema.ListAttribute{ElementType: types.StringType, Optional: true},
			}}},
		},
	}
}

func (*lookup) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var data found
	resp.Diagnostics.Append(req.Config.Get(ctx, &data)...)
	if resp.Diagnostics.HasError() {
		return
	}
	name := data.Name.ValueString()
	if name == "nothing" {
		resp.Diagnostics.AddAttributeError(path.Root("name"), "Nothing found", "There is nothing of this name.")
		return
	}
	if data.Region.IsNull() {
		data.Region = types.StringValue("eu-1")
	}
	data.ID = types.StringValue("found-" + name)
	data.Secret = types.StringValue("MARKER-SECRET-" + name)
	data.Tags = types.MapValueMust(types.StringType, map[string]attr.Value{"Name": types.StringValue(name)})
	network := map[string]attr.Type{"cidr": types.StringType, "mtu": types.Int64Type}
	data.Network = types.ObjectValueMust(network, map[string]attr.Value{"cidr": types.StringValue("10.0.0.0/24"), "mtu": types.Int64Value(1500)})
	resp.Diagnostics.Append(resp.State.Set(ctx, &data)...)
}

// failing finds nothing, ever.
type failing struct{}

func (*failing) Metadata(_ context.Context, _ datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = "lab6_failing"
}

func (*failing) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"name": schema.StringAttribute{Optional: true},
		"id":   schema.StringAttribute{Computed: true},
	}}
}

func (*failing) Read(_ context.Context, _ datasource.ReadRequest, resp *datasource.ReadResponse) {
	resp.Diagnostics.AddError("Nothing found", "This data source always fails.")
}

// session is an ephemeral resource: a token for a name.
type session struct{}

func (*session) Metadata(_ context.Context, _ ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	resp.TypeName = "lab6_session"
}

func (*session) Schema(_ context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	resp.Schema = ephemeralschema.Schema{Attributes: map[string]ephemeralschema.Attribute{
		"name":  ephemeralschema.StringAttribute{Required: true, MarkdownDescription: "Who asks. `nobody` is refused."},
		"token": ephemeralschema.StringAttribute{Computed: true, Sensitive: true},
	}}
}

func (*session) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	var name types.String
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("name"), &name)...)
	if name.ValueString() == "nobody" {
		resp.Diagnostics.AddAttributeError(path.Root("name"), "No session", "Nobody gets no session.")
		return
	}
	resp.RenewAt = time.Now().Add(time.Hour)
	resp.Diagnostics.Append(resp.Private.SetKey(ctx, "name", []byte(`"session"`))...)
	resp.Diagnostics.Append(resp.Result.SetAttribute(ctx, path.Root("name"), name)...)
	resp.Diagnostics.Append(resp.Result.SetAttribute(ctx, path.Root("token"), "MARKER-SECRET-"+name.ValueString())...)
}

func (*session) Renew(_ context.Context, _ ephemeral.RenewRequest, resp *ephemeral.RenewResponse) {
	resp.RenewAt = time.Now().Add(time.Hour)
}

func (*session) Close(context.Context, ephemeral.CloseRequest, *ephemeral.CloseResponse) {}
