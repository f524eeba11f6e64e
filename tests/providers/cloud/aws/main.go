// Command terraform-provider-aws serves the published schemas of hashicorp/aws. `tests/providers/build` adds
// their register, in which Resources, DataSources and EphemeralResources are.
package main

import "planlens/tests/providers/cloud"

func main() {
	cloud.Serve("aws", cloud.Schemas{
		Provider:    cloud.Configuration([]string{"region", "profile", "access_key", "secret_key"}, map[string][]string{"default_tags": {"tags"}, "assume_role": {"role_arn", "session_name"}}),
		Resources:   Resources,
		DataSources: DataSources,
		Ephemeral:   EphemeralResources,
		Replacing:   []string{"name", "bucket", "cidr_block", "vpc_id", "availability_zone", "ami", "engine", "cluster_name", "function_name", "name_prefix"},
	})
}
