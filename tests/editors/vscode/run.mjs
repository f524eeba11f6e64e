// Runs a journey inside the extension host of a real VS Code that loads the unpacked extension. What only eyes see is done and looked at from
// outside: the journey writes a line `act {...}` for it, and finds the answer in a file.
//
//   node run.mjs VSCODE_FOLDER EXTENSION_FOLDER JOURNEY.js WORKSPACE PICTURES_FOLDER [--trust] [--light] [--contrast] [--width=PIXELS] [--height=PIXELS]
//
// WORKSPACE is a folder or a `.code-workspace` file. With --trust VS Code asks whether it is trusted.

import fs from 'node:fs';
import path from 'node:path';
import { number, start, theme } from './drive.mjs';

const [vscode, extension, journey, workspace, pictures] = process.argv.slice(2, 7).map((each) => path.resolve(each));
const asksForTrust = process.argv.includes('--trust');
const answers = fs.mkdtempSync(path.join(path.dirname(pictures), 'answers-'));
const result = path.join(answers, 'result.json');
const code = await start({
    vscode,
    pictures,
    asksForTrust,
    width: number('width', 1400),
    height: number('height', 900),
    theme: theme(),
    settings: {
        'security.workspace.trust.enabled': asksForTrust,
        'security.workspace.trust.startupPrompt': 'never',
        'security.workspace.trust.untrustedFiles': 'open',
        'workbench.startupEditor': 'none',
        'editor.minimap.enabled': false,
        'planlens.log.level': 'trace',
        // Journeys look at the lens of each block, but where they say otherwise.
        'planlens.actions.show': 'all',
        'planlens.actions.place': 'lens',
        'planlens.server.path': process.env.PLANLENS ?? 'planlens',
    },
    environment: { PLANLENS_JOURNEY_ANSWERS: answers },
});
let exit = 'timeout';
try {
    let end;
    let hasBegun = false;
    await code.page.exposeFunction('codeAutomationExit', (exitCode) => end(exitCode));
    await code.page.exposeFunction('codeAutomationLog', async (_kind, words) => {
        const text = String(words[0]);
        hasBegun ||= /^(act|ok|not ok|#)/.test(text);
        if (text.startsWith('act ')) {
            const { id, ...what } = JSON.parse(text.slice('act '.length));
            const answer = await code.acts[what.do](what).then((value) => ({ value }), (error) => ({ error: String(error) }));
            fs.writeFileSync(path.join(answers, `${id}.new`), JSON.stringify(answer));
            fs.renameSync(path.join(answers, `${id}.new`), path.join(answers, `${id}.json`));
        } else if (/^(ok|not ok|#)/.test(text)) {
            console.log(...words);
        }
    });
    const uri = (file) => `vscode-remote://${code.host}${file}`;
    const payload = JSON.stringify([
        ['extensionDevelopmentPath', uri(extension)],
        ['extensionTestsPath', uri(journey)],
        ['skipWelcome', 'true'],
    ]);
    const opened = workspace.endsWith('.code-workspace') ? 'workspace' : 'folder';
    const page = `http://${code.host}/?${opened}=${encodeURIComponent(workspace)}&payload=${encodeURIComponent(payload)}`;
    const timeout = new Promise((resolve) => setTimeout(resolve, 540_000, 'timeout').unref());
    for (const isLast of [false, true]) {
        const ended = new Promise((resolve) => {
            end = resolve;
        });
        await code.page.goto(page, { waitUntil: 'domcontentloaded' });
        exit = await Promise.race([ended, timeout]);
        // The extension host of VS Code sometimes ends before it has loaded the journey.
        if (exit !== 1 || hasBegun || isLast) break;
        console.log('# VS Code ended before the journey began, and is opened once more');
    }
    code.complaints.forEach((text) => console.log(`not ok a message of an error was shown: ${text}`));
} finally {
    // The exit code is 0 even where the extension host died: the journey's own word counts.
    const outcome = fs.existsSync(result) ? JSON.parse(fs.readFileSync(result, 'utf8')) : undefined;
    const isGood = exit === 0 && code.complaints.size === 0 && outcome?.ran > 0 && outcome.failed === 0;
    if (!isGood) {
        console.log(`not ok: exit ${exit}, ${JSON.stringify(outcome)}\n${code.log().slice(-3000)}`);
    }
    await code.stop();
    fs.rmSync(answers, { recursive: true, force: true });
    process.exitCode = isGood ? 0 : 1;
}
