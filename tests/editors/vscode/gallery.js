// What a person looks at, scene by scene: a long file, a module of many callers, an edit that replaces, an update in place, the view of
// many changes. What the view shows first, groups and cuts is asserted, and that it is used by keyboard.

const vscode = require('vscode');
const { act, assert, clickUntil, eventually, finish, goneDrawn, hover, picture, see, seeDrawn, test } = require('./support');

const LINES = '.editor-instance .view-line';
const STATUS = '.statusbar-item';
const ROWS = '.pane-body .monaco-list-row';

exports.run = async function () {
    const [folder] = vscode.workspace.workspaceFolders;
    const actions = vscode.workspace.getConfiguration('planlens.actions');
    const api = await vscode.extensions.getExtension('planlens.planlens').activate();
    const open = async (path) => vscode.window.showTextDocument(vscode.Uri.joinPath(folder.uri, path), { preview: false });
    const put = (editor, text, more = 0) => {
        const before = editor.document.getText().indexOf(text);
        const place = editor.document.positionAt(before + more);
        editor.selection = new vscode.Selection(place, place);
        editor.revealRange(new vscode.Range(place, place), vscode.TextEditorRevealType.InCenter);
        return place;
    };
    const replace = async (shown, old, text) => {
        const editor = await vscode.window.showTextDocument(shown.document);
        const at = put(editor, old);
        editor.selection = new vscode.Selection(at, at.translate(0, old.length));
        await act('type', { text });
    };
    const planOf = (name) => api.plans().find((plan) => plan.folder.endsWith(`/${name}`));
    const undo = async (editor) => {
        await vscode.window.showTextDocument(editor.document);
        await eventually('undone', async () => !editor.document.isDirty || (await vscode.commands.executeCommand('undo')) || !editor.document.isDirty);
    };

    await test('the look is the one of a new user', async () => {
        await actions.update('show', 'changes', true);
        await actions.update('place', 'line', true);
        await api.started;
    });
    await test('3,000 lines in which nothing changes are quiet', async () => {
        const editor = await open('long/main.tf');
        await eventually('the plan', () => planOf('long')?.changes.length === 0);
        await see(STATUS, 'no changes');
        put(editor, '"r300"');
        await picture('long-quiet');
        assert(editor.document.lineCount > 3000 && api.hints(editor.document.uri).length === 0, JSON.stringify(api.hints(editor.document.uri)));
    });
    await test('an update in place tells both values, and a replacement its cause', async () => {
        const editor = await open('long/main.tf');
        await replace(editor, 's-300', 'other');
        await seeDrawn(LINES, '"s-300" -> "other"');
        await seeDrawn(LINES, '{~ update');
        await picture('update');
        await replace(editor, 'value-301', 'another');
        await seeDrawn(LINES, '⟳ forces replacement: was "value-301"');
        await seeDrawn(LINES, '-/+ replace');
        await picture('replacement');
        const kinds = api.hints(editor.document.uri).map((hint) => hint.tone);
        assert(['update', 'replace'].every((kind) => kinds.includes(kind)), JSON.stringify(kinds));
        await actions.update('show', 'all', true);
        await seeDrawn(LINES, 'no change');
        await seeDrawn(LINES, '-/+ replace');
        await picture('actions-all');
        await actions.update('show', 'off', true);
        await goneDrawn(LINES, 'no change');
        await goneDrawn(LINES, '-/+ replace');
        await seeDrawn(LINES, '⟳ forces replacement: was "value-301"');
        await picture('actions-off');
        await actions.update('show', 'changes', true);
        await seeDrawn(LINES, '-/+ replace');
        await undo(editor);
    });
    await test('a module of 30 callers says its values and actions once', async () => {
        const editor = await open('app/main.tf');
        await see(LINES, '30 values: ');
        await seeDrawn(LINES, '{+ create');
        await picture('shared');
        put(editor, 'local.full', 2);
        await hover('web-r01');
        await picture('shared-hover');
        await act('press', { keys: 'Escape' });
    });
    await test('the view has what is edited first, then causes, then modules', async () => {
        const editor = await open('changes/main.tf');
        await eventually('the plan', () => planOf('changes')?.changes.length >= 40);
        await vscode.commands.executeCommand('planlens.plan.focus');
        await picture('view');
        await replace(editor, 'size-3', 'size-33');
        await eventually('the edit', () => JSON.stringify(api.plans()).includes('size-33'));
        await see(ROWS, '"size-3" -> "size-33"');
        await picture('view-edited');
        await vscode.commands.executeCommand('planlens.plan.focus');
        await act('press', { keys: 'Home' });
        await vscode.commands.executeCommand('list.collapseAll');
        await act('press', { keys: 'ArrowRight' });
        await see(ROWS, 'module.inside');
        const [root, ...rows] = await act('rows', { selector: ROWS });
        assert(root.label === 'changes', JSON.stringify(root));
        const names = rows.map((row) => row.label);
        assert(names[0] === '~ terraform_data.edited', JSON.stringify(names));
        const modules = rows.filter((row) => row.label.startsWith('module.'));
        const first = rows.indexOf(modules[0]);
        assert(modules.length === 2 && modules.every((row) => /[+~]\d/.test(row.description)), JSON.stringify(rows));
        const order = ['- ', '-/+', '~ ', '+ '];
        const ranks = names.slice(1, first).map((name) => order.findIndex((symbol) => name.startsWith(symbol)));
        assert(new Set(ranks).size === order.length && ranks.every((rank, at) => at === 0 || ranks[at - 1] <= rank), JSON.stringify(names));
        const long = rows.find((row) => row.label.includes('…'));
        const whole = 'terraform_data.a_name_that_is_longer_than_any_row_of_the_view_can_show';
        assert(long && long.label.length < 50 && long.spoken.includes(whole), JSON.stringify(long));
        await picture('view-closed');
        for (const keys of ['End', 'ArrowUp', 'ArrowRight']) {
            await act('press', { keys });
        }
        await see(ROWS, '8 instances');
        const instances = (await act('rows', { selector: ROWS })).filter((row) => row.label.includes('terraform_data.part'));
        assert(instances.length === 1 && instances[0].label === '+ terraform_data.part', JSON.stringify(instances));
        await picture('view-instances');
        await undo(editor);
    });
    await test('the view is used by keyboard', async () => {
        await vscode.commands.executeCommand('planlens.plan.focus');
        await act('press', { keys: 'Home' });
        await act('press', { keys: 'ArrowDown' });
        await act('press', { keys: 'Enter' });
        await eventually('a block', () => vscode.window.activeTextEditor?.document.uri.path.includes('/changes/'));
        await vscode.commands.executeCommand('planlens.plan.focus');
        await act('press', { keys: 'ArrowRight' });
        await picture('view-keyboard');
    });
    await test('what is destroyed is told where its block stood', async () => {
        const editor = await open('changes/main.tf');
        const text = editor.document.getText();
        const begin = text.indexOf('resource "terraform_data" "kept_1"');
        const end = text.indexOf('resource "terraform_data" "kept_2"');
        const range = new vscode.Range(editor.document.positionAt(begin), editor.document.positionAt(end));
        await editor.edit((edit) => edit.delete(range));
        await eventually('the warning', () => JSON.stringify(vscode.languages.getDiagnostics(editor.document.uri)).includes('kept_1 will'));
        put(editor, 'resource "terraform_data" "kept_2"');
        await picture('destroy');
        const line = editor.document.positionAt(begin).line;
        const told = vscode.languages.getDiagnostics(editor.document.uri).filter((each) => each.message.includes('kept_1 will'));
        assert(told.length === 1 && Math.abs(told[0].range.start.line - line) <= 2, JSON.stringify(told));
        // Its row leads there.
        const { location } = planOf('changes').changes.find((each) => each.address === 'terraform_data.kept_1');
        assert(location?.range.start.line === told[0].range.start.line, JSON.stringify(location));
        await undo(editor);
    });
    await test('a module call tells what is inside', async () => {
        const editor = await open('changes/main.tf');
        put(editor, 'module "inside"', 2);
        await seeDrawn(LINES, 'module "inside" {');
        await hover('module.inside');
        await picture('module-call');
        await act('press', { keys: 'Escape' });
    });
    await test('the action of a module call opens what is inside', async () => {
        const editor = await open('changes/main.tf');
        const header = 'module "inside" {';
        put(editor, header, header.length);
        const isPlan = ({ document }) => document.uri.scheme === 'planlens-plan';
        const isSeen = (plan) => plan.visibleRanges.some((part) => plan.document.getText(part).includes('module.inside'));
        const isOpen = () => vscode.window.visibleTextEditors.some((each) => isPlan(each) && isSeen(each));
        await clickUntil({ selector: '.monaco-hover a', text: 'Show the plan' }, isOpen, () => hover('Show the plan'));
        await picture('module-plan');
    });
    finish();
};
