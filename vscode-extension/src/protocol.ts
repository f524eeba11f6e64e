// What the server says beyond the language server protocol.

import * as vscode from 'vscode';
import type { Location } from 'vscode-languageclient/node';

/** How the plan of one folder stands; `planlens/status` brings one for each. */
export interface PlanSummary {
    folder: string;
    /** Not a module that others call: that is part of their plans, too. */
    isRoot: boolean;
    state: 'fresh' | 'stale' | 'off';
    add: number;
    change: number;
    destroy: number;
    replace: number;
    /** Resources whose plan is a guess, or that could not be planned. */
    guesses: number;
    errors: number;
    /** What of the world the plan is made from: `state read 5 minutes ago`. */
    read: string[];
    /** The options of a what-if plan. */
    whatIf: string[];
    /** The environment that was chosen, and the workspace of Terraform. */
    environment: string | null;
    workspace: string;
    /** The caller that was chosen for a module that others call. */
    caller: string | null;
    /** Variables without a value: what depends on them is unknown. */
    unset: string[];
    /** What exists isn't known, so nothing is counted. */
    stateUnread: boolean;
}

/** What can be chosen for a root module: the answer to `planlens/environments`. */
export interface Environments {
    environments: { name: string; title: string; detail: string; isChosen: boolean }[];
}

/** What can be chosen for a module that others call: the answer to `planlens/callers`. */
export interface Callers {
    callers: { title: string; root: string; instance: string | null; isChosen: boolean }[];
}

export interface Plan extends PlanSummary {
    changes: Change[];
    guessed: Guess[];
}

/** A resource of which the plan is a guess, or that is not planned. */
export interface Guess {
    address: string;
    why: string;
    /** The command of the server that helps. */
    cure: string | null;
    /** The whole block. */
    location: Location | null;
}

/** A change of one resource instance. */
export interface Change {
    address: string;
    /** The address of its declaration, which may have other instances. */
    object: string;
    actions: string[];
    symbol: string;
    reason: string | null;
    /** As `terraform plan` prints it. */
    diff: string;
    attributes: ChangedAttribute[];
    /** The whole block. */
    location: Location | null;
}

/** A value that differs. */
export interface ChangedAttribute {
    /** `keepers.fixed` */
    path: string;
    /** As text; `null` where it has no value. */
    before: string | null;
    after: string | null;
    /** Only the apply will tell what it is. */
    isUnknown: boolean;
    forcesReplacement: boolean;
}

/** What will happen to an object; `unknown` where that can't be told. */
export type Kind = 'create' | 'update' | 'replace' | 'destroy' | 'read' | 'forget' | 'unknown';

/** The most drastic last. */
export const KINDS: readonly Kind[] = ['unknown', 'read', 'forget', 'create', 'update', 'replace', 'destroy'];

export function kindOf(change: Change): Kind {
    if (change.actions.length > 1) {
        return 'replace';
    }
    switch (change.actions[0]) {
        case 'create':
            return 'create';
        case 'delete':
            return 'destroy';
        case 'read':
            return 'read';
        case 'forget':
            return 'forget';
        default:
            return 'update';
    }
}

/** Those of the active editor's folder, else all: what the status and the badge count. */
export function shownPlans<T extends PlanSummary>(plans: T[]): T[] {
    const document = vscode.window.activeTextEditor?.document.uri;
    const folder = document && vscode.Uri.joinPath(document, '..').toString();
    const own = plans.filter((plan) => vscode.Uri.parse(plan.folder).toString() === folder);
    return own.length > 0 ? own : plans.filter((plan) => plan.isRoot);
}
