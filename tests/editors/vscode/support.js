// What the journeys inside of the extension host share.

const fs = require('node:fs');
const path = require('node:path');
const vscode = require('vscode');

/** Milliseconds, as in `drive.mjs`, and more than there. */
const LIMIT = Number(process.env.PLANLENS_JOURNEY_LIMIT ?? 120_000) + 5_000;
const answers = process.env.PLANLENS_JOURNEY_ANSWERS;
let ran = 0;
let failed = 0;
let acts = 0;

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Waits for a condition. */
async function eventually(what, condition) {
    let last;
    for (const begin = Date.now(); Date.now() - begin < LIMIT; await sleep(50)) {
        try {
            last = await condition();
            if (last) {
                return last;
            }
        } catch (error) {
            last = error;
        }
    }
    throw new Error(`timeout: ${what}: ${last instanceof Error ? last.stack : JSON.stringify(last)}`);
}

async function test(name, body) {
    if (failed > 0) {
        return;
    }
    ran += 1;
    const begin = Date.now();
    try {
        await body();
        console.log(`ok ${name} (${Date.now() - begin} ms)`);
    } catch (error) {
        failed += 1;
        console.log(`not ok ${name}: ${error.stack}`);
        await act('picture', { name: 'failure' }).catch(() => undefined);
    }
}

function assert(condition, said) {
    if (!condition) {
        throw new Error(typeof said === 'string' ? said : JSON.stringify(said));
    }
}

/** Has the driver do or look at something outside: `drive.mjs` lists what. */
async function act(what, more) {
    const id = ++acts;
    console.log(`act ${JSON.stringify({ id, do: what, ...more })}`);
    const file = path.join(answers, `${id}.json`);
    const { value, error } = await eventually(`${what} ${JSON.stringify(more)}`, () => fs.existsSync(file) && JSON.parse(fs.readFileSync(file, 'utf8')));
    assert(error === undefined, `${what} ${JSON.stringify(more)}: ${error}`);
    return value;
}

/** Opens the hover at the cursor, again where VS Code closed it as it drew a text anew, until it has the words. */
const hover = (text) =>
    eventually(`a hover with ${text}`, async () => {
        await vscode.commands.executeCommand('editor.action.showHover');
        await act('see', { selector: '.monaco-hover', text, timeout: 3_000 });
        return true;
    });

/** Clicks until it has an effect, and returns that: VS Code drops a click on an element that it draws anew. */
const clickUntil = (what, effect, prepare = () => undefined) =>
    eventually(`the effect of a click on ${what.text}`, async () => {
        await prepare();
        await act('click', { ...what, options: { timeout: 5_000 } });
        let value;
        for (const begin = Date.now(); !value && Date.now() - begin < 5_000; await sleep(100)) {
            value = await effect();
        }
        return value;
    });

const picture = (name) => act('picture', { name });
const see = (selector, text) => act('see', { selector, text });
const seeDrawn = (selector, text) => act('seeDrawn', { selector, text });
const goneDrawn = (selector, text) => act('seeDrawn', { selector, text, isGone: true });
const gone = (selector, text) => act('see', { selector, text, isGone: true });

const titles = async (uri) => (await vscode.commands.executeCommand('vscode.executeCodeLensProvider', uri, 100)).map((lens) => lens.command?.title ?? '');
const codes = (uri) => vscode.languages.getDiagnostics(uri).map((each) => each.code?.value ?? each.code);

/** The programs that a process started, and what they started, by id, with their names. */
function started(pid) {
    const parents = fs.readdirSync('/proc').filter((each) => /^\d+$/.test(each)).flatMap((id) => {
        try {
            const stat = fs.readFileSync(`/proc/${id}/stat`, 'utf8');
            const [, name, rest] = /\((.*)\) (.*)/s.exec(stat);
            return [{ id: Number(id), name, parent: Number(rest.split(' ')[1]) }];
        } catch {
            return [];
        }
    });
    const below = (id) => parents.filter((each) => each.parent === id).flatMap((each) => [each, ...below(each.id)]);
    return below(pid);
}

/** The internet sockets that a process has open, TCP and UDP. */
function connections(pid) {
    const inodes = new Set(
        fs.readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
            try {
                return /^socket:\[(\d+)\]$/.exec(fs.readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
            } catch {
                return [];
            }
        }),
    );
    return ['tcp', 'tcp6', 'udp', 'udp6'].flatMap((kind) => {
        const lines = fs.readFileSync(`/proc/${pid}/net/${kind}`, 'utf8').trim().split('\n').slice(1);
        return lines.filter((line) => inodes.has(line.trim().split(/\s+/)[9]));
    });
}

function finish() {
    fs.writeFileSync(path.join(answers, 'result.json'), JSON.stringify({ ran, failed }));
    if (failed > 0) {
        throw new Error(`${failed} failed`);
    }
}

module.exports = { act, assert, clickUntil, codes, connections, eventually, finish, gone, goneDrawn, hover, picture, see, seeDrawn, started, test, titles };
