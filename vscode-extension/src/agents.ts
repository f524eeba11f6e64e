// planlens for the editor's own agents: `planlens mcp` for each folder, where this editor takes servers of that protocol.

import * as vscode from 'vscode';
import { program, trust } from './server';

/** As VS Code has it from 1.101 on. */
interface LanguageModels {
    registerMcpServerDefinitionProvider?(id: string, provider: { onDidChangeMcpServerDefinitions: vscode.Event<void>; provideMcpServerDefinitions(): object[] }): vscode.Disposable;
}
type Definition = new (label: string, command: string, args: string[]) => object;

/** Plugins start for the agent where they do for the editor: in a workspace that is trusted. */
export function registerAgents(context: vscode.ExtensionContext): vscode.Disposable {
    const models = (vscode as { lm?: LanguageModels }).lm;
    const definition = (vscode as { McpStdioServerDefinition?: Definition }).McpStdioServerDefinition;
    const changed = new vscode.EventEmitter<void>();
    // 1.100 has the function too, under another name in package.json, and fails without that.
    const [major = 0, minor = 0] = vscode.version.split('.').map(Number);
    if (major === 1 && minor < 101 || !models?.registerMcpServerDefinitionProvider || !definition) {
        return changed;
    }
    const provideMcpServerDefinitions = () => {
        const trusted = trust() === 'always' ? ['-trust'] : [];
        const folders = (vscode.workspace.workspaceFolders ?? []).filter((folder) => folder.uri.scheme === 'file');
        return folders.map((folder) => new definition(`planlens: ${folder.name}`, program(context), ['mcp', ...trusted, folder.uri.fsPath]));
    };
    const registered = models.registerMcpServerDefinitionProvider('planlens', { onDidChangeMcpServerDefinitions: changed.event, provideMcpServerDefinitions });
    const again = () => changed.fire();
    return vscode.Disposable.from(changed, registered, vscode.workspace.onDidGrantWorkspaceTrust(again), vscode.workspace.onDidChangeWorkspaceFolders(again));
}
