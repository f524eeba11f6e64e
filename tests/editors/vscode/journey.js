// The journey of a user of VS Code, inside the extension host: what is asserted is what the editor's own API gives, and what stands on the screen.

const vscode = require('vscode');
const { act, assert, clickUntil, codes, connections, eventually, finish, gone, goneDrawn, hover, picture, see, seeDrawn, started, test, titles } = require('./support');

const LENSES = '.codelens-decoration';
const LINES = '.editor-instance .view-line';
const STATUS = '.statusbar-item';
const ROWS = '.pane-body .monaco-list-row';

exports.run = async function () {
    const [folder] = vscode.workspace.workspaceFolders;
    const extension = vscode.extensions.getExtension('planlens.planlens');
    const document = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(folder.uri, 'main.tf'));
    const editor = await vscode.window.showTextDocument(document);
    const rowOf = (text) => document.getText().split('\n').findIndex((line) => line.includes(text));
    const row = rowOf('"yes"');
    const saved = document.getText();
    const whole = () => new vscode.Range(0, 0, document.lineCount, 0);
    const labels = async () => {
        const hints = await vscode.commands.executeCommand('vscode.executeInlayHintProvider', document.uri, whole());
        const inline = hints.map((hint) => ({ position: hint.position, text: typeof hint.label === 'string' ? hint.label : hint.label.map((part) => part.value).join('') }));
        return [...inline, ...api.hints(document.uri)].filter((hint) => hint.position.line === row).map((hint) => hint.text);
    };
    const lenses = () => titles(document.uri);
    const show = (uri) => vscode.window.showTextDocument(uri, { viewColumn: vscode.ViewColumn.One, preview: false });
    const put = (editor, line, from, to = from) => {
        editor.selection = new vscode.Selection(line, from, line, to);
    };
    const undoUntil = async (isDone) => {
        await show(document.uri);
        await eventually('undone', async () => isDone() || (await vscode.commands.executeCommand('undo')) || isDone());
    };
    let api;
    let looks = 0;
    const foreign = new Set();

    await test('the extension starts', async () => {
        api = await extension.activate();
        await api.started;
        // The server asks nobody but its plugins, at any time of this journey.
        setInterval(() => {
            const pid = api.client._serverProcess?.pid;
            try {
                connections(pid).forEach((line) => foreign.add(line));
                looks += 1;
            } catch {
                // It was killed.
            }
        }, 20).unref();
    });
    await test('what is saved has no changes', async () => {
        await eventually('lens', async () => (await lenses()).includes('no change'));
        await eventually('plans', () => api.plans().length === 1 && api.plans()[0].changes.length === 0);
        await see(STATUS, 'no changes');
        await see(LENSES, 'no change');
        await picture('no-changes');
    });
    await test('what is typed shows what it forces, and nothing else on the screen moves', async () => {
        const column = document.lineAt(row).text.indexOf('yes');
        put(editor, row, column, column + 3);
        await see(LINES, '"yes"');
        const watches = { hint: [LINES, '{ "release" = "1" }'], lens: [LENSES, ''], line: [LINES, 'resource "random_uuid"'] };
        await see(LINES, '= { "release" = "1" }');
        for (const [name, [selector, text]] of Object.entries(watches)) {
            await act('watch', { name, selector, text });
        }
        await act('type', { text: 'no', delay: 150 });
        await seeDrawn(LINES, '⟳ forces replacement');
        await see(LENSES, '-/+ replace');
        // Another block, half-typed: a sum without its second part.
        const half = rowOf('min     = 1');
        put(editor, half, document.lineAt(half).text.length);
        await act('type', { text: ' + ', delay: 150 });
        await eventually('error', () => codes(document.uri).includes('syntax'));
        await seeDrawn(LINES, '⟳ forces replacement');
        await picture('half-typed');
        for (let key = 0; key < 3; key++) {
            await act('press', { keys: 'Backspace' });
        }
        await eventually('no error', () => !codes(document.uri).includes('syntax'));
        for (const name of Object.keys(watches)) {
            const seen = await act('watched', { name });
            console.log(`# ${name}: ${JSON.stringify(seen)}`);
            // Of hints the first counts: the half-typed block has none.
            const isSteady = seen.tops.length === 1 && (name === 'hint' || seen.counts.length === 1);
            assert(isSteady && seen.frames > 10, `${name} flickers: ${JSON.stringify(seen)}`);
        }
    });
    await test('the edit is told at the argument, in the problems, the status and the view', async () => {
        put(editor, row, document.lineAt(row).text.indexOf('"no"') + 1);
        await eventually('hint', async () => (await labels()).join().includes('forces replacement'));
        await eventually('lens', async () => (await lenses()).some((title) => title.includes('replace')));
        await eventually('diagnostic', () => codes(document.uri).includes('forces-replacement'));
        await eventually('plans', () => api.plans()[0].changes.some((change) => change.symbol === '-/+'));
        assert(document.isDirty, 'the document was saved');
        await see(STATUS, '-/+2');
        await vscode.commands.executeCommand('planlens.plan.focus');
        await see(ROWS, 'random_string.word');
        await see(ROWS, '-/+ random_string.word');
        await see(ROWS, 'by keepers');
        await see(ROWS, 'keepers.fixed');
        await picture('replacement');
    });
    await test('a resource in the view has its diff, leads to its block, and is filtered', async () => {
        const isAtBlock = () => vscode.window.activeTextEditor?.selection.active.line === rowOf('"null_resource" "after"');
        await clickUntil({ selector: ROWS, text: 'null_resource.after' }, isAtBlock);
        await see(ROWS, 'triggers');
        await picture('view');
        const asked = vscode.commands.executeCommand('planlens.filterPlan');
        await act('click', { selector: '.quick-input-list .monaco-list-row', text: 'replace' });
        await picture('filter');
        await act('press', { keys: 'Enter' });
        await asked;
        await see('.pane-body', '0 of 2 are shown.');
        await gone(ROWS, 'null_resource.after');
        await vscode.commands.executeCommand('planlens.showAllChanges');
        await see(ROWS, 'null_resource.after');
    });
    await test('a click above the block opens the plan beside the text, which follows the cursor', async () => {
        const editor = await show(document.uri);
        put(editor, row, 4);
        editor.revealRange(new vscode.Range(row, 0, row, 0), vscode.TextEditorRevealType.InCenter);
        const opened = () => vscode.window.visibleTextEditors.find((each) => each.document.uri.scheme === 'planlens-plan');
        const plan = await clickUntil({ selector: `${LENSES} a`, text: '-/+ replace' }, opened);
        await eventually('text', () => plan.document.getText().includes('must be replaced'));
        await eventually('the resource of the lens', () => api.shown() === 'random_string.word');
        await picture('plan');
        put(editor, rowOf('"null_resource" "after"') + 1, 4);
        await eventually('the resource of the cursor', () => api.shown() === 'null_resource.after');
        put(editor, row, 4);
        await eventually('the resource of the cursor', () => api.shown() === 'random_string.word');
        // What is typed arrives in it.
        await editor.edit((edit) => edit.insert(new vscode.Position(document.lineCount, 0), '\nresource "random_pet" "another" {\n}\n'));
        await eventually('another', () => plan.document.getText().includes('random_pet.another will be created'));
        await vscode.commands.executeCommand('undo');
        await eventually('no other', () => !plan.document.getText().includes('random_pet.another'));
    });
    await test('a hover shows the diff', async () => {
        const editor = await show(document.uri);
        put(editor, rowOf('"random_string" "word"'), 4);
        await hover('must be replaced');
        await picture('hover');
        await act('press', { keys: 'Escape' });
        await gone('.monaco-hover', 'must be replaced');
        put(editor, row, 4);
        await hover('map of string');
        await picture('hover-argument');
        await act('press', { keys: 'Escape' });
    });
    await test('what if this were replaced, or targeted alone', async () => {
        const editor = await show(document.uri);
        put(editor, rowOf('"random_uuid" "token"'), 4);
        await vscode.commands.executeCommand('planlens.replaceHere');
        await see(STATUS, 'what if:');
        await eventually('replaced', () => api.plans()[0].changes.some((change) => change.address === 'random_uuid.token' && change.symbol === '-/+'));
        await picture('what-if');
        await vscode.commands.executeCommand('planlens.targetHere');
        await eventually('targeted', () => api.plans()[0].whatIf.join() === '-target=random_uuid.token' && api.plans()[0].changes.length === 0);
        await vscode.commands.executeCommand('planlens.endWhatIf');
        await gone(STATUS, 'what if:');
        await eventually('as it is', () => api.plans()[0].changes.length === 2);
    });
    await test('completion knows arguments and values', async () => {
        const items = await vscode.commands.executeCommand('vscode.executeCompletionItemProvider', document.uri, new vscode.Position(document.lineCount - 1, 0));
        const offered = items.items.map((item) => item.label.label ?? item.label);
        assert(offered.includes('resource'), offered);
    });
    await test('a quick fix writes the name that was meant', async () => {
        await show(document.uri);
        const end = document.lineAt(document.lineCount - 1).range.end;
        const insert = new vscode.WorkspaceEdit();
        insert.insert(document.uri, end, '\noutput "o" {\n  value = random_string.wrod.result\n}\n');
        await vscode.workspace.applyEdit(insert);
        await eventually('diagnostic', () => codes(document.uri).includes('undeclared-reference'));
        const wrong = vscode.languages.getDiagnostics(document.uri)[codes(document.uri).indexOf('undeclared-reference')];
        vscode.window.activeTextEditor.selection = new vscode.Selection(wrong.range.start, wrong.range.start);
        vscode.window.activeTextEditor.revealRange(wrong.range);
        await eventually('fix', async () => {
            const actions = await vscode.commands.executeCommand('vscode.executeCodeActionProvider', document.uri, wrong.range);
            return actions.some((action) => action.title === 'Change to `random_string.word`' && action.isPreferred);
        });
        await see('.squiggly-error');
        await vscode.commands.executeCommand('editor.action.quickFix');
        await see('.action-widget', 'Change to `random_string.word`');
        await picture('quick-fix');
        await act('press', { keys: 'Enter' });
        await eventually('text', () => document.getText().includes('value = random_string.word.result'));
        await eventually('no diagnostic', () => !codes(document.uri).includes('undeclared-reference'));
    });
    await test('what the status names is fixed from the keyboard alone', async () => {
        await undoUntil(() => document.getText().includes('random_string.wrod'));
        await eventually('diagnostic', () => codes(document.uri).includes('undeclared-reference'));
        put(vscode.window.activeTextEditor, 0, 0);
        const chosen = vscode.commands.executeCommand('planlens.showFindings');
        await see('.quick-input-list .monaco-list-row', 'wrod');
        await picture('findings');
        await act('press', { keys: 'Enter' });
        await see('.action-widget', 'Change to `random_string.word`');
        await act('press', { keys: 'Enter' });
        await chosen;
        await eventually('text', () => document.getText().includes('value = random_string.word.result'));
        await undoUntil(() => !document.getText().includes('output "o"'));
    });
    await test('by default the header of a changed block tells its action in color, and no line moves', async () => {
        const actions = vscode.workspace.getConfiguration('planlens.actions');
        const set = (show, place) => Promise.all([actions.update('show', show, true), actions.update('place', place, true)]);
        const editor = await show(document.uri);
        await set('changes', 'line');
        await gone(LENSES, '-/+ replace');
        await seeDrawn(LINES, 'resource "random_string" "word" {-/+ replace');
        assert((await lenses()).length === 0, await lenses());
        put(editor, row, document.lineAt(row).text.indexOf('"no"') + 1);
        // VS Code brings the line that is typed in to where it is seen.
        editor.revealRange(new vscode.Range(row - 8, 0, row - 8, 0), vscode.TextEditorRevealType.AtTop);
        await picture('line');
        const drawn = await act('colorOf', { selector: LINES, text: '-/+ replace' });
        console.log(`# color: ${JSON.stringify(drawn)}`);
        assert(drawn && drawn.color !== drawn.background, JSON.stringify(drawn));
        const head = row - 2;
        const watches = { next: [LINES, 'resource "random_uuid"'], last: [LINES, 'resource "random_pet" "unkept"'] };
        for (const [name, [selector, text]] of Object.entries(watches)) {
            await act('watch', { name, selector, text });
        }
        const column = document.lineAt(row).text.indexOf('"no"') + 1;
        put(editor, row, column, column + 2);
        await act('type', { text: 'yes', delay: 150 });
        await goneDrawn(LINES, '-/+ replace');
        await picture('line-unchanged');
        for (let key = 0; key < 3; key++) {
            await act('press', { keys: 'Backspace' });
        }
        await act('type', { text: 'no', delay: 150 });
        await seeDrawn(LINES, '-/+ replace');
        assert(api.hints(document.uri).some((hint) => hint.position.line === head && hint.tone === 'replace'), JSON.stringify(api.hints(document.uri)));
        for (const name of Object.keys(watches)) {
            const seen = await act('watched', { name });
            console.log(`# ${name}: ${JSON.stringify(seen)}`);
            assert(seen.tops.length === 1 && seen.counts.length === 1 && seen.frames > 10, `${name} jumps: ${JSON.stringify(seen)}`);
        }
        await set('all', 'lens');
        await see(LENSES, '-/+ replace');
    });
    await test('undo takes the plan back', async () => {
        await undoUntil(() => !document.isDirty);
        await eventually('hint', async () => !(await labels()).join().includes('forces replacement'));
        await eventually('plans', () => api.plans()[0].changes.length === 0);
    });
    await test('a sensitive value is never on the screen, but where it is written', async () => {
        const editor = await show(document.uri);
        const secret = '\nvariable "secret" {\n  sensitive = true\n  default   = "MARKER-SECRET"\n}\nlocals {\n  copy = "copy of ${var.secret}"\n}\nresource "random_pet" "secret" {\n  prefix = local.copy\n}\n';
        await editor.edit((edit) => edit.insert(new vscode.Position(document.lineCount, 0), secret));
        await eventually('plans', () => api.plans()[0].changes.some((change) => change.address === 'random_pet.secret'));
        put(editor, rowOf('"random_pet" "secret"'), 1);
        editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenter);
        await see(LENSES, '+ create');
        await see('.pane-body .monaco-list-row', 'random_pet.secret');
        await picture('secret');
        const written = await act('count', { text: 'MARKER-SECRET' });
        assert(written === 1, `${written} times on the screen`);
        for (const text of ['"secret" {', 'copy = ', 'var.secret', 'prefix = ', 'local.copy']) {
            const line = rowOf(text);
            const place = new vscode.Position(line, document.lineAt(line).text.indexOf(text) + 1);
            const hovers = await vscode.commands.executeCommand('vscode.executeHoverProvider', document.uri, place);
            const said = JSON.stringify(hovers.flatMap((hover) => hover.contents.map((content) => content.value)));
            assert(said !== '[]' && !said.includes('MARKER-SECRET'), `${text}: ${said}`);
        }
        assert(!JSON.stringify(vscode.languages.getDiagnostics()).includes('MARKER-SECRET'), 'a diagnostic tells it');
        await undoUntil(() => document.getText() === saved);
    });
    await test('an environment is picked, and the status tells it', async () => {
        const workspace = vscode.Uri.joinPath(folder.uri, 'terraform.tfstate.d', 'blue');
        await vscode.workspace.fs.createDirectory(workspace);
        const pick = async (name, choose) => {
            const picked = vscode.commands.executeCommand('planlens.chooseEnvironment');
            await see('.quick-input-list .monaco-list-row', 'workspace blue');
            await choose();
            await picture(`environment-${name}`);
            await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
            await picked;
        };
        await pick('blue', () => vscode.commands.executeCommand('workbench.action.quickOpenSelectNext'));
        await eventually('environment', () => api.plans()[0].environment === 'workspace blue' && api.plans()[0].workspace === 'blue');
        await eventually('lens', async () => (await lenses()).includes('+ create'));
        // The plan is longer than its window: it is brought to where the cursor is.
        const editor = await show(document.uri);
        const plan = vscode.window.visibleTextEditors.find((each) => each.document.uri.scheme === 'planlens-plan');
        for (const [head, address] of [['"random_uuid" "token"', 'random_uuid.token'], ['"null_resource" "after"', 'null_resource.after']]) {
            put(editor, rowOf(head), 4);
            await eventually(address, () => {
                const line = plan.document.getText().split('\n').findIndex((each) => each.startsWith(`  # ${address} will be created`));
                return line >= 0 && plan.visibleRanges.some((range) => range.start.line <= line && line <= range.end.line);
            });
        }
        await picture('environment');
        await pick('none', () => undefined);
        await eventually('no environment', () => api.plans()[0].environment === null);
        await eventually('lens', async () => (await lenses()).includes('no change'));
        await vscode.workspace.fs.delete(vscode.Uri.joinPath(folder.uri, 'terraform.tfstate.d'), { recursive: true });
    });
    await test('a module is shown as all its callers plan it, or as the one that is picked', async () => {
        const app = vscode.Uri.joinPath(folder.uri, 'app', 'main.tf');
        await vscode.workspace.fs.writeFile(app, Buffer.from('variable "size" {\n}\n\nresource "terraform_data" "some" {\n  count = var.size\n}\n'));
        const call = new vscode.WorkspaceEdit();
        call.insert(document.uri, document.lineAt(document.lineCount - 1).range.end, '\nmodule "app" {\n  source   = "./app"\n  for_each = { a = 1, b = 2 }\n  size     = each.value\n}\n');
        await vscode.workspace.applyEdit(call);
        await show(app);
        const own = () => titles(app);
        await eventually('lens', async () => (await own()).some((title) => title.includes('1 of 2 module instances')));
        await picture('callers');
        const picked = vscode.commands.executeCommand('planlens.chooseCaller');
        await see('.quick-input-list .monaco-list-row', 'module.app["b"]');
        for (let step = 0; step < 3; step++) {
            await vscode.commands.executeCommand('workbench.action.quickOpenSelectNext');
        }
        await picture('caller-picked');
        await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
        await picked;
        await eventually('lens', async () => (await own()).includes('+ create · 2 instances'));
        await eventually('status', () => api.plans().some((plan) => plan.caller === 'module: module.app["b"]'));
        await picture('caller');
        await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
        await show(document.uri);
        await undoUntil(() => !document.isDirty);
        await vscode.workspace.fs.delete(vscode.Uri.joinPath(folder.uri, 'app'), { recursive: true });
        await eventually('lens', async () => (await lenses()).includes('no change'));
    });
    await test('a rename comes with its moved block, and the plan has no change', async () => {
        const head = document.getText().split('\n').findIndex((line) => line.includes('"random_string" "word"'));
        const place = new vscode.Position(head, document.lineAt(head).text.indexOf('word') + 1);
        const editor = await show(document.uri);
        editor.selection = new vscode.Selection(place, place);
        editor.revealRange(new vscode.Range(place, place), vscode.TextEditorRevealType.InCenter);
        await act('press', { keys: 'F2' });
        await see('.rename-input:focus');
        await picture('rename');
        await act('type', { text: 'term' });
        await act('press', { keys: 'Enter' });
        await eventually('names', () => document.getText().includes('"random_string" "term"') && document.getText().includes('random_string.term.id'));
        assert(document.getText().includes('from = random_string.word\n  to   = random_string.term\n'), document.getText());
        assert(document.isDirty, 'the document was saved');
        await eventually('lens', async () => (await lenses()).includes('no change · moved from random_string.word'));
        await eventually('plans', () => api.plans()[0].changes.length === 0);
        await picture('renamed');
        await vscode.commands.executeCommand('undo');
        await eventually('text', () => document.getText() === saved && !document.isDirty);
        await eventually('lens', async () => (await lenses()).includes('no change'));
    });
    await test('the doctor tells what planning depends on', async () => {
        await vscode.commands.executeCommand('planlens.doctor');
        const report = await eventually('report', () => vscode.window.activeTextEditor?.document.uri.scheme === 'planlens-doctor' && vscode.window.activeTextEditor.document.getText());
        if (!report.includes('hashicorp/random: required') || !report.includes('prevents planning')) {
            throw new Error(report);
        }
        await picture('doctor');
        await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
        await show(document.uri);
    });
    await test('the server comes back when it is killed', async () => {
        for (const time of ['once', 'twice']) {
            const before = api.client._serverProcess.pid;
            process.kill(before, 'SIGKILL');
            await eventually(`another process, ${time}`, () => api.client._serverProcess?.pid !== before && api.client.state === 2);
            await eventually('lens', async () => (await lenses()).includes('no change'));
        }
        await eventually('plugins', () => started(api.client._serverProcess.pid).some((each) => each.name.startsWith('terraform-prov')));
    });
    await test('the server opened no connection of its own', () => {
        console.log(`# looked ${looks} times, each time at TCP and UDP`);
        assert(looks > 50 && foreign.size === 0, [...foreign]);
    });
    await test('the time that activation takes is told', async () => {
        await vscode.commands.executeCommand('workbench.action.showRuntimeExtensions');
        const text = await act('text', { selector: '.runtime-extensions-editor .monaco-list-row', text: 'planlens' });
        const time = /Activation: ([\d.]+)ms/.exec(text);
        console.log(`# activation: ${time?.[1]} ms`);
        assert(time, text);
    });
    finish();
};
