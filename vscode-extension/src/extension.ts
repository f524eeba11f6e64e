// planlens in VS Code: starts the server, and shows its plans beside the text.

import { execFile } from 'node:child_process';
import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import { Marks } from './marks';
import { PlanView } from './planView';
import type { Callers, Environments, Plan, PlanSummary } from './protocol';
import { createClient, program, trust } from './server';
import { StatusBar } from './status';

const SCHEME = 'planlens-plan';

/** What tests inside of VS Code look at. */
export interface Api {
    client: LanguageClient;
    plans(): Plan[];
}

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<Api> {
    const server = createClient(context);
    client = server;
    const [status, view, marks] = [new StatusBar(), new PlanView(), new Marks(context)];
    let plans: Plan[] = [];

    // One question at a time; a change in between asks once more.
    let isAsking = false;
    let isOutdated = false;
    const ask = async (): Promise<void> => {
        if (isAsking) {
            isOutdated = true;
            return;
        }
        isAsking = true;
        try {
            do {
                isOutdated = false;
                const answer = await server.sendRequest<{ plans: Plan[] }>('planlens/plan', {});
                plans = answer.plans;
                view.update(plans.filter((plan) => plan.isRoot));
                marks.update(plans);
            } while (isOutdated);
        } catch (error) {
            server.debug(`no plans: ${String(error)}`);
        } finally {
            isAsking = false;
        }
    };

    const command = (name: string, run: () => unknown) => vscode.commands.registerCommand(`planlens.${name}`, run);
    context.subscriptions.push(
        status,
        view,
        marks,
        server.onNotification('planlens/status', (params: { plans: PlanSummary[] }) => {
            status.update(params.plans);
            if (params.plans.every((plan) => plan.state !== 'stale')) {
                void ask();
            }
        }),
        vscode.workspace.onDidGrantWorkspaceTrust(() => server.sendNotification('workspace/didChangeConfiguration', { settings: trust() })),
        vscode.window.onDidChangeActiveTextEditor(() => status.show(false)),
        vscode.window.onDidChangeVisibleTextEditors(() => marks.draw()),
        vscode.workspace.onDidChangeConfiguration((event) => {
            if (event.affectsConfiguration('planlens.marks')) {
                marks.draw();
            }
        }),
        command('showPlan', () => showPlan(plans)),
        command('filterPlan', () => view.filter()),
        command('replaceHere', () => whatIf(server, 'planlens.whatIfReplaced')),
        command('targetHere', () => whatIf(server, 'planlens.whatIfTargeted')),
        command('chooseEnvironment', () => chooseEnvironment(server)),
        command('chooseCaller', () => chooseCaller(server)),
        command('restart', () => server.restart()),
        command('showOutput', () => server.outputChannel.show()),
        command('doctor', () => doctor(program(context))),
        command('init', () => inTerminal('terraform init', 'terraform', ['init'])),
    );
    await server.start();
    return { client: server, plans: () => plans };
}

export async function deactivate(): Promise<void> {
    await client?.stop();
    client = undefined;
}

/** The plan of the active document's folder, beside it. */
async function showPlan(plans: Plan[]): Promise<void> {
    const document = vscode.window.activeTextEditor?.document.uri;
    const own = document?.scheme === 'file' ? vscode.Uri.joinPath(document, '..') : undefined;
    const folder = own ?? (plans[0] && vscode.Uri.parse(plans[0].folder));
    if (!folder) {
        void vscode.window.showInformationMessage('Open a Terraform file to see its plan.');
        return;
    }
    const name = folder.path.split('/').pop() || 'root';
    const uri = vscode.Uri.joinPath(folder, `${name}.planlens-plan`).with({ scheme: SCHEME });
    const plan = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(plan, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true, preview: true });
}

/** Has the server suppose something of the resource at the cursor. */
async function whatIf(server: LanguageClient, command: string): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (!editor) {
        return;
    }
    const { line, character } = editor.selection.active;
    const place = { textDocument: { uri: editor.document.uri.toString() }, position: { line, character } };
    try {
        await server.sendRequest('workspace/executeCommand', { command, arguments: [place] });
    } catch (error) {
        void vscode.window.showInformationMessage(`planlens: ${error instanceof Error ? error.message : String(error)}`);
    }
}

/** Has the user pick the environment that the active document's root module is planned with. */
async function chooseEnvironment(server: LanguageClient): Promise<void> {
    const uri = vscode.window.activeTextEditor?.document.uri.toString();
    const answer = uri && (await server.sendRequest<Environments | null>('planlens/environments', { textDocument: { uri } }));
    if (!answer) {
        void vscode.window.showInformationMessage('Open a file of a root module to choose its environment.');
        return;
    }
    const none = { label: 'No environment', description: 'As the folder is planned by itself', name: undefined };
    const items = answer.environments.map(({ name, detail, isChosen }) => ({ label: `${isChosen ? '$(check) ' : ''}${name}`, description: detail, name }));
    const picked = await vscode.window.showQuickPick([none, ...items], { title: 'Plan with the environment', matchOnDescription: true });
    if (picked) {
        const choice = { textDocument: { uri }, environment: picked.name };
        await server.sendRequest('workspace/executeCommand', { command: 'planlens.setEnvironment', arguments: [choice] });
    }
}

/** Has the user pick the caller as which the active document's module is shown. */
async function chooseCaller(server: LanguageClient): Promise<void> {
    const uri = vscode.window.activeTextEditor?.document.uri.toString();
    const answer = uri && (await server.sendRequest<Callers>('planlens/callers', { textDocument: { uri } }));
    if (!answer || answer.callers.length === 0) {
        void vscode.window.showInformationMessage('Nothing in the workspace calls this module.');
        return;
    }
    const all = { label: 'All callers', root: undefined, instance: undefined };
    const items = answer.callers.map(({ title, root, instance, isChosen }) => ({ label: `${isChosen ? '$(check) ' : ''}${title}`, root, instance }));
    const picked = await vscode.window.showQuickPick([all, ...items], { title: 'Show the module as called by' });
    if (picked) {
        const choice = { textDocument: { uri }, root: picked.root, instance: picked.instance };
        await server.sendRequest('workspace/executeCommand', { command: 'planlens.setCaller', arguments: [choice] });
    }
}

/** The page about all that planning depends on, for a look or a bug report. */
async function doctor(program: string): Promise<void> {
    if (!vscode.workspace.isTrusted) {
        void vscode.window.showInformationMessage('planlens: the doctor starts the provider plugins once, so it waits until the workspace is trusted.');
        return;
    }
    const document = vscode.window.activeTextEditor?.document.uri;
    const folder = document?.scheme === 'file' ? vscode.Uri.joinPath(document, '..') : vscode.workspace.workspaceFolders?.[0]?.uri;
    const run = (resolve: (report: string) => void) => execFile(program, ['doctor', ...(folder ? [folder.fsPath] : [])], (error, stdout, stderr) => resolve(stdout || stderr || String(error)));
    const content = await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title: 'planlens doctor' }, () => new Promise<string>(run));
    const report = await vscode.workspace.openTextDocument({ content, language: 'plaintext' });
    await vscode.window.showTextDocument(report, { preview: true });
}

/** Runs a program where everybody can see it, in the folder of the active document. */
function inTerminal(name: string, shellPath: string, shellArgs: string[]): void {
    const document = vscode.window.activeTextEditor?.document.uri;
    const cwd = document?.scheme === 'file' ? vscode.Uri.joinPath(document, '..') : undefined;
    const options = { name, ...(cwd ? { cwd } : {}) };
    const terminal = vscode.window.createTerminal(options);
    terminal.show();
    terminal.sendText([shellPath, ...shellArgs].map(quoted).join(' '));
}

function quoted(word: string): string {
    return /^[\w./:-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
