package main

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/action/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func (*lab) Actions(context.Context) []func() action.Action {
	return []func() action.Action{
		func() action.Action { return &restart{} },
		func() action.Action { return &ping{} },
	}
}

// restart has arguments of each kind, and refuses some of their values.
type restart struct{}

func (*restart) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = "lab6_restart"
}

func (*restart) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{
		Description: "Restarts a device.",
		Attributes: map[string]schema.Attribute{
			"target": schema.StringAttribute{Required: true, Description: "The device. `nothing` is refused."},
			"delay":  schema.Int64Attribute{Optional: true},
			"labels": schema.MapAttribute{Optional: true, ElementType: types.StringType},
			"reason": schema.StringAttribute{Optional: true, DeprecationMessage: "Nobody reads it."},
		},
		Blocks: map[string]schema.Block{
			"step": schema.ListNestedBlock{NestedObject: schema.NestedBlockObject{Attributes: map[string]schema.Attribute{
				"command": schema.StringAttribute{Required: true},
			}}},
		},
	}
}

func (*restart) ValidateConfig(ctx context.Context, req action.ValidateConfigRequest, resp *action.ValidateConfigResponse) {
	var target types.String
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("target"), &target)...)
	if target.ValueString() == "nothing" {
		resp.Diagnostics.AddAttributeError(path.Root("target"), "No target", "Nothing can't be restarted.")
	}
}

func (*restart) ModifyPlan(ctx context.Context, req action.ModifyPlanRequest, resp *action.ModifyPlanResponse) {
	var delay types.Int64
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("delay"), &delay)...)
	switch {
	case delay.ValueInt64() < 0:
		resp.Diagnostics.AddAttributeError(path.Root("delay"), "Too early", fmt.Sprintf("%d s is in the past.", delay.ValueInt64()))
	case delay.ValueInt64() > 3600:
		resp.Diagnostics.AddWarning("Late", "It takes more than an hour.")
	}
}

func (*restart) Invoke(context.Context, action.InvokeRequest, *action.InvokeResponse) {}

// ping has no arguments.
type ping struct{}

func (*ping) Metadata(_ context.Context, _ action.MetadataRequest, resp *action.MetadataResponse) {
	resp.TypeName = "lab6_ping"
}

func (*ping) Schema(_ context.Context, _ action.SchemaRequest, resp *action.SchemaResponse) {
	resp.Schema = schema.Schema{Description: "Asks whether the lab is there."}
}

func (*ping) Invoke(context.Context, action.InvokeRequest, *action.InvokeResponse) {}
