// Command terraform-provider-azurerm serves the published schemas of hashicorp/azurerm. `tests/providers/build` adds
// their register, in which Resources, DataSources and EphemeralResources are.
package main

import "planlens/tests/providers/cloud"

func main() {
	cloud.Serve("azurerm", cloud.Schemas{
		Provider:    cloud.Configuration([]string{"subscription_id", "tenant_id", "client_id", "resource_provider_registrations"}, map[string][]string{"features": {}}),
		Resources:   Resources,
		DataSources: DataSources,
		Ephemeral:   EphemeralResources,
		Replacing:   []string{"name", "resource_group_name", "location", "virtual_network_name", "dns_prefix"},
	})
}
