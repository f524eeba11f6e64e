// The hints that matter, each in the color of what it tells: VS Code has one color for all inlay hints.

import * as vscode from 'vscode';
import type { Kind } from './protocol';

/** A hint, as it is drawn behind the text. */
export interface Drawn {
    position: vscode.Position;
    tone: Kind;
    text: string;
}

interface Shown extends Drawn {
    hover: vscode.MarkdownString | undefined;
}

const TONES: readonly Kind[] = ['create', 'update', 'replace', 'destroy', 'read', 'unknown'];

export class Hints implements vscode.Disposable {
    private readonly types = new Map<Kind, vscode.TextEditorDecorationType>();
    private readonly listeners: vscode.Disposable[];
    /** By the URI of the document. */
    private readonly shown = new Map<string, Shown[]>();
    /** What was drawn last, by the editor: drawing the same again would flicker. */
    private readonly drawn = new WeakMap<vscode.TextEditor, string>();

    constructor() {
        for (const tone of TONES) {
            this.types.set(
                tone,
                vscode.window.createTextEditorDecorationType({
                    after: { color: new vscode.ThemeColor(`planlens.${tone}`), margin: '0 0 0 1ch' },
                    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
                }),
            );
        }
        this.listeners = [
            vscode.workspace.onDidChangeTextDocument((event) => this.follow(event)),
            vscode.workspace.onDidCloseTextDocument(({ uri }) => this.shown.delete(uri.toString())),
            vscode.window.onDidChangeVisibleTextEditors(() => this.draw()),
            vscode.workspace.onDidChangeConfiguration((event) => {
                if (event.affectsConfiguration('editor.inlayHints.enabled') || event.affectsConfiguration('planlens.enable.inlayHints')) {
                    // Those that are still wanted are asked for.
                    this.shown.clear();
                    this.draw();
                }
            }),
        ];
    }

    /** Draws those of `hints`, the answer for a part of a document, that have a color; answers the others. */
    take(document: vscode.TextDocument, part: vscode.Range, hints: vscode.InlayHint[]): vscode.InlayHint[] {
        const uri = document.uri.toString();
        const others: vscode.InlayHint[] = [];
        const colored: Shown[] = [];
        for (const hint of hints) {
            const tone = toneOf(hint);
            if (tone === undefined) {
                others.push(hint);
            } else {
                const text = typeof hint.label === 'string' ? hint.label : hint.label.map((part) => part.value).join('');
                colored.push({ position: hint.position, tone, text, hover: hoverOf(hint, document.uri) });
            }
        }
        const elsewhere = (this.shown.get(uri) ?? []).filter(({ position }) => position.line < part.start.line || position.line > part.end.line);
        this.shown.set(uri, [...elsewhere, ...colored]);
        this.draw(uri);
        return others;
    }

    of(uri: vscode.Uri): readonly Drawn[] {
        return this.shown.get(uri.toString()) ?? [];
    }

    /** The text moves what is drawn by itself: what is remembered moves with it. */
    private follow({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
        const uri = document.uri.toString();
        let shown = this.shown.get(uri);
        for (const { range, text } of shown ? contentChanges : []) {
            const lines = text.split('\n');
            const more = lines.length - 1 - (range.end.line - range.start.line);
            shown = shown?.flatMap((hint) => {
                const { position } = hint;
                if (position.isBefore(range.start)) {
                    return hint;
                }
                if (position.isBefore(range.end)) {
                    return [];
                }
                const isInLine = position.line === range.end.line;
                const last = lines.at(-1)?.length ?? 0;
                const column = isInLine ? position.character - range.end.character + last + (lines.length === 1 ? range.start.character : 0) : position.character;
                return { ...hint, position: new vscode.Position(position.line + more, column) };
            });
        }
        if (shown) {
            this.shown.set(uri, shown);
        }
    }

    private draw(only?: string): void {
        for (const editor of vscode.window.visibleTextEditors) {
            const uri = editor.document.uri.toString();
            if (only !== undefined && uri !== only) {
                continue;
            }
            const shown = this.shown.get(uri) ?? [];
            const text = JSON.stringify([editor.document.version, shown]);
            if (this.drawn.get(editor) === text) {
                continue;
            }
            this.drawn.set(editor, text);
            for (const [tone, type] of this.types) {
                const ofTone = shown.filter((hint) => hint.tone === tone);
                editor.setDecorations(
                    type,
                    ofTone.map(({ position, text, hover }) => ({
                        range: new vscode.Range(position, position),
                        renderOptions: { after: { contentText: text } },
                        ...(hover ? { hoverMessage: hover } : {}),
                    })),
                );
            }
        }
    }

    dispose(): void {
        this.listeners.forEach((listener) => listener.dispose());
        this.types.forEach((type) => type.dispose());
    }
}

function toneOf(hint: vscode.InlayHint): Kind | undefined {
    const { tone } = (hint as { data?: { tone?: Kind } }).data ?? {};
    return tone !== undefined && TONES.includes(tone) ? tone : undefined;
}

/** What the hint has to say beside its label, and the way to the plan. */
function hoverOf({ tooltip, position }: vscode.InlayHint, uri: vscode.Uri): vscode.MarkdownString {
    const text = new vscode.MarkdownString();
    if (typeof tooltip === 'string') {
        text.appendText(tooltip).appendMarkdown('\n\n');
    } else if (tooltip) {
        text.appendMarkdown(`${tooltip.value}\n\n`);
    }
    const target = encodeURIComponent(JSON.stringify([uri.toString(), position.line]));
    text.appendMarkdown(`[Show the plan](command:planlens.showPlan?${target})`);
    text.isTrusted = { enabledCommands: ['planlens.showPlan'] };
    return text;
}
