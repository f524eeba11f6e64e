// Packs the extension with a server inside, and writes beside it what both are made of:
// `npm run package [-- --server PATH] [--target linux-arm64] [--out FILE]`. The server is that of this platform unless both are named.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const root = path.dirname(here);
const option = (name) => (process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : undefined);
const given = option('--server');
const arch = { x64: 'x64', arm64: 'arm64', arm: 'armhf' }[process.arch] ?? process.arch;
const target = option('--target') ?? `${process.platform}-${arch}`;
const exe = target.startsWith('win32') ? 'planlens.exe' : 'planlens';
if (given === undefined) {
    execFileSync('cargo', ['build', '--profile=dist', '--features=jemalloc'], { cwd: root, stdio: 'inherit' });
}
const server = given ?? path.join(root, process.env.CARGO_TARGET_DIR ?? 'target', 'dist', exe);
fs.rmSync(path.join(here, 'server'), { recursive: true, force: true });
fs.mkdirSync(path.join(here, 'server'));
fs.copyFileSync(server, path.join(here, 'server', exe));
fs.chmodSync(path.join(here, 'server', exe), 0o755);
if (given === undefined) {
    try {
        // Names of functions are of no use to who installs it.
        execFileSync('strip', [path.join(here, 'server', exe)]);
    } catch {
        console.log('the server is packed with its symbols, as there is no strip');
    }
}
// The notice is of the schemas that the program holds.
for (const file of ['LICENSE-MIT', 'LICENSE-APACHE', 'schemas/bundled/NOTICE', 'CHANGELOG.md']) {
    fs.copyFileSync(path.join(root, file), path.join(here, path.basename(file)));
}
const out = option('--out') ?? path.join(here, `planlens-${target}.vsix`);
execFileSync('npx', ['vsce', 'package', '--no-dependencies', '--target', target, '--out', out], { cwd: here, stdio: 'inherit' });
execFileSync('node', [path.join(here, 'scripts', 'sbom.mjs'), out.replace(/vsix$/, 'cdx.json')], { cwd: here, stdio: 'inherit' });
const size = fs.statSync(out).size / 2 ** 20;
console.log(`${out}: ${size.toFixed(1)} MiB`);
