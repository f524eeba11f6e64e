//! Completions and hovers of Pulumi programs with the schema of a real plugin, at all kinds of places in half-typed text: those
//! of pulumi-lsp are among them.

mod support;

use std::fs;
use std::process::Command;

use serde_json::{Value, json};
use support::editor::Editor;
use support::pulumi::{prepared, tools};
use support::{planlens, scratch, skipped};

const PROGRAM: &str = "\
name: shop
runtime: yaml
config:
  greeting:
    type: string
    default: hello
variables:
  text: ${greeting}
  obj:
    inner: {deep: 1}
resources:
  a:
    type: lab:Disk
    properties:
      size: small
      ports:
        - protocol: tcp
          number: 80
  b:
    type: lab:Disk
    properties:
      size: small
      zone: ${a.handle}
  north:
    type: pulumi:providers:lab
    properties: {region: north}
outputs:
  o: ${a.handle}
";

/// Texts in the place of one in the program, each with labels that are offered at `$0`.
type Places = &'static [(
    &'static str,
    &'static [(&'static str, &'static [&'static str])],
)];

const COMPLETIONS: Places = &[
    (
        "runtime: yaml\n",
        &[
            ("$0\n", &["runtime", "description", "plugins"]),
            ("ru$0\n", &["runtime"]),
            ("runtime: $0\n", &["yaml"]),
            ("runtime:\n  $0\n", &["name", "options"]),
            ("runtime: yaml\nbackend:\n  $0\n", &["url"]),
            ("runtime: yaml\nbackend: {$0}\n", &["url"]),
            ("runtime: yaml\nplugins:\n  $0\n", &["providers"]),
            (
                "runtime: yaml\nplugins:\n  providers:\n    - $0\n",
                &["name", "path", "version"],
            ),
            (
                "runtime: yaml\nplugins:\n  providers:\n    - name: lab\n      $0\n",
                &["path", "version"],
            ),
            (
                "runtime: yaml\nplugins:\n  providers: [{name: lab, $0}]\n",
                &["path", "version"],
            ),
            ("runtime: yaml\noptions:\n  $0\n", &["refresh"]),
        ],
    ),
    (
        "    type: string\n",
        &[
            ("    $0\n", &["type", "secret"]),
            ("    type: $0\n", &["String", "List<String>"]),
            ("    secret: $0\n", &["true", "false"]),
        ],
    ),
    (
        "  text: ${greeting}\n",
        &[
            ("  text: ${$0\n", &["greeting", "a", "pulumi"]),
            ("  text: ${pulumi.$0\n", &["stack", "project", "cwd"]),
            ("  text: ${a.ports[0].$0}\n", &["protocol", "number"]),
            ("  text: $0\n", &["${greeting}", "${a}"]),
            (
                "  text:\n    $0\n",
                &["fn::invoke", "fn::join", "fn::lab:shout"],
            ),
            ("  text:\n    fn$0\n", &["fn::invoke", "fn::toJSON"]),
            (
                "  text:\n    fn::$0\n",
                &["fn::invoke", "fn::select", "fn::lab:shout"],
            ),
            ("  text:\n    fn::lab:$0\n", &["fn::lab:shout"]),
            (
                "  text: {fn::$0}\n",
                &["fn::invoke", "fn::split", "fn::lab:shout"],
            ),
            (
                "  text:\n    fn::invoke:\n      $0\n",
                &["function", "arguments", "return", "options"],
            ),
            (
                "  text:\n    fn::invoke: {$0}\n",
                &["function", "arguments", "return", "options"],
            ),
            (
                "  text:\n    fn::invoke:\n      function: $0\n",
                &["lab:shout"],
            ),
            (
                "  text:\n    fn::invoke:\n      function: lab:$0\n",
                &["lab:shout"],
            ),
            (
                "  text:\n    fn::invoke:\n      function: lab:shout\n      $0\n",
                &["arguments", "return", "options"],
            ),
            (
                "  text:\n    fn::invoke:\n      function: lab:shout\n      arguments:\n        $0\n",
                &["word"],
            ),
            (
                "  text:\n    fn::invoke:\n      arguments:\n        $0\n      function: lab:shout\n",
                &["word"],
            ),
            (
                "  text:\n    fn::invoke:\n      function: lab:shout\n      arguments: {$0}\n",
                &["word"],
            ),
            (
                "  text:\n    fn::invoke: {function: lab:shout, arguments: {$0}}\n",
                &["word"],
            ),
            (
                "  text:\n    fn::invoke:\n      function: lab:shout\n      return: $0\n",
                &["loud"],
            ),
            (
                "  text:\n    fn::invoke:\n      function: lab:shout\n      options:\n        $0\n",
                &["parent", "provider", "version", "pluginDownloadURL"],
            ),
            (
                "  text:\n    fn::invoke:\n      options:\n        provider: $0\n",
                &["${north}"],
            ),
            ("  text:\n    fn::lab:shout:\n      $0\n", &["word"]),
            ("  text:\n    fn::lab:shout: {w$0}\n", &["word"]),
            (
                "  text:\n    fn::join:\n      - ','\n      - [${$0]\n",
                &["a", "greeting"],
            ),
            ("  text:\n    fn::join: [',', [\"${a.$0\"]]\n", &["handle"]),
            ("  text:\n    fn::toJSON:\n      key: ${$0\n", &["a", "obj"]),
            ("  text: ${obj.$0\n", &["inner"]),
            ("  text: ${obj.inner.$0\n", &["deep"]),
        ],
    ),
    (
        "    type: lab:Disk\n    properties:\n      size: small\n      zone",
        &[
            (
                "    $0\n    properties:\n      zone",
                &["type", "options", "name", "get"],
            ),
            (
                "    type: $0\n    properties:\n      zone",
                &["lab:Disk", "lab:Slot", "lab:", "pulumi:providers:lab"],
            ),
            ("    type: la$0\n    properties:\n      zone", &["lab:Disk"]),
            (
                "    type: lab:$0\n    properties:\n      zone",
                &["lab:Disk"],
            ),
            (
                "    type: lab:index:$0\n    properties:\n      zone",
                &["lab:Disk"],
            ),
            (
                "    type: pulumi:$0\n    properties:\n      zone",
                &["pulumi:providers:lab"],
            ),
            (
                "    type: pulumi:providers:$0\n    properties:\n      zone",
                &["pulumi:providers:lab"],
            ),
            ("    type: lab:Disk\n    $0\n", &["properties", "options"]),
            ("    type: lab:Disk\n    op$0\n", &["options"]),
            (
                "    type: lab:Disk\n    get:\n      $0\n    properties:\n      zone",
                &["id", "state"],
            ),
            (
                "    type: lab:Disk\n    get:\n      state:\n        $0\n    properties:\n      zone",
                &["size", "handle"],
            ),
        ],
    ),
    (
        "    properties:\n      size: small\n      zone: ${a.handle}\n",
        &[
            (
                "    properties:\n      $0\n",
                &["size", "zone", "ports", "tags"],
            ),
            (
                "    properties:\n      size: small\n      $0\n",
                &["zone", "copies"],
            ),
            (
                "    properties:\n      size: small\n      zo$0\n",
                &["zone"],
            ),
            ("    properties:\n      $0\n      size: small\n", &["zone"]),
            ("    properties: {$0}\n", &["size", "zone"]),
            ("    properties: {size: small, z$0}\n", &["zone"]),
            (
                "    properties: {\n      size: small,\n      z$0\n    }\n",
                &["zone"],
            ),
            ("    properties: {z$0, size: small}\n", &["zone"]),
            ("    properties: {size: $0}\n", &["${a}", "${text}"]),
            ("    properties:\n      fast: $0\n", &["true", "false"]),
            ("    properties: {fast: $0}\n", &["true", "false"]),
            (
                "    properties:\n      ports:\n        - $0\n",
                &["protocol", "number"],
            ),
            (
                "    properties:\n      ports:\n      - $0\n",
                &["protocol", "number"],
            ),
            (
                "    properties:\n      ports:\n        - pro$0\n",
                &["protocol"],
            ),
            (
                "    properties:\n      ports:\n        - protocol: tcp\n          $0\n",
                &["number"],
            ),
            (
                "    properties:\n      ports:\n        - {$0}\n",
                &["protocol", "number"],
            ),
            (
                "    properties:\n      ports:\n        - {protocol: tcp, n$0}\n",
                &["number"],
            ),
            (
                "    properties:\n      ports: [{protocol: tcp, n$0}]\n",
                &["number"],
            ),
            (
                "    properties:\n      ports: [\n        {protocol: tcp,\n         n$0}\n      ]\n",
                &["number"],
            ),
            ("    properties:\n      zone: $0\n", &["${a}", "${text}"]),
            (
                "    properties:\n      zone: ${$0\n",
                &["a", "text", "pulumi"],
            ),
            ("    properties:\n      zone: ${$0}\n", &["a"]),
            ("    properties:\n      zone: x-${a.handle}-${$0\n", &["a"]),
            (
                "    properties:\n      zone: ${a.$0\n",
                &["handle", "id", "urn", "ports"],
            ),
            ("    properties:\n      zone: ${a.ha$0}\n", &["handle"]),
            ("    properties:\n      zone: ${a[\"$0\n", &["handle"]),
            ("    properties:\n      zone: \"x: ${a.$0\"\n", &["handle"]),
            ("    properties:\n      zone: \"# ${a.$0\"\n", &["handle"]),
            (
                "    properties:\n      zone: >-\n        ${a.$0\n",
                &["handle"],
            ),
            (
                "    properties:\n      zone:\n        fn::$0\n",
                &["fn::join", "fn::lab:shout"],
            ),
            (
                "    properties:\n      zone: {fn::$0}\n",
                &["fn::join", "fn::lab:shout"],
            ),
            (
                "    properties:\n      zone:\n        fn::invoke:\n          $0\n",
                &["function"],
            ),
            ("    properties:\n      tags:\n        k: ${$0\n", &["a"]),
        ],
    ),
    (
        "    properties:\n      size: small\n      zone",
        &[
            (
                "    options:\n      $0\n    properties:\n      zone",
                &[
                    "ignoreChanges",
                    "parent",
                    "protect",
                    "dependsOn",
                    "provider",
                    "deletedWith",
                ],
            ),
            (
                "    options:\n      protect: true\n      $0\n    properties:\n      zone",
                &["aliases", "import"],
            ),
            (
                "    options: {ig$0}\n    properties:\n      zone",
                &["ignoreChanges"],
            ),
            (
                "    options:\n      ignoreChanges:\n        - $0\n    properties:\n      zone",
                &["size", "zone", "ports[*].protocol", "*"],
            ),
            (
                "    options:\n      ignoreChanges: [$0]\n    properties:\n      zone",
                &["size", "ports[*].protocol"],
            ),
            (
                "    options: {ignoreChanges: [size, z$0]}\n    properties:\n      zone",
                &["zone"],
            ),
            (
                "    options:\n      replaceOnChanges:\n        - $0\n    properties:\n      zone",
                &["zone"],
            ),
            (
                "    options:\n      additionalSecretOutputs: [$0]\n    properties:\n      zone",
                &["handle", "seal"],
            ),
            (
                "    options:\n      dependsOn:\n        - $0\n    properties:\n      zone",
                &["${a}"],
            ),
            (
                "    options:\n      dependsOn: [$0]\n    properties:\n      zone",
                &["${a}"],
            ),
            (
                "    options:\n      dependsOn: ${$0\n    properties:\n      zone",
                &["a"],
            ),
            (
                "    options:\n      parent: $0\n    properties:\n      zone",
                &["${a}"],
            ),
            (
                "    options:\n      deletedWith: $0\n    properties:\n      zone",
                &["${a}"],
            ),
            (
                "    options:\n      provider: $0\n    properties:\n      zone",
                &["${north}"],
            ),
            (
                "    options:\n      provider: ${$0\n    properties:\n      zone",
                &["north"],
            ),
            (
                "    options:\n      providers:\n        lab: $0\n    properties:\n      zone",
                &["${north}"],
            ),
            (
                "    options:\n      providers: [$0]\n    properties:\n      zone",
                &["${north}"],
            ),
            (
                "    options:\n      protect: $0\n    properties:\n      zone",
                &["true", "false"],
            ),
            (
                "    options: {protect: $0}\n    properties:\n      zone",
                &["true", "false"],
            ),
            (
                "    options:\n      aliases:\n        - $0\n    properties:\n      zone",
                &["name", "parent", "noParent"],
            ),
            (
                "    options:\n      aliases:\n        - name: x\n          $0\n    properties:\n      zone",
                &["parent"],
            ),
            (
                "    options:\n      aliases: [{$0}]\n    properties:\n      zone",
                &["name", "parent"],
            ),
            (
                "    options:\n      aliases:\n        - parent: $0\n    properties:\n      zone",
                &["${a}"],
            ),
            (
                "    options:\n      customTimeouts:\n        $0\n    properties:\n      zone",
                &["create", "update", "delete"],
            ),
            (
                "    options:\n      customTimeouts: {$0}\n    properties:\n      zone",
                &["create"],
            ),
        ],
    ),
    (
        "    properties: {region: north}\n",
        &[
            ("    $0\n", &["defaultProvider", "properties"]),
            ("    properties: {$0}\n", &["region", "token", "prefix"]),
            ("    properties:\n      re$0\n", &["region"]),
        ],
    ),
    (
        "  o: ${a.handle}\n",
        &[
            ("  o: $0\n", &["${a}"]),
            ("  o: ${$0\n", &["a"]),
            ("  o:\n    fn::$0\n", &["fn::toJSON"]),
            ("  o: {x: ${a.$0}}\n", &["handle"]),
        ],
    ),
];

/// A text of the program, how far behind its start the pointer is, and parts of the hover.
const HOVERS: &[(&str, usize, &[&str])] = &[
    // pulumi-lsp lists the inputs and outputs of a type.
    (
        "lab:Disk",
        2,
        &[
            "lab:index:Disk",
            "A disk.",
            "Inputs",
            "size: string, required",
            "Outputs",
            "handle: string",
        ],
    ),
    ("pulumi:providers:lab", 2, &["region: string"]),
    (
        "size: small",
        1,
        &["size: string, required", "small, medium or large"],
    ),
    ("protocol: tcp", 1, &["protocol: string, required"]),
    ("number: 80", 1, &["number: integer"]),
    ("region: north", 1, &["region: string", "Where disks are"]),
    ("a.handle}", 3, &["handle: string", "disk/a-7f3a"]),
    ("  b:", 3, &["lab:index:Disk", "A disk."]),
    ("greeting}", 1, &["hello"]),
    ("  o:", 2, &["disk/a-7f3a"]),
    ("type: lab", 1, &["package:module:Type"]),
];

fn opened(test: &str) -> Option<Editor> {
    let tools = match tools() {
        Ok(tools) => tools,
        Err(reason) => {
            skipped(test, &reason);
            return None;
        }
    };
    let folder = scratch(test);
    let work = folder.join("work");
    fs::create_dir_all(&work).unwrap();
    fs::write(work.join("Pulumi.yaml"), PROGRAM).unwrap();
    fs::write(work.join("Pulumi.dev.yaml"), "config: {}\n").unwrap();
    let state = folder.join("backend/.pulumi/stacks/shop/dev.json");
    fs::create_dir_all(state.parent().unwrap()).unwrap();
    let engine = prepared(Command::new(tools.join("pulumi-engine")), &tools, &folder)
        .args(["up".as_ref(), work.as_os_str(), state.as_os_str()])
        .output()
        .unwrap();
    assert!(engine.status.success(), "{engine:?}");
    let mut command = prepared(planlens(&work), &tools, &folder);
    let log = fs::File::create(folder.join("log")).unwrap();
    let backend = format!("file://{}", folder.join("backend").display());
    command
        .arg("lsp")
        .env("PULUMI_BACKEND_URL", backend)
        .env("PLANLENS_CACHE_DIR", folder.join("caches"))
        .env("PLANLENS_STATE_DIR", folder.join("kept"))
        .stderr(log);
    let file = work.join("Pulumi.yaml");
    let mut editor = Editor::launch_file(&mut command, "info", &work, &file, "yaml");
    editor.wait_for_plan();
    Some(editor)
}

fn place(editor: &Editor, text: &str, offset: usize) -> Value {
    let before = &text[..offset];
    let line = before.matches('\n').count();
    let character = before.len() - before.rfind('\n').map_or(0, |it| it + 1);
    json!({ "textDocument": { "uri": editor.uri }, "position": { "line": line, "character": character } })
}

#[test]
fn completions_contain_those_of_pulumi_lsp() {
    let Some(mut editor) = opened("completions_contain_those_of_pulumi_lsp") else {
        return;
    };
    let (mut asked, mut missing) = (0, Vec::new());
    for (old, places) in COMPLETIONS {
        for (new, expected) in *places {
            assert_eq!(PROGRAM.matches(old).count(), 1, "{old}");
            let text = PROGRAM.replace(old, new);
            let offset = text.find("$0").unwrap();
            let text = text.replace("$0", "");
            editor.set_text(&text);
            let at = place(&editor, &text, offset);
            let answer = editor.ask("textDocument/completion", at);
            let items = answer["items"].as_array().cloned().unwrap_or_default();
            let labels: Vec<&str> = items.iter().filter_map(|it| it["label"].as_str()).collect();
            let not_offered = expected.iter().filter(|it| !labels.contains(it));
            let not_offered: Vec<&&str> = not_offered.collect();
            if !not_offered.is_empty() {
                missing.push(format!("{new:?}: {not_offered:?} of {labels:?}"));
            }
            asked += 1;
        }
    }
    editor.stop();
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    assert!(asked >= 100, "{asked}");
}

/// The types of the plugin: what a resource of it is called here, its inputs and its outputs.
const TYPES: [(&str, &str, &[&str], &[&str]); 4] = [
    (
        "disk",
        "lab:Disk",
        &[
            "label", "size", "zone", "copies", "fast", "tags", "ports", "key",
        ],
        &["handle", "seal"],
    ),
    ("slot", "lab:Slot", &["slot", "note"], &["address"]),
    (
        "box",
        "lab:Box",
        &[
            "kind", "parts", "grid", "limits", "content", "others", "free",
        ],
        &["total", "codes"],
    ),
    (
        "main",
        "pulumi:providers:lab",
        &["region", "token", "prefix"],
        &[],
    ),
];

/// Members of objects inside of properties.
const MEMBERS: [(&str, &[&str]); 4] = [
    ("disk.ports[0].", &["protocol", "number"]),
    ("box.limits.", &["weight", "count"]),
    ("box.parts.p.", &["name", "limits", "words", "lock"]),
    ("box.parts.p.limits.", &["weight", "count"]),
];

/// The options that pulumi-lsp knows.
const OPTIONS: [&str; 13] = [
    "additionalSecretOutputs",
    "aliases",
    "customTimeouts",
    "deleteBeforeReplace",
    "dependsOn",
    "ignoreChanges",
    "import",
    "parent",
    "protect",
    "provider",
    "providers",
    "version",
    "replaceOnChanges",
];

/// Half-typed texts, each with the labels that are offered at `$0`: each name where it is wanted, its first letters typed.
fn typed_names() -> Vec<(String, Vec<String>)> {
    let head = "name: shop\nruntime: yaml\nresources:\n";
    let resources = TYPES.map(|(name, of, ..)| format!("  {name}:\n    type: {of}\n"));
    let resources = resources.concat();
    let mut places = Vec::new();
    let mut place = |text: String, expected: &[&str]| {
        let expected = expected.iter().map(|it| (*it).to_owned());
        places.push((text, expected.collect()));
    };
    for (name, of, inputs, outputs) in TYPES {
        let new = format!("{head}{resources}  new:\n    type: {of}\n");
        place(format!("{new}    properties:\n      $0\n"), inputs);
        for input in inputs {
            let begun = &input[..2];
            place(format!("{new}    properties:\n      {begun}$0\n"), &[input]);
            place(format!("{new}    properties: {{{begun}$0}}\n"), &[input]);
        }
        let output = format!("{head}{resources}outputs:\n  o: ${{{name}.");
        for member in inputs.iter().chain(outputs) {
            place(format!("{output}{}$0\n", &member[..2]), &[member]);
        }
    }
    for (way, members) in MEMBERS {
        let output = format!("{head}{resources}outputs:\n  o: \"x ${{{way}");
        place(format!("{output}$0}}\"\n"), members);
    }
    for option in OPTIONS {
        let begun = &option[..3];
        place(
            format!("{head}{resources}    options:\n      {begun}$0\n"),
            &[option],
        );
    }
    places
}

#[test]
fn each_name_of_a_plugin_is_completed_as_by_pulumi_lsp() {
    let Some(mut editor) = opened("each_name_of_a_plugin_is_completed_as_by_pulumi_lsp") else {
        return;
    };
    let places = typed_names();
    let mut missing = Vec::new();
    for (text, expected) in &places {
        let offset = text.find("$0").unwrap();
        let text = text.replace("$0", "");
        editor.set_text(&text);
        let at = place(&editor, &text, offset);
        let answer = editor.ask("textDocument/completion", at);
        let items = answer["items"].as_array().cloned().unwrap_or_default();
        let labels: Vec<&str> = items.iter().filter_map(|it| it["label"].as_str()).collect();
        let not_offered = expected.iter().filter(|it| !labels.contains(&it.as_str()));
        let not_offered: Vec<&String> = not_offered.collect();
        if !not_offered.is_empty() {
            let end = &text[offset.saturating_sub(40)..offset];
            missing.push(format!("{end:?}: {not_offered:?} of {labels:?}"));
        }
    }
    editor.stop();
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    assert!(places.len() >= 80, "{}", places.len());
}

/// pulumi-lsp describes a type with its inputs and outputs, and a function with its arguments and results.
#[test]
fn each_type_of_a_plugin_is_described_as_by_pulumi_lsp() {
    let Some(mut editor) = opened("each_type_of_a_plugin_is_described_as_by_pulumi_lsp") else {
        return;
    };
    let mut asked = 0;
    for (name, of, inputs, outputs) in TYPES {
        let text = format!(
            "name: shop\nruntime: yaml\nresources:\n  {name}:\n    type: {of}\noutputs:\n  o: ${{{name}}}\n"
        );
        editor.set_text(&text);
        for behind in [1, of.len() - 1] {
            let at = place(&editor, &text, text.find(of).unwrap() + behind);
            let hover = editor.ask("textDocument/hover", at);
            let shown = hover["contents"].to_string();
            for member in inputs.iter().chain(outputs) {
                let described = format!("{member}: ");
                assert!(shown.contains(&described), "{of}: {member}: {shown}");
                asked += 1;
            }
        }
        for member in inputs.iter().chain(outputs) {
            let text = text.replace(&format!("{name}}}"), &format!("{name}.{member}}}"));
            editor.set_text(&text);
            let at = place(&editor, &text, text.find("${").unwrap() + name.len() + 4);
            let hover = editor.ask("textDocument/hover", at);
            let shown = hover["contents"].to_string();
            assert!(shown.contains(&format!("{member}: ")), "{text}: {shown}");
            asked += 1;
        }
    }
    editor.stop();
    assert!(asked >= 70, "{asked}");
}

#[test]
fn hovers_contain_those_of_pulumi_lsp() {
    let Some(mut editor) = opened("hovers_contain_those_of_pulumi_lsp") else {
        return;
    };
    for (text, behind, expected) in HOVERS {
        let offset = PROGRAM.find(text).unwrap() + behind;
        let at = place(&editor, PROGRAM, offset);
        let hover = editor.ask("textDocument/hover", at);
        let shown = hover["contents"].to_string();
        for part in *expected {
            assert!(shown.contains(part), "{text}: {part}: {shown}");
        }
    }
    let text = PROGRAM.replace(
        "${greeting}\n",
        "\n    fn::invoke:\n      function: lab:shout\n      arguments: {word: x}\n      return: loud\n",
    );
    editor.set_text(&text);
    editor.wait_for_plan();
    for (what, expected) in [
        (
            "lab:shout",
            [
                "lab:index:shout",
                "Arguments",
                "word: string",
                "Result",
                "loud: string",
            ]
            .as_slice(),
        ),
        ("word: x", &["word: string"]),
        ("arguments", &["The arguments of the function."]),
        ("loud\n", &["loud: string"]),
    ] {
        let at = place(&editor, &text, text.find(what).unwrap() + 1);
        let hover = editor.ask("textDocument/hover", at);
        let shown = hover["contents"].to_string();
        for part in expected {
            assert!(shown.contains(part), "{what}: {part}: {shown}");
        }
    }
    editor.stop();
}
