//! The keys and functions of the language, with their meanings.

/// A word with its meaning.
pub(crate) type Word = (&'static str, &'static str);

pub(crate) const TOP: [Word; 15] = [
    ("name", "The name of the project."),
    ("runtime", "The language of the program: `yaml`."),
    ("description", "What the project is for."),
    (
        "main",
        "The folder of the program, if it is not that of the project.",
    ),
    (
        "config",
        "Values that stacks configure, with their types and defaults.",
    ),
    ("variables", "Values that the program names."),
    ("resources", "What the program makes."),
    (
        "outputs",
        "Values that the stack shows and that other stacks can read.",
    ),
    (
        "components",
        "Types of components that the program defines.",
    ),
    ("backend", "Where the states of the stacks are kept: `url`."),
    ("plugins", "Plugins that the project names itself."),
    ("packages", "Packages with parameters."),
    ("options", "Options of the command line."),
    (
        "stackConfigDir",
        "The folder with the configuration of stacks.",
    ),
    (
        "requiredPulumiVersion",
        "The versions of Pulumi that the project needs.",
    ),
];

pub(crate) const STACK: [Word; 5] = [
    ("config", "The values of this stack."),
    (
        "environment",
        "Environments of Pulumi ESC whose values the stack takes.",
    ),
    ("secretsprovider", "Who encrypts the secrets of this stack."),
    ("encryptionsalt", "The salt of the passphrase."),
    ("encryptedkey", "The encrypted key of the secrets."),
];

pub(crate) const RESOURCE: [Word; 6] = [
    ("type", "The type of the resource: `package:module:Type`."),
    ("properties", "What the resource is given."),
    ("options", "How the engine treats the resource."),
    ("name", "Its name in the stack, if it is not the key."),
    (
        "get",
        "Reads a resource that exists already, in the place of making one.",
    ),
    (
        "defaultProvider",
        "Whether this provider serves all resources of its package that name no other.",
    ),
];

pub(crate) const OPTIONS: [Word; 20] = [
    (
        "additionalSecretOutputs",
        "Outputs that are secret beside those of the schema.",
    ),
    (
        "aliases",
        "Former names, parents or types: the state's resource is taken over, not replaced.",
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
        "The resource whose deletion deletes this one, too.",
    ),
    (
        "dependsOn",
        "Resources that have to be there before this one.",
    ),
    (
        "envVarMappings",
        "Environment variables of the provider under other names.",
    ),
    ("hideDiffs", "Properties whose changes are not shown."),
    (
        "ignoreChanges",
        "Properties that keep the value that they have in the state.",
    ),
    (
        "import",
        "The id of an existing object that the stack takes over.",
    ),
    ("parent", "The resource that this one is a child of."),
    ("pluginDownloadURL", "Where the plugin is downloaded from."),
    ("protect", "Refuses to delete or to replace the resource."),
    ("provider", "The provider resource that makes this one."),
    ("providers", "Providers that children take over."),
    (
        "replaceOnChanges",
        "Properties whose change replaces the resource.",
    ),
    (
        "replaceWith",
        "Resources whose replacement replaces this one, too.",
    ),
    (
        "replacementTrigger",
        "A value whose change replaces the resource.",
    ),
    (
        "retainOnDelete",
        "Leaves the object alone when the stack forgets the resource.",
    ),
    ("version", "The version of the plugin."),
];

pub(crate) const CONFIG: [Word; 5] = [
    (
        "type",
        "String, Number, Integer, Boolean, Object, or a List<...> of them.",
    ),
    ("default", "The value where a stack configures none."),
    ("secret", "Whether the value is secret."),
    (
        "name",
        "The key under which it is configured, if it is not its own.",
    ),
    ("description", "What it is for."),
];

pub(crate) const ALIAS: [Word; 7] = [
    ("name", "Its former name."),
    ("type", "Its former type."),
    ("parent", "Its former parent."),
    ("noParent", "Whether it had no parent."),
    ("urn", "Its former URN, in the place of all others."),
    ("stack", "Its former stack."),
    ("project", "Its former project."),
];

pub(crate) const INVOKE: [Word; 4] = [
    ("function", "The function: `package:module:name`."),
    ("arguments", "The values that the function gets."),
    ("return", "The property of the result that is meant."),
    ("options", "How the engine calls the function."),
];

pub(crate) const INVOKE_OPTIONS: [Word; 5] = [
    (
        "dependsOn",
        "Resources that have to be there before the call.",
    ),
    ("parent", "The resource whose provider is called."),
    ("pluginDownloadURL", "Where the plugin is downloaded from."),
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
    ("fn::split", "Cuts a text: `[separator, text]`."),
    ("fn::select", "An element of a list: `[index, list]`."),
    ("fn::toJSON", "A value as JSON."),
    ("fn::toBase64", "A text in base64."),
    ("fn::fromBase64", "The text that is encoded in base64."),
    ("fn::secret", "The value, as a secret."),
    ("fn::unsecret", "The value of a secret, in clear."),
    ("fn::readFile", "The text of a file."),
    ("fn::filebase64", "A file in base64."),
    ("fn::filebase64sha256", "The SHA-256 of a file, in base64."),
    ("fn::sha1", "The SHA-1 of a text."),
    ("fn::length", "How many elements or characters there are."),
    (
        "fn::singleOrNone",
        "The only element of a list, or nothing.",
    ),
    ("fn::stringAsset", "An asset of a text."),
    ("fn::fileAsset", "An asset of a file."),
    ("fn::remoteAsset", "An asset at a URL."),
    ("fn::assetArchive", "An archive of assets."),
    ("fn::fileArchive", "An archive of a file or a folder."),
    ("fn::remoteArchive", "An archive at a URL."),
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
