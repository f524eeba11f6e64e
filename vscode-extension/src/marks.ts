// Marks beside the lines of blocks that will change, or of which that can't be told.

import * as vscode from 'vscode';
import { KINDS, kindOf, type Kind, type Plan } from './protocol';

/** Beside which of them there is something in the scroll bar, too: not beside what is unknown, which may be everything. */
const RULED: readonly Kind[] = ['create', 'update', 'replace', 'destroy'];

export class Marks implements vscode.Disposable {
    private readonly types = new Map<Kind, vscode.TextEditorDecorationType>();
    private plans: Plan[] = [];
    /** What was drawn last, by the editor: drawing the same again would flicker. */
    private readonly drawn = new WeakMap<vscode.TextEditor, string>();

    constructor(context: vscode.ExtensionContext) {
        for (const kind of KINDS) {
            const type = vscode.window.createTextEditorDecorationType({
                gutterIconPath: vscode.Uri.joinPath(context.extensionUri, 'icons', `${kind}.svg`),
                gutterIconSize: '80%',
                ...(RULED.includes(kind) ? { overviewRulerColor: new vscode.ThemeColor(`planlens.${kind}`), overviewRulerLane: vscode.OverviewRulerLane.Left } : {}),
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
            const lines = isOn ? this.linesOf(editor.document.uri.toString()) : new Map<number, Kind>();
            // The text moves its marks itself while the plan of it is made.
            const text = JSON.stringify([editor.document.version, ...lines]);
            if (this.drawn.get(editor) === text) {
                continue;
            }
            this.drawn.set(editor, text);
            for (const [kind, type] of this.types) {
                const marked = [...lines].filter(([, each]) => each === kind);
                editor.setDecorations(
                    type,
                    marked.map(([line]) => new vscode.Range(line, 0, line, 0)),
                );
            }
        }
    }

    /** Of several instances of a block, what is worst for them. */
    private linesOf(uri: string): Map<number, Kind> {
        const lines = new Map<number, Kind>();
        const all = this.plans.flatMap((plan) => [
            ...plan.changes.map((change) => ({ location: change.location, kind: kindOf(change) })),
            ...plan.guessed.map((guess) => ({ location: guess.location, kind: 'unknown' as const })),
        ]);
        for (const { location, kind } of all) {
            if (location !== null && vscode.Uri.parse(location.uri).toString() === uri) {
                const { line } = location.range.start;
                const before = lines.get(line);
                lines.set(line, before !== undefined && KINDS.indexOf(before) > KINDS.indexOf(kind) ? before : kind);
            }
        }
        return lines;
    }

    dispose(): void {
        this.types.forEach((type) => type.dispose());
    }
}
