package main

import (
	"context"

	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

func dataSources() map[string]*schema.Resource {
	return map[string]*schema.Resource{"lab5_image": image(), "lab5_zones": zones(), "lab5_failing": failing()}
}

// image is found by a name and by filters; which one it is follows from these.
func image() *schema.Resource {
	return &schema.Resource{
		Schema: map[string]*schema.Schema{
			"name":        {Type: schema.TypeString, Required: true},
			"most_recent": {Type: schema.TypeBool, Optional: true, Default: false},
			"owners":      {Type: schema.TypeList, Optional: true, Elem: &schema.Schema{Type: schema.TypeString}},
			"filter": {Type: schema.TypeSet, Optional: true, Elem: &schema.Resource{Schema: map[string]*schema.Schema{
				"name":   {Type: schema.TypeString, Required: true},
				"values": {Type: schema.TypeList, Required: true, Elem: &schema.Schema{Type: schema.TypeString}},
			}}},
			"architecture": {Type: schema.TypeString, Optional: true, Computed: true},
			"checksum":     {Type: schema.TypeString, Computed: true, Sensitive: true},
			"tags":         {Type: schema.TypeMap, Computed: true, Elem: &schema.Schema{Type: schema.TypeString}},
			"disks": {Type: schema.TypeList, Computed: true, Elem: &schema.Resource{Schema: map[string]*schema.Schema{
				"device": {Type: schema.TypeString, Computed: true},
				"size":   {Type: schema.TypeInt, Computed: true},
			}}},
		},
		ReadContext: func(_ context.Context, d *schema.ResourceData, _ any) diag.Diagnostics {
			name := d.Get("name").(string)
			d.SetId("image-" + digest(name, d.Get("most_recent"), d.Get("filter").(*schema.Set).Len()))
			architecture := d.Get("architecture").(string)
			if architecture == "" {
				architecture = "x86_64"
			}
			return set(d, map[string]any{
				"architecture": architecture,
				"checksum":     digest("checksum", name),
				"tags":         map[string]any{"Name": name},
				"disks":        []any{map[string]any{"device": "/dev/vda", "size": 8}},
			})
		},
	}
}

// zones has no argument: it can always be read.
func zones() *schema.Resource {
	return &schema.Resource{
		Schema: map[string]*schema.Schema{
			"names": {Type: schema.TypeList, Computed: true, Elem: &schema.Schema{Type: schema.TypeString}},
		},
		ReadContext: func(_ context.Context, d *schema.ResourceData, _ any) diag.Diagnostics {
			d.SetId("zones")
			return set(d, map[string]any{"names": []any{"eu-1a", "eu-1b", "eu-1c"}})
		},
	}
}

func failing() *schema.Resource {
	return &schema.Resource{
		Schema: map[string]*schema.Schema{"name": {Type: schema.TypeString, Optional: true}},
		ReadContext: func(_ context.Context, d *schema.ResourceData, _ any) diag.Diagnostics {
			return diag.Diagnostics{{Severity: diag.Error, Summary: "Nothing found", Detail: "There is nothing of the name \"" + d.Get("name").(string) + "\"."}}
		},
	}
}

func set(d *schema.ResourceData, values map[string]any) diag.Diagnostics {
	for name, value := range values {
		if err := d.Set(name, value); err != nil {
			return diag.FromErr(err)
		}
	}
	return nil
}
