//! Texts that ask for more time or memory than there is.

use std::fs;
use std::path::Path;

/// A root module or a Pulumi program, by the names of its files, the one that is opened first.
pub struct Evil {
    pub name: &'static str,
    pub files: Vec<(&'static str, String)>,
}

impl Evil {
    pub fn is_program(&self) -> bool {
        self.files[0].0 == "Pulumi.yaml"
    }
}

/// One text in each folder, by the folder's name.
pub fn in_folders(folders: &Path) -> Vec<Evil> {
    let entries = |folder: &Path| {
        let entries = fs::read_dir(folder).unwrap();
        let mut paths: Vec<_> = entries.map(|it| it.unwrap().path()).collect();
        paths.sort();
        paths
    };
    let name_of = |path: &Path| -> &'static str {
        let name = path.file_name().unwrap().to_string_lossy();
        name.into_owned().leak()
    };
    let text = |folder: &Path| {
        let files = entries(folder).into_iter();
        let mut files: Vec<(&'static str, String)> = files
            .map(|file| (name_of(&file), fs::read_to_string(&file).unwrap()))
            .collect();
        files.sort_by_key(|(name, _)| !["main.tf", "Pulumi.yaml"].contains(name));
        Evil {
            name: name_of(folder),
            files,
        }
    };
    entries(folders).iter().map(|it| text(it)).collect()
}

fn evil(name: &'static str, main: impl Into<String>) -> Evil {
    Evil {
        name,
        files: vec![("main.tf", main.into())],
    }
}

fn value(name: &'static str, expr: &str) -> Evil {
    evil(name, format!("locals {{\n  evil = {expr}\n}}\n"))
}

/// Ten references to the local value before, in each of so many.
fn tenfold(open: &str, reference: &str, close: &str, levels: usize, last: &str) -> String {
    let level = |level: usize| {
        let before = reference.replace('#', &format!("l{}", level - 1));
        format!("  l{level} = {open}{}{close}\n", before.repeat(10))
    };
    let levels_text: String = (1..=levels).map(level).collect();
    let last = last.replace('#', &format!("local.l{levels}"));
    format!("locals {{\n  l0 = \"0123456789\"\n{levels_text}  evil = {last}\n}}\n")
}

pub fn texts() -> Vec<Evil> {
    let mut texts = values();
    texts.extend(numbers());
    texts.extend(collections());
    texts.extend(encodings());
    texts.extend(blocks());
    texts.extend(shown());
    texts.extend(large());
    texts.extend(repeated());
    texts.extend(programs());
    texts
}

fn values() -> Vec<Evil> {
    let lists = tenfold("[", "local.#, ", "]", 8, "#");
    vec![
        evil(
            "strings that grow tenfold",
            tenfold("\"", "${local.#}", "\"", 10, "#"),
        ),
        evil(
            "text replaced by itself",
            "locals {\n  a = format(\"%020000d\", 0)\n  b = replace(local.a, \"0\", local.a)\n  evil = replace(local.b, \"0\", local.b)\n}\n",
        ),
        evil("lists of lists", lists.clone()),
        evil(
            "flatten of eight levels",
            lists.replace("evil = local.l8", "evil = flatten(local.l8)"),
        ),
        evil(
            "jsonencode of eight levels",
            lists.replace("evil = local.l8", "evil = jsonencode(local.l8)"),
        ),
        evil(
            "yamlencode of eight levels",
            lists.replace("evil = local.l8", "evil = yamlencode(local.l8)"),
        ),
        evil(
            "toset of eight levels",
            lists.replace("evil = local.l8", "evil = toset(local.l8)"),
        ),
        evil(
            "equality of eight levels",
            lists.replace("evil = local.l8", "evil = local.l8 == local.l8"),
        ),
        value(
            "three loops in each other",
            "[for a in range(1000) : [for b in range(1000) : [for c in range(1000) : a * b * c]]]",
        ),
        value(
            "a loop that counts",
            "length([for a in range(1000) : [for b in range(1000) : [for c in range(1000) : 1] if b > a]])",
        ),
        value(
            "loops in a template",
            "\"%{for a in range(1000)}%{for b in range(1000)}%{for c in range(1000)}${a}${b}${c}%{endfor}%{endfor}%{endfor}\"",
        ),
        value(
            "objects that are grouped",
            "{ for a in setproduct(range(300), range(300)) : a[0] => a... }",
        ),
        value(
            "splats over splats",
            "[for a in range(1000) : [for b in range(1000) : [{ c = [{ d = a }] }]]][*][*][*].c[*].d",
        ),
        evil(
            "a cycle of local values",
            (0..2_000)
                .map(|at| format!("locals {{\n  c{at} = local.c{}\n}}\n", (at + 1) % 2_000))
                .collect::<String>(),
        ),
        evil(
            "deep types that are converted",
            format!(
                "variable \"v\" {{\n  type = {}any{}\n  default = {}1{}\n}}\n",
                "list(".repeat(200),
                ")".repeat(200),
                "[".repeat(200),
                "]".repeat(200)
            ),
        ),
        value(
            "a conditional of large sides",
            "true ? [for a in range(1000) : range(1000)] : [for a in range(1000) : [for b in range(1000) : \"x\"]]",
        ),
    ]
}

fn numbers() -> Vec<Evil> {
    vec![
        value(
            "a number padded to 10^9 digits",
            "format(\"%999999999d\", 1)",
        ),
        value("a number of 10^9 decimals", "format(\"%.999999999f\", 0.1)"),
        value(
            "a list of a format for each width",
            "formatlist(\"%0100000d\", range(1000))",
        ),
        value("a number with a huge exponent", "1e999999999 + 1"),
        value("text that is such a number", "\"1e999999999\" * 1"),
        value("a huge power", "pow(9e99, 9e99)"),
        value(
            "digits of a huge number",
            "format(\"%d\", pow(10, 1000000))",
        ),
        value("the remainder of a huge number", "1e99999999 % 7"),
        value(
            "a number of a million digits in a base",
            &format!("parseint(\"{}\", 36)", "z".repeat(1_000_000)),
        ),
        value("the floor of a huge number", "floor(1.5e99999999)"),
        value(
            "the logarithm of huge numbers",
            "[for a in range(1000) : log(pow(10, 10000 * (a + 1)), 2)]",
        ),
    ]
}

fn collections() -> Vec<Evil> {
    vec![
        value("a range of 10^9", "range(1000000000)"),
        value(
            "many ranges",
            "[for a in range(1000) : [for b in range(1000) : range(1000)]]",
        ),
        value(
            "a product of sets",
            "setproduct(range(1000), range(1000), range(1000))",
        ),
        value("distinct of many", "distinct([for a in range(100000) : a])"),
        value(
            "distinct of many lists",
            "distinct(flatten([for a in range(300) : [for b in range(300) : { a = a, b = b }]]))",
        ),
        value(
            "sort of many",
            "sort(flatten([for a in range(1000) : [for b in range(1000) : \"${b}${a}\"]]))",
        ),
        value(
            "chunks of one",
            "chunklist(flatten([for a in range(1000) : range(1000)]), 1)",
        ),
        value(
            "an expansion into a sum",
            "sum(flatten([for a in range(1000) : range(1000)])...)",
        ),
        value(
            "an expansion into merge",
            "merge([for a in range(1000) : { for b in range(1000) : \"${a}-${b}\" => b }]...)",
        ),
        value(
            "a join of many",
            "join(\",\", flatten([for a in range(1000) : [for b in range(1000) : \"${a}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"]]))",
        ),
        value(
            "sets of sets",
            "toset([for a in range(1000) : toset([for b in range(1000) : toset([a, b])])])",
        ),
        value(
            "transposed maps",
            "transpose({ for a in range(1000) : \"k${a}\" => [for b in range(1000) : \"v${b}\"] })",
        ),
        value(
            "an intersection",
            "setintersection([for a in range(1000) : toset([for b in range(1000) : \"${b}\"])]...)",
        ),
        value(
            "coalesced lists",
            "coalescelist([for a in range(1000) : [for b in range(1000) : [a, b]]]...)",
        ),
        value(
            "a list that is searched by itself",
            "[for a in range(1000) : contains([for b in range(1000) : \"${b}\"], \"${a}x\")]",
        ),
        value(
            "networks",
            "[for a in range(1000) : cidrsubnets(\"10.0.0.0/8\", [for b in range(1000) : 12]...)]",
        ),
        value(
            "hosts of a network",
            "[for a in range(1000) : [for b in range(1000) : cidrhost(\"::/0\", a * b * 1000000000000)]]",
        ),
    ]
}

fn encodings() -> Vec<Evil> {
    let anchors: String = (1..12)
        .map(|level| {
            let reference = format!("*a{}, ", level - 1).repeat(9);
            format!(
                "a{level}: &a{level} [{}]\n",
                reference.trim_end_matches(", ")
            )
        })
        .collect();
    vec![
        value("YAML that multiplies", &format!("yamldecode(<<EOT\na0: &a0 [x]\n{anchors}EOT\n  )")),
        value("nested JSON", &format!("jsondecode(\"{}{}\")", "[".repeat(100_000), "]".repeat(100_000))),
        value("JSON of a long list", "jsondecode(format(\"[%s1]\", replace(format(\"%0100000d\", 0), \"0\", \"[1,2,3,4,5,6,7,8,9,0],\")))"),
        value("a long table", "csvdecode(format(\"a,b,c\\n%s\", replace(format(\"%0100000d\", 0), \"0\", \"1,2,3\\n\")))"),
        value("a wide table", "csvdecode(join(\"\\n\", [for a in range(1000) : join(\",\", [for b in range(1000) : \"c${b}\"])]))"),
        value("a bomb of gzip", "base64gunzip(base64gzip(replace(format(\"%0100000d\", 0), \"0\", format(\"%01000d\", 0))))"),
        value("base64 in base64", "base64encode(base64encode(base64encode(replace(format(\"%0100000d\", 0), \"0\", format(\"%01000d\", 0)))))"),
        value("an encoded URL", "urlencode(urlencode(replace(format(\"%0100000d\", 0), \"0\", \"%%%%%%%%%%%%%%%%%%%%\")))"),
        value("reversed text", "strrev(replace(format(\"%0100000d\", 0), \"0\", format(\"%01000d\", 0)))"),
        value("an expensive hash", "bcrypt(\"x\", 31)"),
        value("many expensive hashes", "[for a in range(1000) : bcrypt(\"${a}\", 14)]"),
        value("a key that is wrong", &format!("rsadecrypt(\"{}\", \"-----BEGIN RSA PRIVATE KEY-----\\n{}\\n-----END RSA PRIVATE KEY-----\")", "A".repeat(400_000), "A".repeat(400_000))),
        value("hashes of long text", "[for a in range(1000) : sha512(format(\"%0100000d\", a))]"),
        value("a pattern with huge counts", "regexall(\"((a{1,1000}){1,1000}){1,1000}\", \"aaaaaaaaaaaaaaaaaaaaaaaa\")"),
        value("a catastrophic pattern", &format!("regexall(\"(a*)*b|(a|aa)+$|(.*)(.*)(.*)(.*)x\", \"{}\")", "a".repeat(100_000))),
        value("empty matches", "regexall(\"\", replace(format(\"%0100000d\", 0), \"0\", \"xxxxxxxxxx\"))"),
        value("indented text", "indent(100000, replace(format(\"%0100000d\", 0), \"0\", \"\\n\"))"),
        value("titles", "[for a in range(1000) : title(format(\"%0100000s\", \"x y\"))]"),
        value("text that is trimmed by as much", "trim(replace(format(\"%0100000d\", 0), \"0\", \"bbbbbbbbbb\"), \"${replace(format(\"%0100000d\", 0), \"0\", \"cccccccccc\")}b\")"),
        value("a charset with a long name", "textencodebase64(\"a\", \"${replace(format(\"%0100000d\", 0), \"0\", format(\"%200s\", \"\"))}x\")"),
        value("times", "[for a in range(1000) : [for b in range(1000) : timeadd(\"2020-01-01T00:00:00Z\", \"${a}h${b}m\")]]"),
        Evil {
            name: "a template that includes itself",
            files: vec![
                ("main.tf", "locals {\n  evil = templatefile(\"${path.module}/a.tpl\", {})\n}\n".into()),
                ("a.tpl", "${templatefile(\"${path.module}/a.tpl\", {})}${templatestring(\"x\", {})}".into()),
            ],
        },
        Evil {
            name: "a template that grows",
            files: vec![
                ("main.tf", "locals {\n  evil = templatefile(\"${path.module}/a.tpl\", { x = range(1000) })\n}\n".into()),
                ("a.tpl", "%{ for a in x }%{ for b in x }%{ for c in x }${a} ${b} ${c}\n%{ endfor }%{ endfor }%{ endfor }".into()),
            ],
        },
    ]
}

fn blocks() -> Vec<Evil> {
    let keys = "toset(flatten([for a in range(1000) : [for b in range(1000) : \"${a}-${b}\"]]))";
    let resource =
        |arguments: &str| format!("resource \"terraform_data\" \"evil\" {{\n{arguments}\n}}\n");
    let calls = |names: &[&str], source: &str| -> String {
        let call = |name: &&str| format!("module \"{name}\" {{\n  source = \"{source}\"\n}}\n");
        names.iter().map(call).collect()
    };
    let mut tree = vec![("main.tf", calls(&["a", "b", "c"], "./m1"))];
    const FOLDERS: [&str; 12] = [
        "m1/main.tf",
        "m2/main.tf",
        "m3/main.tf",
        "m4/main.tf",
        "m5/main.tf",
        "m6/main.tf",
        "m7/main.tf",
        "m8/main.tf",
        "m9/main.tf",
        "m10/main.tf",
        "m11/main.tf",
        "m12/main.tf",
    ];
    for (level, file) in FOLDERS.into_iter().enumerate() {
        let text = match level + 2 {
            13 => "output \"x\" {\n  value = 1\n}\n".to_owned(),
            next => calls(&["a", "b", "c"], &format!("../m{next}")),
        };
        tree.push((file, text));
    }
    vec![
        evil(
            "for_each of 10^6 keys",
            resource(&format!("  for_each = {keys}\n  input = each.key")),
        ),
        evil(
            "count of 10^9",
            resource("  count = 1000000000\n  input = count.index"),
        ),
        evil(
            "count of 10^5 of large values",
            resource("  count = 100000\n  input = range(1000)"),
        ),
        evil(
            "dynamic blocks by 10^6",
            resource(&format!(
                "  dynamic \"provisioner\" {{\n    for_each = {keys}\n    content {{}}\n  }}\n  dynamic \"lifecycle\" {{\n    for_each = {keys}\n    content {{}}\n  }}"
            )),
        ),
        evil(
            "a condition without an end",
            resource(
                "  input = 1\n  lifecycle {\n    precondition {\n      condition = length([for a in range(1000) : [for b in range(1000) : [for c in range(1000) : 1]]]) > 0\n      error_message = \"x\"\n    }\n  }",
            ),
        ),
        evil(
            "a validation without an end",
            "variable \"v\" {\n  default = 1\n  validation {\n    condition = length([for a in range(1000) : [for b in range(1000) : [for c in range(1000) : var.v]]]) > 0\n    error_message = \"x\"\n  }\n}\n",
        ),
        evil(
            "imports of 10^6 keys",
            format!(
                "import {{\n  for_each = {keys}\n  to = terraform_data.evil[each.key]\n  id = each.key\n}}\n{}",
                resource(&format!("  for_each = {keys}"))
            ),
        ),
        evil(
            "outputs that multiply",
            tenfold("[", "local.#, ", "]", 8, "1") + "output \"evil\" {\n  value = local.l8\n}\n",
        ),
        evil(
            "a check without an end",
            "check \"evil\" {\n  assert {\n    condition = length([for a in range(1000) : [for b in range(1000) : [for c in range(1000) : 1]]]) > 0\n    error_message = \"x\"\n  }\n}\n",
        ),
        evil(
            "moves without an end",
            (0..20_000)
                .map(|at| {
                    format!(
                        "moved {{\n  from = terraform_data.m{at}\n  to = terraform_data.m{}\n}}\n",
                        at + 1
                    )
                })
                .collect::<String>(),
        ),
        Evil {
            name: "module calls that multiply",
            files: tree,
        },
        Evil {
            name: "a module of 10^6 instances",
            files: vec![
                (
                    "main.tf",
                    format!("module \"evil\" {{\n  source = \"./m\"\n  for_each = {keys}\n}}\n"),
                ),
                (
                    "m/main.tf",
                    "locals {\n  a = range(1000)\n}\noutput \"a\" {\n  value = local.a\n}\n".into(),
                ),
            ],
        },
    ]
}

/// Plans whose text would be much longer than the values in it.
fn shown() -> Vec<Evil> {
    let resource =
        |input: &str| format!("resource \"terraform_data\" \"x\" {{\n  input = {input}\n}}\n");
    let lines = "replace(format(\"%01000000d\", 0), \"0\", \"a\\n\")";
    let maps = ('k'..='t').map(|name| format!(", {{for i in range(1000): \"{name}${{i}}\" => i}}"));
    let maps: String = maps.collect();
    vec![
        evil(
            "a million lines in 200 lists",
            resource(&format!("{}{lines}{}", "[".repeat(200), "]".repeat(200))),
        ),
        evil(
            "a name of 70,000 characters",
            resource("{ a = 1, (format(\"%070000d\", 0)) = 2 }"),
        ),
        evil(
            "a name of 60,000 characters beside 10,000",
            resource(&format!("merge({{(format(\"%060000d\", 0)) = 2}}{maps})")),
        ),
        evil(
            "an output of 70,000 characters",
            format!(
                "output \"o\" {{\n  value = 1\n}}\noutput \"{}\" {{\n  value = 1\n}}\n",
                "a".repeat(70_000)
            ),
        ),
        evil(
            "two million wrong escapes",
            format!("locals {{\n  a = \"{}\"\n}}\n", "\\q".repeat(1_900_000)),
        ),
        program(
            "a key of 70,000 characters",
            format!(
                "resources:\n  s:\n    type: pulumi:index:Stash\n    properties:\n      input:\n        a: 1\n        ? {}\n        : 2\n",
                "k".repeat(70_000)
            ),
        ),
    ]
}

fn large() -> Vec<Evil> {
    let locals = |count: usize| {
        let local = |at: usize| format!("  v{at} = {at}\n");
        let all: String = (0..count).map(local).collect();
        format!("locals {{\n{all}}}\n")
    };
    vec![
        evil("10^5 local values", locals(100_000)),
        evil(
            "10^5 blocks",
            (0..100_000)
                .map(|at| format!("output \"o{at}\" {{\n  value = {at}\n}}\n"))
                .collect::<String>(),
        ),
        evil(
            "150,000 blocks",
            (0..150_000)
                .map(|at| format!("output \"o{at}\" {{\n}}\n"))
                .collect::<String>(),
        ),
        value(
            "a list of 10^6 elements",
            &format!("[{}]", "1, ".repeat(1_000_000)),
        ),
        value(
            "a list of 2 * 10^6 elements",
            &format!("[{}]", "1,".repeat(2_000_000)),
        ),
        value(
            "4 * 10^6 dollar signs",
            &format!("\"{}\"", "$".repeat(4_000_000)),
        ),
        value(
            "text of 10^7 bytes",
            &format!("\"{}\"", "x".repeat(10_000_000)),
        ),
        value(
            "brackets in each other",
            &format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000)),
        ),
        value(
            "parentheses in each other",
            &format!("{}1{}", "(".repeat(100_000), ")".repeat(100_000)),
        ),
        value(
            "a chain of operators",
            &format!("1{}", " + 1".repeat(100_000)),
        ),
        value(
            "a chain of conditions",
            &format!("{}1", "true ? 1 : ".repeat(100_000)),
        ),
        value(
            "templates in each other",
            &format!("{}1{}", "\"${".repeat(20_000), "}\"".repeat(20_000)),
        ),
        evil("10^5 errors", "= = =\n".repeat(100_000)),
        evil(
            "heredocs that do not end",
            (0..20_000)
                .map(|at| format!("v{at} = <<X{at}\n"))
                .collect::<String>(),
        ),
        evil(
            "strings with heredocs that do not end",
            (0..20_000)
                .map(|at| format!("v{at} = \"${{<<X{at}\n"))
                .collect::<String>(),
        ),
        evil("comments that do not end", "v = 1 /*\n".repeat(200_000)),
        evil("objects that do not end", "v = {\n".repeat(50_000)),
        evil("200,000 objects that do not end", "v = {\n".repeat(200_000)),
        evil("10^5 blocks that do not end", "b {\n".repeat(100_000)),
        evil("a chain of 10^5 local values", {
            let values = (1..100_000).map(|at| format!("  v{at} = local.v{}\n", at - 1));
            format!("locals {{\n  v0 = 1\n{}}}\n", values.collect::<String>())
        }),
    ]
}

/// One block, many thousand times: what is done for each may not look at all others.
fn repeated() -> Vec<Evil> {
    let blocks = |name: &'static str, count: usize, block: &dyn Fn(usize) -> String| {
        evil(name, (0..count).map(block).collect::<String>())
    };
    let data = |at: usize, input: String| {
        format!("resource \"terraform_data\" \"r{at}\" {{\n  input = {input}\n}}\n")
    };
    let names: Vec<String> = (0..20_000)
        .map(|at| format!("terraform_data.r{at}.id"))
        .collect();
    let all = format!("locals {{\n  all = [{}]\n}}\n", names.join(", "));
    vec![
        blocks("20,000 imports", 20_000, &|at| {
            format!("import {{\n  to = terraform_data.r{at}\n  id = \"{at}\"\n}}\n")
        }),
        blocks("a cycle of 5,000 moves", 5_000, &|at| {
            format!(
                "moved {{\n  from = terraform_data.r{at}\n  to = terraform_data.r{}\n}}\n",
                (at + 1) % 5_000
            )
        }),
        blocks("20,000 moves from one resource", 20_000, &|at| {
            format!("moved {{\n  from = terraform_data.a\n  to = terraform_data.r{at}\n}}\n")
        }),
        blocks("20,000 moves in a circle", 20_000, &|at| {
            let to = (at + 1) % 20_000;
            format!("moved {{\n  from = terraform_data.r{at}\n  to = terraform_data.r{to}\n}}\n")
        }),
        blocks("20,000 moves to one resource", 20_000, &|at| {
            format!("moved {{\n  from = terraform_data.r{at}\n  to = terraform_data.a\n}}\n")
        }),
        Evil {
            name: "20,000 moves between instances of a module",
            files: vec![
                (
                    "main.tf",
                    (0..20_000)
                        .map(|at| {
                            format!(
                                "moved {{\n  from = module.m[{at}].terraform_data.r\n  to = module.m[{}].terraform_data.s[\"{at}\"]\n}}\n",
                                at + 1
                            )
                        })
                        .chain(["module \"m\" {\n  source = \"./m\"\n  count = 500\n}\n".to_owned()])
                        .collect(),
                ),
                (
                    "m/main.tf",
                    "resource \"terraform_data\" \"r\" {\n}\nresource \"terraform_data\" \"s\" {\n  for_each = toset([\"a\"])\n}\n".to_owned(),
                ),
            ],
        },
        blocks("20,000 required releases", 20_000, &|at| {
            format!("language {{\n  compatible_with {{\n    opentofu = \">= 1.{at}\"\n  }}\n}}\n")
        }),
        blocks("20,000 names that are not identifiers", 20_000, &|at| {
            format!("variable \"a b\\u001b]0;{at}\" {{\n}}\n")
        }),
        evil("20,000 unknown arguments", {
            let arguments = (0..20_000).map(|at| format!("  x{at} = terraform_data.a.y{at}\n"));
            let arguments: String = arguments.collect();
            format!("resource \"terraform_data\" \"a\" {{\n{arguments}}}\n")
        }),
        Evil {
            name: "a JSON file with one key 600,000 times",
            files: vec![
                ("main.tf", "locals {\n  a = 1 +\n}\n".to_owned()),
                ("terraform.tfvars.json", {
                    let keys = vec!["\"k\":1"; 600_000];
                    format!("{{{}}}\n", keys.join(","))
                }),
            ],
        },
        Evil {
            name: "a template of ten million parts",
            files: vec![
                (
                    "main.tf",
                    "locals {\n  a = templatefile(\"t.tpl\", { x = 1 })\n}\n".to_owned(),
                ),
                ("t.tpl", "${x}".repeat(7_500_000)),
            ],
        },
        blocks("20,000 modules that are missing", 20_000, &|at| {
            format!("module \"m{at}\" {{\n  source = \"./m{at}\"\n}}\n")
        }),
        blocks("20,000 states that are missing", 20_000, &|at| {
            format!(
                "data \"terraform_remote_state\" \"r{at}\" {{\n  backend = \"local\"\n  config = {{ path = \"x{at}\" }}\n}}\n"
            )
        }),
        blocks("20,000 resources", 20_000, &|at| data(at, at.to_string())),
        blocks("a chain of 10^4 resources", 10_000, &|at| match at {
            0 => data(0, "0".to_owned()),
            _ => data(at, format!("terraform_data.r{}.output", at - 1)),
        }),
        evil("a value of 20,000 resources", {
            let resources = (0..20_000).map(|at| data(at, "1".to_owned()));
            all + &resources.collect::<String>()
        }),
        blocks("50,000 resources of one name", 50_000, &|_| {
            "resource \"terraform_data\" \"r\" {\n}\n".to_owned()
        }),
        blocks("50,000 names of nothing", 50_000, &|at| {
            format!("output \"o{at}\" {{\n  value = nothing{at}.id\n}}\n")
        }),
        evil("5,000 providers that are missing", {
            let required = (0..5_000).map(|at| format!("    p{at} = {{ source = \"a/p{at}\" }}\n"));
            let resources = (0..5_000).map(|at| format!("resource \"p{at}_x\" \"y\" {{\n}}\n"));
            format!(
                "terraform {{\n  required_providers {{\n{}  }}\n}}\n{}",
                required.collect::<String>(),
                resources.collect::<String>()
            )
        }),
        blocks("10^5 resources that do not end", 100_000, &|at| {
            format!("resource \"terraform_data\" \"r{at}\" {{\n")
        }),
        blocks("20,000 names that are nearly right", 20_000, &|at| {
            format!(
                "variable \"v{at}\" {{\n  default = 1\n}}\noutput \"o{at}\" {{\n  value = var.w{at}x\n}}\n"
            )
        }),
        evil(
            "a name of 4 MB",
            format!("locals {{\n  {} = 1\n}}\n", "a".repeat(4_000_000)),
        ),
        passed_providers(20_000),
        Evil {
            name: "a lock file of 300,000 hashes",
            files: vec![
                (
                    "main.tf",
                    "terraform {\n  required_providers {\n    p = { source = \"a/p\" }\n  }\n}\n".into(),
                ),
                (
                    ".terraform.lock.hcl",
                    format!(
                        "provider \"registry.terraform.io/a/p\" {{\n  version = \"1.0.0\"\n  hashes = [{}]\n}}\n",
                        "\"h1:x\",".repeat(300_000)
                    ),
                ),
            ],
        },
        evil(
            "instances that each hold all keys",
            "locals {\n  keys = toset([for i in range(1000) : \"k${i}\"])\n}\nresource \"terraform_data\" \"evil\" {\n  for_each = local.keys\n  input = { for k in local.keys : k => each.key }\n}\n",
        ),
    ]
}

fn passed_providers(count: usize) -> Evil {
    let all = |entry: &dyn Fn(usize) -> String| (0..count).map(entry).collect::<String>();
    let passed = all(&|at| format!("    aws.a{at} = aws.b{at}\n"));
    let blocks = all(&|at| format!("provider \"aws\" {{\n  alias = \"b{at}\"\n}}\n"));
    let wanted = all(&|at| format!("aws.a{at}, "));
    let main = format!("module \"m\" {{\n  source = \"./m\"\n  providers = {{\n{passed}  }}\n}}\n");
    let called = format!(
        "terraform {{\n  required_providers {{\n    aws = {{\n      source = \"hashicorp/aws\"\n      configuration_aliases = [{wanted}]\n    }}\n  }}\n}}\n"
    );
    Evil {
        name: "20,000 passed providers",
        files: vec![("main.tf", main + &blocks), ("m/main.tf", called)],
    }
}

/// What follows the head of a Pulumi program.
fn program(name: &'static str, rest: impl AsRef<str>) -> Evil {
    let head = "name: evil\nruntime: yaml\nbackend: {url: 'file://.'}\n";
    let text = format!("{head}{}", rest.as_ref());
    let stack = "config: {}\n".to_owned();
    Evil {
        name,
        files: vec![("Pulumi.yaml", text), ("Pulumi.dev.yaml", stack)],
    }
}

fn programs() -> Vec<Evil> {
    let variable = |expr: &str| format!("variables:\n  evil: {expr}\n");
    let many = |section: &str, entry: &dyn Fn(usize) -> String, count: usize| {
        let entries: String = (0..count).map(entry).collect();
        format!("{section}:\n{entries}")
    };
    // Each entry names the one before it ten times.
    let tenfold = |of: &str| {
        let level = |level: usize| {
            let before = format!("${{v{}}}", level - 1);
            let quoted = vec![format!("\"{before}\""); 10].join(", ");
            let value = match of {
                "text" => format!("\"{}\"", before.repeat(10)),
                "list" => format!("[{quoted}]"),
                _ => format!("{{fn::toJSON: [{quoted}]}}"),
            };
            format!("  v{level}: {value}\n")
        };
        let levels: String = (1..12).map(level).collect();
        format!("variables:\n  v0: x\n{levels}outputs:\n  evil: ${{v11}}\n")
    };
    let anchors: String = (1..12)
        .map(|level| {
            let before = vec![format!("*a{}", level - 1); 9].join(", ");
            format!("  v{level}: &a{level} [{before}]\n")
        })
        .collect();
    let stash = |at: usize| {
        format!("  s{at}:\n    type: pulumi:index:Stash\n    properties: {{input: {at}}}\n")
    };
    vec![
        program("variables that multiply as text", tenfold("text")),
        program("variables that multiply as lists", tenfold("list")),
        program("variables that multiply as JSON", tenfold("JSON")),
        program(
            "anchors that multiply",
            format!("variables:\n  v0: &a0 [x]\n{anchors}"),
        ),
        program(
            "a chain of 10^5 variables",
            many(
                "variables",
                &|at| match at {
                    0 => "  v0: 1\n".to_owned(),
                    _ => format!("  v{at}: ${{v{}}}\n", at - 1),
                },
                100_000,
            ),
        ),
        program(
            "a cycle of 10^4 variables",
            many(
                "variables",
                &|at| format!("  v{at}: ${{v{}}}\n", (at + 1) % 10_000),
                10_000,
            ),
        ),
        program(
            "resources that nest the one before",
            many(
                "resources",
                &|at| match at {
                    0 => stash(0),
                    _ => format!(
                        "  s{at}: {{type: 'pulumi:index:Stash', properties: {{input: ['${{s{}.output}}']}}}}\n",
                        at - 1
                    ),
                },
                1_200,
            ),
        ),
        program(
            "variables that nest the one before by a hundred",
            many(
                "variables",
                &|at| match at {
                    0 => "  v0: x\n".to_owned(),
                    _ => format!(
                        "  v{at}: {}'${{v{}}}'{}\n",
                        "[".repeat(100),
                        at - 1,
                        "]".repeat(100)
                    ),
                },
                200,
            ) + "outputs:\n  evil: ${v199}\n",
        ),
        Evil {
            name: "a large folder in 1,000 archives",
            files: vec![
                (
                    "Pulumi.yaml",
                    "name: evil\nruntime: yaml\nbackend: {url: 'file://.'}\n".to_owned()
                        + &many(
                            "variables",
                            &|at| format!("  v{at}: {{fn::fileArchive: ./d}}\n"),
                            1_000,
                        ),
                ),
                ("Pulumi.dev.yaml", "config: {}\n".to_owned()),
                ("d/x", "x".repeat(60 << 20)),
            ],
        },
        program("10^5 resources", many("resources", &stash, 100_000)),
        program(
            "10^5 outputs of nothing",
            many(
                "outputs",
                &|at| format!("  o{at}: ${{nobody{at}}}\n"),
                100_000,
            ),
        ),
        program(
            "10^5 values of configuration",
            many(
                "config",
                &|at| format!("  c{at}: {{type: string, default: a}}\n"),
                100_000,
            ),
        ),
        program(
            "lists of YAML in each other",
            variable(&format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000))),
        ),
        program(
            "blocks of YAML in each other",
            variable(&format!(
                "\n{}",
                (0..3_000)
                    .map(|at| format!("{}a:\n", " ".repeat(at + 4)))
                    .collect::<String>()
            )),
        ),
        program(
            "a list of YAML that does not end",
            variable(&"[".repeat(200_000)),
        ),
        program(
            "10^5 strings of YAML that do not end",
            many("variables", &|at| format!("  v{at}: \"\n"), 100_000),
        ),
        program(
            "a long list of YAML",
            variable(&format!("[{}]", "1, ".repeat(1_000_000))),
        ),
        program("long text of YAML", variable(&"x".repeat(10_000_000))),
        program(
            "a text of 10^6 references",
            variable(&format!("\"{}\"", "${pulumi.stack}".repeat(1_000_000))),
        ),
        program(
            "references in each other",
            variable(&format!("\"{}\"", "${a[".repeat(200_000))),
        ),
        program("a product by joins", {
            let long = format!(
                "{{fn::join: [\"{}\", {{fn::split: [\"\", \"{}\"]}}]}}",
                "y".repeat(100_000),
                "x".repeat(100_000)
            );
            variable(&long)
        }),
        program(
            "a file that does not end",
            variable("{fn::readFile: /dev/zero}")
                + "outputs:\n  a: {fn::fileAsset: /dev/zero}\n  b: {fn::fileArchive: /}\n",
        ),
        program(
            "the editor's own messages",
            variable("{fn::readFile: /dev/stdin}")
                + "outputs:\n  a: {fn::remoteAsset: 'file:///dev/stdin'}\n",
        ),
        program(
            "10^4 resources below each other",
            many(
                "resources",
                &|at| match at {
                    0 => "  s0: {type: 'pulumi:index:Stash', properties: {input: 1}}\n".to_owned(),
                    _ => format!(
                        "  s{at}: {{type: 'pulumi:index:Stash', properties: {{input: 1}}, options: {{parent: '${{s{}}}', aliases: [{{name: a}}, {{name: b}}]}}}}\n",
                        at - 1
                    ),
                },
                10_000,
            ),
        ),
        program("a resource that depends on 3,000, 3,000 times", {
            let all: Vec<String> = (0..3_000).map(|at| format!("${{s{at}}}")).collect();
            let all = all.join(", ");
            let first = many("resources", &stash, 3_000);
            let rest = (3_000..3_100).map(|at| format!("  s{at}: {{type: 'pulumi:index:Stash', properties: {{input: 1}}, options: {{dependsOn: [{all}]}}}}\n"));
            first + &rest.collect::<String>()
        }),
        Evil {
            name: "a large file of a stack",
            files: vec![
                (
                    "Pulumi.yaml",
                    "name: evil\nruntime: yaml\nbackend: {url: 'file://.'}\n".to_owned(),
                ),
                (
                    "Pulumi.dev.yaml",
                    many(
                        "config",
                        &|at| format!("  evil:c{at}: [[[{at}]]]\n"),
                        200_000,
                    ),
                ),
            ],
        },
        Evil {
            name: "long text that a file of a stack repeats",
            files: vec![
                (
                    "Pulumi.yaml",
                    "name: evil\nruntime: yaml\nbackend: {url: 'file://.'}\n".to_owned(),
                ),
                (
                    "Pulumi.dev.yaml",
                    format!(
                        "x: &x {}\nconfig:\n  evil:a: [{}]\n",
                        "x".repeat(1_000_000),
                        vec!["*x"; 50_000].join(", ")
                    ),
                ),
            ],
        },
        Evil {
            name: "a state of 10^5 nested lists",
            files: vec![
                (
                    "Pulumi.yaml",
                    "name: evil\nruntime: yaml\nbackend: {url: 'file://.'}\n".to_owned(),
                ),
                ("Pulumi.dev.yaml", "config: {}\n".to_owned()),
                (
                    ".pulumi/stacks/evil/dev.json",
                    format!(
                        "{{\"version\":3,\"checkpoint\":{}1{}}}",
                        "[".repeat(100_000),
                        "]".repeat(100_000)
                    ),
                ),
            ],
        },
    ]
}
