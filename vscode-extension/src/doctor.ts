// The page about all that planning a folder depends on, for a look or a bug report.

import { execFile } from 'node:child_process';
import * as vscode from 'vscode';

const SCHEME = 'planlens-doctor';
const PAGE = vscode.Uri.parse(`${SCHEME}:planlens doctor`);

export class Doctor implements vscode.TextDocumentContentProvider, vscode.Disposable {
    private readonly changed = new vscode.EventEmitter<vscode.Uri>();
    readonly onDidChange = this.changed.event;
    private readonly registration: vscode.Disposable;
    private report = '';

    /** `program` is that of the server. */
    constructor(private readonly program: () => string) {
        this.registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
    }

    provideTextDocumentContent(): string {
        return this.report;
    }

    async run(): Promise<void> {
        if (!vscode.workspace.isTrusted) {
            void vscode.window.showInformationMessage('planlens: the doctor starts the provider plugins, so it needs a trusted workspace.');
            return;
        }
        const document = vscode.window.activeTextEditor?.document.uri;
        const folder = document?.scheme === 'file' ? vscode.Uri.joinPath(document, '..') : vscode.workspace.workspaceFolders?.[0]?.uri;
        const args = ['doctor', ...(folder ? [folder.fsPath] : [])];
        const run = () => new Promise<string>((resolve) => execFile(this.program(), args, (error, stdout, stderr) => resolve(stdout || stderr || String(error))));
        this.report = await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title: 'planlens doctor' }, run);
        this.changed.fire(PAGE);
        const page = await vscode.workspace.openTextDocument(PAGE);
        await vscode.window.showTextDocument(page, { preview: true });
    }

    dispose(): void {
        this.registration.dispose();
        this.changed.dispose();
    }
}
