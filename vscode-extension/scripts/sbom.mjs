// Writes what the server and the extension are made of as CycloneDX 1.5: `node scripts/sbom.mjs FILE`.

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const root = path.dirname(here);

function cargo(...args) {
    return execFileSync('cargo', [...args, '--locked', '--offline'], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 28 });
}

// `NAME vVERSION|LICENCE` of everything that is built into the program.
function crates() {
    const lines = cargo('tree', '--features=jemalloc', '--edges=normal,build', '--prefix=none', '--format={p}|{l}').split('\n');
    const all = new Map();
    for (const line of lines) {
        const [, name, version, rest, licence] = /^(\S+) v(\S+)(.*)\|(.*)$/.exec(line) ?? [];
        // Our own have a path behind the version.
        if (name && !rest.includes('(/') && !/\([A-Z]:/.test(rest)) {
            all.set(`${name}@${version}`, component('cargo', name, version, licence));
        }
    }
    return [...all.values()];
}

function modules() {
    const lock = JSON.parse(fs.readFileSync(path.join(here, 'package-lock.json'), 'utf8'));
    const installed = Object.entries(lock.packages).filter(([where, it]) => where && !it.dev);
    return installed.map(([where, it]) => component('npm', where.split('node_modules/').at(-1), it.version, it.license ?? ''));
}

function component(kind, name, version, licence) {
    const purl = `pkg:${kind}/${name.replace('@', '%40')}@${version}`;
    // The old spelling of an alternative.
    const expression = licence.replaceAll(/\s*\/\s*/g, ' OR ');
    return { type: 'library', 'bom-ref': purl, name, version, purl, ...(expression && { licenses: [{ expression }] }) };
}

const { version } = JSON.parse(fs.readFileSync(path.join(here, 'package.json'), 'utf8'));
const components = [...crates(), ...modules()].sort((a, b) => (a.purl < b.purl ? -1 : 1));
const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { type: 'application', name: 'planlens', version, licenses: [{ expression: 'MIT OR Apache-2.0' }] } },
    components,
};
fs.writeFileSync(process.argv[2], JSON.stringify(bill, null, 2) + '\n');
console.log(`${process.argv[2]}: ${components.length} components`);
