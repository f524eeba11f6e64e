#!/usr/bin/env python3
"""Records what terraform answers to the calls in functions.jsonl, in place. Recorded with Terraform 1.11.4.

Each line has `call` and `args`; `{"$set": x}`, `{"$list": x}`, `{"$map": x}` and `{"$sensitive": x}` in
arguments stand for conversions. The recorder adds `value` (as JSON text) and `type`, or `error`.
"""
import base64, concurrent.futures, json, pathlib, re, subprocess, tempfile

CONVERSIONS = {"$set": "toset", "$list": "tolist", "$map": "tomap", "$sensitive": "sensitive"}


def expression(value):
    if isinstance(value, dict) and len(value) == 1 and (key := next(iter(value))) in CONVERSIONS:
        return f"{CONVERSIONS[key]}({expression(value[key])})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{expression(k)} = {expression(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(expression, value)) + "]"
    return json.dumps(value, ensure_ascii=False).replace("${", "$${").replace("%{", "%%{")


def console(text):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(["terraform", "console"], input=text, text=True, cwd=folder, capture_output=True)
    strip = lambda text: re.sub(r"\x1b\[[0-9;]*m", "", text)
    return strip(done.stdout).strip(), strip(done.stderr).strip()


def record(case):
    call = f"{case['call']}({', '.join(map(expression, case['args']))})"
    result = {"call": case["call"], "args": case["args"]}
    out, err = console(f"base64encode(jsonencode(nonsensitive({call})))\n")
    if out.startswith('"'):
        result["value"] = base64.b64decode(out.strip('"')).decode()
        result["type"] = re.sub(r"\s", "", console(f"type({call})\n")[0])
    elif out.startswith("(known after apply)"):
        result["unknown"] = True
    else:
        text = " ".join(line.strip("│╷╵ ") for line in (out + err).splitlines())
        result["error"] = " ".join(text.split("(source code not available)")[-1].split())
    return result


path = pathlib.Path(__file__).with_name("functions.jsonl")
cases = [json.loads(line) for line in path.read_text().strip().split("\n")]
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    lines = [json.dumps(case, ensure_ascii=False) for case in pool.map(record, cases)]
path.write_text("\n".join(lines) + "\n")
