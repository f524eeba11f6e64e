# Completion of planlens in fish: planlens completions fish > ~/.config/fish/completions/planlens.fish
function __planlens_complete
    set -l words (commandline -opc)
    $words[1] __complete fish (math (count $words) - 1) $words[2..] (commandline -ct) 2>/dev/null
end
complete -c planlens -f -a '(__planlens_complete)'
