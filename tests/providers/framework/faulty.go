package main

import (
	"context"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"planlens/tests/providers/faults"
)

// faulty notes the calls, and misbehaves where the environment says so.
type faulty struct {
	tfprotov6.ProviderServer
	tfprotov6.ActionServer
}

func (f *faulty) GetProviderSchema(ctx context.Context, req *tfprotov6.GetProviderSchemaRequest) (*tfprotov6.GetProviderSchemaResponse, error) {
	faults.Called("GetProviderSchema", "")
	return f.ProviderServer.GetProviderSchema(ctx, req)
}

func (f *faulty) ConfigureProvider(ctx context.Context, req *tfprotov6.ConfigureProviderRequest) (*tfprotov6.ConfigureProviderResponse, error) {
	if err := faults.Configuring(ctx); err != nil {
		refusal := &tfprotov6.Diagnostic{Severity: tfprotov6.DiagnosticSeverityError, Summary: err.Error()}
		return &tfprotov6.ConfigureProviderResponse{Diagnostics: []*tfprotov6.Diagnostic{refusal}}, nil
	}
	return f.ProviderServer.ConfigureProvider(ctx, req)
}

func (f *faulty) ValidateResourceConfig(ctx context.Context, req *tfprotov6.ValidateResourceConfigRequest) (*tfprotov6.ValidateResourceConfigResponse, error) {
	faults.Called("ValidateResourceConfig", req.TypeName)
	return f.ProviderServer.ValidateResourceConfig(ctx, req)
}

func (f *faulty) UpgradeResourceState(ctx context.Context, req *tfprotov6.UpgradeResourceStateRequest) (*tfprotov6.UpgradeResourceStateResponse, error) {
	faults.Called("UpgradeResourceState", req.TypeName)
	return f.ProviderServer.UpgradeResourceState(ctx, req)
}

func (f *faulty) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	faults.Called("ReadResource", req.TypeName)
	return f.ProviderServer.ReadResource(ctx, req)
}

func (f *faulty) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	faults.Planning(ctx, req.TypeName)
	resp, err := f.ProviderServer.PlanResourceChange(ctx, req)
	if garbage := faults.Garbage(req.TypeName); err == nil && garbage != nil {
		resp.PlannedState = &tfprotov6.DynamicValue{MsgPack: garbage}
	}
	return resp, err
}

func (f *faulty) ApplyResourceChange(ctx context.Context, req *tfprotov6.ApplyResourceChangeRequest) (*tfprotov6.ApplyResourceChangeResponse, error) {
	faults.Called("ApplyResourceChange", req.TypeName)
	return f.ProviderServer.ApplyResourceChange(ctx, req)
}

func (f *faulty) ReadDataSource(ctx context.Context, req *tfprotov6.ReadDataSourceRequest) (*tfprotov6.ReadDataSourceResponse, error) {
	faults.Called("ReadDataSource", req.TypeName)
	return f.ProviderServer.ReadDataSource(ctx, req)
}

func (f *faulty) ImportResourceState(ctx context.Context, req *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	faults.Called("ImportResourceState", req.TypeName)
	return f.ProviderServer.ImportResourceState(ctx, req)
}

func (f *faulty) CallFunction(ctx context.Context, req *tfprotov6.CallFunctionRequest) (*tfprotov6.CallFunctionResponse, error) {
	faults.Called("CallFunction", req.Name)
	return f.ProviderServer.CallFunction(ctx, req)
}

func (f *faulty) OpenEphemeralResource(ctx context.Context, req *tfprotov6.OpenEphemeralResourceRequest) (*tfprotov6.OpenEphemeralResourceResponse, error) {
	faults.Called("OpenEphemeralResource", req.TypeName)
	return f.ProviderServer.OpenEphemeralResource(ctx, req)
}

func (f *faulty) InvokeAction(ctx context.Context, req *tfprotov6.InvokeActionRequest) (*tfprotov6.InvokeActionServerStream, error) {
	faults.Called("InvokeAction", req.ActionType)
	return f.ActionServer.InvokeAction(ctx, req)
}
