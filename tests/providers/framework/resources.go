package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/boolplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64default"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/listplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func resources() []*kind {
	return []*kind{server(), note(), secret(), cluster(), service(), document(), upgraded(), checked(), disk(), planned(), described()}
}

// id is known after the first apply and stays.
func id() schema.StringAttribute {
	return schema.StringAttribute{
		Computed:      true,
		PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()},
	}
}

func replaces() []planmodifier.String {
	return []planmodifier.String{stringplanmodifier.RequiresReplace()}
}

// server has attributes only: each way in which one may force a replacement or become unknown.
func server() *kind {
	shrinks := func(_ context.Context, req planmodifier.Int64Request, resp *int64planmodifier.RequiresReplaceIfFuncResponse) {
		resp.RequiresReplace = req.PlanValue.ValueInt64() < req.StateValue.ValueInt64()
	}
	return &kind{name: "lab6_server", schema: schema.Schema{
		MarkdownDescription: "A server. Changing its `name` replaces it.",
		Attributes: map[string]schema.Attribute{
			"id":   id(),
			"name": schema.StringAttribute{Required: true, PlanModifiers: replaces(), MarkdownDescription: "The **name**; forces replacement."},
			"size": schema.Int64Attribute{Optional: true, MarkdownDescription: "Gigabytes. May grow in place; shrinking replaces.",
				PlanModifiers: []planmodifier.Int64{int64planmodifier.RequiresReplaceIf(shrinks, "Replaces when it shrinks.", "Replaces when it shrinks.")}},
			"region": schema.StringAttribute{Optional: true, Computed: true,
				PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown(), stringplanmodifier.RequiresReplaceIfConfigured()}},
			"tier":     schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString("basic")},
			"ratio":    schema.Float64Attribute{Optional: true},
			"quota":    schema.NumberAttribute{Optional: true},
			"enabled":  schema.BoolAttribute{Optional: true, PlanModifiers: []planmodifier.Bool{boolplanmodifier.RequiresReplace()}},
			"tags":     schema.MapAttribute{ElementType: types.StringType, Optional: true},
			"zones":    schema.ListAttribute{ElementType: types.StringType, Optional: true, PlanModifiers: []planmodifier.List{listplanmodifier.RequiresReplace()}},
			"groups":   schema.SetAttribute{ElementType: types.StringType, Optional: true},
			"address":  schema.StringAttribute{Computed: true},
			"revision": schema.Int64Attribute{Computed: true},
		},
	}}
}

// note keeps its text as it was while only case and white space differ.
func note() *kind {
	return &kind{name: "lab6_note", schema: schema.Schema{Attributes: map[string]schema.Attribute{
		"id":    id(),
		"text":  schema.StringAttribute{Required: true, PlanModifiers: []planmodifier.String{normalised{}}},
		"title": schema.StringAttribute{Optional: true},
	}}}
}

type normalised struct{}

func (normalised) Description(context.Context) string {
	return "Case and white space make no difference."
}

func (n normalised) MarkdownDescription(ctx context.Context) string { return n.Description(ctx) }

func (normalised) PlanModifyString(_ context.Context, req planmodifier.StringRequest, resp *planmodifier.StringResponse) {
	normal := func(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }
	if !req.StateValue.IsNull() && !req.PlanValue.IsUnknown() && normal(req.StateValue.ValueString()) == normal(req.PlanValue.ValueString()) {
		resp.PlanValue = req.StateValue
	}
}

// secret holds each kind of value that must not be shown.
func secret() *kind {
	return &kind{name: "lab6_secret", schema: schema.Schema{Attributes: map[string]schema.Attribute{
		"id":               id(),
		"name":             schema.StringAttribute{Optional: true},
		"password":         schema.StringAttribute{Optional: true, Sensitive: true},
		"pin":              schema.StringAttribute{Optional: true, Sensitive: true, PlanModifiers: replaces()},
		"token":            schema.StringAttribute{Computed: true, Sensitive: true},
		"write_only":       schema.StringAttribute{Optional: true, WriteOnly: true},
		"write_only_count": schema.Int64Attribute{Optional: true},
		"login": schema.SingleNestedAttribute{Optional: true, Attributes: map[string]schema.Attribute{
			"user": schema.StringAttribute{Optional: true},
			"key":  schema.StringAttribute{Optional: true, Sensitive: true},
		}},
	}}}
}

// cluster has each nesting of nested attributes.
func cluster() *kind {
	disks := schema.SetNestedAttribute{Optional: true, NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
		"size": schema.Int64Attribute{Required: true},
		"kind": schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString("ssd")},
	}}}
	return &kind{name: "lab6_cluster", schema: schema.Schema{Attributes: map[string]schema.Attribute{
		"id":   id(),
		"name": schema.StringAttribute{Required: true},
		"network": schema.SingleNestedAttribute{Optional: true, Attributes: map[string]schema.Attribute{
			"cidr":    schema.StringAttribute{Required: true, PlanModifiers: replaces()},
			"mtu":     schema.Int64Attribute{Optional: true, Computed: true, Default: int64default.StaticInt64(1500)},
			"gateway": schema.StringAttribute{Computed: true, PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()}},
		}},
		"nodes": schema.ListNestedAttribute{Optional: true, NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"name":    schema.StringAttribute{Required: true, PlanModifiers: replaces()},
			"address": schema.StringAttribute{Computed: true, PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()}},
			"disks":   disks,
		}}},
		"rules": schema.SetNestedAttribute{Optional: true, NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"port":     schema.Int64Attribute{Required: true},
			"protocol": schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString("tcp")},
			"secret":   schema.StringAttribute{Optional: true, Sensitive: true},
		}}},
		"pools": schema.MapNestedAttribute{Optional: true, NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"size":   schema.Int64Attribute{Required: true},
			"labels": schema.MapAttribute{ElementType: types.StringType, Optional: true},
			"ready":  schema.BoolAttribute{Computed: true},
		}}},
	}}}
}

// service has each nesting of nested blocks.
func service() *kind {
	return &kind{name: "lab6_service", schema: schema.Schema{
		Attributes: map[string]schema.Attribute{
			"id":   id(),
			"name": schema.StringAttribute{Required: true},
		},
		Blocks: map[string]schema.Block{
			"port": schema.ListNestedBlock{NestedObject: schema.NestedBlockObject{
				Attributes: map[string]schema.Attribute{
					"number":   schema.Int64Attribute{Required: true},
					"protocol": schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString("tcp")},
					"handle":   schema.StringAttribute{Computed: true, PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()}},
				},
				Blocks: map[string]schema.Block{
					"allow": schema.ListNestedBlock{NestedObject: schema.NestedBlockObject{Attributes: map[string]schema.Attribute{
						"from": schema.StringAttribute{Optional: true, PlanModifiers: replaces()},
					}}},
				},
			}},
			"volume": schema.SetNestedBlock{NestedObject: schema.NestedBlockObject{Attributes: map[string]schema.Attribute{
				"path": schema.StringAttribute{Required: true},
				"size": schema.Int64Attribute{Optional: true},
			}}},
			"logging": schema.SingleNestedBlock{Attributes: map[string]schema.Attribute{
				"level":  schema.StringAttribute{Optional: true, PlanModifiers: replaces()},
				"format": schema.StringAttribute{Optional: true},
			}},
			"timeouts": schema.SingleNestedBlock{Attributes: map[string]schema.Attribute{
				"create": schema.StringAttribute{Optional: true},
				"update": schema.StringAttribute{Optional: true},
			}},
		},
	}}
}

// document holds a value of any type.
func document() *kind {
	return &kind{name: "lab6_document", schema: schema.Schema{Attributes: map[string]schema.Attribute{
		"id":      id(),
		"content": schema.DynamicAttribute{Required: true},
		"digest":  schema.StringAttribute{Computed: true},
	}}}
}

// upgraded is at schema version 2. With LAB_OLD_SCHEMA=0 or 1 the provider serves that version
// instead, so that a state of that version can be made.
func upgraded() *kind {
	versions := []schema.Schema{
		{Version: 0, Attributes: map[string]schema.Attribute{
			"id": id(), "label": schema.StringAttribute{Required: true}, "size": schema.StringAttribute{Optional: true},
		}},
		{Version: 1, Attributes: map[string]schema.Attribute{
			"id": id(), "name": schema.StringAttribute{Required: true}, "size": schema.StringAttribute{Optional: true},
		}},
		{Version: 2, Attributes: map[string]schema.Attribute{
			"id": id(), "name": schema.StringAttribute{Required: true, PlanModifiers: replaces()}, "size": schema.Int64Attribute{Optional: true},
		}},
	}
	switch os.Getenv("LAB_OLD_SCHEMA") {
	case "0":
		return &kind{name: "lab6_upgraded", schema: versions[0]}
	case "1":
		return &kind{name: "lab6_upgraded", schema: versions[1]}
	}
	upgradeFrom := func(old schema.Schema, nameAttribute string) resource.StateUpgrader {
		return resource.StateUpgrader{PriorSchema: &old, StateUpgrader: func(ctx context.Context, req resource.UpgradeStateRequest, resp *resource.UpgradeStateResponse) {
			var id, name, size types.String
			resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("id"), &id)...)
			resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root(nameAttribute), &name)...)
			resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("size"), &size)...)
			gigabytes := types.Int64Null()
			var count int64
			if _, err := fmt.Sscanf(size.ValueString(), "%dGB", &count); err == nil {
				gigabytes = types.Int64Value(count)
			}
			resp.Diagnostics.Append(resp.State.Set(ctx, struct {
				ID   types.String `tfsdk:"id"`
				Name types.String `tfsdk:"name"`
				Size types.Int64  `tfsdk:"size"`
			}{id, name, gigabytes})...)
		}}
	}
	return &kind{name: "lab6_upgraded", schema: versions[2], upgraders: map[int64]resource.StateUpgrader{
		0: upgradeFrom(versions[0], "label"),
		1: upgradeFrom(versions[1], "name"),
	}}
}

// checked refuses and warns: at an attribute, at a nested attribute, at the whole resource, and while planning.
func checked() *kind {
	return &kind{
		name: "lab6_checked",
		schema: schema.Schema{Attributes: map[string]schema.Attribute{
			"id":   id(),
			"even": schema.Int64Attribute{Optional: true, Validators: []validator.Int64{even{}}},
			"old":  schema.StringAttribute{Optional: true, DeprecationMessage: "Use \"even\" instead."},
			"limits": schema.ListNestedAttribute{Optional: true, NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
				"even": schema.Int64Attribute{Optional: true, Validators: []validator.Int64{even{}}},
			}}},
			"planned": schema.StringAttribute{Optional: true},
		}},
		validators: []resource.ConfigValidator{together{}},
		modifyPlan: func(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
			var planned types.String
			if req.Plan.Raw.IsNull() || req.Plan.GetAttribute(ctx, path.Root("planned"), &planned).HasError() {
				return
			}
			switch planned.ValueString() {
			case "error":
				resp.Diagnostics.AddAttributeError(path.Root("planned"), "Cannot be planned", "The value \"error\" fails while planning.")
			case "warning":
				resp.Diagnostics.AddAttributeWarning(path.Root("planned"), "Risky plan", "The value \"warning\" warns while planning.")
			}
		},
	}
}

// described is what the module says of itself in a provider_meta block.
func described() *kind {
	return &kind{
		name: "lab6_described",
		schema: schema.Schema{Attributes: map[string]schema.Attribute{
			"id":     id(),
			"name":   schema.StringAttribute{Optional: true},
			"module": schema.StringAttribute{Computed: true},
		}},
		modifyPlan: func(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
			module := types.StringValue("unnamed")
			if req.Plan.Raw.IsNull() {
				return
			}
			if !req.ProviderMeta.Raw.IsNull() {
				resp.Diagnostics.Append(req.ProviderMeta.GetAttribute(ctx, path.Root("module_name"), &module)...)
			}
			resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("module"), module)...)
		},
	}
}

type even struct{}

func (even) Description(context.Context) string { return "must be even" }

func (e even) MarkdownDescription(ctx context.Context) string { return e.Description(ctx) }

func (even) ValidateInt64(_ context.Context, req validator.Int64Request, resp *validator.Int64Response) {
	switch number := req.ConfigValue.ValueInt64(); {
	case number%2 != 0:
		resp.Diagnostics.AddAttributeError(req.Path, "Odd number", fmt.Sprintf("The number %d is not even.", number))
	case number > 1000:
		resp.Diagnostics.AddAttributeWarning(req.Path, "Large number", fmt.Sprintf("The number %d is rather large.", number))
	}
}

type together struct{}

func (together) Description(context.Context) string { return "\"old\" needs \"even\"" }

func (t together) MarkdownDescription(ctx context.Context) string { return t.Description(ctx) }

func (together) ValidateResource(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	var old types.String
	var even types.Int64
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("old"), &old)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("even"), &even)...)
	if !old.IsNull() && even.IsNull() {
		resp.Diagnostics.AddError("Missing number", "\"old\" may be set only together with \"even\".")
	}
}
