// The plan as a document beside the text: in the colours of the theme, and at the resource that the cursor is in.

import * as vscode from 'vscode';
import type { Kind, Plan } from './protocol';

const SCHEME = 'planlens-plan';

/** What is coloured in the document: the symbol that a line begins with, and two remarks. */
const COLORED: readonly [kind: Kind, pattern: RegExp][] = [
    ['create', /^\s*(\+)\s/],
    ['update', /^\s*(~)\s/],
    ['replace', /^\s*(-\/\+|\+\/-)\s/],
    ['destroy', /^\s*(-)\s/],
    ['read', /^\s*(<=)\s/],
    ['replace', /(# forces replacement)/],
    ['unknown', /(\(known after apply\))/],
];

export class PlanDocuments implements vscode.Disposable {
    private readonly colors = new Map<Kind, vscode.TextEditorDecorationType>();
    private readonly current = vscode.window.createTextEditorDecorationType({
        isWholeLine: true,
        backgroundColor: new vscode.ThemeColor('editor.lineHighlightBackground'),
        borderColor: new vscode.ThemeColor('editorCursor.foreground'),
        borderStyle: 'solid',
        borderWidth: '0 0 0 2px',
    });
    private readonly listeners: vscode.Disposable[];
    private plans: Plan[] = [];
    /** The address that the documents were brought to. */
    shown: string | undefined;
    /** Whether that is still to come: the text follows a moment after the list of changes. */
    private isAwaited = false;

    constructor() {
        for (const kind of new Set(COLORED.map(([kind]) => kind))) {
            this.colors.set(kind, vscode.window.createTextEditorDecorationType({ color: new vscode.ThemeColor(`planlens.${kind}`) }));
        }
        this.listeners = [
            vscode.window.onDidChangeTextEditorSelection((event) => this.follow(event.textEditor)),
            vscode.window.onDidChangeActiveTextEditor((editor) => this.follow(editor)),
            vscode.window.onDidChangeVisibleTextEditors(() => this.draw()),
            vscode.workspace.onDidChangeTextDocument(({ document }) => {
                if (document.uri.scheme === SCHEME) {
                    this.draw();
                    if (this.isAwaited && this.shown !== undefined) {
                        this.reveal(this.shown);
                    }
                }
            }),
        ];
    }

    update(plans: Plan[]): void {
        this.plans = plans;
        this.follow(vscode.window.activeTextEditor);
    }

    /** Opens the plan of a folder beside the text: at the resource of the place that is named, else of the cursor. */
    async open(place?: vscode.Location): Promise<void> {
        const document = place?.uri ?? vscode.window.activeTextEditor?.document.uri;
        const own = document?.scheme === 'file' ? vscode.Uri.joinPath(document, '..') : undefined;
        const folder = own ?? (this.plans[0] && vscode.Uri.parse(this.plans[0].folder));
        if (!folder) {
            void vscode.window.showInformationMessage('Open a Terraform file to see its plan.');
            return;
        }
        const name = folder.path.split('/').pop() || 'root';
        const uri = vscode.Uri.joinPath(folder, `${name}.planlens-plan`).with({ scheme: SCHEME });
        const plan = await vscode.workspace.openTextDocument(uri);
        const open = vscode.window.visibleTextEditors.find((editor) => editor.document === plan);
        await vscode.window.showTextDocument(plan, { viewColumn: open?.viewColumn ?? vscode.ViewColumn.Beside, preserveFocus: true, preview: true });
        this.shown = undefined;
        const address = place && (this.addressAt(place.uri.toString(), place.range.start) ?? (await this.addressInCall(place)));
        if (address === undefined) {
            this.follow(vscode.window.activeTextEditor);
        } else {
            this.reveal(address);
        }
    }

    /** Brings the documents to the resource of the cursor, if the plan says something of it. */
    private follow(editor: vscode.TextEditor | undefined): void {
        const address = editor && this.addressAt(editor.document.uri.toString(), editor.selection.active);
        if (address !== undefined && address !== this.shown) {
            this.reveal(address);
        }
    }

    private reveal(address: string): void {
        this.shown = address;
        this.isAwaited = true;
        this.draw();
        for (const editor of this.editors()) {
            const line = lineOf(editor.document, address);
            if (line !== undefined) {
                this.isAwaited = false;
                // What is to be seen already stays where it is.
                editor.revealRange(new vscode.Range(line, 0, endOf(editor.document, line), 0), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
            }
        }
    }

    private addressAt(uri: string, at: vscode.Position): string | undefined {
        const changes = this.plans.flatMap((plan) => plan.changes);
        const here = changes.find(({ location }) => {
            if (location === null || vscode.Uri.parse(location.uri).toString() !== uri) {
                return false;
            }
            const { start, end } = location.range;
            return new vscode.Range(start.line, 0, end.line, end.character).contains(at);
        });
        return here?.address;
    }

    /** The first change in the module that is called at a place. */
    private async addressInCall({ uri, range }: vscode.Location): Promise<string | undefined> {
        const document = await vscode.workspace.openTextDocument(uri);
        const [, name] = /^\s*module\s+"([^"]+)"/.exec(document.lineAt(range.start.line).text) ?? [];
        const inside = this.plans.flatMap((plan) => plan.changes).map((change) => change.address);
        return inside.find((address) => name !== undefined && (address.includes(`module.${name}.`) || address.includes(`module.${name}[`)));
    }

    private draw(): void {
        for (const editor of this.editors()) {
            const ranges = new Map<Kind, vscode.Range[]>([...this.colors.keys()].map((kind) => [kind, []]));
            for (let line = 0; line < editor.document.lineCount; line++) {
                const { text } = editor.document.lineAt(line);
                for (const [kind, pattern] of COLORED) {
                    const found = pattern.exec(text);
                    if (found?.[1] !== undefined) {
                        const from = found.index + found[0].indexOf(found[1]);
                        ranges.get(kind)?.push(new vscode.Range(line, from, line, from + found[1].length));
                    }
                }
            }
            this.colors.forEach((type, kind) => editor.setDecorations(type, ranges.get(kind) ?? []));
            const line = this.shown === undefined ? undefined : lineOf(editor.document, this.shown);
            editor.setDecorations(this.current, line === undefined ? [] : [new vscode.Range(line, 0, line, 0)]);
        }
    }

    private editors(): vscode.TextEditor[] {
        return vscode.window.visibleTextEditors.filter((editor) => editor.document.uri.scheme === SCHEME);
    }

    dispose(): void {
        this.listeners.forEach((listener) => listener.dispose());
        this.colors.forEach((type) => type.dispose());
        this.current.dispose();
    }
}

/** Where the document begins to tell of a resource instance: `  # ADDRESS will be created`. */
function lineOf(document: vscode.TextDocument, address: string): number | undefined {
    for (let line = 0; line < document.lineCount; line++) {
        if (document.lineAt(line).text.startsWith(`  # ${address} `)) {
            return line;
        }
    }
    return undefined;
}

/** The last line of the block that begins at `line`. */
function endOf(document: vscode.TextDocument, line: number): number {
    let end = line;
    while (end + 1 < document.lineCount && document.lineAt(end + 1).text !== '') {
        end += 1;
    }
    return end;
}
