package main

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// call is a function: what it is called, what it takes and gives, and what it does.
type call struct {
	name       string
	definition function.Definition
	run        func(context.Context, function.RunRequest, *function.RunResponse)
}

func (c *call) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = c.name
}

func (c *call) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = c.definition
}

func (c *call) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	c.run(ctx, req, resp)
}

// functions has each way in which a parameter may treat null and unknown, a variadic one, and results of all shapes.
func functions() []func() function.Function {
	endpoint := map[string]attr.Type{"host": types.StringType, "port": types.Int64Type}
	calls := []*call{
		{"join", function.Definition{
			Summary:           "Joins texts",
			Parameters:        []function.Parameter{function.StringParameter{Name: "separator"}},
			VariadicParameter: function.StringParameter{Name: "parts"},
			Return:            function.StringReturn{},
		}, func(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
			var separator string
			var parts []string
			if resp.Error = req.Arguments.Get(ctx, &separator, &parts); resp.Error == nil {
				resp.Error = resp.Result.Set(ctx, strings.Join(parts, separator))
			}
		}},
		{"endpoint", function.Definition{
			Summary:    "The host and the port of an address",
			Parameters: []function.Parameter{function.StringParameter{Name: "address"}},
			Return:     function.ObjectReturn{AttributeTypes: endpoint},
		}, func(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
			var address string
			if resp.Error = req.Arguments.Get(ctx, &address); resp.Error != nil {
				return
			}
			host, port, found := strings.Cut(address, ":")
			if !found {
				resp.Error = function.NewArgumentFuncError(0, "an address is written HOST:PORT")
				return
			}
			resp.Error = resp.Result.Set(ctx, types.ObjectValueMust(endpoint, map[string]attr.Value{
				"host": types.StringValue(host), "port": types.Int64Value(int64(len(port))),
			}))
		}},
		{"or_default", function.Definition{
			Summary:    "A text, or `default` for null",
			Parameters: []function.Parameter{function.StringParameter{Name: "text", AllowNullValue: true}},
			Return:     function.StringReturn{},
		}, func(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
			var text types.String
			if resp.Error = req.Arguments.Get(ctx, &text); resp.Error != nil {
				return
			}
			if text.IsNull() {
				text = types.StringValue("default")
			}
			resp.Error = resp.Result.Set(ctx, text)
		}},
		{"is_known", function.Definition{
			Summary:    "Whether a text is known",
			Parameters: []function.Parameter{function.StringParameter{Name: "text", AllowUnknownValues: true}},
			Return:     function.BoolReturn{},
		}, func(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
			var text types.String
			if resp.Error = req.Arguments.Get(ctx, &text); resp.Error == nil {
				resp.Error = resp.Result.Set(ctx, !text.IsUnknown())
			}
		}},
		{"any", function.Definition{
			Summary:    "What it is given",
			Parameters: []function.Parameter{function.DynamicParameter{Name: "value"}},
			Return:     function.DynamicReturn{},
		}, func(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
			var value types.Dynamic
			if resp.Error = req.Arguments.Get(ctx, &value); resp.Error == nil {
				resp.Error = resp.Result.Set(ctx, value)
			}
		}},
		{"fail", function.Definition{
			Summary:            "Fails",
			DeprecationMessage: "It never works.",
			Return:             function.StringReturn{},
		}, func(_ context.Context, _ function.RunRequest, resp *function.RunResponse) {
			resp.Error = function.NewFuncError("this function always fails")
		}},
	}
	var constructors []func() function.Function
	for _, each := range calls {
		constructors = append(constructors, func() function.Function { return each })
	}
	return constructors
}
