// The server's process: which program, with which settings, and again when it ends.

import * as fs from 'node:fs';
import * as path from 'node:path';
import * as vscode from 'vscode';
import {
    CloseAction,
    ConnectionError,
    ErrorAction,
    LanguageClient,
    type CancellationToken,
    type ClientCapabilities,
    type ErrorHandler,
    type LanguageClientOptions,
    type MessageSignature,
    type ServerOptions,
    type StaticFeature,
} from 'vscode-languageclient/node';
import type { Hints } from './hints';
import { unsaved } from './unsaved';
import { once } from './yaml';

const LANGUAGES = ['terraform', 'terraform-vars', 'opentofu', 'opentofu-vars', 'terragrunt'];

/** Starts again after an end, each time later, and gives up after five ends in three minutes. */
class Restarts implements ErrorHandler {
    private ends: number[] = [];

    error(): { action: ErrorAction } {
        return { action: ErrorAction.Continue };
    }

    async closed(): Promise<{ action: CloseAction; message?: string; handled?: boolean }> {
        const now = Date.now();
        this.ends = [...this.ends.filter((end) => now - end < 180_000), now];
        if (this.ends.length > 5) {
            return { action: CloseAction.DoNotRestart, message: 'planlens ended five times in three minutes. Run "planlens: Restart" to try again.' };
        }
        await new Promise((resolve) => setTimeout(resolve, 250 * 2 ** (this.ends.length - 1)));
        return { action: CloseAction.Restart, handled: true };
    }
}

/** Says that the status of the plans is wanted, and that settings can be written: there is `planlens.setVariable`. */
class Abilities implements StaticFeature {
    fillClientCapabilities(capabilities: ClientCapabilities): void {
        capabilities.experimental = { ...(capabilities.experimental as object | undefined), planlens: { status: true, settings: true } };
    }
    initialize(): void {}
    getState(): { kind: 'static' } {
        return { kind: 'static' };
    }
    clear(): void {}
}

/** The program: that of the setting, else the one that the extension brings, else the one on the `PATH`. */
export function program(context: vscode.ExtensionContext): string {
    const chosen = ofUser<string>('server.path');
    if (chosen) {
        return chosen;
    }
    const own = path.join(context.extensionPath, 'server', process.platform === 'win32' ? 'planlens.exe' : 'planlens');
    return fs.existsSync(own) ? own : 'planlens';
}

/** What is asked between an end of the server and its next start has no answer, and no message. */
class Client extends LanguageClient {
    override handleFailedRequest<T>(type: MessageSignature, token: CancellationToken | undefined, error: unknown, defaultValue: T, showNotification = true, throwOnCancel = false): T {
        return error instanceof ConnectionError ? defaultValue : super.handleFailedRequest(type, token, error, defaultValue, showNotification, throwOnCancel);
    }
}

export function createClient(context: vscode.ExtensionContext, colored: Hints): LanguageClient {
    const server: ServerOptions = { command: program(context), args: ['lsp'] };
    const options: LanguageClientOptions = {
        documentSelector: [
            ...LANGUAGES.flatMap((language) => [
                { scheme: 'file', language },
                { scheme: 'untitled', language },
            ]),
            // Configuration in JSON syntax stays JSON for the editor.
            { scheme: 'file', language: 'json', pattern: '**/*.{tf,tofu,tfvars}.json' },
            // Programs of Pulumi stay YAML.
            { scheme: 'file', pattern: '**/{Pulumi.yaml,Pulumi.yml,Pulumi.*.yaml,Pulumi.*.yml,Main.yaml}' },
        ],
        initializationOptions: () => settings(context),
        outputChannelName: 'planlens',
        errorHandler: new Restarts(),
        synchronize: { configurationSection: 'planlens' },
        middleware: {
            ...unsaved,
            ...once,
            provideInlayHints: async (document, part, token, next) => {
                const { version } = document;
                const hints = await next(document, part, token);
                // Those of an earlier text are asked for again.
                return hints && (document.version === version ? colored.take(document, part, hints) : hints);
            },
            // A click on what the plan says of a block shows it.
            provideCodeLenses: async (document, token, next) => {
                const lenses = await next(document, token);
                return lenses?.map((lens) => {
                    if (lens.command?.command === 'planlens.replan') {
                        lens.command = { ...lens.command, command: 'planlens.showPlan', arguments: [document.uri, lens.range.start] };
                    }
                    return lens;
                });
            },
            executeCommand: async (command, args, next) => {
                if (command === 'planlens.replan' && vscode.workspace.textDocuments.some((each) => each.isDirty && LANGUAGES.includes(each.languageId))) {
                    void vscode.window.showInformationMessage('planlens reads remote objects only for saved files, so it waits until you save.');
                }
                return next(command, args);
            },
            // VS Code underlines what is a link: the types of all resources. The hover tells the page, too.
            provideDocumentLinks: async (document, token, next) => (await next(document, token))?.filter((link) => link.target?.scheme === 'file'),
            workspace: {
                configuration: (params) => params.items.map(() => settings(context)),
                didChangeConfiguration: () => sendSettings(client, context),
            },
        },
    };
    const client = new Client('planlens', 'planlens', server, options);
    client.registerFeature(new Abilities());
    return client;
}

export function sendSettings(client: LanguageClient, context: vscode.ExtensionContext): Promise<void> {
    return client.sendNotification('workspace/didChangeConfiguration', { settings: settings(context) });
}

/**
 * What the settings say, by their keys. What runs or reads something is said by the user alone: past the scopes of settings VS Code lets a folder
 * say `"planlens": { "trust": "always" }`.
 */
function settings(context: vscode.ExtensionContext): Record<string, unknown> {
    const configuration = vscode.workspace.getConfiguration('planlens');
    const { properties } = context.extension.packageJSON.contributes.configuration as { properties: Record<string, { scope: string }> };
    const all = Object.entries(properties).map(([name, { scope }]) => {
        const key = name.slice('planlens.'.length);
        return [key, scope === 'machine' ? ofUser(key) : configuration.get(key)];
    });
    return { ...Object.fromEntries(all), 'trust.mode': trust() };
}

/** In a restricted workspace no plugin starts, whatever the settings say. A trusted one is VS Code's answer to whether plugins may start. */
export function trust(): string {
    const chosen = ['trust.mode', 'trust'].map((key) => said<string>(key)?.globalValue).find((mode) => typeof mode === 'string');
    return vscode.workspace.isTrusted ? (chosen ?? 'always') : 'never';
}

/** What the user's own settings say, whatever the workspace says. */
function ofUser<T>(key: string): T | undefined {
    return said<T>(key)?.globalValue ?? said<T>(key)?.defaultValue;
}

function said<T>(key: string): { globalValue?: T; defaultValue?: T } | undefined {
    return vscode.workspace.getConfiguration('planlens').inspect<T>(key);
}
