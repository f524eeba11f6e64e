// Command terraform-provider-lab6 is a provider on terraform-plugin-framework (protocol 6) whose
// resource types cover each kind of plan modification. Its objects live in the state alone.
package main

import (
	"context"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/metaschema"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
)

func main() {
	serve := func() tfprotov6.ProviderServer {
		server := providerserver.NewProtocol6(&lab{})()
		return &faulty{ProviderServer: server, ActionServer: server.(tfprotov6.ActionServer)}
	}
	if err := tf6server.Serve("registry.terraform.io/planlens/lab6", serve); err != nil {
		log.Fatal(err)
	}
}

// lab is the provider.
type lab struct{}

func (*lab) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "lab6"
	resp.Version = "1.0.0"
}

func (*lab) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		Description: "Objects that exist in the state alone.",
		Attributes: map[string]schema.Attribute{
			"endpoint": schema.StringAttribute{Optional: true, Description: "Address of the lab. `invalid` is refused."},
			"token":    schema.StringAttribute{Optional: true, Sensitive: true},
		},
	}
}

func (*lab) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var endpoint types.String
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("endpoint"), &endpoint)...)
	if endpoint.ValueString() == "invalid" {
		resp.Diagnostics.AddAttributeError(path.Root("endpoint"), "Invalid endpoint", "There is no lab at this address.")
	}
}

func (*lab) MetaSchema(_ context.Context, _ provider.MetaSchemaRequest, resp *provider.MetaSchemaResponse) {
	resp.Schema = metaschema.Schema{Attributes: map[string]metaschema.Attribute{
		"module_name": metaschema.StringAttribute{Optional: true},
	}}
}

func (*lab) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{
		func() datasource.DataSource { return &lookup{} },
		func() datasource.DataSource { return &failing{} },
	}
}

func (*lab) Functions(context.Context) []func() function.Function { return functions() }

func (*lab) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return []func() ephemeral.EphemeralResource{func() ephemeral.EphemeralResource { return &session{} }}
}

func (*lab) Resources(context.Context) []func() resource.Resource {
	var constructors []func() resource.Resource
	for _, each := range resources() {
		constructors = append(constructors, func() resource.Resource { return each })
	}
	constructors = append(constructors, func() resource.Resource { return &volume{kind: volumeKind()} })
	return constructors
}
