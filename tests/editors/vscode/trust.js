// The journey of someone who opens a workspace of two folders that is not trusted yet, and then trusts it.

const vscode = require('vscode');
const { act, assert, eventually, finish, gone, picture, see, started, test, titles } = require('./support');

const STATUS = '.statusbar-item';
const ROWS = '.pane-body .monaco-list-row';

exports.run = async function () {
    const [folder, other] = vscode.workspace.workspaceFolders;
    const extension = vscode.extensions.getExtension('planlens.planlens');
    const document = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(folder.uri, 'main.tf'));
    await vscode.window.showTextDocument(document, { preview: false });
    const api = await extension.activate();
    const plugins = () => started(api.client._serverProcess.pid).map((each) => each.name).filter((name) => name.startsWith('terraform-prov'));

    await test('in Restricted Mode no plugin starts, and it says so', async () => {
        assert(!vscode.workspace.isTrusted, 'the workspace is trusted already');
        await api.started;
        await eventually('lens', async () => (await titles(document.uri)).includes('? provider hashicorp/random may not start'));
        // VS Code asks for lenses a moment later, and not where the focus has left the text.
        await see('.monaco-editor .codelens-decoration', '? provider hashicorp/random may not start');
        await see(STATUS, '8 uncertain');
        await vscode.commands.executeCommand('planlens.plan.focus');
        await see('.pane-body', 'In Restricted Mode no provider plugin starts.');
        await see(ROWS, 'random_pet.name');
        await picture('restricted');
        assert(plugins().length === 0, plugins());
        assert(api.plans().every((plan) => plan.changes.length === 0), api.plans());
    });
    await test('once the user trusts it, plugins start and the plan appears', async () => {
        await act('click', { selector: '.part.banner a', text: 'Manage' });
        await see('.workspace-trust-editor', 'Restricted Mode');
        await picture('trust');
        await act('click', { selector: '.workspace-trust-editor .monaco-button', text: 'Trust' });
        await eventually('trust', () => vscode.workspace.isTrusted);
        await vscode.window.showTextDocument(document, { preview: false });
        await eventually('lens', async () => (await titles(document.uri)).includes('no change'));
        assert(plugins().length > 0, 'no plugin runs');
        await see(STATUS, 'no changes');
        await gone('.pane-body', 'In Restricted Mode');
        await picture('trusted');
    });
    await test('the folders of the workspace are planned each by itself', async () => {
        const second = vscode.Uri.joinPath(other.uri, 'main.tf');
        await vscode.window.showTextDocument(second, { preview: false });
        await eventually('lens', async () => (await titles(second)).includes('? state not read'));
        await eventually('plans', () => api.plans().length === 2);
        await see(STATUS, 'state not read');
        const editor = await vscode.window.showTextDocument(document, { preview: false });
        await see(STATUS, 'no changes');
        const row = document.getText().split('\n').findIndex((line) => line.includes('"yes"'));
        const column = document.lineAt(row).text.indexOf('yes');
        await editor.edit((edit) => edit.replace(new vscode.Range(row, column, row, column + 3), 'no'));
        await eventually('plan', () => api.plans().some((plan) => plan.changes.some((change) => change.symbol === '-/+')));
        await see(STATUS, '-/+2');
        await vscode.commands.executeCommand('planlens.plan.focus');
        await see(ROWS, 'module');
        await see(ROWS, '-/+ random_string.word');
        await see(ROWS, 'by keepers');
        await see(ROWS, 'state not read');
        await picture('two-folders');
    });
    await test('of an unread state the view and the document do not say what would change', async () => {
        await vscode.commands.executeCommand('workbench.action.files.revert');
        const second = await vscode.window.showTextDocument(vscode.Uri.joinPath(other.uri, 'main.tf'), { preview: false });
        await vscode.commands.executeCommand('planlens.showPlan');
        const plan = await eventually('document', () => vscode.window.visibleTextEditors.find((each) => each.document.uri.scheme === 'planlens-plan'));
        await eventually('text', () => plan.document.getText().includes('state not read'));
        assert(!/will be created|[Nn]o changes/.test(plan.document.getText()), plan.document.getText());
        assert(second.document.uri.path.includes('other'), second.document.uri.path);
        await picture('unread');
    });
    finish();
};
