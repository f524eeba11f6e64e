#compdef planlens
# Completion of planlens in zsh: eval "$(planlens completions zsh)" below compinit, or as the file _planlens in $fpath
_planlens() {
    local line word shown
    local -a whole whole_shown open open_shown
    for line in "${(@f)$($words[1] __complete zsh $((CURRENT - 2)) "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}"; do
        word=${line%%$'\t'*}
        shown=$word
        [[ -n ${line#*$'\t'} ]] && shown="$word  -- ${line#*$'\t'}"
        if [[ $word == *[=/] ]]; then
            open+=("$word") open_shown+=("$shown")
        elif [[ -n $word ]]; then
            whole+=("$word") whole_shown+=("$shown")
        fi
    done
    (( $#whole )) && compadd -l -d whole_shown -a whole
    (( $#open )) && compadd -l -S '' -d open_shown -a open
}
if [[ $funcstack[1] == _planlens ]]; then
    _planlens "$@"
else
    compdef _planlens planlens
fi
