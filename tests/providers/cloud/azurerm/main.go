// Command terraform-provider-azurerm serves the published schemas of hashicorp/azurerm.
package main

import (
	"github.com/lonegunmanb/terraform-azurerm-schema/v4/generated"

	"planlens/tests/providers/cloud"
)

func main() {
	cloud.Serve("azurerm", cloud.Schemas{
		Provider:    cloud.Configuration([]string{"subscription_id", "tenant_id", "client_id", "resource_provider_registrations"}, map[string][]string{"features": {}}),
		Resources:   generated.Resources,
		DataSources: generated.DataSources,
		Ephemeral:   generated.EphemeralResources,
		Replacing:   []string{"name", "resource_group_name", "location", "virtual_network_name", "dns_prefix"},
	})
}
