// VS Code saves the files of a refactoring that changes several. Edits that are applied here stay unsaved until the user saves them.

import * as vscode from 'vscode';
import type { Middleware } from 'vscode-languageclient/node';

/** A command that applies the edit given to it. */
const APPLY = 'planlens.applyEdit';

export const registerApply = (): vscode.Disposable => vscode.commands.registerCommand(APPLY, (edit: vscode.WorkspaceEdit) => vscode.workspace.applyEdit(edit));

/** An edit of several files as a command. */
function withCommand(action: vscode.CodeAction): vscode.CodeAction {
    if (action.edit && action.edit.size > 1) {
        action.command = { title: action.title, command: APPLY, arguments: [action.edit] };
        delete action.edit;
    }
    return action;
}

export const unsaved: Middleware = {
    provideRenameEdits: async (document, position, newName, token, next) => {
        const edit = await next(document, position, newName, token);
        if (!edit || edit.size < 2) {
            return edit;
        }
        await vscode.workspace.applyEdit(edit);
        return new vscode.WorkspaceEdit();
    },
    provideCodeActions: async (document, range, context, token, next) => {
        const actions = await next(document, range, context, token);
        return actions?.map((each) => (each instanceof vscode.CodeAction ? withCommand(each) : each));
    },
    resolveCodeAction: async (action, token, next) => {
        const resolved = await next(action, token);
        return resolved && withCommand(resolved);
    },
};
