// A new user: a fresh VS Code with the packed extension, a folder where `terraform init` was run, nothing read. All by mouse and keyboard.
// Tells the seconds from the first sight of VS Code to the first replacement.
//
//   node newcomer.mjs VSCODE_FOLDER VSIX FOLDER PICTURES_FOLDER [--light | --contrast] [--width=PIXELS] [--height=PIXELS] [--animated]
//
// With --animated the way from the first key to the plan and back becomes `animated.webp`, by `img2webp`.

import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { number, start, theme } from './drive.mjs';

const [vscode, vsix, folder, pictures] = process.argv.slice(2, 6).map((each) => path.resolve(each));
const isAnimated = process.argv.includes('--animated');
const code = await start({
    vscode,
    pictures,
    vsix,
    asksForTrust: true,
    theme: theme(),
    width: number('width', 1400),
    height: number('height', 800),
    settings: isAnimated ? { 'editor.minimap.enabled': false, 'workbench.activityBar.location': 'hidden', 'window.commandCenter': false } : {},
});
const { acts, page } = code;

const frames = [];
/** Keeps what is to be seen for so many milliseconds. */
async function frame(duration) {
    if (isAnimated) {
        const name = `frame-${String(frames.length / 3).padStart(2, '0')}`;
        await acts.picture({ name });
        frames.push('-d', `${duration}`, path.join(pictures, `${name}.png`));
    }
}

const LINES = '.editor-instance .view-line';
try {
    await page.goto(`http://${code.host}/?folder=${encodeURIComponent(folder)}`, { waitUntil: 'domcontentloaded' });
    await acts.see({ selector: '.monaco-dialog-box', text: 'Do you trust the authors' });
    const begin = Date.now();
    const seconds = () => (Date.now() - begin) / 1000;
    await acts.click({ selector: '.monaco-dialog-box .monaco-button', text: 'Yes' });
    await acts.click({ selector: '.explorer-folders-view .monaco-list-row', text: 'main.tf', options: { clickCount: 2 } });
    await acts.see({ selector: '.statusbar-item', text: 'no changes' });
    console.log(`ok the plan of what is saved is there after ${seconds().toFixed(1)} s`);
    if (isAnimated) {
        await acts.press({ keys: 'Control+b' });
    }
    await acts.hover({ selector: LINES, text: 'random_id' });
    await page.mouse.wheel(0, 400);
    // VS Code brings the line of a click into sight.
    const word = page.locator(`${LINES} span`).filter({ hasText: /^"?yes"?$/ }).last();
    await word.click();
    await acts.picture({ name: '1-no-changes' });
    await word.dblclick();
    await acts.see({ selector: '.statusbar-item', text: '(3 selected)' });
    await frame(1500);
    for (const key of 'never') {
        await page.keyboard.type(key);
        await acts.seeDrawn({ selector: LINES, text: '⟳ forces replacement' });
        await frame(key === 'r' ? 1800 : 200);
    }
    console.log(`ok the first replacement is visible after ${seconds().toFixed(1)} s`);
    if (seconds() > 60) {
        throw new Error('a minute was not enough');
    }
    await acts.seeDrawn({ selector: LINES, text: '{-/+ replace' });
    await acts.see({ selector: '.statusbar-item', text: '-/+2' });
    await acts.picture({ name: '2-replacement' });
    await acts.click({ selector: '.statusbar-item', text: '-/+2' });
    await acts.see({ selector: LINES, text: 'must be replaced' });
    await frame(3500);
    if (!isAnimated) {
        await acts.picture({ name: '3-plan' });
        await acts.click({ selector: '.activitybar .action-item:has(.action-label[aria-label^="planlens"])' });
        await acts.see({ selector: '.pane-body .monaco-list-row', text: 'by keepers' });
        await acts.click({ selector: '.pane-body .monaco-list-row', text: 'random_string.word' });
        await acts.picture({ name: '4-view' });
        await acts.press({ keys: 'F1' });
        await acts.type({ text: 'planlens' });
        await acts.see({ selector: '.quick-input-list .monaco-list-row', text: 'planlens: Replan' });
        await acts.picture({ name: '5-commands' });
        await acts.press({ keys: 'Escape' });
    }
    await acts.click({ selector: LINES, text: 'keepers = { fixed' });
    for (let key = 0; key < 'never'.length + 1; key++) {
        await acts.press({ keys: 'Control+z' });
    }
    await acts.see({ selector: LINES, text: 'No changes.' });
    await acts.see({ selector: '.statusbar-item', text: 'no changes' });
    await frame(1800);
    console.log('ok undo takes it back');
    if (isAnimated) {
        const made = spawnSync('img2webp', ['-loop', '0', '-min_size', '-lossless', '-m', '6', ...frames, '-o', path.join(pictures, 'animated.webp')], { encoding: 'utf8' });
        if (made.status !== 0) {
            throw new Error(`img2webp makes the animated picture (Debian: apt-get install webp): ${made.error ?? made.stderr}`);
        }
    } else {
        await acts.press({ keys: 'F1' });
        await acts.type({ text: 'open walkthrough' });
        await acts.see({ selector: '.quick-input-list .monaco-list-row', text: 'Open Walkthrough' });
        await acts.press({ keys: 'Enter' });
        await acts.see({ selector: '.quick-input-list .monaco-list-row', text: 'See the plan while you type' });
        await acts.type({ text: 'See the plan' });
        await acts.press({ keys: 'Enter' });
        // What was done already is ticked off.
        await acts.see({ selector: '.getting-started-step .codicon-getting-started-step-checked.complete' });
        await acts.picture({ name: '6-walkthrough' });
    }
} catch (error) {
    console.log(`not ok ${error.stack}\n${code.log().slice(-3000)}`);
    await acts.picture({ name: 'failure' });
    process.exitCode = 1;
} finally {
    code.complaints.forEach((text) => console.log(`not ok a message of an error was shown: ${text}`));
    process.exitCode ||= code.complaints.size;
    await code.stop();
}
