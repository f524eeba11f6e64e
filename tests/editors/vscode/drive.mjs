// A real VS Code in headless Chromium: starts it, and does what a user would do with mouse and keyboard.

import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';

/** Milliseconds far beyond what anything here takes, also on a slow machine: it ends a journey that would wait for ever. */
const LIMIT = Number(process.env.PLANLENS_JOURNEY_LIMIT ?? 120_000);

/** The number of an option `--NAME=NUMBER` of this program. */
export const number = (name, otherwise) => Number(process.argv.find((each) => each.startsWith(`--${name}=`))?.slice(name.length + 3) ?? otherwise);

/** The theme that options of this program name. */
export const theme = () => {
    const [light, contrast] = ['--light', '--contrast'].map((option) => process.argv.includes(option));
    return contrast ? (light ? 'Default High Contrast Light' : 'Default High Contrast') : light ? 'Default Light Modern' : 'Default Dark Modern';
};

const sleep = (milliseconds, value) => new Promise((resolve) => setTimeout(resolve, milliseconds, value));

/**
 * What a journey begins with.
 *
 * - `vscode`: the folder that `install-vscode` fills; `pictures`: where screenshots go
 * - `settings`: of the user, beside those that keep VS Code from asking for the world; `theme`, `width`, `height`: how it looks
 * - `asksForTrust`: whether VS Code's workspace trust is on
 * - `vsix`: an extension to install; `environment`: of everything that is started
 */
export async function start({ vscode, pictures, settings = {}, theme = 'Default Dark Modern', width = 1400, height = 900, asksForTrust = false, vsix, environment = {} }) {
    const { chromium } = createRequire(path.join(vscode, 'driver', 'package.json'))('playwright-core');
    const temporary = fs.mkdtempSync(path.join(os.tmpdir(), 'planlens-vscode-'));
    const all = {
        'workbench.colorTheme': theme,
        'workbench.enableExperiments': false,
        'telemetry.telemetryLevel': 'off',
        'update.mode': 'none',
        'extensions.autoUpdate': false,
        'extensions.autoCheckUpdates': false,
        'git.enabled': false,
        'chat.disableAIFeatures': true,
        'files.autoSave': 'off',
        // Pictures of the same are the same.
        'editor.cursorBlinking': 'solid',
        ...settings,
    };
    for (const scope of ['User', 'Machine']) {
        fs.mkdirSync(path.join(temporary, 'data', scope), { recursive: true });
        fs.writeFileSync(path.join(temporary, 'data', scope, 'settings.json'), JSON.stringify(all));
    }
    fs.mkdirSync(pictures, { recursive: true });
    const port = await new Promise((resolve) => {
        const server = net.createServer().listen(0, '127.0.0.1', () => {
            const { port } = server.address();
            server.close(() => resolve(port));
        });
    });
    const host = `127.0.0.1:${port}`;
    const program = path.join(vscode, 'vscode', 'out', 'server-main.js');
    const own = ['--accept-server-license-terms', '--server-data-dir', temporary, '--extensions-dir', path.join(temporary, 'extensions')];
    const env = { ...process.env, ...environment };
    if (vsix) {
        const installed = spawnSync(process.execPath, [program, ...own, '--install-extension', vsix], { env, encoding: 'utf8' });
        if (installed.status !== 0) {
            throw new Error(`${vsix} can't be installed: ${installed.stdout}${installed.stderr}`);
        }
    }
    const flags = [...own, '--without-connection-token', '--host', '127.0.0.1', '--port', `${port}`, '--telemetry-level', 'off'];
    if (!vsix) {
        // The unpacked extension is loaded and its journey run for those who test; dialogs are not shown to them.
        flags.push('--enable-smoke-test-driver');
    }
    if (!asksForTrust) {
        flags.push('--disable-workspace-trust');
    }
    const server = spawn(process.execPath, [program, ...flags], { detached: true, stdio: ['ignore', 'pipe', 'pipe'], env });
    let log = '';
    server.stdout.on('data', (data) => (log += data));
    server.stderr.on('data', (data) => (log += data));

    const until = Date.now() + LIMIT;
    while (!(await fetch(`http://${host}/version`).then((answer) => answer.ok, () => false))) {
        if (Date.now() > until) {
            throw new Error(`VS Code does not start:\n${log}`);
        }
        await sleep(100);
    }
    const browser = await chromium.launch({
        executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
        args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    });
    const context = await browser.newContext({ viewport: { width, height } });
    const page = await context.newPage();
    page.setDefaultTimeout(LIMIT);
    await page.route((url) => url.hostname !== '127.0.0.1', (route) => route.abort());
    // What the extension does wrong inside of VS Code is told to the user alone.
    const complaints = new Set();

    const found = ({ selector, text }) => {
        const all = page.locator(selector);
        return (text === undefined ? all : all.filter({ hasText: text })).first();
    };
    // What decorations add to a text is in no element.
    const drawn = (selector) =>
        page.evaluate((selector) => {
            const added = (element, where) => {
                const { content } = getComputedStyle(element, where);
                return content.startsWith('"') ? JSON.parse(content) : '';
            };
            const textOf = (node) => (node.nodeType === Node.TEXT_NODE ? node.data : added(node, '::before') + [...node.childNodes].map(textOf).join('') + added(node, '::after'));
            return [...document.querySelectorAll(selector)].map((each) => textOf(each).replaceAll('\u00a0', ' '));
        }, selector);
    const acts = {
        /** A picture of the whole window, once it stays as it is. */
        async picture({ name }) {
            const errors = page.locator('.notification-list-item:has(.codicon-error)');
            const texts = (await errors.allInnerTexts()).map((text) => text.trim());
            // This browser can't run each extension that comes with VS Code.
            texts.filter((text) => !text.startsWith("Activating extension 'vscode.")).forEach((text) => complaints.add(text));
            let before = await page.screenshot();
            for (let tries = 0; tries < 20; tries++) {
                await sleep(150);
                const now = await page.screenshot();
                if (now.equals(before)) {
                    break;
                }
                before = now;
            }
            fs.writeFileSync(path.join(pictures, `${name}.png`), before);
        },
        /** Waits until a text is drawn, or is not any longer. */
        async seeDrawn({ selector, text, isGone = false }) {
            const until = Date.now() + LIMIT;
            while ((await drawn(selector)).some((each) => each.includes(text)) === isGone) {
                if (Date.now() > until) {
                    throw new Error(`${text} is ${isGone ? 'still' : 'not'} drawn: ${JSON.stringify(await drawn(selector))}`);
                }
                await sleep(50);
            }
        },
        /** The color of a text that is drawn behind a line, and that behind it. */
        colorOf: ({ selector, text }) =>
            page.evaluate(
                ([selector, text]) => {
                    const all = [...document.querySelectorAll(`${selector} *`)];
                    const found = all.find((each) => getComputedStyle(each, '::after').content.replaceAll('\u00a0', ' ').includes(text));
                    const background = getComputedStyle(document.querySelector('.monaco-editor-background')).backgroundColor;
                    return found && { color: getComputedStyle(found, '::after').color, background };
                },
                [selector, text],
            ),
        see: (what) => found(what).waitFor({ state: what.isGone ? 'hidden' : 'visible', timeout: what.timeout ?? LIMIT }),
        text: (what) => found(what).innerText(),
        /** How often a text is in the whole window. */
        count: async ({ text }) => {
            const all = await page.locator('body').innerText();
            const added = (await drawn('.view-line')).join('').split(text).length - (await page.locator('.view-lines').allInnerTexts()).join('').split(text).length;
            return all.split(text).length - 1 + added;
        },
        /** The rows of a tree that are in sight, from top to bottom. */
        rows: ({ selector }) =>
            page.evaluate((selector) => {
                const all = [...document.querySelectorAll(selector)].map((each) => ({
                    top: each.getBoundingClientRect().top,
                    level: Number(each.getAttribute('aria-level')),
                    label: each.querySelector('.label-name')?.textContent ?? '',
                    description: each.querySelector('.label-description')?.textContent ?? '',
                    spoken: each.getAttribute('aria-label') ?? '',
                }));
                return all.sort((a, b) => a.top - b.top);
            }, selector),
        click: (what) => found(what).click(what.options),
        hover: (what) => found(what).hover(),
        press: ({ keys }) => page.keyboard.press(keys),
        type: ({ text, delay = 30 }) => page.keyboard.type(text, { delay }),
        /** Looks at each frame that is drawn from now on, how many elements there are with the text, and where the first of them is. */
        watch: ({ name, selector, text }) =>
            page.evaluate(
                ([name, selector, text]) => {
                    const seen = { frames: 0, counts: [], tops: [] };
                    const look = () => {
                        const all = [...document.querySelectorAll(selector)].filter((each) => each.textContent.replaceAll('\u00a0', ' ').includes(text));
                        const top = all.length === 0 ? undefined : Math.round(Math.min(...all.map((each) => each.getBoundingClientRect().top)));
                        seen.frames += 1;
                        // Each run of frames of one kind once.
                        if (seen.counts.at(-1) !== all.length) {
                            seen.counts.push(all.length);
                        }
                        if (seen.tops.at(-1) !== top) {
                            seen.tops.push(top);
                        }
                        seen.next = requestAnimationFrame(look);
                    };
                    globalThis.planlensWatches ??= {};
                    globalThis.planlensWatches[name] = seen;
                    look();
                },
                [name, selector, text],
            ),
        watched: ({ name }) =>
            page.evaluate((name) => {
                const seen = globalThis.planlensWatches[name];
                cancelAnimationFrame(seen.next);
                return seen;
            }, name),
    };
    return {
        host,
        page,
        acts,
        temporary,
        complaints,
        log: () => log,
        async stop() {
            await browser.close();
            try {
                process.kill(-server.pid);
            } catch {}
            fs.rmSync(temporary, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
        },
    };
}
