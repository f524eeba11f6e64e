// What an agent of the editor is lent: the server of planlens where the editor takes servers, else its tools.

const vscode = require('vscode');
const { act, assert, eventually, finish, picture, see, test } = require('./support');

exports.run = async function () {
    const [folder] = vscode.workspace.workspaceFolders;
    const api = await vscode.extensions.getExtension('planlens.planlens').activate();
    await api.started;
    const takesServers = Number(vscode.version.split('.')[1]) > 100;
    const prefix = takesServers ? /^mcp_planlens_.*_/ : /^planlens_/;
    const ours = () => vscode.lm.tools.filter((tool) => prefix.test(tool.name));
    const ask = async (name, input) => {
        const tool = ours().find((each) => each.name.endsWith(`_${name}`));
        const { content } = await vscode.lm.invokeTool(tool.name, { input, toolInvocationToken: undefined });
        return content.map((part) => part.value).join('\n');
    };

    if (takesServers) {
        await test('the server is listed and starts', async () => {
            assert(ours().length === 0, 'tools are lent beside the server');
            void vscode.commands.executeCommand('workbench.mcp.listServer');
            await see('.quick-input-list', `planlens: ${folder.name}`);
            await act('press', { keys: 'ArrowDown' });
            await act('press', { keys: 'Enter' });
            await see('.quick-input-list', 'Start Server');
            await picture('server');
            await act('press', { keys: 'Enter' });
        });
    }
    await test('each tool is listed', async () => {
        const tools = await eventually('tools', () => ours().length === 9 && ours());
        assert(tools.some((tool) => tool.name.endsWith('compare') && /Ask this before you write an edit/.test(tool.description)), tools);
        console.log(`# VS Code ${vscode.version}: ${tools.map((tool) => tool.name).join(' ')}`);
    });
    await test('a tool tells what a proposed text does', async () => {
        const compared = await ask('compare', { edits: [{ path: 'main.tf', old: '"each"', new: '"other"' }] });
        // What is handed on is the text, or the data alone.
        assert(/^(\{.*)?The edit changes what happens to /s.test(compared), compared);
    });
    if (!takesServers) {
        await test('a folder is called by its name, and a call is refused with a reason', async () => {
            const planned = await ask('plan', { folder: folder.name });
            assert(planned.startsWith('Plan of . with the saved text: '), planned);
            const refused = await ask('plan', { folder: '..' }).catch((error) => String(error));
            assert(refused.includes('no folder ".." in the workspace'), refused);
        });
    }
    finish();
};
