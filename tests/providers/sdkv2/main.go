// Command terraform-provider-lab5 is a provider on terraform-plugin-sdk/v2 (protocol 5, legacy type
// system) whose resource types cover each kind of plan modification. Its objects live in the state alone.
package main

import (
	"context"
	"log"

	"github.com/hashicorp/terraform-plugin-go/tfprotov5"
	"github.com/hashicorp/terraform-plugin-go/tfprotov5/tf5server"
	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

func main() {
	serve := func() tfprotov5.ProviderServer {
		return &faulty{ProviderServer: schema.NewGRPCProviderServer(lab())}
	}
	if err := tf5server.Serve("registry.terraform.io/planlens/lab5", serve); err != nil {
		log.Fatal(err)
	}
}

func lab() *schema.Provider {
	return &schema.Provider{
		ProviderMetaSchema: map[string]*schema.Schema{"module_name": {Type: schema.TypeString, Optional: true}},
		Schema: map[string]*schema.Schema{
			"endpoint": {Type: schema.TypeString, Optional: true, DefaultFunc: schema.EnvDefaultFunc("LAB_ENDPOINT", nil)},
			"token":    {Type: schema.TypeString, Optional: true, Sensitive: true},
		},
		ConfigureContextFunc: func(_ context.Context, d *schema.ResourceData) (any, diag.Diagnostics) {
			if d.Get("endpoint") == "invalid" {
				return nil, diag.Errorf("There is no lab at this address.")
			}
			return nil, nil
		},
		ResourcesMap: with(cloud(), map[string]*schema.Resource{
			"lab5_instance": instance(),
			"lab5_record":   record(),
			"lab5_upgraded": upgraded(),
			"lab5_checked":  checked(),
		}),
		DataSourcesMap: dataSources(),
	}
}

func with(some, others map[string]*schema.Resource) map[string]*schema.Resource {
	for name, resource := range others {
		some[name] = resource
	}
	return some
}
