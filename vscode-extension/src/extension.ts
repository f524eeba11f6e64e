// Starts `planlens lsp` and keeps it in step with the editor's settings and workspace trust.

import * as vscode from 'vscode';
import { LanguageClient, type LanguageClientOptions, type ServerOptions } from 'vscode-languageclient/node';

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
    client = new LanguageClient('planlens', 'planlens', serverOptions(), clientOptions());
    // The server asks before it starts a plugin; a trusted workspace is VS Code's answer.
    context.subscriptions.push(
        vscode.workspace.onDidGrantWorkspaceTrust(() => client?.sendNotification('workspace/didChangeConfiguration', { settings: settings() })),
    );
    await client.start();
}

export async function deactivate(): Promise<void> {
    await client?.stop();
    client = undefined;
}

function serverOptions(): ServerOptions {
    const command = vscode.workspace.getConfiguration('planlens').get('server.path', 'planlens');
    return { command, args: ['lsp'] };
}

function clientOptions(): LanguageClientOptions {
    return {
        documentSelector: [
            { scheme: 'file', language: 'terraform' },
            { scheme: 'file', language: 'terraform-vars' },
        ],
        initializationOptions: settings,
        outputChannelName: 'planlens',
    };
}

function settings(): { trust: 'always' | 'never' } {
    return { trust: vscode.workspace.isTrusted ? 'always' : 'never' };
}
