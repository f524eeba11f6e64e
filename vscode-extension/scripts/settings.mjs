// Writes the settings of `schemas/settings.json` into `package.json`; with `--check` only compares them.

import fs from 'node:fs';

const { settings, editorSettings } = JSON.parse(fs.readFileSync(new URL('../../schemas/settings.json', import.meta.url)));
const file = new URL('../package.json', import.meta.url);
const manifest = JSON.parse(fs.readFileSync(file));
const of = ({ key, type, default: value, scope, description, ...more }) => {
    const property = { type, default: value, scope, markdownDescription: description };
    for (const name of ['enum', 'pattern', 'patternErrorMessage', 'minimum', 'maximum', 'items', 'properties', 'additionalProperties']) {
        if (name in more) {
            property[name] = more[name];
        }
    }
    return [`planlens.${key}`, property];
};
manifest.contributes.configuration.properties = Object.fromEntries([...editorSettings, ...settings].map(of));
const text = `${JSON.stringify(manifest, null, 2)}\n`;
if (process.argv.includes('--check')) {
    if (text !== fs.readFileSync(file, 'utf8')) {
        console.error('package.json does not have the settings of schemas/settings.json: run npm run settings');
        process.exit(1);
    }
} else {
    fs.writeFileSync(file, text);
}
