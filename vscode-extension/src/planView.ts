// The view of planned changes: resources by folder, each with its diff, live while typing.

import * as vscode from 'vscode';
import { attributesOf, type ChangedAttribute } from './diff';
import { KINDS, kindOf, type Change, type Guess, type Kind, type Plan } from './protocol';

/** A resource in the view: what changes of it, or why that can't be told. */
interface Resource {
    type: 'resource';
    folder: string;
    kind: Kind;
    address: string;
    location: Change['location'];
    /** Behind the address. */
    description: string;
    /** Absent where the plan of it is not known. */
    change?: Change;
    why?: string;
}

type Node = { type: 'folder'; plan: Plan } | Resource | { type: 'attribute'; attribute: ChangedAttribute; of: Resource };

const ICONS: Record<Kind, string> = {
    create: 'diff-added',
    update: 'diff-modified',
    replace: 'sync',
    destroy: 'diff-removed',
    read: 'cloud-download',
    forget: 'circle-slash',
    unknown: 'question',
};

/** How many changes are shown with their attributes at first. */
const MOST_OPEN = 5;

/** Theirs are those of what will be read. */
const COLORS: Record<Kind, string> = { create: 'create', update: 'update', replace: 'replace', destroy: 'destroy', read: 'read', forget: 'read', unknown: 'unknown' };

export class PlanView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
    private readonly changed = new vscode.EventEmitter<undefined>();
    readonly onDidChangeTreeData = this.changed.event;
    private plans: Plan[] = [];
    private shown = new Set<Kind>(KINDS);
    readonly tree: vscode.TreeView<Node>;

    constructor() {
        this.tree = vscode.window.createTreeView('planlens.plan', { treeDataProvider: this, showCollapseAll: true });
    }

    update(plans: Plan[]): void {
        // Drawing the same again would flicker.
        const isSame = JSON.stringify(plans) === JSON.stringify(this.plans);
        this.plans = plans;
        if (!isSame) {
            this.draw();
        }
    }

    /** Asks which kinds of changes are shown. */
    async filter(): Promise<void> {
        const items = [...KINDS].reverse().map((kind) => ({ label: kind, picked: this.shown.has(kind) }));
        const chosen = await vscode.window.showQuickPick(items, { canPickMany: true, title: 'Changes to show' });
        if (chosen) {
            this.show(chosen.map((item) => item.label));
        }
    }

    show(kinds: readonly Kind[]): void {
        this.shown = new Set(kinds);
        void vscode.commands.executeCommand('setContext', 'planlens.isFiltered', this.shown.size < KINDS.length);
        this.draw();
    }

    private draw(): void {
        const count = this.count();
        this.tree.badge = count === 0 ? undefined : { value: count, tooltip: `${count} planned changes` };
        this.tree.message = this.message();
        this.changed.fire(undefined);
    }

    private count(): number {
        return this.plans.reduce((total, plan) => total + plan.changes.length, 0);
    }

    private message(): string {
        const all = this.plans.flatMap((plan) => this.resources(plan));
        const shown = all.filter((each) => this.shown.has(each.kind));
        if (shown.length < all.length) {
            return `${shown.length} of ${all.length} are shown.`;
        }
        if (!vscode.workspace.isTrusted && all.some((each) => each.kind === 'unknown')) {
            return 'In Restricted Mode no provider plugin starts. What needs none is planned.';
        }
        if (this.plans.length === 0 || all.length > 0) {
            return '';
        }
        if (this.plans.some((plan) => plan.errors > 0)) {
            return 'Planning failed: the problems say why.';
        }
        const isUnread = this.plans.some((plan) => plan.stateUnread);
        return isUnread ? 'The state is not read, so it is not known what would change. "Refresh Now" reads it.' : 'No changes. The infrastructure matches the configuration.';
    }

    private resources(plan: Plan): Resource[] {
        const changed = plan.changes.map((change): Resource => {
            const kind = kindOf(change);
            const { address, location } = change;
            return { type: 'resource', folder: plan.folder, kind, address, location, description: `${change.symbol}${cause(change)}`, change };
        });
        const known = new Set(plan.changes.map((change) => change.address.replace(/\[[^\]]*\]$/, '')));
        const guessed = plan.guessed
            .filter((guess) => !known.has(guess.address))
            .map(({ address, why, location }: Guess): Resource => ({ type: 'resource', folder: plan.folder, kind: 'unknown', address, location, description: `? ${why}`, why }));
        return [...changed, ...guessed];
    }

    getChildren(node?: Node): Node[] {
        if (node === undefined) {
            const [only, ...others] = this.plans;
            return others.length === 0 && only ? this.children(only) : this.plans.map((plan) => ({ type: 'folder', plan }));
        }
        switch (node.type) {
            case 'folder':
                return this.children(node.plan);
            case 'resource':
                // What it is replaced for is said first.
                return attributesOf(node.change?.diff ?? '')
                    .sort((a, b) => Number(b.forcesReplacement) - Number(a.forcesReplacement))
                    .map((attribute) => ({ type: 'attribute', attribute, of: node }));
            case 'attribute':
                return [];
        }
    }

    private children(plan: Plan): Node[] {
        return this.resources(plan).filter((each) => this.shown.has(each.kind));
    }

    getTreeItem(node: Node): vscode.TreeItem {
        switch (node.type) {
            case 'folder': {
                const item = new vscode.TreeItem(nameOf(vscode.Uri.parse(node.plan.folder)), vscode.TreeItemCollapsibleState.Expanded);
                item.id = node.plan.folder;
                item.iconPath = vscode.ThemeIcon.Folder;
                if (this.resources(node.plan).length === 0) {
                    item.description = node.plan.stateUnread ? 'state not read' : node.plan.errors > 0 ? 'has errors' : 'no changes';
                }
                return item;
            }
            case 'resource': {
                // Few are shown with all that changes of them.
                const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
                const state = !node.change ? None : this.count() <= MOST_OPEN ? Expanded : Collapsed;
                const item = new vscode.TreeItem(node.address, state);
                // Two root modules may have resources of one address.
                item.id = `${node.folder} ${node.address} ${node.kind}`;
                item.description = node.description;
                item.iconPath = new vscode.ThemeIcon(ICONS[node.kind], new vscode.ThemeColor(`planlens.${COLORS[node.kind]}`));
                item.tooltip = node.change ? new vscode.MarkdownString().appendCodeblock(node.change.diff, 'planlens-plan') : `${node.address} is not planned: ${node.why}`;
                item.accessibilityInformation = { label: `${node.address}: ${node.change ? node.kind : `not planned, ${node.why}`}` };
                item.contextValue = node.change ? 'change' : 'unknown';
                return revealing(item, node);
            }
            case 'attribute': {
                const { path, value, forcesReplacement } = node.attribute;
                const kind = forcesReplacement ? 'replace' : node.attribute.kind;
                const item = new vscode.TreeItem(path);
                item.description = forcesReplacement ? `⟳ ${value}` : value;
                item.tooltip = `${path}: ${value}${forcesReplacement ? ' forces replacement' : ''}`;
                item.iconPath = new vscode.ThemeIcon(ICONS[kind], new vscode.ThemeColor(`planlens.${COLORS[kind]}`));
                item.accessibilityInformation = { label: `${kind} ${item.tooltip}` };
                return revealing(item, node.of);
            }
        }
    }

    dispose(): void {
        this.tree.dispose();
        this.changed.dispose();
    }
}

function revealing(item: vscode.TreeItem, { location }: Resource): vscode.TreeItem {
    if (location !== null) {
        const { start } = location.range;
        const selection = new vscode.Range(start.line, start.character, start.line, start.character);
        item.command = { title: 'Show in the text', command: 'vscode.open', arguments: [vscode.Uri.parse(location.uri), { selection }] };
    }
    return item;
}

/** A folder as seen from that of the workspace; of that itself its name. */
function nameOf(folder: vscode.Uri): string {
    const own = vscode.workspace.getWorkspaceFolder(folder);
    return own?.uri.path === folder.path ? own.name : vscode.workspace.asRelativePath(folder);
}

/** What forces a replacement: the arguments, else the reason, such as `replace_because_tainted`, as words. */
function cause(change: Change): string {
    const forcing = attributesOf(change.diff).filter((each) => each.forcesReplacement);
    if (forcing.length > 0) {
        return ` by ${[...new Set(forcing.map((each) => each.path.split('.')[0]))].join(', ')}`;
    }
    return change.reason === null ? '' : ` ${change.reason.replace(/^(replace|delete|read)_(because_)?/, '').replaceAll('_', ' ')}`;
}
