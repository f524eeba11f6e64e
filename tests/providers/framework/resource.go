package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// kind is a resource type: a schema, and what it does beyond it.
type kind struct {
	name       string
	schema     schema.Schema
	modifyPlan func(context.Context, resource.ModifyPlanRequest, *resource.ModifyPlanResponse)
	validators []resource.ConfigValidator
	upgraders  map[int64]resource.StateUpgrader
}

func (k *kind) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = k.name
}

func (k *kind) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = k.schema
}

func (k *kind) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if k.modifyPlan != nil {
		k.modifyPlan(ctx, req, resp)
	}
}

func (k *kind) ConfigValidators(context.Context) []resource.ConfigValidator { return k.validators }

func (k *kind) UpgradeState(context.Context) map[int64]resource.StateUpgrader { return k.upgraders }

func (k *kind) Create(_ context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	created, err := fill(req.Plan.Raw, tftypes.Value{})
	if err != nil {
		resp.Diagnostics.AddError("Cannot create "+k.name, err.Error())
		return
	}
	resp.State.Raw = created
}

// ImportState takes the object as JSON; what is not there is null.
func (k *kind) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	raw := tfprotov6.RawState{JSON: []byte(req.ID)}
	imported, err := raw.Unmarshal(k.schema.Type().TerraformType(ctx))
	if err != nil {
		resp.Diagnostics.AddError("Cannot import "+k.name, err.Error())
		return
	}
	resp.State.Raw = imported
}

func (k *kind) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

func (k *kind) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	updated, err := fill(req.Plan.Raw, req.State.Raw)
	if err != nil {
		resp.Diagnostics.AddError("Cannot update "+k.name, err.Error())
		return
	}
	resp.State.Raw = updated
}

func (k *kind) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

// fill gives each unknown value of the plan a value that follows from the plan and the prior state alone.
func fill(plan, prior tftypes.Value) (tftypes.Value, error) {
	inputs := plan.String()
	return tftypes.Transform(plan, func(path *tftypes.AttributePath, value tftypes.Value) (tftypes.Value, error) {
		if value.IsKnown() {
			return value, nil
		}
		sum := sha256.Sum256([]byte(inputs + path.String()))
		return known(value.Type(), hex.EncodeToString(sum[:6]), at(prior, path))
	})
}

func known(of tftypes.Type, text string, before tftypes.Value) (tftypes.Value, error) {
	switch {
	case of.Is(tftypes.String), of.Is(tftypes.DynamicPseudoType):
		return tftypes.NewValue(tftypes.String, text), nil
	case of.Is(tftypes.Number):
		count := new(big.Float)
		if before.Type() != nil && before.Type().Is(tftypes.Number) && before.IsKnown() && !before.IsNull() {
			if err := before.As(&count); err != nil {
				return tftypes.Value{}, err
			}
		}
		return tftypes.NewValue(of, new(big.Float).Add(count, big.NewFloat(1))), nil
	case of.Is(tftypes.Bool):
		return tftypes.NewValue(of, true), nil
	case of.Is(tftypes.List{}):
		element, err := known(of.(tftypes.List).ElementType, text, tftypes.Value{})
		return tftypes.NewValue(of, []tftypes.Value{element}), err
	case of.Is(tftypes.Set{}):
		element, err := known(of.(tftypes.Set).ElementType, text, tftypes.Value{})
		return tftypes.NewValue(of, []tftypes.Value{element}), err
	case of.Is(tftypes.Map{}):
		element, err := known(of.(tftypes.Map).ElementType, text, tftypes.Value{})
		return tftypes.NewValue(of, map[string]tftypes.Value{"key": element}), err
	case of.Is(tftypes.Object{}):
		attributes := map[string]tftypes.Value{}
		for name, attribute := range of.(tftypes.Object).AttributeTypes {
			value, err := known(attribute, text, tftypes.Value{})
			if err != nil {
				return tftypes.Value{}, err
			}
			attributes[name] = value
		}
		return tftypes.NewValue(of, attributes), nil
	}
	return tftypes.Value{}, fmt.Errorf("no value of type %s can be made up", of)
}

// at is the value at a path, or a value without a type where there is none.
func at(value tftypes.Value, path *tftypes.AttributePath) tftypes.Value {
	if value.Type() == nil {
		return tftypes.Value{}
	}
	found, _, err := tftypes.WalkAttributePath(value, path)
	if err != nil {
		return tftypes.Value{}
	}
	before, _ := found.(tftypes.Value)
	return before
}
