package main

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"

	"planlens/tests/providers/faults"
)

// faulty notes the calls, and misbehaves where the environment says so.
type faulty struct{ tfprotov5.ProviderServer }

func (f *faulty) GetProviderSchema(ctx context.Context, req *tfprotov5.GetProviderSchemaRequest) (*tfprotov5.GetProviderSchemaResponse, error) {
	faults.Called("GetProviderSchema", "")
	return f.ProviderServer.GetProviderSchema(ctx, req)
}

func (f *faulty) ConfigureProvider(ctx context.Context, req *tfprotov5.ConfigureProviderRequest) (*tfprotov5.ConfigureProviderResponse, error) {
	if err := faults.Configuring(ctx); err != nil {
		refusal := &tfprotov5.Diagnostic{Severity: tfprotov5.DiagnosticSeverityError, Summary: err.Error()}
		return &tfprotov5.ConfigureProviderResponse{Diagnostics: []*tfprotov5.Diagnostic{refusal}}, nil
	}
	return f.ProviderServer.ConfigureProvider(ctx, req)
}

func (f *faulty) ValidateResourceTypeConfig(ctx context.Context, req *tfprotov5.ValidateResourceTypeConfigRequest) (*tfprotov5.ValidateResourceTypeConfigResponse, error) {
	faults.Called("ValidateResourceTypeConfig", req.TypeName)
	return f.ProviderServer.ValidateResourceTypeConfig(ctx, req)
}

func (f *faulty) UpgradeResourceState(ctx context.Context, req *tfprotov5.UpgradeResourceStateRequest) (*tfprotov5.UpgradeResourceStateResponse, error) {
	faults.Called("UpgradeResourceState", req.TypeName)
	return f.ProviderServer.UpgradeResourceState(ctx, req)
}

func (f *faulty) ReadResource(ctx context.Context, req *tfprotov5.ReadResourceRequest) (*tfprotov5.ReadResourceResponse, error) {
	faults.Called("ReadResource", req.TypeName)
	return f.ProviderServer.ReadResource(ctx, req)
}

func (f *faulty) PlanResourceChange(ctx context.Context, req *tfprotov5.PlanResourceChangeRequest) (*tfprotov5.PlanResourceChangeResponse, error) {
	faults.Planning(ctx, req.TypeName)
	resp, err := f.ProviderServer.PlanResourceChange(ctx, req)
	if garbage := faults.Garbage(req.TypeName); err == nil && garbage != nil {
		resp.PlannedState = &tfprotov5.DynamicValue{MsgPack: garbage}
	}
	return resp, err
}

func (f *faulty) ApplyResourceChange(ctx context.Context, req *tfprotov5.ApplyResourceChangeRequest) (*tfprotov5.ApplyResourceChangeResponse, error) {
	faults.Called("ApplyResourceChange", req.TypeName)
	return f.ProviderServer.ApplyResourceChange(ctx, req)
}

func (f *faulty) ReadDataSource(ctx context.Context, req *tfprotov5.ReadDataSourceRequest) (*tfprotov5.ReadDataSourceResponse, error) {
	faults.Called("ReadDataSource", req.TypeName)
	return f.ProviderServer.ReadDataSource(ctx, req)
}

func (f *faulty) ImportResourceState(ctx context.Context, req *tfprotov5.ImportResourceStateRequest) (*tfprotov5.ImportResourceStateResponse, error) {
	faults.Called("ImportResourceState", req.TypeName)
	return f.ProviderServer.ImportResourceState(ctx, req)
}
