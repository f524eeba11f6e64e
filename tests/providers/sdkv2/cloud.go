package main

import (
	"context"
	"fmt"
	"sort"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

// cloud has resource types in the shape of those of a large public cloud: many attributes that are optional and
// computed, nested blocks, sets of blocks, tags with a computed union.
func cloud() map[string]*schema.Resource {
	types := map[string]map[string]*schema.Schema{
		"lab5_vpc": {
			"cidr_block":           force(required(text())),
			"instance_tenancy":     force(defaulting(text(), "default")),
			"enable_dns_support":   defaulting(flag(), true),
			"enable_dns_hostnames": either(flag()),
			"arn":                  computed(text()), "main_route_table_id": computed(text()),
			"default_security_group_id": computed(text()), "ipv6_cidr_block": either(text()), "owner_id": computed(text()),
		},
		"lab5_subnet": {
			"vpc_id": force(required(text())), "cidr_block": force(optional(text())),
			"availability_zone": force(either(text())), "availability_zone_id": force(either(text())),
			"map_public_ip_on_launch": defaulting(flag(), false), "assign_ipv6_address_on_creation": defaulting(flag(), false),
			"arn": computed(text()), "owner_id": computed(text()),
		},
		"lab5_gateway":    {"vpc_id": optional(text()), "arn": computed(text()), "owner_id": computed(text())},
		"lab5_eip":        {"domain": force(either(text())), "instance": either(text()), "public_ip": computed(text()), "allocation_id": computed(text())},
		"lab5_nat":        {"allocation_id": force(optional(text())), "subnet_id": force(required(text())), "connectivity_type": force(defaulting(text(), "public")), "private_ip": force(either(text())), "public_ip": computed(text())},
		"lab5_log_group":  {"retention_in_days": defaulting(number(), 0), "kms_key_id": optional(text()), "skip_destroy": defaulting(flag(), false), "arn": computed(text())},
		"lab5_key":        {"description": either(text()), "policy": either(text()), "enable_key_rotation": defaulting(flag(), false), "deletion_window_in_days": optional(number()), "is_enabled": defaulting(flag(), true), "arn": computed(text()), "key_id": computed(text())},
		"lab5_policy":     {"path": force(defaulting(text(), "/")), "policy": required(text()), "description": force(optional(text())), "arn": computed(text()), "policy_id": computed(text())},
		"lab5_attachment": {"role": force(required(text())), "policy_arn": force(required(text()))},
		"lab5_role": {
			"assume_role_policy": required(text()), "path": force(defaulting(text(), "/")), "description": optional(text()),
			"max_session_duration": defaulting(number(), 3600), "force_detach_policies": defaulting(flag(), false),
			"managed_policy_arns": either(setOf(texts())), "permissions_boundary": optional(text()),
			"arn": computed(text()), "unique_id": computed(text()), "create_date": computed(text()),
			"inline_policy": either(setOf(nested(map[string]*schema.Schema{"name": optional(text()), "policy": optional(text())}))),
		},
		"lab5_route_table": {
			"vpc_id": force(required(text())), "propagating_vgws": either(setOf(texts())), "arn": computed(text()), "owner_id": computed(text()),
			"route": attribute(either(setOf(nested(map[string]*schema.Schema{
				"cidr_block": optional(text()), "gateway_id": optional(text()), "nat_gateway_id": optional(text()),
			})))),
		},
		"lab5_route":       {"route_table_id": force(required(text())), "destination_cidr_block": force(optional(text())), "gateway_id": optional(text()), "nat_gateway_id": optional(text()), "origin": computed(text()), "state": computed(text())},
		"lab5_association": {"subnet_id": force(optional(text())), "gateway_id": force(optional(text())), "route_table_id": required(text())},
		"lab5_security_group": {
			"description": force(defaulting(text(), "Managed by Terraform")), "vpc_id": force(either(text())), "name_prefix": force(either(text())),
			"revoke_rules_on_delete": defaulting(flag(), false), "arn": computed(text()), "owner_id": computed(text()),
			"ingress": attribute(either(setOf(rule()))), "egress": attribute(either(setOf(rule()))),
		},
		"lab5_rule": {
			"type": force(required(text())), "security_group_id": force(required(text())), "protocol": force(required(text())),
			"from_port": force(required(number())), "to_port": force(required(number())), "cidr_blocks": force(optional(listOf(texts()))),
			"source_security_group_id": force(either(text())), "self": force(defaulting(flag(), false)), "description": optional(text()), "security_group_rule_id": computed(text()),
		},
		"lab5_machine": machine(),
		"lab5_cluster": {
			"role_arn": force(required(text())), "version": either(text()), "enabled_cluster_log_types": optional(setOf(texts())),
			"bootstrap_self_managed_addons": force(defaulting(flag(), true)),
			"arn":                           computed(text()), "endpoint": computed(text()), "platform_version": computed(text()), "status": computed(text()), "created_at": computed(text()),
			"certificate_authority": computed(listOf(nested(map[string]*schema.Schema{"data": computed(text())}))),
			"identity":              computed(listOf(nested(map[string]*schema.Schema{"oidc": computed(listOf(nested(map[string]*schema.Schema{"issuer": computed(text())})))}))),
			"vpc_config": one(required(listOf(nested(map[string]*schema.Schema{
				"subnet_ids": required(setOf(texts())), "security_group_ids": optional(setOf(texts())),
				"endpoint_private_access": defaulting(flag(), false), "endpoint_public_access": defaulting(flag(), true),
				"public_access_cidrs": either(setOf(texts())), "cluster_security_group_id": computed(text()), "vpc_id": computed(text()),
			})))),
			"access_config": one(either(listOf(nested(map[string]*schema.Schema{
				"authentication_mode": either(text()), "bootstrap_cluster_creator_admin_permissions": force(optional(flag())),
			})))),
			"encryption_config": one(optional(listOf(nested(map[string]*schema.Schema{
				"resources": required(setOf(texts())),
				"provider":  one(required(listOf(nested(map[string]*schema.Schema{"key_arn": force(required(text()))})))),
			})))),
			"kubernetes_network_config": one(either(listOf(nested(map[string]*schema.Schema{
				"service_ipv4_cidr": force(either(text())), "service_ipv6_cidr": computed(text()), "ip_family": force(either(text())),
			})))),
		},
		"lab5_node_group": {
			"cluster_name": force(required(text())), "node_role_arn": force(required(text())), "subnet_ids": force(required(setOf(texts()))),
			"ami_type": force(either(text())), "capacity_type": force(either(text())), "disk_size": force(either(number())), "instance_types": force(either(listOf(texts()))),
			"labels": optional(&schema.Schema{Type: schema.TypeMap, Elem: texts()}), "version": either(text()), "release_version": either(text()), "force_update_version": optional(flag()),
			"arn": computed(text()), "status": computed(text()),
			"resources": computed(listOf(nested(map[string]*schema.Schema{
				"autoscaling_groups":              computed(listOf(nested(map[string]*schema.Schema{"name": computed(text())}))),
				"remote_access_security_group_id": computed(text()),
			}))),
			"scaling_config":  one(required(listOf(nested(map[string]*schema.Schema{"desired_size": required(number()), "max_size": required(number()), "min_size": required(number())})))),
			"update_config":   one(either(listOf(nested(map[string]*schema.Schema{"max_unavailable": optional(number()), "max_unavailable_percentage": optional(number())})))),
			"taint":           optional(setOf(nested(map[string]*schema.Schema{"key": required(text()), "value": optional(text()), "effect": required(text())}))),
			"launch_template": one(optional(listOf(nested(map[string]*schema.Schema{"id": force(either(text())), "name": force(either(text())), "version": required(text())})))),
		},
	}
	resources := map[string]*schema.Resource{}
	for name, attributes := range types {
		resources[name] = remote(name, attributes)
	}
	return resources
}

// machine has the most attributes.
func machine() map[string]*schema.Schema {
	volume := func(more map[string]*schema.Schema) *schema.Resource {
		attributes := map[string]*schema.Schema{
			"delete_on_termination": defaulting(flag(), true), "encrypted": force(either(flag())), "iops": either(number()), "kms_key_id": force(either(text())),
			"throughput": either(number()), "volume_id": computed(text()), "volume_size": either(number()), "volume_type": either(text()),
		}
		for name, attribute := range more {
			attributes[name] = attribute
		}
		return nested(attributes)
	}
	return map[string]*schema.Schema{
		"ami": force(either(text())), "instance_type": either(text()), "availability_zone": force(either(text())), "subnet_id": force(either(text())),
		"vpc_security_group_ids": either(setOf(texts())), "security_groups": force(either(setOf(texts()))), "key_name": force(either(text())),
		"associate_public_ip_address": force(either(flag())), "private_ip": force(either(text())), "secondary_private_ips": either(setOf(texts())),
		"source_dest_check": defaulting(flag(), true), "ebs_optimized": force(either(flag())), "monitoring": either(flag()), "iam_instance_profile": either(text()),
		"user_data": hashed(force(either(text()))), "user_data_base64": either(text()), "user_data_replace_on_change": defaulting(flag(), false),
		"disable_api_termination": either(flag()), "disable_api_stop": either(flag()), "instance_initiated_shutdown_behavior": either(text()),
		"placement_group": force(either(text())), "placement_partition_number": force(either(number())), "tenancy": force(either(text())), "host_id": force(either(text())),
		"cpu_core_count": force(either(number())), "cpu_threads_per_core": force(either(number())), "hibernation": force(optional(flag())), "get_password_data": defaulting(flag(), false),
		"ipv6_address_count": either(number()), "ipv6_addresses": either(listOf(texts())), "volume_tags": optional(&schema.Schema{Type: schema.TypeMap, Elem: texts()}),
		"arn": computed(text()), "instance_state": computed(text()), "password_data": computed(text()), "primary_network_interface_id": computed(text()),
		"private_dns": computed(text()), "public_dns": computed(text()), "public_ip": computed(text()), "spot_instance_request_id": computed(text()), "instance_lifecycle": computed(text()),
		"root_block_device": one(either(listOf(volume(map[string]*schema.Schema{"device_name": computed(text())})))),
		"ebs_block_device":  either(setOf(volume(map[string]*schema.Schema{"device_name": force(required(text())), "snapshot_id": force(either(text()))}))),
		"ephemeral_block_device": force(either(setOf(nested(map[string]*schema.Schema{
			"device_name": required(text()), "no_device": optional(flag()), "virtual_name": optional(text()),
		})))),
		"network_interface": force(either(setOf(nested(map[string]*schema.Schema{
			"device_index": force(required(number())), "network_interface_id": force(required(text())), "delete_on_termination": force(defaulting(flag(), false)), "network_card_index": force(defaulting(number(), 0)),
		})))),
		"metadata_options": one(either(listOf(nested(map[string]*schema.Schema{
			"http_endpoint": either(text()), "http_tokens": either(text()), "http_put_response_hop_limit": either(number()), "instance_metadata_tags": either(text()),
		})))),
		"credit_specification": one(optional(listOf(nested(map[string]*schema.Schema{"cpu_credits": optional(text())})))),
		"enclave_options":      one(force(either(listOf(nested(map[string]*schema.Schema{"enabled": force(either(flag()))}))))),
		"maintenance_options":  one(either(listOf(nested(map[string]*schema.Schema{"auto_recovery": either(text())})))),
	}
}

func rule() *schema.Resource {
	return nested(map[string]*schema.Schema{
		"from_port": required(number()), "to_port": required(number()), "protocol": required(text()), "description": optional(text()), "self": defaulting(flag(), false),
		"cidr_blocks": optional(listOf(texts())), "ipv6_cidr_blocks": optional(listOf(texts())), "security_groups": optional(setOf(texts())),
	})
}

// remote makes a resource type of attributes. All have a name, and tags with their union.
func remote(typeName string, attributes map[string]*schema.Schema) *schema.Resource {
	attributes["name"] = force(either(text()))
	attributes["tags"] = optional(&schema.Schema{Type: schema.TypeMap, Elem: texts()})
	attributes["tags_all"] = either(&schema.Schema{Type: schema.TypeMap, Elem: texts()})
	keep := func(_ context.Context, d *schema.ResourceData, _ any) diag.Diagnostics {
		key := typeName
		for _, name := range sorted(attributes) {
			if attributes[name].ForceNew {
				key += fmt.Sprint(name, d.Get(name))
			}
		}
		if d.Id() == "" {
			d.SetId(digest(key, d.Get("tags")))
		}
		values := map[string]any{}
		for _, name := range sorted(attributes) {
			if value, changed := filled(attributes[name], d.Get(name), d.Id()+name); changed {
				values[name] = value
			}
		}
		values["tags_all"] = union(d.Get("tags"))
		return set(d, values)
	}
	return &schema.Resource{
		Schema:        attributes,
		CreateContext: keep,
		UpdateContext: keep,
		ReadContext:   schema.NoopContext,
		DeleteContext: schema.NoopContext,
		CustomizeDiff: func(_ context.Context, d *schema.ResourceDiff, _ any) error {
			if !d.GetRawConfig().GetAttr("tags").IsWhollyKnown() {
				return d.SetNewComputed("tags_all")
			}
			return d.SetNew("tags_all", union(d.Get("tags")))
		},
	}
}

func union(tags any) map[string]any {
	all := map[string]any{"ManagedBy": "lab"}
	for name, value := range tags.(map[string]any) {
		all[name] = value
	}
	return all
}

// filled gives a computed attribute that has no value one that follows from `key` alone, also inside of blocks.
func filled(attribute *schema.Schema, value any, key string) (any, bool) {
	block, isBlock := attribute.Elem.(*schema.Resource)
	switch {
	case attribute.Type == schema.TypeString && attribute.Computed && value == "":
		return digest(key), true
	case attribute.Type == schema.TypeInt && attribute.Computed && value == 0:
		return 1, true
	case isBlock:
		elements, _ := value.([]any)
		if set, ok := any(value).(*schema.Set); ok {
			elements = set.List()
		}
		if attribute.Computed && !attribute.Optional && len(elements) == 0 {
			elements = []any{map[string]any{}}
		}
		for index, element := range elements {
			fields, _ := element.(map[string]any)
			for _, name := range sorted(block.Schema) {
				field, has := fields[name]
				if !has {
					field = block.Schema[name].ZeroValue()
				}
				fields[name], _ = filled(block.Schema[name], field, fmt.Sprint(key, index, name))
			}
		}
		return elements, true
	}
	return value, false
}

func sorted(attributes map[string]*schema.Schema) []string {
	var names []string
	for name := range attributes {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

func text() *schema.Schema   { return &schema.Schema{Type: schema.TypeString} }
func number() *schema.Schema { return &schema.Schema{Type: schema.TypeInt} }
func flag() *schema.Schema   { return &schema.Schema{Type: schema.TypeBool} }
func texts() *schema.Schema  { return text() }

func nested(attributes map[string]*schema.Schema) *schema.Resource {
	return &schema.Resource{Schema: attributes}
}

func listOf(of any) *schema.Schema { return &schema.Schema{Type: schema.TypeList, Elem: of} }
func setOf(of any) *schema.Schema  { return &schema.Schema{Type: schema.TypeSet, Elem: of} }

func required(s *schema.Schema) *schema.Schema { s.Required = true; return s }
func optional(s *schema.Schema) *schema.Schema { s.Optional = true; return s }
func computed(s *schema.Schema) *schema.Schema { s.Computed = true; return s }
func either(s *schema.Schema) *schema.Schema   { s.Optional, s.Computed = true, true; return s }
func force(s *schema.Schema) *schema.Schema    { s.ForceNew = true; return s }
func one(s *schema.Schema) *schema.Schema      { s.MaxItems = 1; return s }

// attribute lets a block be assigned as an attribute, also to an empty list.
func attribute(s *schema.Schema) *schema.Schema {
	s.ConfigMode = schema.SchemaConfigModeAttr
	return s
}

func defaulting(s *schema.Schema, value any) *schema.Schema {
	s.Optional, s.Default = true, value
	return s
}

func hashed(s *schema.Schema) *schema.Schema {
	s.StateFunc = func(value any) string {
		if value == "" {
			return ""
		}
		return digest(value)
	}
	return s
}
