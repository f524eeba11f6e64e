// How long a key takes to the screen of a real VS Code: to the frame with the typed letter, and to the frame with the hint that
// repeats it in another line. Prints two lists of milliseconds as JSON.
//
//   node keys.mjs VSCODE_FOLDER EXTENSION_FOLDER FOLDER COUNT
//
// In the folder's main.tf a local value `word = ""` is read by an output `value = "<${local.word}>"`. PLANLENS names the server.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { start } from './drive.mjs';

const [vscode, extension, folder] = process.argv.slice(2, 5).map((each) => path.resolve(each));
const count = Number(process.argv[5]);
/** None of them is in the two lines. More would make a hint so long that it is cut. */
const LETTERS = 'bfghjkmpqxyz';
const LINES = '.editor-instance .view-line';
const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const pictures = fs.mkdtempSync(path.join(os.tmpdir(), 'planlens-keys-'));
const code = await start({
    vscode,
    pictures,
    settings: {
        'workbench.startupEditor': 'none',
        'editor.minimap.enabled': false,
        // A list of suggestions would hide the lines.
        'editor.quickSuggestions': false,
        'planlens.server.path': process.env.PLANLENS ?? 'planlens',
    },
});
const { acts, page } = code;

/** Looks at each frame from now on: when a key was pressed, and when the letter was first drawn in each of two lines. */
const watch = (letter) =>
    page.evaluate(
        ([selector, letter]) => {
            const seen = { key: undefined, typed: undefined, hint: undefined };
            globalThis.planlensKey = seen;
            document.addEventListener('keydown', () => (seen.key ??= performance.now()), { capture: true, once: true });
            const has = (text) => {
                const lines = [...document.querySelectorAll(selector)].map((each) => each.textContent.replaceAll('\u00a0', ' '));
                return lines.some((line) => line.includes(text) && line.includes(letter));
            };
            const look = () => {
                // This frame draws the document as it is now.
                const now = performance.now();
                seen.typed ??= has('word = ') ? now : undefined;
                seen.hint ??= has('value = ') ? now : undefined;
                if (!seen.hint || !seen.typed) {
                    requestAnimationFrame(look);
                }
            };
            requestAnimationFrame(look);
        },
        [LINES, letter],
    );

const typed = [];
const hints = [];
try {
    const uri = (file) => `vscode-remote://${code.host}${file}`;
    const payload = JSON.stringify([
        ['extensionDevelopmentPath', uri(extension)],
        ['skipWelcome', 'true'],
    ]);
    await page.goto(`http://${code.host}/?folder=${encodeURIComponent(folder)}&payload=${encodeURIComponent(payload)}`, { waitUntil: 'domcontentloaded' });
    await acts.click({ selector: '.explorer-folders-view .monaco-list-row', text: 'main.tf', options: { clickCount: 2 } });
    await acts.seeDrawn({ selector: LINES, text: '= "<>"' });
    await acts.click({ selector: LINES, text: 'word = ' });
    await acts.press({ keys: 'End' });
    await acts.press({ keys: 'ArrowLeft' });
    // The letters of the first word are not counted: VS Code compiles the code that runs often.
    for (let at = -LETTERS.length; at < count; at++) {
        const place = (at + LETTERS.length) % LETTERS.length;
        if (place === 0) {
            for (let back = 0; at >= 0 && back < LETTERS.length; back++) {
                await acts.press({ keys: 'Backspace' });
            }
            await acts.seeDrawn({ selector: LINES, text: '= "<>"' });
        }
        await pause(150);
        await watch(LETTERS[place]);
        await page.keyboard.press(LETTERS[place]);
        await page.waitForFunction(() => globalThis.planlensKey.hint && globalThis.planlensKey.typed, undefined, { timeout: 10_000 });
        const seen = await page.evaluate(() => globalThis.planlensKey);
        if (at >= 0) {
            typed.push(seen.typed - seen.key);
            hints.push(seen.hint - seen.key);
        }
    }
    console.log(JSON.stringify({ typed, hints }));
} catch (error) {
    await acts.picture({ name: 'failure' });
    console.error(`${error.stack}\n${code.log().slice(-3000)}\nsee ${pictures}`);
    process.exitCode = 1;
} finally {
    await code.stop();
}
