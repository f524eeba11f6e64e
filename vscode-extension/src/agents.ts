// planlens for the editor's own agents: `planlens mcp` for each folder where this editor takes servers of that protocol, else its tools one by one.

import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import * as vscode from 'vscode';
import { program, trust } from './server';

/** As VS Code has it: tools from 1.95 on, servers from 1.101 on. */
interface LanguageModels {
    registerTool?(name: string, tool: { invoke(options: { input: Input }): Promise<object> }): vscode.Disposable;
    registerMcpServerDefinitionProvider?(id: string, provider: { onDidChangeMcpServerDefinitions: vscode.Event<void>; provideMcpServerDefinitions(): object[] }): vscode.Disposable;
}
interface Newer {
    lm?: LanguageModels;
    McpStdioServerDefinition?: new (label: string, command: string, args: string[]) => object;
    LanguageModelToolResult?: new (parts: object[]) => object;
    LanguageModelTextPart?: new (text: string) => object;
}
type Input = { folder?: string };

const api = vscode as Newer;

/** Plugins start for the agent where they do for the editor: in a workspace that is trusted. */
export function registerAgents(context: vscode.ExtensionContext): vscode.Disposable {
    return registerServers(context) ?? registerTools(context) ?? new vscode.Disposable(() => undefined);
}

const folders = () => (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === 'file');
const serverOf = (folder: vscode.WorkspaceFolder) => ['mcp', ...(trust() === 'always' ? ['-trust'] : []), folder.uri.fsPath];

function registerServers(context: vscode.ExtensionContext): vscode.Disposable | undefined {
    const definition = api.McpStdioServerDefinition;
    // 1.100 has the function too, under another name in package.json, and fails without that.
    const [major = 0, minor = 0] = vscode.version.split('.').map(Number);
    if (major === 1 && minor < 101 || !api.lm?.registerMcpServerDefinitionProvider || !definition) {
        return undefined;
    }
    const changed = new vscode.EventEmitter<void>();
    const provideMcpServerDefinitions = () => folders().map((folder) => new definition(`planlens: ${folder.name}`, program(context), serverOf(folder)));
    const registered = api.lm.registerMcpServerDefinitionProvider('planlens', { onDidChangeMcpServerDefinitions: changed.event, provideMcpServerDefinitions });
    const again = () => changed.fire();
    return vscode.Disposable.from(changed, registered, vscode.workspace.onDidGrantWorkspaceTrust(again), vscode.workspace.onDidChangeWorkspaceFolders(again));
}

/** The tools that package.json lists, answered by a server of each folder that is asked about. */
function registerTools(context: vscode.ExtensionContext): vscode.Disposable | undefined {
    const { lm, LanguageModelToolResult: Result, LanguageModelTextPart: Text } = api;
    if (!lm?.registerTool || !Result || !Text) {
        return undefined;
    }
    const sessions = new Map<string, Session>();
    const end = () => {
        sessions.forEach((session) => session.end());
        sessions.clear();
    };
    const ask = async (name: string, input: Input): Promise<string> => {
        // In a workspace of several folders, paths begin with a folder's name.
        const [first = '', ...rest] = (input.folder ?? '').split('/');
        const named = folders().find((folder) => folder.name === first);
        const folder = named ?? folders()[0];
        if (!folder) {
            throw new Error('no folder is open');
        }
        const arguments_ = named ? { ...input, folder: rest.join('/') || '.' } : input;
        const key = folder.uri.toString();
        let session = sessions.get(key);
        if (!session?.isAlive) {
            session = new Session(program(context), serverOf(folder));
            sessions.set(key, session);
        }
        return session.call(name, arguments_);
    };
    const contributed: { name: string }[] = context.extension.packageJSON.contributes.languageModelTools;
    const registered = contributed.map(({ name }) =>
        lm.registerTool!(name, { invoke: async ({ input }) => new Result([new Text(await ask(name.replace('planlens_', ''), input))]) }),
    );
    void vscode.commands.executeCommand('setContext', 'planlens.lendsTools', true);
    return vscode.Disposable.from(...registered, new vscode.Disposable(end), vscode.workspace.onDidGrantWorkspaceTrust(end));
}

interface Answer {
    id?: number;
    result?: { content: { text: string }[]; isError?: boolean };
    error?: { message: string };
}

/** A running `planlens mcp`. */
class Session {
    isAlive = true;
    private readonly server: ChildProcessByStdio<Writable, Readable, null>;
    private readonly waiting = new Map<number, { resolve(answer: Answer): void; reject(error: Error): void }>();
    private calls = 0;

    constructor(command: string, args: string[]) {
        this.server = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
        const ended = () => {
            this.isAlive = false;
            this.waiting.forEach(({ reject }) => reject(new Error(`${command} ended`)));
            this.waiting.clear();
        };
        this.server.on('error', ended).on('exit', ended);
        this.server.stdin.on('error', ended);
        createInterface(this.server.stdout).on('line', (line) => {
            const answer = JSON.parse(line) as Answer;
            const call = this.waiting.get(answer.id ?? 0);
            this.waiting.delete(answer.id ?? 0);
            call?.resolve(answer);
        });
        this.ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'planlens for VS Code', version: '1' } }).catch(() => undefined);
        this.send({ method: 'notifications/initialized' });
    }

    async call(name: string, arguments_: object): Promise<string> {
        const { result, error } = await this.ask('tools/call', { name, arguments: arguments_ });
        const text = result?.content.map((part) => part.text).join('\n') ?? error?.message ?? '';
        if (error || result?.isError) {
            throw new Error(text);
        }
        return text;
    }

    end(): void {
        this.server.stdin.end();
    }

    private ask(method: string, params: object): Promise<Answer> {
        const id = ++this.calls;
        return new Promise((resolve, reject) => {
            this.waiting.set(id, { resolve, reject });
            this.send({ id, method, params });
        });
    }

    private send(message: object): void {
        this.server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    }
}
