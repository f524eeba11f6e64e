// Command terraform-provider-google serves the published schemas of hashicorp/google. `tests/providers/build` adds
// their register, in which Resources, DataSources and EphemeralResources are.
package main

import "planlens/tests/providers/cloud"

func main() {
	cloud.Serve("google", cloud.Schemas{
		Provider:    cloud.Configuration([]string{"project", "region", "zone", "credentials"}, nil),
		Resources:   Resources,
		DataSources: DataSources,
		Ephemeral:   EphemeralResources,
		Replacing:   []string{"name", "project", "location", "region", "network", "account_id", "project_id"},
	})
}
