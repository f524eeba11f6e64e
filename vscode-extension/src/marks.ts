// Marks beside the lines of blocks that will change.

import * as vscode from 'vscode';
import { kindOf, type Kind, type Plan } from './protocol';

const MARKED: readonly Kind[] = ['create', 'update', 'replace', 'destroy', 'read'];

export class Marks implements vscode.Disposable {
    private readonly types = new Map<Kind, vscode.TextEditorDecorationType>();
    private plans: Plan[] = [];

    constructor(context: vscode.ExtensionContext) {
        for (const kind of MARKED) {
            const type = vscode.window.createTextEditorDecorationType({
                gutterIconPath: vscode.Uri.joinPath(context.extensionUri, 'icons', `${kind}.svg`),
                gutterIconSize: '80%',
                overviewRulerColor: new vscode.ThemeColor(`planlens.${kind}`),
                overviewRulerLane: vscode.OverviewRulerLane.Left,
                rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
            });
            this.types.set(kind, type);
        }
    }

    update(plans: Plan[]): void {
        this.plans = plans;
        this.draw();
    }

    draw(): void {
        const isOn = vscode.workspace.getConfiguration('planlens').get('marks', true);
        for (const editor of vscode.window.visibleTextEditors) {
            const uri = editor.document.uri.toString();
            const lines = new Map<number, Kind>();
            for (const change of this.plans.flatMap((plan) => plan.changes)) {
                if (change.location !== null && vscode.Uri.parse(change.location.uri).toString() === uri) {
                    const { line } = change.location.range.start;
                    lines.set(line, worse(lines.get(line), kindOf(change)));
                }
            }
            for (const [kind, type] of this.types) {
                const marked = [...lines].filter(([, each]) => isOn && each === kind);
                editor.setDecorations(
                    type,
                    marked.map(([line]) => new vscode.Range(line, 0, line, 0)),
                );
            }
        }
    }

    dispose(): void {
        this.types.forEach((type) => type.dispose());
    }
}

/** Of several instances of a block, what is worst for them. */
function worse(before: Kind | undefined, now: Kind): Kind {
    const order: Kind[] = ['read', 'forget', 'create', 'update', 'replace', 'destroy'];
    return before !== undefined && order.indexOf(before) > order.indexOf(now) ? before : now;
}
