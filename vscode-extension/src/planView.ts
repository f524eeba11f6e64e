// The view of planned changes: resources by folder, each with its diff, live while typing.

import * as vscode from 'vscode';
import { KINDS, kindOf, type Change, type Kind, type Plan } from './protocol';

type Node = { kind: 'folder'; plan: Plan } | { kind: 'change'; change: Change; folder: string } | { kind: 'line'; text: string; change: Change };

const ICONS: Record<Kind, [icon: string, color: string]> = {
    create: ['diff-added', 'planlens.create'],
    update: ['diff-modified', 'planlens.update'],
    replace: ['sync', 'planlens.replace'],
    destroy: ['diff-removed', 'planlens.destroy'],
    read: ['cloud-download', 'planlens.read'],
    forget: ['circle-slash', 'planlens.read'],
};

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
        this.plans = plans;
        const count = plans.reduce((total, plan) => total + plan.changes.length, 0);
        this.tree.badge = count === 0 ? undefined : { value: count, tooltip: `${count} planned changes` };
        const isUnread = plans.some((plan) => plan.stateUnread);
        const none = isUnread ? 'The state is not read, so it is not known what would change. "Read and Plan Again" reads it.' : 'No changes. The infrastructure matches the configuration.';
        this.tree.message = plans.length > 0 && count === 0 ? none : '';
        this.changed.fire(undefined);
    }

    async filter(): Promise<void> {
        const items = KINDS.map((kind) => ({ label: kind, picked: this.shown.has(kind) }));
        const chosen = await vscode.window.showQuickPick(items, { canPickMany: true, title: 'Changes to show' });
        if (chosen) {
            this.shown = new Set(chosen.map((item) => item.label));
            this.changed.fire(undefined);
        }
    }

    getChildren(node?: Node): Node[] {
        if (node === undefined) {
            const [only, ...others] = this.plans;
            return others.length === 0 && only ? this.changes(only) : this.plans.map((plan) => ({ kind: 'folder', plan }));
        }
        switch (node.kind) {
            case 'folder':
                return this.changes(node.plan);
            case 'change':
                // Without the line that names the resource, and the one that opens its block.
                return node.change.diff
                    .split('\n')
                    .filter((line) => /^\s+(\+|-|~|-\/\+|\+\/-|<=)\s+\S/.test(line) && !/\b(resource|data)\s+"/.test(line))
                    .map((line) => ({ kind: 'line', text: line.trim(), change: node.change }));
            case 'line':
                return [];
        }
    }

    private changes(plan: Plan): Node[] {
        return plan.changes.filter((change) => this.shown.has(kindOf(change))).map((change) => ({ kind: 'change', change, folder: plan.folder }));
    }

    getTreeItem(node: Node): vscode.TreeItem {
        switch (node.kind) {
            case 'folder': {
                const item = new vscode.TreeItem(nameOf(vscode.Uri.parse(node.plan.folder)), vscode.TreeItemCollapsibleState.Expanded);
                item.iconPath = vscode.ThemeIcon.Folder;
                return item;
            }
            case 'change': {
                const kind = kindOf(node.change);
                const item = new vscode.TreeItem(node.change.address, vscode.TreeItemCollapsibleState.Collapsed);
                const [icon, color] = ICONS[kind];
                // Two root modules may have resources of one address.
                item.id = `${node.folder} ${node.change.address} ${node.change.symbol}`;
                item.description = `${node.change.symbol} ${kind}${node.change.reason === null ? '' : ` · ${reason(node.change.reason)}`}`;
                item.iconPath = new vscode.ThemeIcon(icon, new vscode.ThemeColor(color));
                item.tooltip = new vscode.MarkdownString().appendCodeblock(node.change.diff, 'planlens-plan');
                item.accessibilityInformation = { label: `${node.change.address}: ${kind}` };
                item.contextValue = 'change';
                return revealing(item, node.change);
            }
            case 'line':
                return revealing(new vscode.TreeItem(node.text), node.change);
        }
    }

    dispose(): void {
        this.tree.dispose();
        this.changed.dispose();
    }
}

function revealing(item: vscode.TreeItem, change: Change): vscode.TreeItem {
    if (change.location !== null) {
        const { start } = change.location.range;
        const selection = new vscode.Range(start.line, start.character, start.line, start.character);
        item.command = { title: 'Show in the text', command: 'vscode.open', arguments: [vscode.Uri.parse(change.location.uri), { selection }] };
    }
    return item;
}

/** A folder as seen from that of the workspace; of that itself its name. */
function nameOf(folder: vscode.Uri): string {
    const own = vscode.workspace.getWorkspaceFolder(folder);
    return own?.uri.path === folder.path ? own.name : vscode.workspace.asRelativePath(folder);
}

/** `replace_because_cannot_update` as words. */
function reason(name: string): string {
    return name.replace(/^(replace|delete|read)_/, '').replaceAll('_', ' ');
}
