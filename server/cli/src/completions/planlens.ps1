# Completion of planlens in PowerShell: planlens completions powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName planlens -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $length = $cursorPosition - $commandAst.Extent.StartOffset
    $program, $words = "$commandAst".PadRight($length).Substring(0, $length) -split ' +'
    $words = @($words)
    # Empty words get lost on the way to a program: the number says that there is one.
    $asked = @($words | Where-Object { $_ })
    & $program __complete powershell ($words.Count - 1) @asked 2>$null | ForEach-Object {
        $word, $about = $_ -split "`t", 2
        $typed = if ($word -match '\s') { "'" + $word.Replace("'", "''") + "'" } else { $word }
        [System.Management.Automation.CompletionResult]::new($typed, $word, 'ParameterValue', $(if ($about) { $about } else { $word }))
    }
}
