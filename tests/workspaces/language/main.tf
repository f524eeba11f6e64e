variable "names" {
  type    = list(string)
  default = ["ada", "Grace", "édith"]
}

locals {
  number  = 3
  users   = { ada = { age = 36, admin = true }, grace = { age = 85, admin = false } }
  nothing = null
}

resource "terraform_data" "strings" {
  input = {
    escapes  = "tab\t quote\" backslash\\ dollar $${x} percent %%{y} bell\u0007 newline\n"
    unicode  = "naïve 日本語 🙂 \u00e9 \U0001F600 e\u0301"
    template = "a${local.number}b${true}c${1.50}"
    only     = "${local.number}"
    directive = "%{if local.number > 2}many%{else}few%{endif}: %{for name in var.names~} ${name}, %{~endfor}"
    heredoc  = <<EOT
first ${local.number}
  second
EOT
    indented = <<-EOT
      first
        second "quoted"
      %{if local.number == 3~}
      third
      %{endif~}
    EOT
    empty    = ""
    html     = "<a href=\"x\">&amp;</a>"
  }
}

resource "terraform_data" "numbers" {
  input = {
    integer  = 42
    negative = -0.5
    tiny     = 1e-7
    huge     = 123456789012345678901234567890
    exact    = 0.1 + 0.2
    third    = 1 / 3
    modulo   = 17 % 5
    power    = pow(2, 64)
    text     = "${1e3}"
    compare  = 10 >= 9.99
    logic    = !(true && false) || false
  }
}

resource "terraform_data" "collections" {
  input = {
    list      = [for name in var.names : upper(name) if length(name) > 3]
    object    = { for name, user in local.users : name => user.age if user.admin }
    grouped   = { for name, user in local.users : user.admin ? "admin" : "other" => name... }
    splat     = values(local.users)[*].age
    nested    = [for i, name in var.names : { (name) = i }]
    index     = local.users["ada"].age
    computed  = local.users[keys(local.users)[1]]
    condition = local.nothing == null ? ["none"] : []
    null      = local.nothing
    spread    = max([1, 5, 3]...)
    tuple     = [1, "a", [true, null]]
    set       = toset(["b", "a", "b"])
    "quoted key" = 1
    (var.names[0]) = "computed key"
  }
}

resource "terraform_data" "functions" {
  input = {
    join       = join("-", var.names)
    format     = format("%s has %d (%.2f%%) %q %05d %v", "x", 3, 99.5, "y", 42, ["a", 1])
    formatlist = formatlist("%s!", var.names)
    lookup     = lookup({ a = 1 }, "b", 2)
    merge      = merge({ a = 1, b = 2 }, { b = 3 }, null)
    json       = jsonencode({ b = [1, null, "<é>"], a = { c = true } })
    decoded    = jsondecode("{\"a\": [1, 2.5, null], \"b\": {\"c\": \"d\"}}")
    subnet     = cidrsubnet("10.0.0.0/16", 8, 2)
    subnets    = cidrsubnets("10.0.0.0/16", 4, 8)
    host       = cidrhost("10.0.0.0/24", 5)
    mask       = cidrnetmask("10.0.0.0/12")
    try        = try(local.users.nobody, "fallback")
    can        = can(tonumber("x"))
    coalesce   = coalesce("", null, "first")
    concat     = concat(["a"], ["b", "c"])
    contains   = contains(var.names, "ada")
    compact    = compact(["a", "", "b"])
    distinct   = distinct(["a", "b", "a"])
    element    = element(var.names, 4)
    flatten    = flatten([["a", ["b"]], [], "c"])
    index      = index(var.names, "Grace")
    keys       = keys({ b = 1, a = 2 })
    length     = [length("日本"), length([1, 2]), length({ a = 1 })]
    lower      = lower("ÀB")
    title      = title("hello world")
    replace    = replace("a-b-c", "-", "_")
    regexed    = replace("a1b22", "/[0-9]+/", "#")
    regex      = regex("(?P<word>[a-z]+)-(?P<number>\\d+)", "abc-123")
    regexall   = regexall("[a-z]", "a1b2")
    reverse    = reverse([1, 2, 3])
    range      = range(1, 10, 3)
    setproduct = setproduct(["a", "b"], [1, 2])
    slice      = slice([1, 2, 3, 4], 1, 3)
    sort       = sort(["b", "a", "C"])
    split      = split(",", "a,b,,c")
    substr     = substr("hello", 1, 3)
    strrev     = strrev("añb")
    sum        = sum([1, 2.5])
    trim       = [trim("?!a?!", "!?"), trimspace("  a "), trimprefix("pre-a", "pre-"), trimsuffix("a.tf", ".tf")]
    values     = values({ b = 1, a = 2 })
    zipmap     = zipmap(["a", "b"], [1, 2])
    chunk      = chunklist([1, 2, 3], 2)
    base64     = [base64encode("héllo"), base64decode("aGk=")]
    hashes     = [md5("a"), sha1("a"), sha256("a"), base64sha256("a")]
    url        = urlencode("a b&c=é")
    yaml       = yamlencode({ a = [1, "two"], b = { c = null } })
    csv        = csvdecode("a,b\n1,2\n3,4\n")
    numbers    = [abs(-1), ceil(1.2), floor(1.8), min(3, 1), signum(-5), parseint("ff", 16), log(100, 10)]
    converted  = [tostring(1.5), tonumber("2"), tobool("true")]
    sets       = [setunion(["a"], ["b"]), setintersection(["a", "b"], ["b"]), setsubtract(["a", "b"], ["a"])]
    startswith = [startswith("abc", "ab"), endswith("abc", "bc"), strcontains("abc", "d")]
    chomp      = chomp("a\n\n")
    indent     = indent(2, "a\nb")
    transpose  = transpose({ a = ["1", "2"], b = ["2"] })
    one        = one(["only"])
    alltrue    = [alltrue([true, true]), anytrue([false])]
    matchkeys  = matchkeys(["a", "b"], [1, 2], [2])
    timeadd    = timeadd("2026-01-01T00:00:00Z", "90m")
    formatdate = formatdate("DD MMM YYYY hh:mm ZZZ", "2026-01-02T03:04:05Z")
    basename   = [basename("a/b.txt"), dirname("a/b.txt")]
    uuidv5     = uuidv5("dns", "example.com")
    type       = tolist([1, "2"])
    map        = tomap({ a = 1, b = "2" })
  }
}

output "everything" {
  value = {
    strings     = terraform_data.strings.input
    numbers     = terraform_data.numbers.input
    collections = terraform_data.collections.input
  }
}
