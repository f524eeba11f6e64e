// Drives a real VS Code in headless Chromium: loads the unpacked extension, runs a journey inside the extension host,
// and keeps screenshots.
//
//   node run.mjs VSCODE_FOLDER EXTENSION_FOLDER JOURNEY.js WORKSPACE_FOLDER SCREENSHOT_FOLDER [--untrusted] [--light] [--width=PIXELS]

import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

const [vscode, extension, journey, workspace, screenshots] = process.argv.slice(2, 7).map((each) => path.resolve(each));
const isUntrusted = process.argv.includes('--untrusted');
const isLight = process.argv.includes('--light');
const width = Number(process.argv.find((each) => each.startsWith('--width='))?.slice(8) ?? 1400);
const { chromium } = createRequire(path.join(vscode, 'driver', 'package.json'))('playwright-core');

const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'planlens-vscode-'));
const result = path.join(temporary, 'result.json');
const settings = {
    'security.workspace.trust.enabled': isUntrusted,
    'security.workspace.trust.startupPrompt': 'never',
    'security.workspace.trust.untrustedFiles': 'open',
    'workbench.startupEditor': 'none',
    'workbench.colorTheme': isLight ? 'Default Light Modern' : 'Default Dark Modern',
    'workbench.enableExperiments': false,
    'telemetry.telemetryLevel': 'off',
    'update.mode': 'none',
    'extensions.autoUpdate': false,
    'extensions.autoCheckUpdates': false,
    'git.enabled': false,
    'chat.disableAIFeatures': true,
    'files.autoSave': 'off',
    'editor.minimap.enabled': false,
    'planlens.server.path': process.env.PLANLENS ?? 'planlens',
};
for (const scope of ['User', 'Machine']) {
    fs.mkdirSync(path.join(temporary, 'data', scope), { recursive: true });
    fs.writeFileSync(path.join(temporary, 'data', scope, 'settings.json'), JSON.stringify(settings));
}
fs.mkdirSync(screenshots, { recursive: true });

const port = await new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
        const { port } = server.address();
        server.close(() => resolve(port));
    });
});
const host = `127.0.0.1:${port}`;
const flags = ['--accept-server-license-terms', '--without-connection-token', '--host', '127.0.0.1', '--port', `${port}`, '--server-data-dir', temporary];
flags.push('--extensions-dir', path.join(temporary, 'extensions'), '--telemetry-level', 'off', '--enable-smoke-test-driver');
if (!isUntrusted) {
    flags.push('--disable-workspace-trust');
}
const server = spawn(process.execPath, [path.join(vscode, 'vscode', 'out', 'server-main.js'), ...flags], {
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, PLANLENS_JOURNEY_RESULT: result },
});
let log = '';
server.stdout.on('data', (data) => (log += data));
server.stderr.on('data', (data) => (log += data));

const sleep = (milliseconds, value) => new Promise((resolve) => setTimeout(resolve, milliseconds, value));
let code = 'timeout';
let browser;
let isQuiet = false;
try {
    for (let tries = 0; tries < 300 && !(await fetch(`http://${host}/version`).then((answer) => answer.ok, () => false)); tries++) {
        await sleep(100);
    }
    browser = await chromium.launch({
        executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
        args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    });
    const context = await browser.newContext({ viewport: { width, height: 900 } });
    const page = await context.newPage();
    await page.route((url) => url.hostname !== '127.0.0.1', (route) => route.abort());
    // What the extension does wrong inside of VS Code is told to the user alone.
    const complaints = new Set();
    const ended = new Promise((resolve) => {
        page.exposeFunction('codeAutomationExit', resolve);
        page.exposeFunction('codeAutomationLog', async (_kind, words) => {
            const text = String(words[0]);
            const picture = /^screenshot (\S+)/.exec(text);
            if (picture) {
                const errors = page.locator('.notification-list-item:has(.codicon-error)');
                const texts = (await errors.allInnerTexts()).map((text) => text.trim());
                // This browser can't run each extension that comes with VS Code.
                texts.filter((text) => !text.startsWith("Activating extension 'vscode.")).forEach((text) => complaints.add(text));
                await page.screenshot({ path: path.join(screenshots, `${picture[1]}.png`) });
            } else if (/^(ok|not ok|#)/.test(text)) {
                console.log(...words);
            }
        });
    });
    const uri = (file) => `vscode-remote://${host}${file}`;
    const payload = JSON.stringify([
        ['extensionDevelopmentPath', uri(extension)],
        ['extensionTestsPath', uri(journey)],
        ['skipWelcome', 'true'],
    ]);
    await page.goto(`http://${host}/?folder=${encodeURIComponent(workspace)}&payload=${encodeURIComponent(payload)}`, { waitUntil: 'domcontentloaded' });
    code = await Promise.race([ended, sleep(180_000, 'timeout')]);
    complaints.forEach((text) => console.log(`not ok a message of an error was shown: ${text}`));
    isQuiet = complaints.size === 0;
    if (code !== 0) {
        await page.screenshot({ path: path.join(screenshots, 'failure.png') });
    }
} finally {
    await browser?.close();
    try {
        process.kill(-server.pid);
    } catch {}
}
// The exit code is 0 even where the extension host died: the journey's own word counts.
const outcome = fs.existsSync(result) ? JSON.parse(fs.readFileSync(result, 'utf8')) : undefined;
const isGood = code === 0 && isQuiet && outcome?.ran > 0 && outcome.failed === 0;
if (!isGood) {
    console.log(`not ok: exit ${code}, ${JSON.stringify(outcome)}\n${log.slice(-3000)}`);
}
fs.rmSync(temporary, { recursive: true, force: true });
process.exit(isGood ? 0 : 1);
