// A provider for tests of Pulumi programs: each rule of a preview that a provider has a say in has a property here.
//
// What looks at or changes the world leaves a line in the file that LAB_WORLD names: a creation, an update, a reading, a call
// of a function.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"

	provider "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
	"github.com/pulumi/pulumi-go-provider/infer/types"
)

func touch(what, name string) {
	path := os.Getenv("LAB_WORLD")
	if path == "" {
		return
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer file.Close()
	fmt.Fprintln(file, what, name)
}

// Settings is the configuration of the provider. Another region is another world.
type Settings struct {
	Region string  `pulumi:"region,optional" provider:"replaceOnChanges"`
	Token  *string `pulumi:"token,optional" provider:"secret"`
	Prefix *string `pulumi:"prefix,optional"`
}

func (s *Settings) Annotate(a infer.Annotator) {
	a.Describe(&s.Region, "Where disks are. Another region replaces the provider and all that it has.")
	a.Describe(&s.Token, "Lets the provider in.")
	a.SetDefault(&s.Region, "north")
}

// Port is a part of a disk: another protocol replaces the disk, another number does not.
type Port struct {
	Protocol string `pulumi:"protocol" provider:"replaceOnChanges"`
	Number   *int   `pulumi:"number,optional"`
}

type DiskArgs struct {
	Label  *string           `pulumi:"label,optional"`
	Size   string            `pulumi:"size"`
	Zone   *string           `pulumi:"zone,optional" provider:"replaceOnChanges"`
	Copies *int              `pulumi:"copies,optional"`
	Fast   *bool             `pulumi:"fast,optional"`
	Tags   map[string]string `pulumi:"tags,optional"`
	Ports  []Port            `pulumi:"ports,optional"`
	Key    *string           `pulumi:"key,optional" provider:"secret"`
}

type DiskState struct {
	DiskArgs
	Handle string `pulumi:"handle"`
	Seal   string `pulumi:"seal" provider:"secret"`
}

// Disk has a name that the provider makes up, a check of its own, and outputs that are known after the update.
type Disk struct{}

func (d *Disk) Annotate(a infer.Annotator) {
	a.Describe(&d, "A disk. Its `size` is one of small, medium and large.")
}

func (a *DiskArgs) Annotate(an infer.Annotator) {
	an.Describe(&a.Size, "small, medium or large.")
	an.Describe(&a.Zone, "Where it stands. Another zone replaces it.")
}

func (Disk) Check(ctx context.Context, req infer.CheckRequest) (infer.CheckResponse[DiskArgs], error) {
	args, failures, err := infer.DefaultCheck[DiskArgs](ctx, req.NewInputs)
	if err != nil {
		return infer.CheckResponse[DiskArgs]{}, err
	}
	if args.Label == nil {
		label := req.Name + "-7f3a"
		if before, ok := req.OldInputs.GetOk("label"); ok && before.IsString() {
			label = before.AsString()
		}
		args.Label = &label
	}
	if size := args.Size; size != "" && size != "small" && size != "medium" && size != "large" {
		reason := fmt.Sprintf("there is no size %q: small, medium and large are", size)
		failures = append(failures, provider.CheckFailure{Property: "size", Reason: reason})
	}
	for nth, port := range args.Ports {
		if port.Number != nil && (*port.Number < 1 || *port.Number > 65535) {
			property := fmt.Sprintf("ports[%d].number", nth)
			failures = append(failures, provider.CheckFailure{Property: property, Reason: "ports are 1 to 65535"})
		}
	}
	return infer.CheckResponse[DiskArgs]{Inputs: args, Failures: failures}, nil
}

func (Disk) Create(_ context.Context, req infer.CreateRequest[DiskArgs]) (infer.CreateResponse[DiskState], error) {
	state := DiskState{DiskArgs: req.Inputs}
	if req.DryRun {
		return infer.CreateResponse[DiskState]{Output: state}, nil
	}
	touch("create", req.Name)
	state.Handle = "disk/" + *state.Label
	state.Seal = "seal-of-" + *state.Label
	return infer.CreateResponse[DiskState]{ID: *state.Label, Output: state}, nil
}

func (Disk) Update(_ context.Context, req infer.UpdateRequest[DiskArgs, DiskState]) (infer.UpdateResponse[DiskState], error) {
	state := req.State
	state.DiskArgs = req.Inputs
	if !req.DryRun {
		touch("update", req.ID)
	}
	return infer.UpdateResponse[DiskState]{Output: state}, nil
}

func (Disk) Read(_ context.Context, req infer.ReadRequest[DiskArgs, DiskState]) (infer.ReadResponse[DiskArgs, DiskState], error) {
	touch("read", req.ID)
	if req.ID == "nowhere" {
		return infer.ReadResponse[DiskArgs, DiskState]{}, errors.New("there is no such disk")
	}
	if req.ID == "gone" {
		return infer.ReadResponse[DiskArgs, DiskState]{}, nil
	}
	label := req.ID
	args := DiskArgs{Size: "large", Label: &label}
	state := DiskState{DiskArgs: args, Handle: "disk/" + req.ID, Seal: "seal-of-" + req.ID}
	return infer.ReadResponse[DiskArgs, DiskState]{ID: req.ID, Inputs: args, State: state}, nil
}

func (Disk) WireDependencies(field infer.FieldSelector, args *DiskArgs, state *DiskState) {
	field.OutputField(&state.Handle).DependsOn(field.InputField(&args.Label))
	field.OutputField(&state.Seal).DependsOn(field.InputField(&args.Label))
	field.OutputField(&state.Label).DependsOn(field.InputField(&args.Label))
	field.OutputField(&state.Size).DependsOn(field.InputField(&args.Size))
	field.OutputField(&state.Zone).DependsOn(field.InputField(&args.Zone))
	field.OutputField(&state.Copies).DependsOn(field.InputField(&args.Copies))
	field.OutputField(&state.Fast).DependsOn(field.InputField(&args.Fast))
	field.OutputField(&state.Tags).DependsOn(field.InputField(&args.Tags))
	field.OutputField(&state.Ports).DependsOn(field.InputField(&args.Ports))
	field.OutputField(&state.Key).DependsOn(field.InputField(&args.Key))
}

type SlotArgs struct {
	Name string  `pulumi:"slot"`
	Note *string `pulumi:"note,optional"`
}

type SlotState struct {
	SlotArgs
	Address string `pulumi:"address"`
}

// Slot is there only once, so the old one is deleted before its replacement is created.
type Slot struct{}

func (Slot) Diff(_ context.Context, req infer.DiffRequest[SlotArgs, SlotState]) (infer.DiffResponse, error) {
	changes := map[string]provider.PropertyDiff{}
	if req.Inputs.Name != req.State.Name {
		changes["slot"] = provider.PropertyDiff{Kind: provider.UpdateReplace, InputDiff: true}
	}
	if text(req.Inputs.Note) != text(req.State.Note) {
		changes["note"] = provider.PropertyDiff{Kind: provider.Update, InputDiff: true}
	}
	return infer.DiffResponse{HasChanges: len(changes) > 0, DetailedDiff: changes, DeleteBeforeReplace: true}, nil
}

func text(value *string) string {
	if value == nil {
		return ""
	}
	return *value
}

func (Slot) Create(_ context.Context, req infer.CreateRequest[SlotArgs]) (infer.CreateResponse[SlotState], error) {
	state := SlotState{SlotArgs: req.Inputs}
	if req.DryRun {
		return infer.CreateResponse[SlotState]{Output: state}, nil
	}
	touch("create", req.Name)
	state.Address = "slot/" + state.Name
	return infer.CreateResponse[SlotState]{ID: state.Name, Output: state}, nil
}

func (Slot) Update(_ context.Context, req infer.UpdateRequest[SlotArgs, SlotState]) (infer.UpdateResponse[SlotState], error) {
	state := req.State
	state.SlotArgs = req.Inputs
	if !req.DryRun {
		touch("update", req.ID)
	}
	return infer.UpdateResponse[SlotState]{Output: state}, nil
}

// Kind is one of a few words.
type Kind string

func (Kind) Values() []infer.EnumValue[Kind] {
	return []infer.EnumValue[Kind]{{Name: "Open", Value: "open"}, {Name: "Closed", Value: "closed"}}
}

// Limits is a part of boxes and of their parts.
type Limits struct {
	Weight float64 `pulumi:"weight"`
	Count  *int    `pulumi:"count,optional"`
}

// Part is what a box holds: another name replaces the box.
type Part struct {
	Name   string   `pulumi:"name" provider:"replaceOnChanges"`
	Limits *Limits  `pulumi:"limits,optional"`
	Words  []string `pulumi:"words,optional"`
	Lock   *string  `pulumi:"lock,optional" provider:"secret"`
}

// BoxArgs has a property of every shape.
type BoxArgs struct {
	Kind    *Kind                           `pulumi:"kind,optional"`
	Parts   map[string]Part                 `pulumi:"parts,optional"`
	Grid    [][]string                      `pulumi:"grid,optional"`
	Limits  *Limits                         `pulumi:"limits,optional" provider:"replaceOnChanges"`
	Content *types.AssetOrArchive           `pulumi:"content,optional"`
	Others  map[string]types.AssetOrArchive `pulumi:"others,optional"`
	Free    any                             `pulumi:"free,optional"`
}

type BoxState struct {
	BoxArgs
	Total int               `pulumi:"total"`
	Codes map[string]string `pulumi:"codes" provider:"secret"`
}

// Box has nested objects, maps, lists of lists, and assets.
type Box struct{}

func (Box) Create(_ context.Context, req infer.CreateRequest[BoxArgs]) (infer.CreateResponse[BoxState], error) {
	state := BoxState{BoxArgs: req.Inputs}
	if req.DryRun {
		return infer.CreateResponse[BoxState]{Output: state}, nil
	}
	touch("create", req.Name)
	return infer.CreateResponse[BoxState]{ID: "box-" + req.Name, Output: filled(state)}, nil
}

func (Box) Update(_ context.Context, req infer.UpdateRequest[BoxArgs, BoxState]) (infer.UpdateResponse[BoxState], error) {
	state := req.State
	state.BoxArgs = req.Inputs
	if req.DryRun {
		return infer.UpdateResponse[BoxState]{Output: state}, nil
	}
	touch("update", req.ID)
	return infer.UpdateResponse[BoxState]{Output: filled(state)}, nil
}

func filled(state BoxState) BoxState {
	state.Total, state.Codes = 0, map[string]string{}
	for name, part := range state.Parts {
		state.Total += 1 + len(part.Words)
		state.Codes[name] = "code-of-" + part.Name
	}
	return state
}

// Shout is a function.
type Shout struct{}

type ShoutArgs struct {
	Word string `pulumi:"word"`
}

type ShoutResult struct {
	Loud string `pulumi:"loud"`
}

func (Shout) Invoke(_ context.Context, req infer.FunctionRequest[ShoutArgs]) (infer.FunctionResponse[ShoutResult], error) {
	touch("call", req.Input.Word)
	if req.Input.Word == "" {
		return infer.FunctionResponse[ShoutResult]{}, errors.New("there is nothing to shout")
	}
	loud := strings.ToUpper(req.Input.Word) + "!"
	return infer.FunctionResponse[ShoutResult]{Output: ShoutResult{Loud: loud}}, nil
}

func main() {
	lab, err := infer.NewProviderBuilder().
		WithNamespace("planlens").
		WithConfig(infer.Config(&Settings{})).
		WithResources(infer.Resource(&Disk{}), infer.Resource(&Slot{}), infer.Resource(&Box{})).
		WithFunctions(infer.Function(&Shout{})).
		Build()
	if err == nil {
		err = lab.Run(context.Background(), "lab", "1.0.0")
	}
	if err != nil {
		log.Fatal(err)
	}
}
