// The journeys of a user of VS Code, inside the extension host. What is asserted is what the editor's own API gives.

const fs = require('node:fs');
const vscode = require('vscode');

let ran = 0;
let failed = 0;

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** The limit is far beyond what a plan takes: it ends a test that would wait for ever. */
async function eventually(what, condition) {
    let last;
    for (let tries = 0; tries < 600; tries++) {
        try {
            last = await condition();
            if (last) {
                return last;
            }
        } catch (error) {
            last = error;
        }
        await sleep(100);
    }
    throw new Error(`timeout: ${what}: ${last instanceof Error ? last.stack : JSON.stringify(last)}`);
}

async function test(name, body) {
    if (failed > 0) {
        return;
    }
    ran += 1;
    const begin = Date.now();
    try {
        await body();
        console.log(`ok ${name} (${Date.now() - begin} ms)`);
    } catch (error) {
        failed += 1;
        console.log(`not ok ${name}: ${error.stack}`);
    }
}

/** A picture of the whole window, once it has settled. */
async function screenshot(name) {
    await sleep(700);
    console.log(`screenshot ${name}`);
    await sleep(700);
}

exports.run = async function () {
    const [folder] = vscode.workspace.workspaceFolders;
    const extension = vscode.extensions.getExtension('planlens.planlens');
    const document = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(folder.uri, 'main.tf'));
    const editor = await vscode.window.showTextDocument(document);
    const row = document.getText().split('\n').findIndex((line) => line.includes('"yes"'));
    const whole = () => new vscode.Range(0, 0, document.lineCount, 0);
    const labels = async () => {
        const hints = await vscode.commands.executeCommand('vscode.executeInlayHintProvider', document.uri, whole());
        return hints.filter((hint) => hint.position.line === row).map((hint) => (typeof hint.label === 'string' ? hint.label : hint.label.map((part) => part.value).join('')));
    };
    const lenses = async () => {
        const found = await vscode.commands.executeCommand('vscode.executeCodeLensProvider', document.uri, 100);
        return found.map((lens) => lens.command?.title ?? '');
    };
    let api;

    await test('the extension starts', async () => {
        api = await extension.activate();
    });
    if (!vscode.workspace.isTrusted) {
        await test('in a restricted workspace no plugin starts, and it says so', async () => {
            await eventually('lens', async () => (await lenses()).some((title) => title.startsWith('?')));
            await screenshot('restricted');
        });
        return finish();
    }
    await test('what is saved has no changes', async () => {
        await eventually('lens', async () => (await lenses()).includes('no change'));
        await eventually('plans', () => api.plans().length === 1 && api.plans()[0].changes.length === 0);
        await screenshot('no-changes');
    });
    await test('an unsaved edit shows what it forces, at the argument', async () => {
        const column = document.lineAt(row).text.indexOf('yes');
        await editor.edit((edit) => edit.replace(new vscode.Range(row, column, row, column + 3), 'no'));
        await eventually('hint', async () => (await labels()).join().includes('forces replacement'));
        await eventually('lens', async () => (await lenses()).some((title) => title.includes('replace')));
        await eventually('diagnostic', () => vscode.languages.getDiagnostics(document.uri).some((each) => each.code === 'forces-replacement' || each.code?.value === 'forces-replacement'));
        await eventually('plan view', () => api.plans()[0].changes.some((change) => change.symbol === '-/+'));
        if (!document.isDirty) {
            throw new Error('the document was saved');
        }
        editor.selection = new vscode.Selection(row, column, row, column);
        await screenshot('replacement');
    });
    await test('the plan opens beside the text', async () => {
        await vscode.commands.executeCommand('planlens.showPlan');
        const plan = await eventually('document', () => vscode.workspace.textDocuments.find((each) => each.uri.scheme === 'planlens-plan'));
        await eventually('text', () => plan.getText().includes('must be replaced'));
        await vscode.commands.executeCommand('planlens.plan.focus');
        await screenshot('plan');
    });
    await test('completion knows arguments and values', async () => {
        const column = document.lineAt(row).text.length;
        const items = await vscode.commands.executeCommand('vscode.executeCompletionItemProvider', document.uri, new vscode.Position(document.lineCount - 1, 0));
        if (!items.items.some((item) => item.label === 'resource')) {
            throw new Error(`at ${column}: ${items.items.map((item) => item.label)}`);
        }
    });
    await test('a quick fix writes the name that was meant', async () => {
        await vscode.window.showTextDocument(document, vscode.ViewColumn.One);
        const end = document.lineAt(document.lineCount - 1).range.end;
        const insert = new vscode.WorkspaceEdit();
        insert.insert(document.uri, end, '\noutput "o" {\n  value = random_string.wrod.result\n}\n');
        await vscode.workspace.applyEdit(insert);
        const wrong = await eventually('diagnostic', () => vscode.languages.getDiagnostics(document.uri).find((each) => (each.code?.value ?? each.code) === 'undeclared-reference'));
        vscode.window.activeTextEditor.selection = new vscode.Selection(wrong.range.start, wrong.range.start);
        vscode.window.activeTextEditor.revealRange(wrong.range);
        await vscode.commands.executeCommand('editor.action.quickFix');
        await screenshot('quick-fix');
        const actions = await vscode.commands.executeCommand('vscode.executeCodeActionProvider', document.uri, wrong.range);
        const fix = actions.find((action) => action.title === 'Change to `random_string.word`' && action.isPreferred);
        if (!fix) {
            throw new Error(JSON.stringify(actions.map((action) => action.title)));
        }
        await vscode.workspace.applyEdit(fix.edit);
        await eventually('text', () => document.getText().includes('value = random_string.word.result'));
        await eventually('no diagnostic', () => !vscode.languages.getDiagnostics(document.uri).some((each) => (each.code?.value ?? each.code) === 'undeclared-reference'));
        await vscode.commands.executeCommand('undo');
        await vscode.commands.executeCommand('undo');
    });
    await test('undo takes the plan back', async () => {
        await vscode.window.showTextDocument(document, vscode.ViewColumn.One);
        await vscode.commands.executeCommand('undo');
        await eventually('hint', async () => !(await labels()).join().includes('forces replacement'));
        await eventually('plans', () => api.plans()[0].changes.length === 0);
    });
    await test('an environment is picked, and the status tells it', async () => {
        const workspace = vscode.Uri.joinPath(folder.uri, 'terraform.tfstate.d', 'blue');
        await vscode.workspace.fs.createDirectory(workspace);
        const pick = async (name, choose) => {
            const picked = vscode.commands.executeCommand('planlens.chooseEnvironment');
            await sleep(700);
            await choose();
            await screenshot(`environment-${name}`);
            await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
            await picked;
        };
        await pick('blue', () => vscode.commands.executeCommand('workbench.action.quickOpenSelectNext'));
        await eventually('environment', () => api.plans()[0].environment === 'workspace blue' && api.plans()[0].workspace === 'blue');
        await eventually('lens', async () => (await lenses()).includes('+ create'));
        await screenshot('environment');
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
        await vscode.window.showTextDocument(app, { viewColumn: vscode.ViewColumn.One, preview: false });
        const own = async () => (await vscode.commands.executeCommand('vscode.executeCodeLensProvider', app, 100)).map((lens) => lens.command?.title ?? '');
        await eventually('lens', async () => (await own()).some((title) => title.includes('1 of 2 module instances')));
        await screenshot('callers');
        const picked = vscode.commands.executeCommand('planlens.chooseCaller');
        await sleep(700);
        for (let step = 0; step < 3; step++) {
            await vscode.commands.executeCommand('workbench.action.quickOpenSelectNext');
        }
        await screenshot('caller-picked');
        await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
        await picked;
        await eventually('lens', async () => (await own()).includes('+ create · 2 instances'));
        await eventually('status', () => api.plans().some((plan) => plan.caller === 'module: module.app["b"]'));
        await screenshot('caller');
        await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
        await vscode.window.showTextDocument(document, vscode.ViewColumn.One);
        await vscode.commands.executeCommand('undo');
        await vscode.workspace.fs.delete(vscode.Uri.joinPath(folder.uri, 'app'), { recursive: true });
        await eventually('lens', async () => (await lenses()).includes('no change'));
    });
    await test('a rename comes with its moved block, and the plan has no change', async () => {
        const head = document.getText().split('\n').findIndex((line) => line.includes('"random_string" "word"'));
        const place = new vscode.Position(head, document.lineAt(head).text.indexOf('word') + 1);
        const edit = await vscode.commands.executeCommand('vscode.executeDocumentRenameProvider', document.uri, place, 'term');
        await vscode.workspace.applyEdit(edit);
        if (!document.getText().includes('"random_string" "term"')) {
            throw new Error(document.getText());
        }
        const moved = vscode.Uri.joinPath(folder.uri, 'moved.tf');
        const block = (await vscode.workspace.openTextDocument(moved)).getText();
        if (!block.includes('from = random_string.word\n  to   = random_string.term\n')) {
            throw new Error(block);
        }
        await eventually('lens', async () => (await lenses()).includes('no change · moved from random_string.word'));
        await eventually('plans', () => api.plans()[0].changes.length === 0);
        await screenshot('renamed');
        await vscode.window.showTextDocument(moved);
        await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
        await vscode.window.showTextDocument(document);
        await vscode.commands.executeCommand('workbench.action.files.revert');
        await vscode.workspace.fs.delete(moved);
        await eventually('text', () => document.getText().includes('"random_string" "word"'));
        await eventually('lens', async () => (await lenses()).includes('no change'));
    });
    await test('the doctor tells what planning depends on', async () => {
        await vscode.commands.executeCommand('planlens.doctor');
        const report = await eventually('report', () => vscode.window.activeTextEditor?.document.isUntitled && vscode.window.activeTextEditor.document.getText());
        if (!report.includes('hashicorp/random: required') || !report.includes('hinders planning')) {
            throw new Error(report);
        }
        await screenshot('doctor');
        await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
        await vscode.window.showTextDocument(document);
    });
    await test('the server comes back when it is killed', async () => {
        const before = api.client._serverProcess.pid;
        process.kill(before, 'SIGKILL');
        await eventually('another process', () => api.client._serverProcess?.pid !== before && api.client.state === 2);
        await eventually('lens', async () => (await lenses()).includes('no change'));
    });
    finish();
};

function finish() {
    fs.writeFileSync(process.env.PLANLENS_JOURNEY_RESULT, JSON.stringify({ ran, failed }));
    if (failed > 0) {
        throw new Error(`${failed} failed`);
    }
}
