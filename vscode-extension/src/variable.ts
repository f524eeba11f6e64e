// A value for a variable that has none, in the settings of the workspace.

import * as os from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';

/** The setting `roots`, as far as it matters here. */
type Roots = Record<string, { variables?: Record<string, unknown> } | undefined>;

/** A variable of the root module in a folder, by URI. */
export interface Unset {
    folder: string;
    variable: string;
}

/** Asks for the value of a variable, and keeps it in the setting `roots` of the workspace. */
export async function setVariable({ folder, variable }: Unset): Promise<void> {
    const value = await vscode.window.showInputBox({
        title: `Value of ${variable} in this workspace`,
        prompt: 'As for -var: strings without quotes, other values as expressions. The value is stored in the settings of the workspace.',
        ignoreFocusOut: true,
    });
    if (value === undefined) {
        return;
    }
    const configuration = vscode.workspace.getConfiguration('planlens');
    const merged = configuration.get<Roots>('roots') ?? {};
    const written = configuration.inspect<Roots>('roots')?.workspaceValue ?? {};
    const key = keyOf(vscode.Uri.parse(folder), Object.keys(merged));
    // A folder with a key of its own gets nothing of the key for all others.
    const own = key in merged ? written[key] : merged['*'];
    const roots: Roots = { ...written, [key]: { ...own, variables: { ...own?.variables, [variable]: value } } };
    await configuration.update('roots', roots, vscode.ConfigurationTarget.Workspace);
}

/** The key of the setting that stands for a folder: one of the `known`, else its path in the workspace. */
function keyOf(folder: vscode.Uri, known: string[]): string {
    const around = vscode.workspace.getWorkspaceFolder(folder)?.uri.fsPath ?? folder.fsPath;
    const meant = (key: string) => path.resolve(around, key.replace(/^~(?=\/)/, os.homedir()));
    const inWorkspace = path.relative(around, folder.fsPath).replaceAll(path.sep, '/');
    return known.find((key) => key !== '*' && meant(key) === folder.fsPath) ?? (inWorkspace || '.');
}
