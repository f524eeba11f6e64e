// Command terraform-provider-google serves the published schemas of hashicorp/google.
package main

import (
	"github.com/lonegunmanb/terraform-google-schema/v6/generated"

	"planlens/tests/providers/cloud"
)

func main() {
	cloud.Serve("google", cloud.Schemas{
		Provider:    cloud.Configuration([]string{"project", "region", "zone", "credentials"}, nil),
		Resources:   generated.Resources,
		DataSources: generated.DataSources,
		Ephemeral:   generated.EphemeralResources,
		Replacing:   []string{"name", "project", "location", "region", "network", "account_id", "project_id"},
	})
}
