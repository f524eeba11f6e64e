// The same hint as planlens shows, found without a server: the time that it takes to the screen is VS Code's own.

const vscode = require('vscode');

exports.activate = () =>
    vscode.languages.registerInlayHintsProvider('terraform', {
        provideInlayHints(document) {
            const text = document.getText();
            const word = /word = "([^"]*)"/.exec(text)?.[1] ?? '';
            const end = '${local.word}>"';
            return [new vscode.InlayHint(document.positionAt(text.indexOf(end) + end.length), `= "<${word}>"`)];
        },
    });
