"""Schemas of providers from their bindings for JavaScript (`@cdktf/provider-NAME`), which are generated from what
`terraform providers schema -json` says.

They keep all but what no program needs: whether an optional argument is computed too, what is sensitive, and how many
blocks there have to be. So such a schema helps to write, and is no measure of what is wrong.
"""

import json
import re

GETTER = re.compile(r"^    get (\w+)\(\) \{\n(?:\s*//.*\n)*        return (.*);\n    \}", re.M)
ATTRIBUTE = re.compile(r"(?:this\.get(\w+)Attribute|this\.interpolationForAttribute)\('([^']+)'\)")
FIELD = re.compile(r"^\s*this\._(\w+) = new (?:\w+\.)?(\w+)\(this, \"([^\"]+)\"(?:, (true|false))?\);", re.M)
CLASS = re.compile(r"^class (\w+) extends cdktf\.(\w+) \{\n(.*?)^\}", re.M | re.S)
WRITTEN = re.compile(r"^\s+(\w+): \{\n\s+value: (.*),\n\s+isBlock: (true|false),\n\s+type: \"(\w+)\",\n\s+storageClassType: \"(\w+)\",", re.M)
FUNCTION = re.compile(r"^function (\w+ToHclTerraform)\(struct\) \{\n(.*?)^\}", re.M | re.S)
DOCUMENTED = re.compile(r"/\*\*\n((?:\s+\*(?!/).*\n)+)\s+\*/\n\s+readonly (\w+)(\??):")
INTERFACE = re.compile(r"^export interface (\w+)(?: extends [\w.]+)? \{\n(.*?)^\}", re.M | re.S)
DOCS = re.compile(r"\n?\s*Docs at Terraform Registry: \{@link \S+#(\w+) [^}]*\}")
SIMPLE = {
    "String": "string",
    "Number": "number",
    "Boolean": "bool",
    "List": ["list", "string"],
    "NumberList": ["list", "number"],
    "StringMap": ["map", "string"],
    "NumberMap": ["map", "number"],
    "BooleanMap": ["map", "bool"],
    "AnyMap": ["map", "dynamic"],
    None: "dynamic",
}
STORED = {"string": "string", "boolean": "bool", "number": "number", "any": "dynamic"}


class Folder:
    """The classes of one type."""

    def __init__(self, path):
        sources = "\n".join(it.read_text() for it in sorted(path.rglob("*.js")))
        declared = "\n".join(it.read_text() for it in sorted(path.rglob("*.d.ts")))
        self.classes = {name: (kind, body) for name, kind, body in CLASS.findall(sources)}
        self.functions = dict(FUNCTION.findall(sources))
        self.told = {name: self.told_in(body) for name, body in INTERFACE.findall(declared)}
        self.known = {}

    @staticmethod
    def told_in(interface):
        """By Terraform's name: the description, and whether it has to be written."""
        found = {}
        for text, _, optional in DOCUMENTED.findall(interface):
            text = "\n".join(line.strip().removeprefix("*").strip() for line in text.splitlines())
            named = DOCS.search(text)
            if named:
                found[named[1]] = (DOCS.sub("", text).split("\nNote: Please be aware")[0].strip(), not optional)
        return found

    def body(self, name, interface):
        """What a class has, as (attributes, nested)."""
        if name not in self.known:
            self.known[name] = self.read(name, interface)
        return self.known[name]

    def read(self, name, interface):
        kind, body = self.classes[name]
        told = self.told.get(interface, {})
        attributes, nested = {}, {}
        fields = {field: (of, named, is_set == "true") for field, of, named, is_set in FIELD.findall(body)}
        mapped = dict(re.findall(r"^\s+(\w+): cdktf\.listMapper\(\w+(?:\.\w+)?, (true|false)\)", body, re.M))
        for source in self.functions.values():
            pass
        for field, returned in GETTER.findall(body):
            if field.endswith("Input") or field in ("internalValue", "fqn"):
                continue
            can_be_written = f"    set {field}(value)" in body or f"    put{field[:1].upper()}{field[1:]}(value)" in body
            is_optional = f"    reset{field[:1].upper()}{field[1:]}()" in body
            flags = {"optional": True} if is_optional else {"required": True} if can_be_written else {"computed": True}
            simple = ATTRIBUTE.search(returned)
            if simple:
                ty = SIMPLE.get(simple[1], "dynamic")
                if "Fn.tolist" in returned and ty[0] == "list":
                    ty = ["set", ty[1]]
                named = simple[2]
                attributes[named] = {"type": ty, **flags}
            elif returned == f"this._{field}" and field in fields:
                of, named, is_set = fields[field]
                if of in SIMPLE_CLASSES:
                    attributes[named] = {"type": SIMPLE_CLASSES[of], **flags}
                elif of in self.classes:
                    nested[named] = (of, is_set, mapped.get(named), flags)
            else:
                continue
            description, _ = told.get(named, ("", False))
            if named in attributes and description:
                attributes[named]["description"] = description
        return self.shaped(attributes, nested, told)

    def shaped(self, attributes, nested, told):
        blocks = {}
        for named, (of, is_set, mapped, flags) in nested.items():
            description, _ = told.get(named, ("", False))
            kind, body = self.classes[of]
            if kind == "ComplexList" or kind == "ComplexMap":
                element = of.removesuffix("List").removesuffix("Map")
                nesting = "map" if kind == "ComplexMap" else "set" if is_set else "list"
                limit = 0
            else:
                element = of.removesuffix("OutputReference")
                nesting, limit = ("list", 1) if re.search(r"super\(terraformResource, terraformAttribute, \w+, 0\)", body) else ("single", 0)
            reference = element + "OutputReference"
            if reference not in self.classes:
                continue
            inner, inner_blocks = self.body(reference, element)
            is_block = description == f"{named} block" and "computed" not in flags
            if is_block:
                about = {"nesting_mode": nesting, "block": {"attributes": inner, "block_types": inner_blocks}}
                if limit:
                    about["max_items"] = limit
                if "required" in flags:
                    about["min_items"] = 1
                blocks[named] = about
            else:
                attribute = {"nested_type": {"attributes": {**inner, **as_attributes(inner_blocks)}, "nesting_mode": nesting}, **flags}
                if description:
                    attribute["description"] = description
                attributes[named] = attribute
        return attributes, blocks

    def written(self, source, interface):
        """What a provider's configuration has."""
        told = self.told.get(interface, {})
        attributes, blocks = {}, {}
        for named, value, is_block, kind, stored in WRITTEN.findall(source):
            description, is_required = told.get(named, ("", False))
            function = re.search(r"(\w+ToHclTerraform)", value.replace("cdktf.", "."))
            inner = function and self.functions.get(function[1])
            flags = {"required": True} if is_required else {"optional": True}
            if is_block == "true" and inner is not None:
                struct = function[1].removesuffix("ToHclTerraform")
                inner = self.written(inner, struct[:1].upper() + struct[1:])
                nesting = kind if kind in ("list", "set", "map") else "single"
                about = {"nesting_mode": nesting, "block": {"attributes": inner[0], "block_types": inner[1]}}
                if "listMapper" not in value and nesting == "list":
                    about["max_items"] = 1
                if is_required:
                    about["min_items"] = 1
                blocks[named] = about
                continue
            element = STORED.get(re.sub(r"(List|Map)$", "", stored), "dynamic")
            attributes[named] = {"type": [kind, element] if kind in ("list", "set", "map") else element, **flags}
            if description:
                attributes[named]["description"] = description
        return attributes, blocks


SIMPLE_CLASSES = {
    "StringMap": ["map", "string"],
    "NumberMap": ["map", "number"],
    "BooleanMap": ["map", "bool"],
    "AnyMap": ["map", "dynamic"],
    "StringMapList": ["list", ["map", "string"]],
    "NumberMapList": ["list", ["map", "number"]],
    "BooleanMapList": ["list", ["map", "bool"]],
    "AnyMapList": ["list", ["map", "dynamic"]],
    "StringListList": ["list", ["list", "string"]],
    "NumberListList": ["list", ["list", "number"]],
}


def as_attributes(blocks):
    """Blocks inside of what is an attribute."""
    return {
        name: {
            "nested_type": {
                "attributes": {**it["block"]["attributes"], **as_attributes(it["block"]["block_types"])},
                "nesting_mode": it["nesting_mode"],
            },
            "optional": True,
        }
        for name, it in blocks.items()
    }


def schema(folder, name, kind, body):
    attributes, blocks = folder.body(name, name + "Config")
    about = {"attributes": attributes, "block_types": blocks}
    return {"version": 0, "block": about}


def provider(package):
    """What an unpacked package says: the address, the version and the schemas of a provider."""
    about = json.loads((package / "package.json").read_text())["cdktf"]["provider"]
    found = {"resource_schemas": {}, "data_source_schemas": {}, "provider": {"version": 0, "block": {}}}
    for path in sorted((package / "lib").iterdir()):
        if not (path / "index.js").is_file():
            continue
        folder = Folder(path)
        for name, (kind, body) in folder.classes.items():
            named = re.search(r"terraformResourceType: '([^']+)'", body)
            if kind in ("TerraformResource", "TerraformDataSource"):
                types = found["resource_schemas" if kind == "TerraformResource" else "data_source_schemas"]
                types[named[1]] = schema(folder, name, kind, body)
            elif kind == "TerraformProvider":
                source = body[body.index("synthesizeHclAttributes()") :]
                attributes, blocks = folder.written(source, name + "Config")
                # Every provider takes these two from the language.
                attributes.pop("alias", None)
                found["provider"]["block"] = {"attributes": attributes, "block_types": blocks}
    return about["name"], about["version"], found
