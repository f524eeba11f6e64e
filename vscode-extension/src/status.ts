// The plan in the status bar: `+2 ~1 -/+1`, and whether it is of the text as it stands.

import * as vscode from 'vscode';
import { shownPlans, type Plan, type PlanSummary } from './protocol';

/** Errors and guesses that the tooltip names. */
const NAMED = 5;

/** What a command of the server is called in a link. */
const CURES: Record<string, string> = { 'planlens.runInit': 'Run init', 'planlens.trustWorkspace': 'Trust this workspace', 'planlens.replan': 'Replan' };

/** A plan that takes longer than this is shown to be under way. */
const PATIENCE = 400;

interface Action {
    title: string;
    command: string;
    args: unknown[];
}

/** An error, a guess or a missing value. */
interface Finding {
    text: string;
    actions: Action[];
}

export class StatusBar implements vscode.Disposable {
    private readonly item = vscode.window.createStatusBarItem('planlens.plan', vscode.StatusBarAlignment.Left, 10);
    private readonly late = new Set<NodeJS.Timeout>();
    private plans: PlanSummary[] = [];
    private told: Plan[] = [];
    private isLate = false;

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

    /** What there is to say beside the numbers. */
    tell(plans: Plan[]): void {
        this.told = plans;
        this.show();
    }

    /** The folder of the active editor decides; without one, all are added up. */
    show(isLate = this.isLate): void {
        this.isLate = isLate;
        const plans = shownPlans(this.plans);
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
        const none = isUnread ? 'state not read' : guesses > 0 ? `${guesses} uncertain` : errors > 0 ? 'has errors' : unset.length > 0 ? 'values missing' : 'no changes';
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
            ...environments.map((name) => `Environment: ${name}`),
            ...callers,
            ...[...new Set(plans.map((plan) => plan.workspace))].filter((name) => name !== '' && name !== 'default').map((name) => `Workspace: ${name}`),
            ...whatIf.map((option) => `What if: ${option}`),
            ...plans.flatMap((plan) => plan.read),
            ...(vscode.workspace.isTrusted ? [] : ['Restricted Mode: no provider plugin starts']),
            isOff ? 'Planning is paused' : isLate ? 'Planning again' : 'Up to date with the text',
        ];
        // Names and options come from the folder: they are text.
        const tooltip = new vscode.MarkdownString('**Plan**\n\n');
        for (const line of lines) {
            tooltip.appendText(line).appendMarkdown('  \n');
        }
        const all = this.findings(plans);
        const findings = all.length > NAMED ? [...all.slice(0, NAMED), { text: `${all.length - NAMED} more`, actions: [] }] : all;
        tooltip.appendMarkdown(findings.map(({ text, actions }) => `\n\n${escaped(text)} ${actions.map(link).join(' · ')}`).join(''));
        tooltip.supportThemeIcons = true;
        tooltip.isTrusted = { enabledCommands: ['planlens.fixAt', 'planlens.setVariable', 'workbench.trust.manage', 'vscode.open', ...Object.keys(CURES)] };
        this.item.tooltip = tooltip.appendMarkdown('\n\nClick to open the plan.');
        this.item.accessibilityInformation = { label: `Plan: ${[...lines, ...findings.map(({ text }) => text)].join('. ')}` };
        this.item.show();
    }

    /** The same list for the keyboard, where a tooltip cannot be reached: the chosen one runs the last of its actions. */
    async choose(): Promise<void> {
        const items = this.findings(shownPlans(this.plans)).map(({ text: label, actions }) => {
            const action = actions.at(-1);
            return action === undefined ? { label } : { label, description: action.title, action };
        });
        if (items.length === 0) {
            void vscode.window.showInformationMessage('The plan has no errors, no guesses and no missing values.');
            return;
        }
        const chosen = await vscode.window.showQuickPick(items, { title: 'Errors and Guesses of the Plan', placeHolder: 'Choose one to fix it' });
        if (chosen !== undefined && 'action' in chosen) {
            await vscode.commands.executeCommand(chosen.action.command, ...chosen.action.args);
        }
    }

    /** What is wrong, a guess or missing, with the commands that help. */
    private findings(plans: PlanSummary[]): Finding[] {
        const folders = new Set(plans.map((plan) => vscode.Uri.parse(plan.folder).toString()));
        const isOf = (uri: vscode.Uri) => folders.has(vscode.Uri.joinPath(uri, '..').toString());
        const errors = vscode.languages.getDiagnostics().flatMap(([uri, all]) => {
            const own = isOf(uri) ? all.filter((each) => each.source === 'planlens' && each.severity === vscode.DiagnosticSeverity.Error) : [];
            return own.map(({ message, range: { start } }) => ({
                text: `$(error) ${firstLine(message)}`,
                actions: [
                    { title: 'Open', command: 'vscode.open', args: [uri.toJSON(), { selection: { startLineNumber: start.line + 1, startColumn: start.character + 1 } }] },
                    { title: 'Fix…', command: 'planlens.fixAt', args: [uri.toString(), start.line, start.character] },
                ],
            }));
        });
        const unset = plans.flatMap((plan) =>
            plan.unset.map((variable) => ({
                text: `$(question) No value for var.${variable}: dependent values are unknown`,
                actions: [{ title: 'Set it…', command: 'planlens.setVariable', args: [{ folder: plan.folder, variable }] }],
            })),
        );
        const guesses = new Map<string, { folder: string; cure: string | null; addresses: string[] }>();
        for (const plan of this.told.filter((each) => folders.has(vscode.Uri.parse(each.folder).toString()))) {
            for (const { address, why, cure } of plan.guessed) {
                const known = guesses.get(why) ?? { folder: plan.folder, cure, addresses: [] };
                guesses.set(why, { ...known, addresses: [...known.addresses, address] });
            }
        }
        const guessed = [...guesses].map(([why, { folder, cure, addresses: [first = '', ...others] }]) => ({
            text: `$(question) ${first}${others.length === 0 ? '' : ` and ${others.length} more`}: ${why}`,
            actions: cure === null ? [] : [cureOf(cure, folder)],
        }));
        return [...errors, ...unset, ...guessed];
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

function cureOf(cure: string, folder: string): Action {
    // In a restricted workspace VS Code is asked.
    const isRestricted = cure === 'planlens.trustWorkspace' && !vscode.workspace.isTrusted;
    return { title: CURES[cure] ?? cure, command: isRestricted ? 'workbench.trust.manage' : cure, args: isRestricted ? [] : [folder] };
}

function link({ title, command, args }: Action): string {
    return `[${title}](command:${command}?${encodeURIComponent(JSON.stringify(args)).replaceAll('(', '%28').replaceAll(')', '%29')})`;
}

/** Text of others, but for the icon that it begins with. */
function escaped(text: string): string {
    const [, icon = '', rest = ''] = /^(\$\((?:error|question)\) )?(.*)$/s.exec(text) ?? [];
    // Spaces that may not break would break words.
    return icon + new vscode.MarkdownString().appendText(rest.replaceAll('$(', '$ (')).value.replaceAll('&nbsp;', ' ');
}

function firstLine(text: string): string {
    return text.split('\n')[0] ?? '';
}
