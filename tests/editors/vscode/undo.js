// The journey of a user of VS Code who refactors and takes it back: one undo each, in one file and in several, and nothing is saved.

const vscode = require('vscode');
const { act, assert, codes, eventually, finish, picture, see, test, titles } = require('./support');

const ACTIONS = '.action-widget .monaco-list-row';

exports.run = async function () {
    const [folder] = vscode.workspace.workspaceFolders;
    const uri = (name) => vscode.Uri.joinPath(folder.uri, name);
    const api = await vscode.extensions.getExtension('planlens.planlens').activate();
    await api.started;
    const main = await vscode.workspace.openTextDocument(uri('main.tf'));
    const shown = (uri) => vscode.window.showTextDocument(uri, { preview: false });
    const settled = (lens) => async () => {
        const plan = api.plans()[0];
        return plan.state === 'fresh' && plan.changes.length === 0 && (await titles(main.uri)).includes(lens);
    };
    const names = async () => (await vscode.workspace.fs.readDirectory(folder.uri)).map(([name]) => name).sort().join();
    const onDisk = async () => Object.fromEntries(await Promise.all((await names()).split(',').map(async (name) => [name, (await vscode.workspace.fs.readFile(uri(name))).toString()])));
    /** Puts the cursor on a word. */
    const at = async (document, text, word) => {
        const editor = await shown(document.uri);
        const line = document.getText().split('\n').findIndex((each) => each.includes(text));
        const place = new vscode.Position(line, document.lineAt(line).text.indexOf(word) + 1);
        editor.selection = new vscode.Selection(place, place);
        editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenter);
    };
    const rename = async (document, text, word, to) => {
        await at(document, text, word);
        await act('press', { keys: 'F2' });
        await see('.rename-input:focus');
        await act('type', { text: to });
        await act('press', { keys: 'Enter' });
        await eventually('name', () => document.getText().includes(`"${to}"`));
    };
    const choose = async (title) => {
        await see(ACTIONS, title);
        await picture(title.split(' ')[0]);
        while (!(await act('text', { selector: `${ACTIONS}.focused` })).includes(title)) {
            await act('press', { keys: 'ArrowDown' });
        }
        await act('press', { keys: 'Enter' });
    };
    const before = await onDisk();
    /** What is there after one undo: all as it was, and the plan, too. */
    const undone = async (document, lens) => {
        assert(JSON.stringify(await onDisk()) === JSON.stringify(before) || (await names()) !== Object.keys(before).join(), 'a file was saved');
        await shown(document.uri);
        await act('press', { keys: 'Control+z' });
        await eventually('text', () => vscode.workspace.textDocuments.every((each) => before[each.uri.path.split('/').pop()] === undefined || (!each.isDirty && each.getText() === before[each.uri.path.split('/').pop()])));
        await eventually('plan', settled(lens));
        assert(JSON.stringify(await onDisk()) === JSON.stringify(before), 'a file changed');
    };

    await test('what is saved has no changes', async () => {
        await shown(main.uri);
        await eventually('plan', settled('no change'));
    });
    await test('count becomes for_each, and one undo takes it back', async () => {
        await at(main, '"each"', 'each');
        await vscode.commands.executeCommand('editor.action.refactor');
        await choose('Convert count of terraform_data.each to for_each');
        await eventually('text', () => main.getText().includes('for_each') && main.getText().includes('from = terraform_data.each[1]\n  to   = terraform_data.each["1"]'));
        await eventually('plan', settled('no change · moved from terraform_data.each'));
        assert(main.isDirty, 'it was saved');
        await picture('for-each');
        await undone(main, 'no change');
    });
    await test('a new name, and one undo takes it back', async () => {
        await rename(main, '"own"', 'own', 'mine');
        await eventually('plan', settled('no change · moved from terraform_data.own'));
        assert(main.isDirty && main.getText().includes('from = terraform_data.own\n  to   = terraform_data.mine'), main.getText());
        await picture('renamed');
        await undone(main, 'no change');
    });
    await test('a new name in two files, and one undo takes it back in both', async () => {
        await rename(main, '"shared"', 'shared', 'common');
        const other = await eventually('the other file', () => vscode.workspace.textDocuments.find((each) => each.uri.path.endsWith('/other.tf') && each.isDirty));
        assert(other.getText().includes('terraform_data.common.id') && main.isDirty, other.getText());
        await eventually('plan', settled('no change · moved from terraform_data.shared'));
        await picture('renamed-in-two');
        await undone(main, 'no change');
    });
    await test('a new name in JSON syntax makes a file, and one undo takes that back, too', async () => {
        const json = await vscode.workspace.openTextDocument(uri('more.tf.json'));
        await rename(json, '"json"', 'json', 'other');
        const moved = await eventually('moved blocks', () => vscode.workspace.textDocuments.find((each) => each.uri.path.endsWith('/moved.tf')));
        await eventually('text', () => moved.getText() === 'moved {\n  from = terraform_data.json\n  to   = terraform_data.other\n}\n');
        await eventually('plan', settled('no change'));
        assert(json.isDirty && moved.isDirty, 'it was saved');
        await undone(json, 'no change');
        assert(!(await names()).includes('moved.tf'), await names());
    });
    await test('a variable without a value gets one in the settings of the workspace', async () => {
        const editor = await shown(main.uri);
        await editor.edit((edit) => edit.insert(new vscode.Position(main.lineCount, 0), '\nvariable "zone" {\n  type = string\n}\n\nlocals {\n  zone = upper(var.zone)\n}\n'));
        await eventually('diagnostic', () => codes(main.uri).includes('no-variable-value'));
        await eventually('unset', () => api.plans()[0].unset.join() === 'zone');
        await see('.statusbar-item', 'values missing');
        await at(main, 'variable "zone"', 'zone');
        await vscode.commands.executeCommand('editor.action.quickFix');
        await choose('Set `zone` for this workspace in the settings');
        await see('.quick-input-widget', 'Value of zone in this workspace');
        await act('type', { text: 'north' });
        await act('press', { keys: 'Enter' });
        await eventually('value', () => api.plans()[0].unset.length === 0);
        await see('.editor-instance .view-line', '= "NORTH"');
        await picture('value');
        const roots = vscode.workspace.getConfiguration('planlens').inspect('roots').workspaceValue;
        assert(JSON.stringify(roots) === '{".":{"variables":{"zone":"north"}}}', roots);
        await vscode.workspace.fs.delete(uri('.vscode'), { recursive: true });
        await act('press', { keys: 'Control+z' });
        await eventually('text', () => !main.isDirty);
    });
    finish();
};
