module planlens/schemas/bundled/modules

go 1.25.8

require (
	github.com/lonegunmanb/terraform-aws-schema/v6 v6.9.0
	github.com/lonegunmanb/terraform-azuread-schema/v3 v3.5.0
	github.com/lonegunmanb/terraform-azurerm-schema/v4 v4.40.0
	github.com/lonegunmanb/terraform-google-schema/v6 v6.30.0
	github.com/lonegunmanb/terraform-helm-schema/v3 v3.0.2
	github.com/lonegunmanb/terraform-kubernetes-schema/v2 v2.38.0
)
