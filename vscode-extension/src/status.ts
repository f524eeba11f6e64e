// The plan in the status bar: `+2 ~1 -/+1`, and whether it is of the text as it stands.

import * as vscode from 'vscode';
import type { PlanSummary } from './protocol';

/** A plan that takes longer than this is shown to be under way. */
const PATIENCE = 400;

export class StatusBar implements vscode.Disposable {
    private readonly item = vscode.window.createStatusBarItem('planlens.plan', vscode.StatusBarAlignment.Left, 10);
    private readonly late = new Set<NodeJS.Timeout>();
    private plans: PlanSummary[] = [];

    constructor() {
        this.item.name = 'planlens plan';
        this.item.command = 'planlens.showPlan';
    }

    update(plans: PlanSummary[]): void {
        this.plans = plans;
        this.forgetTimers();
        if (plans.some((plan) => plan.state === 'stale')) {
            // The counts stay while a plan is made; only one that lasts is told.
            this.late.add(setTimeout(() => this.show(true), PATIENCE));
            return;
        }
        this.show(false);
    }

    /** The folder of the active editor decides; without one, all are added up. */
    show(isLate: boolean): void {
        const plans = this.wanted();
        if (plans.length === 0) {
            this.item.hide();
            return;
        }
        const sum = (key: 'add' | 'change' | 'destroy' | 'replace' | 'guesses' | 'errors') => plans.reduce((total, plan) => total + plan[key], 0);
        const [replace, guesses, errors] = [sum('replace'), sum('guesses'), sum('errors')];
        const [add, change, destroy] = [sum('add') - replace, sum('change'), sum('destroy') - replace];
        const parts = [
            [add, `+${add}`],
            [change, `~${change}`],
            [replace, `-/+${replace}`],
            [destroy, `-${destroy}`],
        ].flatMap(([count, text]) => (count === 0 ? [] : [text as string]));
        const isUnread = plans.some((plan) => plan.stateUnread);
        const whatIf = plans.flatMap((plan) => plan.whatIf);
        const unset = [...new Set(plans.flatMap((plan) => plan.unset))];
        const none = isUnread ? 'state not read' : guesses > 0 ? `${guesses} not planned` : errors > 0 ? 'has errors' : unset.length > 0 ? 'values missing' : 'no changes';
        const counted = parts.length === 0 ? none : parts.join(' ');
        const text = whatIf.length > 0 ? `what if: ${counted}` : counted;
        const isOff = plans.every((plan) => plan.state === 'off');
        const icon = isOff ? '$(debug-pause)' : isLate ? '$(sync~spin)' : errors > 0 ? '$(error)' : guesses > 0 ? '$(question)' : '$(telescope)';
        const environments = [...new Set(plans.flatMap((plan) => plan.environment ?? []))];
        const callers = [...new Set(plans.flatMap((plan) => plan.caller ?? []))].map((caller) => `as called by ${caller}`);
        const of = [...environments, ...callers].map((each) => ` · ${each}`).join('');
        this.item.text = `${icon} ${isOff ? 'planning paused' : text}${of}`;
        this.item.backgroundColor = replace + destroy > 0 && !isOff ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
        const lines = [
            `${add} to add, ${change} to change, ${replace} to replace, ${destroy} to destroy`,
            ...(guesses > 0 ? [`${guesses} a guess, or not planned`] : []),
            ...environments.map((name) => `Environment: ${name}`),
            ...callers,
            ...(unset.length > 0 ? [`No value for ${unset.map((name) => `var.${name}`).join(', ')}: what depends on it is unknown`] : []),
            ...[...new Set(plans.map((plan) => plan.workspace))].filter((name) => name !== '' && name !== 'default').map((name) => `Workspace: ${name}`),
            ...whatIf.map((option) => `What if: ${option}`),
            ...plans.flatMap((plan) => plan.read),
            ...(errors > 0 ? [`${errors} errors`] : []),
            ...(vscode.workspace.isTrusted ? [] : ['Restricted Mode: no provider plugin starts']),
            isOff ? 'Planning is paused' : isLate ? 'Being planned again' : 'Up to date with the text',
        ];
        // Names and options come from the folder: they are text.
        const tooltip = new vscode.MarkdownString('**Plan**\n\n');
        for (const line of lines) {
            tooltip.appendText(line).appendMarkdown('  \n');
        }
        this.item.tooltip = tooltip.appendMarkdown('\nClick to see it.');
        this.item.accessibilityInformation = { label: `Plan: ${lines.join('. ')}` };
        this.item.show();
    }

    private wanted(): PlanSummary[] {
        const document = vscode.window.activeTextEditor?.document.uri;
        const folder = document && vscode.Uri.joinPath(document, '..').toString();
        const own = this.plans.filter((plan) => vscode.Uri.parse(plan.folder).toString() === folder);
        return own.length > 0 ? own : this.plans;
    }

    private forgetTimers(): void {
        this.late.forEach(clearTimeout);
        this.late.clear();
    }

    dispose(): void {
        this.forgetTimers();
        this.item.dispose();
    }
}
