// What changes of a resource, read from its block as `terraform plan` prints it.

import type { Kind } from './protocol';

export interface ChangedAttribute {
    /** `keepers.fixed` */
    path: string;
    /** `"yes" -> "no"` */
    value: string;
    kind: Kind;
    forcesReplacement: boolean;
}

const KIND_OF: Record<string, Kind> = { '+': 'create', '-': 'destroy', '~': 'update', '-/+': 'replace', '+/-': 'replace', '<=': 'read' };
const FORCES = / # forces replacement$/;

export function attributesOf(diff: string): ChangedAttribute[] {
    const lines = diff.split('\n');
    const head = lines.findIndex((line) => /\b(resource|data)\s+"/.test(line));
    const found: ChangedAttribute[] = [];
    // What is open around a line: objects, lists and blocks.
    const open: { name: string; kind: Kind; forcesReplacement: boolean }[] = [];
    const path = (name: string) => [...open.map((each) => each.name), name].filter((each) => each !== '').join('.');
    let isHeredoc = false;
    for (const line of head < 0 ? [] : lines.slice(head + 1)) {
        if (isHeredoc) {
            isHeredoc = !/^\s*EOT\b/.test(line);
            continue;
        }
        const [, symbol, said] = /^\s*(?:(-\/\+|\+\/-|<=|[-+~])\s+)?(.*)$/.exec(line) ?? [];
        if (said === undefined || said === '' || said.startsWith('#')) {
            continue;
        }
        const around = open.at(-1);
        const forcesReplacement = FORCES.test(said) || (around?.forcesReplacement ?? false);
        const text = said.replace(FORCES, '');
        if (/^[}\])]/.test(text)) {
            const closed = open.pop();
            if (closed && text.includes('->')) {
                // The whole is another: its parts need not be told.
                const whole = path(closed.name);
                const rest = found.filter((each) => !each.path.startsWith(`${whole}.`));
                found.splice(0, found.length, ...rest, { path: whole, value: text.slice(text.indexOf('->')), kind: closed.kind, forcesReplacement });
            }
            continue;
        }
        const [, name = '', value = ''] = /^("(?:[^"\\]|\\.)*"|[\w-]+)\s*(?:=\s*)?(.*)$/.exec(text) ?? [];
        const plain = name.replace(/^"(.*)"$/, '$1');
        const kind = symbol === undefined ? 'update' : (KIND_OF[symbol] ?? 'update');
        if (/[{[(]$/.test(text)) {
            open.push({ name: plain, kind, forcesReplacement });
            continue;
        }
        isHeredoc = /<<-?EOT$/.test(text);
        if (symbol !== undefined) {
            const isElement = value === '' || value === ',';
            found.push({ path: path(isElement ? '' : plain), value: isElement ? text.replace(/,$/, '') : value, kind, forcesReplacement });
        }
    }
    return found;
}
