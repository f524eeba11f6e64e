//go:build tools

// Package tools has Pulumi's bridge to any provider of Terraform, which tests/pulumi/build builds. Its dependencies have other
// versions than those of the engine beside it.
package tools

import _ "github.com/pulumi/pulumi-terraform-bridge/v3/dynamic"
