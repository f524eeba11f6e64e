// The engine of Pulumi with its host for YAML, without the command line around it, which takes ten times as long to build.
//
//	engine up      DIR STATE     writes STATE, as `pulumi stack export` would
//	engine preview DIR STATE     prints what `pulumi preview --json` would
//	engine diff    DIR STATE     prints what `pulumi preview --diff` would
//
// Plugins are those on the PATH; secrets are those of the passphrase.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/blang/semver"
	"github.com/pulumi/pulumi/pkg/v3/backend/display"
	"github.com/pulumi/pulumi/pkg/v3/cmd/pulumi/autonaming"
	"github.com/pulumi/pulumi/pkg/v3/codegen/convert"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/pkg/v3/engine"
	"github.com/pulumi/pulumi/pkg/v3/host"
	"github.com/pulumi/pulumi/pkg/v3/pluginstorage"
	"github.com/pulumi/pulumi/pkg/v3/resource/deploy"
	"github.com/pulumi/pulumi/pkg/v3/resource/plugin"
	"github.com/pulumi/pulumi/pkg/v3/resource/stack"
	"github.com/pulumi/pulumi/pkg/v3/secrets"
	"github.com/pulumi/pulumi/pkg/v3/secrets/passphrase"
	"github.com/pulumi/pulumi/pkg/v3/util/cancel"
	projects "github.com/pulumi/pulumi/pkg/v3/workspace"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
	"github.com/pulumi/pulumi/sdk/v3/go/common/diag"
	"github.com/pulumi/pulumi/sdk/v3/go/common/diag/colors"
	"github.com/pulumi/pulumi/sdk/v3/go/common/esc"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/config"
	"github.com/pulumi/pulumi/sdk/v3/go/common/tokens"
	"github.com/pulumi/pulumi/sdk/v3/go/common/workspace"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

const stackName = "dev"

var errAlone = errors.New("there is nothing else here")

// beside is a backend in a folder, which PULUMI_BACKEND_URL names.
type beside struct{ project string }

func (b beside) GetStackOutputs(ctx context.Context, name string, _ func(error) error) (property.Map, error) {
	parts := strings.Split(name, "/")
	project := b.project
	if len(parts) == 3 {
		project = parts[1]
	}
	if len(parts) > 1 && parts[0] != "organization" {
		return property.Map{}, errors.New("organization name must be 'organization'")
	}
	root := strings.TrimPrefix(os.Getenv("PULUMI_BACKEND_URL"), "file://")
	path := filepath.Join(root, ".pulumi", "stacks", project, parts[len(parts)-1]+".json")
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return property.Map{}, fmt.Errorf("unknown stack %q", name)
	}
	if err != nil {
		return property.Map{}, err
	}
	var versioned apitype.VersionedCheckpoint
	var checkpoint apitype.CheckpointV3
	err = errors.Join(json.Unmarshal(text, &versioned), json.Unmarshal(versioned.Checkpoint, &checkpoint))
	if err != nil {
		return property.Map{}, err
	}
	latest, err := stack.DeserializeDeploymentV3(ctx, *checkpoint.Latest, byPassphrase{})
	if err != nil {
		return property.Map{}, err
	}
	for _, found := range latest.Resources {
		if found.Type == resource.RootStackType {
			return resource.FromResourcePropertyMap(found.Outputs), nil
		}
	}
	return property.Map{}, nil
}

func (beside) GetStackResourceOutputs(context.Context, string) (property.Map, error) {
	return property.Map{}, errAlone
}

// onPath has installed nothing: plugins are found on the PATH.
type onPath struct{ pluginstorage.Context }

func (onPath) GetPluginPath(context.Context, diag.Sink, workspace.PluginDescriptor, []workspace.ProjectPlugin) (string, error) {
	return "", errAlone
}

func (onPath) HasPlugin(context.Context, workspace.PluginDescriptor) bool { return true }

func (onPath) HasPluginGTE(context.Context, workspace.PluginDescriptor) (bool, *semver.Version, error) {
	return true, nil, nil
}

func (onPath) GetLatestVersion(context.Context, workspace.PluginDescriptor) (*semver.Version, error) {
	return nil, errAlone
}

func (onPath) GetPlugins(context.Context) ([]workspace.PluginInfo, error) { return nil, nil }

func (onPath) DownloadPlugin(context.Context, workspace.PluginDescriptor, func(io.ReadCloser, int64) io.ReadCloser,
	func(error, int, int, time.Duration),
) (io.ReadCloser, int64, error) {
	return nil, 0, errAlone
}

func (onPath) InstallPlugin(context.Context, workspace.PluginDescriptor, pluginstorage.Content, bool) error {
	return errAlone
}

// byPassphrase knows secrets of one kind.
type byPassphrase struct{}

func (byPassphrase) OfType(_ context.Context, kind string, state json.RawMessage) (secrets.Manager, error) {
	if kind != passphrase.Type {
		return nil, fmt.Errorf("no secrets of type %q here", kind)
	}
	return passphrase.NewPromptingPassphraseSecretsManagerFromState(state)
}

// run is one update or preview.
type run struct {
	project *workspace.Project
	dir     string
	config  config.Map
	manager secrets.Manager
	before  *deploy.Snapshot
}

func load(ctx context.Context, dir, statePath string) (*run, error) {
	project, err := workspace.LoadProject(filepath.Join(dir, "Pulumi.yaml"))
	if err != nil {
		return nil, err
	}
	_, manager, err := passphrase.NewPassphraseSecretsManager(os.Getenv("PULUMI_CONFIG_PASSPHRASE"))
	if err != nil {
		return nil, err
	}
	made := &run{project: project, dir: dir, config: config.Map{}, manager: manager}
	sink := diag.DefaultSink(os.Stderr, os.Stderr, diag.FormatOptions{Color: colors.Never})
	path := filepath.Join(dir, "Pulumi."+stackName+".yaml")
	if _, err := os.Stat(path); err == nil {
		settings, err := workspace.LoadProjectStack(sink, project, path)
		if err != nil {
			return nil, err
		}
		made.config = settings.Config
	}
	if made.config == nil {
		made.config = config.Map{}
	}
	err = projects.ValidateStackConfigAndApplyProjectConfig(ctx, stackName, project, esc.Value{}, made.config,
		manager.Encrypter(), manager.Decrypter())
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(statePath)
	if errors.Is(err, os.ErrNotExist) {
		return made, nil
	}
	if err != nil {
		return nil, err
	}
	var exported apitype.UntypedDeployment
	if err := json.Unmarshal(text, &exported); err != nil {
		return nil, err
	}
	made.before, err = stack.DeserializeUntypedDeployment(ctx, &exported, byPassphrase{})
	if err == nil && made.before.SecretsManager != nil {
		made.manager = made.before.SecretsManager
	}
	return made, err
}

// shape is what an update prints.
type shape int

const (
	asDiff shape = iota
	asJSON
)

func (r *run) update(ctx context.Context, isPreview bool, how shape, journal engine.SnapshotManager) error {
	target := &deploy.Target{
		Name:         tokens.MustParseStackName(stackName),
		Organization: "organization",
		Config:       r.config,
		Decrypter:    r.manager.Decrypter(),
		Snapshot:     r.before,
	}
	events, shown, done := make(chan engine.Event), make(chan engine.Event), make(chan bool)
	go func() {
		for event := range events {
			shown <- event
			if event.Type == engine.CancelEvent {
				return
			}
		}
	}()
	options := display.Options{
		Color: colors.Never, JSONDisplay: how == asJSON, Type: display.DisplayDiff, Stdout: os.Stdout, Stderr: os.Stderr,
	}
	if how == asJSON {
		go display.ShowPreviewDigest(shown, done, options)
	} else {
		go display.ShowDiffEvents("up", shown, done, options)
	}
	cancelled, _ := cancel.NewContext(ctx)
	around := &engine.Context{
		Cancel: cancelled, Events: events, BackendClient: beside{string(r.project.Name)}, PluginManager: onPath{}, SnapshotManager: journal,
	}
	names := autonaming.StackContext{Organization: "organization", Project: string(r.project.Name), Stack: stackName}
	autonamer, err := autonaming.ParseAutonamingConfig(names, r.config, r.manager.Decrypter())
	if err != nil {
		return err
	}
	project := r.project.Options
	settings := engine.UpdateOptions{
		Refresh:   isPreview && project != nil && project.Refresh == "always",
		Autonamer: autonamer, Parallel: 16, SkipPluginPreInstall: true,
		HostFactory: func(ctx context.Context, d, s diag.Sink, debug plugin.DebugContext) (plugin.Host, error) {
			return host.New(ctx, d, s, debug, nil, schema.NewLoaderServerFromContext, convert.NewMapperServerFromContext, nil)
		},
	}
	info := engine.UpdateInfo{Root: r.dir, Project: r.project, Target: target}
	_, _, err = engine.Update(info, around, settings, isPreview)
	<-done
	return err
}

func (r *run) write(ctx context.Context, journal *engine.TestJournal, path string) error {
	after, err := journal.Snap(r.before)
	if err != nil {
		return err
	}
	after.SecretsManager = r.manager
	deployment, err := stack.SerializeDeployment(ctx, after, false)
	if err != nil {
		return err
	}
	inner, err := json.Marshal(deployment)
	if err != nil {
		return err
	}
	text, err := json.Marshal(apitype.UntypedDeployment{Version: 3, Deployment: inner})
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o600)
}

func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: engine up|preview|diff DIR STATE")
	}
	ctx := context.Background()
	dir, err := filepath.Abs(os.Args[2])
	if err == nil {
		err = os.Chdir(dir)
	}
	if err != nil {
		log.Fatal(err)
	}
	made, err := load(ctx, dir, os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	switch os.Args[1] {
	case "preview":
		err = made.update(ctx, true, asJSON, nil)
	case "diff":
		err = made.update(ctx, true, asDiff, nil)
	default:
		journal := engine.NewTestJournal()
		err = made.update(ctx, false, asDiff, journal)
		err = errors.Join(err, made.write(ctx, journal, os.Args[3]))
	}
	if err != nil {
		log.Fatal(err)
	}
}
