// The view of planned changes: resources by folder, each with its diff, live while typing.

import * as vscode from 'vscode';
import { KINDS, kindOf, shownPlans, type Change, type ChangedAttribute, type Guess, type Kind, type Plan } from './protocol';

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

/** The resources of one module. */
interface Module {
    type: 'module';
    folder: string;
    address: string;
    resources: Resource[];
}

/** Many instances of one declaration to which the same happens. */
interface Instances {
    type: 'instances';
    resources: [Resource, ...Resource[]];
}

type Node = { type: 'folder'; plan: Plan } | Module | Resource | Instances | { type: 'attribute'; attribute: ChangedAttribute; of: Resource } | { type: 'computed'; attributes: ChangedAttribute[]; of: Resource };

const ICONS: Record<Kind, string> = {
    create: 'diff-added',
    update: 'diff-modified',
    replace: 'sync',
    destroy: 'diff-removed',
    read: 'cloud-download',
    forget: 'circle-slash',
    unknown: 'question',
};

/** How many changes are shown with their causes at first. */
const MOST_OPEN = 10;

/** More instances than this, to which the same happens, are one row. */
const MOST_INSTANCES = 3;

/** Characters of an address in a row. */
const ROOM = 44;

/** Theirs are those of what will be read. */
const COLORS: Record<Kind, string> = { create: 'create', update: 'update', replace: 'replace', destroy: 'destroy', read: 'read', forget: 'read', unknown: 'unknown' };

export class PlanView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
    private readonly changed = new vscode.EventEmitter<undefined>();
    readonly onDidChangeTreeData = this.changed.event;
    /** Also those of modules that others call. */
    private all: Plan[] = [];
    private plans: Plan[] = [];
    private shown = new Set<Kind>(KINDS);
    /** Where the user types. */
    private edited: vscode.Location | undefined;
    private readonly listener: vscode.Disposable;
    readonly tree: vscode.TreeView<Node>;

    constructor() {
        this.tree = vscode.window.createTreeView('planlens.plan', { treeDataProvider: this, showCollapseAll: true });
        this.listener = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges: [change] }) => {
            if (change && document.uri.scheme === 'file') {
                this.edited = new vscode.Location(document.uri, change.range.start);
            }
        });
    }

    update(plans: Plan[]): void {
        // Drawing the same again would flicker.
        const isSame = JSON.stringify(plans) === JSON.stringify(this.all);
        this.all = plans;
        this.plans = plans.filter((plan) => plan.isRoot);
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
        this.count();
        this.tree.message = this.message();
        this.changed.fire(undefined);
    }

    /** The badge has the sum of the numbers in the status. */
    count(): void {
        const count = shownPlans(this.all).reduce((total, { add, change, destroy, replace }) => total + add + change + destroy - replace, 0);
        this.tree.badge = count === 0 ? undefined : { value: count, tooltip: `${count} planned changes` };
    }

    private message(): string {
        const all = this.plans.flatMap((plan) => this.resources(plan));
        const shown = all.filter((each) => this.shown.has(each.kind));
        if (shown.length < all.length) {
            return `${shown.length} of ${all.length} are shown.`;
        }
        if (!vscode.workspace.isTrusted && all.some((each) => each.kind === 'unknown')) {
            return 'In Restricted Mode no provider plugin starts. Only resources that need no plugin are planned.';
        }
        if (this.plans.length === 0 || all.length > 0) {
            return '';
        }
        if (this.plans.some((plan) => plan.errors > 0)) {
            return 'Planning failed: see the problems.';
        }
        const isUnread = this.plans.some((plan) => plan.stateUnread);
        return isUnread ? 'The state is not read, so the changes are unknown. "planlens: Replan" reads it.' : 'No changes. The infrastructure matches the configuration.';
    }

    private resources(plan: Plan): Resource[] {
        const changed = plan.changes.map((change): Resource => {
            const { address, location } = change;
            return { type: 'resource', folder: plan.folder, kind: kindOf(change), address, location, description: cause(change), change };
        });
        const known = new Set(plan.changes.map((change) => change.object));
        const guessed = plan.guessed
            .filter((guess) => !known.has(guess.address))
            .map(({ address, why, location }: Guess): Resource => ({ type: 'resource', folder: plan.folder, kind: 'unknown', address, location, description: why, why }));
        const rank = (each: Resource) => [this.isEdited(each) ? 0 : 1, isCause(each) ? 0 : 1, -KINDS.indexOf(each.kind)];
        const ranked = [...changed, ...guessed].map((each, place) => ({ each, rank: [...rank(each), place] }));
        const differing = (a: number[], b: number[]) => a.map((of, index) => of - (b[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
        return ranked.sort((a, b) => differing(a.rank, b.rank)).map(({ each }) => each);
    }

    private isEdited({ location }: Resource): boolean {
        if (location === null || this.edited?.uri.toString() !== vscode.Uri.parse(location.uri).toString()) {
            return false;
        }
        const line = this.edited.range.start.line;
        return location.range.start.line <= line && line <= location.range.end.line;
    }

    getChildren(node?: Node): Node[] {
        if (node === undefined) {
            const [only, ...others] = this.plans;
            return others.length === 0 && only ? this.children(only) : this.plans.map((plan) => ({ type: 'folder', plan }));
        }
        switch (node.type) {
            case 'folder':
                return this.children(node.plan);
            case 'module':
                return grouped(node.resources);
            case 'instances':
                return node.resources;
            case 'resource': {
                const [told, computed] = partsOf(node);
                const folded: Node[] = computed.length === 0 ? [] : [{ type: 'computed', attributes: computed, of: node }];
                return [...told.map((attribute): Node => ({ type: 'attribute', attribute, of: node })), ...folded];
            }
            case 'computed':
                return node.attributes.map((attribute) => ({ type: 'attribute', attribute, of: node.of }));
            case 'attribute':
                return [];
        }
    }

    /** What is edited first, then the resources of the root module, then those of each module that it calls. */
    private children(plan: Plan): Node[] {
        const shown = this.resources(plan).filter((each) => this.shown.has(each.kind));
        const modules = new Map<string, Resource[]>();
        for (const each of shown) {
            const address = this.isEdited(each) ? '' : moduleOf(each.address);
            modules.set(address, [...(modules.get(address) ?? []), each]);
        }
        const own = modules.get('') ?? [];
        modules.delete('');
        return [...grouped(own), ...[...modules].map(([address, resources]): Module => ({ type: 'module', folder: plan.folder, address, resources }))];
    }

    /** The first few causes are open. What is destroyed is lost as a whole. */
    private isOpen(resource: Resource): boolean {
        const plan = this.plans.find((each) => each.folder === resource.folder);
        const single = plan ? grouped(this.resources(plan)).filter((each) => each.type === 'resource') : [];
        const causes = single.filter((each) => each.kind !== 'destroy' && isCause(each));
        const place = causes.findIndex((each) => each.address === resource.address && each.kind === resource.kind);
        return place >= 0 && place < MOST_OPEN;
    }

    getTreeItem(node: Node): vscode.TreeItem {
        const { None, Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
        switch (node.type) {
            case 'folder': {
                const item = new vscode.TreeItem(nameOf(vscode.Uri.parse(node.plan.folder)), Expanded);
                item.id = node.plan.folder;
                item.iconPath = vscode.ThemeIcon.Folder;
                if (this.resources(node.plan).length === 0) {
                    item.description = node.plan.stateUnread ? 'state not read' : node.plan.errors > 0 ? 'has errors' : 'no changes';
                }
                return item;
            }
            case 'module': {
                const item = new vscode.TreeItem(cut(node.address), Expanded);
                item.id = `${node.folder} ${node.address}`;
                item.description = [...KINDS].reverse().flatMap((kind) => {
                    const count = node.resources.filter((each) => each.kind === kind).length;
                    return count === 0 ? [] : [`${SYMBOLS[kind]}${count}`];
                }).join(' ');
                item.tooltip = node.address;
                item.iconPath = new vscode.ThemeIcon('symbol-namespace');
                return item;
            }
            case 'instances': {
                const { resources } = node;
                const [first] = resources;
                const { object = first.address } = first.change ?? {};
                const item = new vscode.TreeItem(`${symbolOf(first)} ${cut(this.inside(first, object))}`, Collapsed);
                item.id = `${first.folder} ${first.address} ${first.kind} instances`;
                item.description = [`${resources.length} instances`, first.description].filter((each) => each !== '').join(' · ');
                item.iconPath = iconOf(first.kind);
                item.tooltip = `${object}: ${item.description}`;
                item.accessibilityInformation = { label: `${first.kind} ${object}, ${item.description}` };
                return revealing(item, first);
            }
            case 'resource': {
                const { change, why, kind, address } = node;
                const state = !change ? None : this.isOpen(node) ? Expanded : Collapsed;
                const item = new vscode.TreeItem(`${symbolOf(node)} ${cut(this.inside(node, address))}`, state);
                // Two root modules may have resources of one address.
                item.id = `${node.folder} ${address} ${kind}`;
                item.description = node.description;
                item.iconPath = iconOf(kind);
                item.tooltip = change ? new vscode.MarkdownString().appendText(address).appendCodeblock(change.diff, 'planlens-plan') : `${address}: ${why}`;
                item.accessibilityInformation = { label: `${change ? kind : 'uncertain'} ${address}${node.description === '' ? '' : `, ${node.description}`}` };
                item.contextValue = change ? 'change' : 'unknown';
                return revealing(item, node);
            }
            case 'attribute': {
                const { path, forcesReplacement } = node.attribute;
                const value = valueOf(node.attribute);
                const kind = forcesReplacement ? 'replace' : changeOf(node.attribute);
                const item = new vscode.TreeItem(path);
                item.description = forcesReplacement ? `⟳ ${value}` : value;
                item.tooltip = `${path}: ${value}${forcesReplacement ? ' forces replacement' : ''}`;
                item.iconPath = iconOf(kind);
                item.accessibilityInformation = { label: `${kind} ${item.tooltip}` };
                return revealing(item, node.of);
            }
            case 'computed': {
                const item = new vscode.TreeItem(`${node.attributes.length} known after apply`, Collapsed);
                item.id = `${node.of.folder} ${node.of.address} ${node.of.kind} computed`;
                item.description = node.attributes.map(({ path }) => path).join(', ');
                item.tooltip = item.description;
                item.iconPath = iconOf('unknown');
                return item;
            }
        }
    }

    /** An address as it reads below the row of its module. */
    private inside(resource: Resource, address: string): string {
        const module = this.isEdited(resource) ? '' : moduleOf(address);
        return module === '' ? address : address.slice(module.length + 1);
    }

    dispose(): void {
        this.listener.dispose();
        this.tree.dispose();
        this.changed.dispose();
    }
}

const SYMBOLS: Record<Kind, string> = { create: '+', update: '~', replace: '-/+', destroy: '-', read: '<=', forget: '.', unknown: '?' };

function symbolOf({ change, kind }: Resource): string {
    return change?.symbol ?? SYMBOLS[kind];
}

/** Many instances as one row, where the first of them would stand. */
function grouped(resources: Resource[]): (Resource | Instances)[] {
    const groups = new Map<string, Resource[]>();
    const keyOf = ({ change, kind, description }: Resource) => change && JSON.stringify([change.object, kind, description]);
    for (const each of resources) {
        const key = keyOf(each);
        if (key !== undefined) {
            groups.set(key, [...(groups.get(key) ?? []), each]);
        }
    }
    return resources.flatMap((each): (Resource | Instances)[] => {
        const [first, ...others] = groups.get(keyOf(each) ?? '') ?? [];
        if (first === undefined || others.length < MOST_INSTANCES) {
            return [each];
        }
        return first === each ? [{ type: 'instances', resources: [first, ...others] }] : [];
    });
}

function iconOf(kind: Kind): vscode.ThemeIcon {
    return new vscode.ThemeIcon(ICONS[kind], new vscode.ThemeColor(`planlens.${COLORS[kind]}`));
}

/** The attributes that are told, those that force a replacement first, and those that the apply alone tells. */
function partsOf({ change }: Resource): [told: ChangedAttribute[], computed: ChangedAttribute[]] {
    const all = [...(change?.attributes ?? [])].sort((a, b) => Number(b.forcesReplacement) - Number(a.forcesReplacement));
    const isComputed = (each: ChangedAttribute) => !each.forcesReplacement && each.isUnknown;
    return [all.filter((each) => !isComputed(each)), all.filter(isComputed)];
}

/** `"yes" -> "no"`; a masked value is the same on both sides. */
function valueOf({ before, after }: ChangedAttribute): string {
    const sides = before === after ? [before] : [before, after];
    return sides.filter((side) => side !== null).join(' -> ');
}

function changeOf({ before, after }: ChangedAttribute): Kind {
    return before === null ? 'create' : after === null ? 'destroy' : 'update';
}

/** Whether something that exists is changed or lost for what can be told: other changes follow from such. */
function isCause(resource: Resource): boolean {
    const [told] = partsOf(resource);
    switch (resource.kind) {
        case 'destroy':
            return true;
        case 'replace':
            return !told.some((each) => each.forcesReplacement) || told.some((each) => each.forcesReplacement && !each.isUnknown);
        case 'update':
            return told.length > 0;
        case 'create':
        case 'read':
        case 'forget':
        case 'unknown':
            return false;
    }
}

/** The module that a resource is in: `module.a["x.y"].module.b`. */
function moduleOf(address: string): string {
    const [module = ''] = /^(module\.[\w-]+(\[("(\\.|[^"\\])*"|\d+)\])?\.)*/.exec(address) ?? [];
    return module.replace(/\.$/, '');
}

/** A long address without its middle: its type and its key tell it apart. */
function cut(address: string): string {
    const half = Math.floor((ROOM - 1) / 2);
    return address.length <= ROOM ? address : `${address.slice(0, half)}…${address.slice(-half)}`;
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
    const forcing = change.attributes.filter((each) => each.forcesReplacement);
    if (forcing.length > 0) {
        return `by ${[...new Set(forcing.map((each) => each.path.split('.')[0]))].join(', ')}`;
    }
    return change.reason === null ? '' : change.reason.replace(/^(replace|delete|read)_(because_)?/, '').replaceAll('_', ' ');
}
