package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/hashicorp/go-cty/cty"
	"github.com/hashicorp/terraform-plugin-sdk/v2/diag"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/customdiff"
	"github.com/hashicorp/terraform-plugin-sdk/v2/helper/schema"
)

// stored makes a resource type whose objects live in the state alone. What is computed follows
// from the object's name and its earlier revision. It is imported by its attributes as JSON.
func stored(resource *schema.Resource) *schema.Resource {
	keep := func(ctx context.Context, d *schema.ResourceData, _ any) diag.Diagnostics {
		if d.Id() == "" {
			d.SetId(digest(d.Get("name")))
		}
		return compute(resource, d)
	}
	resource.CreateContext = keep
	resource.UpdateContext = keep
	resource.ReadContext = schema.NoopContext
	resource.DeleteContext = schema.NoopContext
	if resource.Importer == nil {
		resource.Importer = &schema.ResourceImporter{StateContext: fromJSON}
	}
	return resource
}

func fromJSON(_ context.Context, d *schema.ResourceData, _ any) ([]*schema.ResourceData, error) {
	attributes := map[string]any{}
	if err := json.Unmarshal([]byte(d.Id()), &attributes); err != nil {
		return nil, err
	}
	d.SetId(digest(attributes["name"]))
	for name, value := range attributes {
		if err := d.Set(name, value); err != nil {
			return nil, err
		}
	}
	return []*schema.ResourceData{d}, nil
}

func compute(resource *schema.Resource, d *schema.ResourceData) diag.Diagnostics {
	set := map[string]any{}
	if _, has := resource.Schema["address"]; has {
		set["address"] = "address-" + digest(d.Get("name"), d.Get("network").(*schema.Set).Len())
	}
	if _, has := resource.Schema["revision"]; has {
		set["revision"] = d.Get("revision").(int) + 1
	}
	if region, has := resource.Schema["region"]; has && region.Computed && d.Get("region") == "" {
		set["region"] = "eu-1"
	}
	if _, has := resource.Schema["disk"]; has {
		disks := d.Get("disk").([]any)
		for index, disk := range disks {
			disk.(map[string]any)["device"] = fmt.Sprintf("/dev/vd%c", 'a'+index)
		}
		set["disk"] = disks
	}
	for name, value := range set {
		if err := d.Set(name, value); err != nil {
			return diag.FromErr(err)
		}
	}
	return nil
}

func digest(parts ...any) string {
	sum := sha256.Sum256([]byte(fmt.Sprint(parts...)))
	return hex.EncodeToString(sum[:6])
}

// instance has each kind of attribute and block of the legacy type system.
func instance() *schema.Resource {
	sameCase := func(_, before, after string, _ *schema.ResourceData) bool { return strings.EqualFold(before, after) }
	return stored(&schema.Resource{
		Description: "An instance. Changing its `name` replaces it.",
		Timeouts:    &schema.ResourceTimeout{Create: schema.DefaultTimeout(10 * time.Minute), Update: schema.DefaultTimeout(5 * time.Minute)},
		Schema: map[string]*schema.Schema{
			"name":     {Type: schema.TypeString, Required: true, ForceNew: true, Description: "The **name**; forces replacement."},
			"size":     {Type: schema.TypeInt, Optional: true, Description: "Gigabytes. May grow in place; shrinking replaces."},
			"region":   {Type: schema.TypeString, Optional: true, Computed: true, ForceNew: true},
			"zone":     {Type: schema.TypeString, Optional: true, Default: "a"},
			"label":    {Type: schema.TypeString, Optional: true, DiffSuppressFunc: sameCase},
			"script":   {Type: schema.TypeString, Optional: true, ForceNew: true, StateFunc: func(text any) string { return digest(text) }},
			"password": {Type: schema.TypeString, Optional: true, Sensitive: true},
			"ratio":    {Type: schema.TypeFloat, Optional: true},
			"enabled":  {Type: schema.TypeBool, Optional: true, Default: true},
			"tags":     {Type: schema.TypeMap, Optional: true, Elem: &schema.Schema{Type: schema.TypeString}},
			"ports":    {Type: schema.TypeList, Optional: true, Elem: &schema.Schema{Type: schema.TypeInt}},
			"groups":   {Type: schema.TypeSet, Optional: true, ForceNew: true, Elem: &schema.Schema{Type: schema.TypeString}},
			"address":  {Type: schema.TypeString, Computed: true},
			"revision": {Type: schema.TypeInt, Computed: true},
			"disk": {Type: schema.TypeList, Optional: true, Elem: &schema.Resource{Schema: map[string]*schema.Schema{
				"size":   {Type: schema.TypeInt, Required: true},
				"kind":   {Type: schema.TypeString, Optional: true, Default: "ssd", ForceNew: true},
				"device": {Type: schema.TypeString, Computed: true},
			}}},
			"network": {Type: schema.TypeSet, Optional: true, Elem: &schema.Resource{Schema: map[string]*schema.Schema{
				"subnet": {Type: schema.TypeString, Required: true},
				"public": {Type: schema.TypeBool, Optional: true},
			}}},
			"metadata": {Type: schema.TypeList, Optional: true, MaxItems: 1, Elem: &schema.Resource{Schema: map[string]*schema.Schema{
				"owner":  {Type: schema.TypeString, Optional: true},
				"labels": {Type: schema.TypeMap, Optional: true, Elem: &schema.Schema{Type: schema.TypeString}},
			}}},
			"rule": {Type: schema.TypeList, Optional: true, Computed: true, ConfigMode: schema.SchemaConfigModeAttr, Elem: &schema.Resource{Schema: map[string]*schema.Schema{
				"port":  {Type: schema.TypeInt, Optional: true},
				"allow": {Type: schema.TypeString, Optional: true},
			}}},
		},
		CustomizeDiff: customdiff.All(
			customdiff.ForceNewIfChange("size", func(_ context.Context, before, after, _ any) bool { return after.(int) < before.(int) }),
			customdiff.ComputedIf("address", func(_ context.Context, d *schema.ResourceDiff, _ any) bool { return d.HasChange("network") }),
			customdiff.ComputedIf("revision", func(_ context.Context, d *schema.ResourceDiff, _ any) bool {
				return d.HasChange("size") || d.HasChange("tags")
			}),
		),
	})
}

// record is imported by "NAME" or "NAME/VALUE".
func record() *schema.Resource {
	importer := &schema.ResourceImporter{StateContext: func(_ context.Context, d *schema.ResourceData, _ any) ([]*schema.ResourceData, error) {
		name, value, _ := strings.Cut(d.Id(), "/")
		if name == "" {
			return nil, fmt.Errorf("a record is imported by NAME or NAME/VALUE, not by %q", d.Id())
		}
		d.SetId(digest(name))
		for attribute, given := range map[string]any{"name": name, "value": value, "ttl": 300} {
			if err := d.Set(attribute, given); err != nil {
				return nil, err
			}
		}
		return []*schema.ResourceData{d}, nil
	}}
	return stored(&schema.Resource{Importer: importer, Schema: map[string]*schema.Schema{
		"name":  {Type: schema.TypeString, Required: true, ForceNew: true},
		"value": {Type: schema.TypeString, Optional: true},
		"ttl":   {Type: schema.TypeInt, Optional: true, Default: 300},
	}})
}

// upgraded is at schema version 2. With LAB_OLD_SCHEMA=0 or 1 the provider serves that version
// instead, so that a state of that version can be made.
func upgraded() *schema.Resource {
	text := func() *schema.Schema { return &schema.Schema{Type: schema.TypeString, Optional: true} }
	versions := []*schema.Resource{
		stored(&schema.Resource{SchemaVersion: 0, Schema: map[string]*schema.Schema{"label": text(), "name": text(), "size": text()}}),
		stored(&schema.Resource{SchemaVersion: 1, Schema: map[string]*schema.Schema{"name": text(), "size": text()}}),
		stored(&schema.Resource{SchemaVersion: 2, Schema: map[string]*schema.Schema{
			"name": {Type: schema.TypeString, Required: true, ForceNew: true},
			"size": {Type: schema.TypeInt, Optional: true},
		}}),
	}
	switch os.Getenv("LAB_OLD_SCHEMA") {
	case "0":
		return versions[0]
	case "1":
		return versions[1]
	}
	current := versions[2]
	current.StateUpgraders = []schema.StateUpgrader{
		{Version: 0, Type: versions[0].CoreConfigSchema().ImpliedType(), Upgrade: func(_ context.Context, state map[string]any, _ any) (map[string]any, error) {
			if label, _ := state["label"].(string); label != "" {
				state["name"] = label
			}
			delete(state, "label")
			return state, nil
		}},
		{Version: 1, Type: versions[1].CoreConfigSchema().ImpliedType(), Upgrade: func(_ context.Context, state map[string]any, _ any) (map[string]any, error) {
			var gigabytes int
			size, _ := state["size"].(string)
			if _, err := fmt.Sscanf(size, "%dGB", &gigabytes); err != nil {
				delete(state, "size")
				return state, nil
			}
			state["size"] = gigabytes
			return state, nil
		}},
	}
	return current
}

// checked refuses and warns: at an attribute, in a nested block, and between attributes.
func checked() *schema.Resource {
	even := func(value any, path cty.Path) diag.Diagnostics {
		switch number := value.(int); {
		case number%2 != 0:
			return diag.Diagnostics{{Severity: diag.Error, Summary: "Odd number", Detail: fmt.Sprintf("The number %d is not even.", number), AttributePath: path}}
		case number > 1000:
			return diag.Diagnostics{{Severity: diag.Warning, Summary: "Large number", Detail: fmt.Sprintf("The number %d is rather large.", number), AttributePath: path}}
		}
		return nil
	}
	return stored(&schema.Resource{Schema: map[string]*schema.Schema{
		"name":  {Type: schema.TypeString, Optional: true},
		"even":  {Type: schema.TypeInt, Optional: true, ValidateDiagFunc: even},
		"old":   {Type: schema.TypeString, Optional: true, Deprecated: "Use \"even\" instead.", RequiredWith: []string{"even"}},
		"other": {Type: schema.TypeString, Optional: true, ConflictsWith: []string{"name"}},
		"limit": {Type: schema.TypeList, Optional: true, Elem: &schema.Resource{Schema: map[string]*schema.Schema{
			"even": {Type: schema.TypeInt, Optional: true, ValidateDiagFunc: even},
		}}},
	}})
}
