//! The keys and functions of the language, with their meanings.

/// A word with its meaning.
pub(crate) type Word = (&'static str, &'static str);

pub(crate) const TOP: [Word; 15] = [
    ("name", "The name of the project."),
    ("runtime", "The language of the program: `yaml`."),
    ("description", "A description of the project."),
    (
        "main",
        "The folder of the program, if it differs from that of the project.",
    ),
    (
        "config",
        "Configuration values of the stacks, with types and defaults.",
    ),
    ("variables", "Named values."),
    ("resources", "The resources of the program."),
    (
        "outputs",
        "Values that the stack exports, which other stacks can read.",
    ),
    ("components", "Component types that the program defines."),
    (
        "backend",
        "The backend for the states of the stacks: `url`.",
    ),
    ("plugins", "Local plugins of the project."),
    ("packages", "Packages, with their parameters."),
    ("options", "Options of the command line program."),
    (
        "stackConfigDir",
        "The folder of the stack configuration files.",
    ),
    (
        "requiredPulumiVersion",
        "The version range of Pulumi that the project needs.",
    ),
];

pub(crate) const STACK: [Word; 5] = [
    ("config", "The values of this stack."),
    (
        "environment",
        "Pulumi ESC environments whose values the stack uses.",
    ),
    (
        "secretsprovider",
        "The provider that encrypts the secrets of this stack.",
    ),
    ("encryptionsalt", "The salt of the encryption key."),
    ("encryptedkey", "The encrypted key for the secrets."),
];

pub(crate) const RESOURCE: [Word; 6] = [
    ("type", "The type of the resource: `package:module:Type`."),
    ("properties", "The inputs of the resource."),
    ("options", "How the engine treats the resource."),
    ("name", "Its name in the stack, if it differs from the key."),
    ("get", "Reads an existing resource instead of creating one."),
    (
        "defaultProvider",
        "Whether this is the default provider for resources of its package.",
    ),
];

pub(crate) const OPTIONS: [Word; 20] = [
    (
        "additionalSecretOutputs",
        "Outputs that are secret, in addition to those in the schema.",
    ),
    (
        "aliases",
        "Former names, parents or types: the existing resource is kept, not replaced.",
    ),
    (
        "customTimeouts",
        "How long `create`, `update` and `delete` may take.",
    ),
    (
        "deleteBeforeReplace",
        "Deletes the old resource before its replacement is created.",
    ),
    (
        "deletedWith",
        "A resource whose deletion also deletes this one.",
    ),
    ("dependsOn", "Resources that must exist before this one."),
    (
        "envVarMappings",
        "Other names for environment variables of the provider.",
    ),
    ("hideDiffs", "Properties whose changes are not shown."),
    (
        "ignoreChanges",
        "Properties that keep their value in the state.",
    ),
    ("import", "The id of an existing object to import."),
    ("parent", "The parent of this resource."),
    (
        "pluginDownloadURL",
        "The URL from which the plugin is downloaded.",
    ),
    (
        "protect",
        "Prevents the deletion and replacement of the resource.",
    ),
    ("provider", "The provider resource that manages this one."),
    ("providers", "Providers for the children of this resource."),
    (
        "replaceOnChanges",
        "Properties whose change replaces the resource.",
    ),
    (
        "replaceWith",
        "Resources whose replacement also replaces this one.",
    ),
    (
        "replacementTrigger",
        "A value whose change replaces the resource.",
    ),
    (
        "retainOnDelete",
        "Keeps the object when the resource is deleted from the stack.",
    ),
    ("version", "The version of the plugin."),
];

pub(crate) const CONFIG: [Word; 5] = [
    (
        "type",
        "String, Number, Integer, Boolean, Object, or a List<...> of them.",
    ),
    ("default", "The value if a stack sets none."),
    ("secret", "Whether the value is secret."),
    (
        "name",
        "The configuration key, if it differs from the name.",
    ),
    ("description", "A description of the value."),
];

pub(crate) const ALIAS: [Word; 7] = [
    ("name", "Its former name."),
    ("type", "Its former type."),
    ("parent", "Its former parent."),
    ("noParent", "Whether it had no parent."),
    ("urn", "Its former URN, instead of the other keys."),
    ("stack", "Its former stack."),
    ("project", "Its former project."),
];

pub(crate) const INVOKE: [Word; 4] = [
    ("function", "The function: `package:module:name`."),
    ("arguments", "The arguments of the function."),
    ("return", "The property of the result to return."),
    ("options", "How the engine calls the function."),
];

pub(crate) const INVOKE_OPTIONS: [Word; 5] = [
    ("dependsOn", "Resources that must exist before the call."),
    ("parent", "The resource whose provider is called."),
    (
        "pluginDownloadURL",
        "The URL from which the plugin is downloaded.",
    ),
    ("provider", "The provider resource that is called."),
    ("version", "The version of the plugin."),
];

pub(crate) const PLUGINS: [Word; 3] = [
    ("providers", "Plugins of providers, with their folders."),
    ("languages", "Plugins of languages, with their folders."),
    ("analyzers", "Plugins of policies, with their folders."),
];

pub(crate) const PLUGIN: [Word; 3] = [
    ("name", "The name of the package."),
    ("path", "The folder with the plugin."),
    ("version", "The version of the plugin."),
];

pub(crate) const CONFIG_TYPES: [&str; 10] = [
    "String",
    "Number",
    "Integer",
    "Boolean",
    "Object",
    "List<String>",
    "List<Number>",
    "List<Integer>",
    "List<Boolean>",
    "List<Object>",
];

pub(crate) const SETTINGS: [Word; 5] = [
    ("cwd", "The folder in which the program runs."),
    ("organization", "The organization of the stack."),
    ("project", "The name of the project."),
    ("rootDirectory", "The folder of the project."),
    ("stack", "The name of the stack."),
];

pub(crate) const FUNCTIONS: [Word; 24] = [
    (
        "fn::invoke",
        "Calls a function of a package: `function`, `arguments`, `return`.",
    ),
    (
        "fn::join",
        "Joins the elements of a list: `[separator, list]`.",
    ),
    ("fn::split", "Splits a string: `[separator, string]`."),
    ("fn::select", "An element of a list: `[index, list]`."),
    ("fn::toJSON", "A value as JSON."),
    ("fn::toBase64", "A string, encoded in base64."),
    ("fn::fromBase64", "A string, decoded from base64."),
    ("fn::secret", "The value, as a secret."),
    ("fn::unsecret", "The value of a secret, no longer secret."),
    ("fn::readFile", "The content of a file."),
    (
        "fn::filebase64",
        "The content of a file, encoded in base64.",
    ),
    ("fn::filebase64sha256", "The SHA-256 of a file, in base64."),
    ("fn::sha1", "The SHA-1 of a string."),
    ("fn::length", "The number of elements or characters."),
    (
        "fn::singleOrNone",
        "The only element of a list, or nothing.",
    ),
    ("fn::stringAsset", "An asset from a string."),
    ("fn::fileAsset", "An asset from a file."),
    ("fn::remoteAsset", "An asset from a URL."),
    ("fn::assetArchive", "An archive of assets."),
    ("fn::fileArchive", "An archive from a file or a folder."),
    ("fn::remoteArchive", "An archive from a URL."),
    (
        "fn::stackReference",
        "An output of another stack: `[stack, output]`.",
    ),
    ("fn::pulumiResourceName", "The name of a resource."),
    ("fn::pulumiResourceType", "The type of a resource."),
];

pub(crate) fn meaning(words: &[Word], word: &str) -> Option<&'static str> {
    let found = words.iter().find(|(name, _)| *name == word);
    found.map(|(_, meaning)| *meaning)
}
