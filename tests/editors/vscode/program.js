// The journey of a user of VS Code with a Pulumi program: trust, what a change forces, completion, a rename with its proof, one undo, and a plugin that is
// killed.

const vscode = require('vscode');
const { act, assert, eventually, finish, picture, see, seeDrawn, started, test, titles } = require('./support');

exports.run = async function () {
    const [folder] = vscode.workspace.workspaceFolders;
    const extension = vscode.extensions.getExtension('planlens.planlens');
    const document = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(folder.uri, 'Pulumi.yaml'));
    const saved = document.getText();
    const shown = () => vscode.window.showTextDocument(document, { preview: false });
    await shown();
    const api = await extension.activate();
    const plugins = () => started(api.client._serverProcess.pid).filter((each) => each.name.startsWith('pulumi-resource'));
    const changes = (expected) => () => {
        const plan = api.plans()[0];
        return plan?.state === 'fresh' && plan.changes.map((each) => `${each.symbol} ${each.address}`).join() === expected;
    };
    const line = (text) => document.getText().split('\n').findIndex((each) => each.startsWith(text));
    /** Replaces what stands behind a key. */
    const write = async (key, value) => {
        const row = line(key);
        const range = new vscode.Range(row, key.length, row, document.lineAt(row).text.length);
        const editor = await shown();
        assert(await editor.edit((edit) => edit.replace(range, value)), 'the edit is refused');
    };
    const undone = async () => {
        await shown();
        await act('press', { keys: 'Control+z' });
        await eventually('text', () => document.getText() === saved);
        await eventually('no changes', changes(''));
    };

    await test('before the user trusts the workspace no plugin starts', async () => {
        assert(!vscode.workspace.isTrusted, 'the workspace is trusted already');
        await api.started;
        await eventually('lens', async () => (await titles(document.uri)).some((each) => each.includes('may not start')));
        assert(plugins().length === 0, plugins());
        await picture('restricted');
        await act('click', { selector: '.part.banner a', text: 'Manage' });
        await see('.workspace-trust-editor', 'Restricted Mode');
        await act('click', { selector: '.workspace-trust-editor .monaco-button', text: 'Trust' });
        await eventually('trust', () => vscode.workspace.isTrusted);
        await shown();
        await eventually('no changes', changes(''));
        await eventually('lens', async () => (await titles(document.uri)).includes('no change'));
        assert(plugins().length > 0, 'no plugin runs');
    });
    await test('a changed property shows what it forces', async () => {
        await write('      zone:', ' zone-2');
        await eventually('plan', changes('+/- b'));
        await seeDrawn('.editor-instance .view-line', '⟳ forces replacement: was "disk/a-7f3a"');
        await see('.codelens-decoration', '+/- replace');
        await picture('forced');
        await undone();
    });
    await test('properties are completed', async () => {
        const row = line('      zone:');
        const editor = await shown();
        editor.selection = new vscode.Selection(row, 99, row, 99);
        await act('press', { keys: 'End' });
        await act('press', { keys: 'Enter' });
        await act('type', { text: 'cop' });
        await vscode.commands.executeCommand('editor.action.triggerSuggest');
        await see('.suggest-widget .monaco-list-row', 'copies');
        await picture('completed');
        await act('press', { keys: 'Escape' });
        await vscode.commands.executeCommand('workbench.action.files.revert');
        await eventually('text', () => document.getText() === saved);
        await eventually('no changes', changes(''));
    });
    await test('a rename comes with an alias, changes nothing, and one undo takes it back', async () => {
        const row = line('  a:');
        const editor = await shown();
        editor.selection = new vscode.Selection(row, 2, row, 2);
        await act('press', { keys: 'F2' });
        await see('.rename-input:focus');
        await act('type', { text: 'c' });
        await act('press', { keys: 'Enter' });
        await eventually('name', () => document.getText().includes('  c:\n') && document.getText().includes('${c.handle}'));
        assert(document.getText().includes('aliases'), document.getText());
        await eventually('lens', async () => (await titles(document.uri)).includes('no change · moved from a'));
        await eventually('no changes', changes(''));
        await picture('renamed');
        await undone();
    });
    await test('an error of syntax that a YAML extension shows is not shown twice', async () => {
        const yaml = vscode.languages.createDiagnosticCollection('YAML');
        const shownBy = (source) => vscode.languages.getDiagnostics(document.uri).filter((each) => each.source === source && each.severity === vscode.DiagnosticSeverity.Error);
        await write('      size:', ' "small');
        await eventually('our error', () => shownBy('planlens').length === 1);
        const theirs = new vscode.Diagnostic(new vscode.Range(line('      size:'), 0, line('      size:'), 9), 'Missing closing "quote');
        theirs.source = 'YAML';
        yaml.set(document.uri, [theirs]);
        await eventually('theirs alone', () => shownBy('planlens').length === 0 && shownBy('YAML').length === 1);
        await picture('once');
        // When theirs goes, ours is back.
        yaml.clear();
        await eventually('ours again', () => shownBy('planlens').length === 1);
        yaml.dispose();
        await undone();
    });
    await test('a plugin that is killed is started again for the next edit', async () => {
        const killed = plugins().map((each) => each.id);
        killed.forEach((id) => process.kill(id, 'SIGKILL'));
        // One that is killed during a call is started again at once.
        await eventually('end', () => plugins().every((each) => !killed.includes(each.id)));
        await write('      size:', ' large');
        await eventually('plan', changes('~ a'));
        await undone();
    });
    finish();
};
