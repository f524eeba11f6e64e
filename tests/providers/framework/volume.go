package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// disk is what volumes were once: objects of it can be moved there.
func disk() *kind {
	return &kind{name: "lab6_disk", schema: schema.Schema{Attributes: map[string]schema.Attribute{
		"id":        id(),
		"label":     schema.StringAttribute{Required: true, PlanModifiers: replaces()},
		"gigabytes": schema.Int64Attribute{Optional: true},
	}}}
}

// volume has an identity, is imported by its name, and takes objects of lab6_disk and of null_resource.
type volume struct{ *kind }

func volumeKind() *kind {
	return &kind{name: "lab6_volume", schema: schema.Schema{Attributes: map[string]schema.Attribute{
		"id":   id(),
		"name": schema.StringAttribute{Required: true, PlanModifiers: replaces()},
		"size": schema.Int64Attribute{Optional: true},
	}}}
}

type volumeIdentity struct {
	Name types.String `tfsdk:"name"`
	Zone types.String `tfsdk:"zone"`
}

type volumeState struct {
	ID   types.String `tfsdk:"id"`
	Name types.String `tfsdk:"name"`
	Size types.Int64  `tfsdk:"size"`
}

func (v *volume) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{Version: 1, Attributes: map[string]identityschema.Attribute{
		"name": identityschema.StringAttribute{RequiredForImport: true, Description: "The volume's name"},
		"zone": identityschema.StringAttribute{OptionalForImport: true},
	}}
}

// UpgradeIdentity knows version 0, which had no zone.
func (v *volume) UpgradeIdentity(context.Context) map[int64]resource.IdentityUpgrader {
	prior := identityschema.Schema{Attributes: map[string]identityschema.Attribute{
		"name": identityschema.StringAttribute{RequiredForImport: true},
	}}
	return map[int64]resource.IdentityUpgrader{0: {PriorSchema: &prior, IdentityUpgrader: func(ctx context.Context, req resource.UpgradeIdentityRequest, resp *resource.UpgradeIdentityResponse) {
		var name types.String
		resp.Diagnostics.Append(req.Identity.GetAttribute(ctx, path.Root("name"), &name)...)
		resp.Diagnostics.Append(resp.Identity.Set(ctx, identityOf(name.ValueString()))...)
	}}}
}

func identityOf(name string) volumeIdentity {
	return volumeIdentity{Name: types.StringValue(name), Zone: types.StringValue("a")}
}

func (v *volume) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	v.kind.Create(ctx, req, resp)
	var state volumeState
	if resp.Diagnostics.Append(resp.State.Get(ctx, &state)...); resp.Identity != nil {
		resp.Diagnostics.Append(resp.Identity.Set(ctx, identityOf(state.Name.ValueString()))...)
	}
}

func (v *volume) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state volumeState
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if state.Name.ValueString() == "gone" {
		resp.State.RemoveResource(ctx)
		return
	}
	if resp.Identity != nil {
		resp.Diagnostics.Append(resp.Identity.Set(ctx, identityOf(state.Name.ValueString()))...)
	}
}

// ImportState takes the name; `many` can't be found.
func (v *volume) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	name := req.ID
	if name == "" && req.Identity != nil {
		var identity volumeIdentity
		resp.Diagnostics.Append(req.Identity.Get(ctx, &identity)...)
		name = identity.Name.ValueString()
	}
	if name == "nothing" {
		resp.Diagnostics.AddError("Cannot import", "There is no volume of this name.")
		return
	}
	resp.Diagnostics.Append(resp.State.Set(ctx, volumeState{types.StringValue("volume-" + name), types.StringValue(name), types.Int64Value(10)})...)
	if resp.Identity != nil {
		resp.Diagnostics.Append(resp.Identity.Set(ctx, identityOf(name))...)
	}
}

func (v *volume) MoveState(context.Context) []resource.StateMover {
	return []resource.StateMover{{StateMover: func(ctx context.Context, req resource.MoveStateRequest, resp *resource.MoveStateResponse) {
		var source struct {
			ID        string `json:"id"`
			Label     string `json:"label"`
			Gigabytes *int64 `json:"gigabytes"`
		}
		if req.SourceTypeName != "lab6_disk" && req.SourceTypeName != "null_resource" {
			return
		}
		if err := json.Unmarshal(req.SourceRawState.JSON, &source); err != nil {
			resp.Diagnostics.AddError("Cannot move", err.Error())
			return
		}
		if source.Label == "" {
			source.Label = "moved-" + source.ID
		}
		resp.Diagnostics.Append(resp.TargetState.Set(ctx, volumeState{types.StringValue(source.ID), types.StringValue(source.Label), types.Int64PointerValue(source.Gigabytes)})...)
		if resp.TargetIdentity != nil {
			resp.Diagnostics.Append(resp.TargetIdentity.Set(ctx, identityOf(source.Label))...)
		}
	}}}
}

// planned changes its own plan: a sum that follows from two arguments, a computed nested attribute, and a mode that
// replaces only where it is set to "exclusive".
func planned() *kind {
	return &kind{
		name: "lab6_planned",
		schema: schema.Schema{Attributes: map[string]schema.Attribute{
			"id":   id(),
			"a":    schema.Int64Attribute{Required: true},
			"b":    schema.Int64Attribute{Optional: true},
			"mode": schema.StringAttribute{Optional: true},
			"sum":  schema.Int64Attribute{Computed: true},
			"kept": schema.Int64Attribute{Computed: true, PlanModifiers: []planmodifier.Int64{int64planmodifier.UseStateForUnknown()}},
			"endpoint": schema.SingleNestedAttribute{Computed: true, Attributes: map[string]schema.Attribute{
				"host": schema.StringAttribute{Computed: true},
				"port": schema.Int64Attribute{Computed: true},
			}},
			"addresses": schema.ListNestedAttribute{Optional: true, Computed: true, NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"ip":   schema.StringAttribute{Optional: true, Computed: true},
				"zone": schema.StringAttribute{Optional: true},
			}}},
		}},
		modifyPlan: func(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
			if req.Plan.Raw.IsNull() {
				return
			}
			var a, b types.Int64
			var mode, before types.String
			resp.Diagnostics.Append(req.Plan.GetAttribute(ctx, path.Root("a"), &a)...)
			resp.Diagnostics.Append(req.Plan.GetAttribute(ctx, path.Root("b"), &b)...)
			resp.Diagnostics.Append(req.Plan.GetAttribute(ctx, path.Root("mode"), &mode)...)
			if !a.IsUnknown() && !b.IsUnknown() {
				resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("sum"), a.ValueInt64()+b.ValueInt64())...)
			}
			if req.State.Raw.IsNull() {
				return
			}
			resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("mode"), &before)...)
			if mode.ValueString() == "exclusive" && before.ValueString() != "exclusive" {
				resp.RequiresReplace = append(resp.RequiresReplace, path.Root("mode"))
			}
			if a.ValueInt64() > 1000 {
				resp.Diagnostics.AddAttributeWarning(path.Root("a"), "Large number", fmt.Sprintf("The number %d is rather large.", a.ValueInt64()))
			}
		},
	}
}
