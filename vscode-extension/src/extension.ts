// planlens in VS Code: starts the server, and shows its plans beside the text.

import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import { registerAgents } from './agents';
import { Doctor } from './doctor';
import { Hints, type Drawn } from './hints';
import { Marks } from './marks';
import { PlanDocuments } from './planDocument';
import { PlanView } from './planView';
import { KINDS, type Callers, type Environments, type Plan, type PlanSummary } from './protocol';
import { createClient, program, sendSettings } from './server';
import { StatusBar } from './status';
import { registerApply } from './unsaved';
import { setVariable } from './variable';
import { registerOnce } from './yaml';

/** What tests inside of VS Code look at. */
export interface Api {
    client: LanguageClient;
    /** Settled once the server runs. */
    started: Promise<void>;
    plans(): Plan[];
    /** The hints that are drawn in colors. */
    hints(uri: vscode.Uri): readonly Drawn[];
    /** The resource that plan documents are brought to. */
    shown(): string | undefined;
}

/** Milliseconds that the list of changes is at most behind the text. */
const MOST_WAITING = 500;

let client: LanguageClient | undefined;

export function activate(context: vscode.ExtensionContext): Api {
    const hints = new Hints();
    const server = createClient(context, hints);
    client = server;
    const [status, view, marks, documents, doctor] = [new StatusBar(), new PlanView(), new Marks(context), new PlanDocuments(), new Doctor(() => program(context))];
    let plans: Plan[] = [];
    const tell = (key: string, value: boolean) => void vscode.commands.executeCommand('setContext', `planlens.${key}`, value);

    // One question at a time; a change in between asks once more. A long answer is asked for once the hints are drawn: the next
    // question waits twice as long as the last answer took.
    let lasted = 0;
    let waiting: NodeJS.Timeout | undefined;
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
                const begin = Date.now();
                const answer = await server.sendRequest<{ plans: Plan[] }>('planlens/plan', {});
                lasted = Date.now() - begin;
                plans = answer.plans;
                view.update(plans);
                marks.update(plans);
                status.tell(plans);
                documents.update(plans);
                tell('hasPlan', plans.length > 0);
                tell('hasChanges', plans.some((plan) => plan.changes.length > 0));
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
        hints,
        documents,
        doctor,
        registerApply(),
        registerOnce(server),
        registerAgents(context),
        server.onNotification('planlens/status', (params: { plans: PlanSummary[] }) => {
            status.update(params.plans);
            tell('isWhatIf', params.plans.some((plan) => plan.whatIf.length > 0));
            if (params.plans.every((plan) => plan.state !== 'stale')) {
                clearTimeout(waiting);
                waiting = setTimeout(() => void ask(), Math.min(2 * lasted, MOST_WAITING));
            }
        }),
        { dispose: () => clearTimeout(waiting) },
        vscode.workspace.onDidGrantWorkspaceTrust(() => sendSettings(server, context)),
        vscode.window.onDidChangeActiveTextEditor(() => {
            status.show(false);
            view.count();
        }),
        vscode.languages.onDidChangeDiagnostics(() => status.show()),
        vscode.window.onDidChangeVisibleTextEditors(() => marks.draw()),
        vscode.workspace.onDidChangeConfiguration((event) => {
            if (event.affectsConfiguration('planlens.marks')) {
                marks.draw();
            }
        }),
        // Of the place that is named, else of the cursor.
        command('showPlan', (uri?: vscode.Uri | string, at?: vscode.Position | number) => documents.open(placeOf(uri, at))),
        command('showFindings', () => status.choose()),
        command('filterPlan', () => view.filter()),
        command('showAllChanges', () => view.show(KINDS)),
        command('copyAddress', (resource?: { address: string }) => vscode.env.clipboard.writeText(resource?.address ?? '')),
        command('replaceHere', (resource?: { address: string }) => whatIf(server, 'planlens.whatIfReplaced', resource?.address)),
        command('targetHere', (resource?: { address: string }) => whatIf(server, 'planlens.whatIfTargeted', resource?.address)),
        command('chooseEnvironment', () => chooseEnvironment(server)),
        command('chooseCaller', () => chooseCaller(server)),
        vscode.commands.registerCommand('planlens.setVariable', setVariable),
        command('restart', () => server.restart()),
        command('showOutput', () => server.outputChannel.show()),
        command('doctor', () => doctor.run()),
        command('init', () => init(server, 'planlens.runInit')),
        command('initWithoutBackend', () => init(server, 'planlens.runInitWithoutBackend')),
        // Links of the status.
        vscode.commands.registerCommand('planlens.fixAt', async (uri: string, line: number, character: number) => {
            const at = new vscode.Position(line, character);
            await vscode.window.showTextDocument(vscode.Uri.parse(uri), { selection: new vscode.Range(at, at) });
            await vscode.commands.executeCommand('editor.action.quickFix');
        }),
    );
    // VS Code does not wait for it. What went wrong is told by the client.
    const started = server.start();
    started.catch((error: unknown) => server.error('planlens does not start', error));
    return { client: server, started, plans: () => plans, hints: (uri) => hints.of(uri), shown: () => documents.shown };
}

export async function deactivate(): Promise<void> {
    await client?.stop();
    client = undefined;
}

/** The place that a lens, or a link with its line, names. */
function placeOf(uri: vscode.Uri | string | undefined, at: vscode.Position | number | undefined): vscode.Location | undefined {
    if (uri === undefined || at === undefined) {
        return undefined;
    }
    return new vscode.Location(typeof uri === 'string' ? vscode.Uri.parse(uri) : uri, typeof at === 'number' ? new vscode.Position(at, 0) : at);
}

/** Has the server suppose something of a resource: of the one that is named, else of the one at the cursor. */
async function whatIf(server: LanguageClient, command: string, address?: string): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (!editor && address === undefined) {
        return;
    }
    const at = () => ({ textDocument: { uri: editor?.document.uri.toString() }, position: editor && { line: editor.selection.active.line, character: editor.selection.active.character } });
    try {
        await server.sendRequest('workspace/executeCommand', { command, arguments: [address === undefined ? at() : { addresses: [address] }] });
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
    const none = { label: 'No environment', description: 'Plan with the options of the folder itself', name: undefined };
    const items = answer.environments.map(({ name, title, detail, isChosen }) => ({ label: `${isChosen ? '$(check) ' : ''}${title}`, description: detail, name }));
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
        void vscode.window.showInformationMessage('No module in the workspace calls this one.');
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

/** Has the server initialize the root module of the active document. It tells how that ends. */
async function init(server: LanguageClient, command: string): Promise<void> {
    const uri = vscode.window.activeTextEditor?.document.uri.toString();
    if (uri !== undefined) {
        await server.sendRequest('workspace/executeCommand', { command, arguments: [uri] });
    }
}
