// Another extension may report the syntax of YAML, too: errors that it shows are not shown twice.

import * as vscode from 'vscode';
import { DocumentDiagnosticRequest, vsdiag, type LanguageClient, type Middleware } from 'vscode-languageclient/node';

/** What `redhat.vscode-yaml` calls itself in errors of syntax, and our code for these. */
const [SOURCE, CODE] = ['YAML', 'yaml-syntax'];

/** Whether the other extension reported errors in a document when ours were asked for. */
const asked = new Map<string, boolean>();

const isReported = (uri: vscode.Uri): boolean =>
    vscode.languages.getDiagnostics(uri).some((each) => each.source === SOURCE && each.severity === vscode.DiagnosticSeverity.Error);

export const once: Middleware = {
    provideDiagnostics: async (document, previous, token, next) => {
        const uri = document instanceof vscode.Uri ? document : document.uri;
        const isDoubled = isReported(uri);
        const isAsBefore = isDoubled === (asked.get(uri.toString()) ?? false);
        asked.set(uri.toString(), isDoubled);
        // What did not change is shown as it was the last time.
        const report = await next(document, isAsBefore ? previous : undefined, token);
        if (isDoubled && report?.kind === vsdiag.DocumentDiagnosticReportKind.full) {
            report.items = report.items.filter(({ code }) => (typeof code === 'object' ? code.value : code) !== CODE);
        }
        return report;
    },
};

/** Asks again when the other extension begins or ends to report errors. */
export const registerOnce = (client: LanguageClient): vscode.Disposable =>
    vscode.languages.onDidChangeDiagnostics(({ uris }) => {
        for (const document of vscode.workspace.textDocuments) {
            const before = asked.get(document.uri.toString());
            const isChanged = uris.some((uri) => uri.toString() === document.uri.toString());
            if (isChanged && before !== undefined && before !== isReported(document.uri)) {
                client.getFeature(DocumentDiagnosticRequest.method).getProvider(document)?.onDidChangeDiagnosticsEmitter.fire();
            }
        }
    });
