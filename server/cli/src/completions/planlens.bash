# Completion of planlens in bash: eval "$(planlens completions bash)"
_planlens() {
    local IFS=$'\n'
    COMPREPLY=($("$1" __complete bash $((COMP_CWORD - 1)) "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
    case ${COMPREPLY[0]} in
        *=) compopt -o nospace ;;
        */) compopt -o nospace -o filenames ;;
        -*) ;;
        *) [ -e "${COMPREPLY[0]}" ] && compopt -o filenames ;;
    esac
}
complete -F _planlens planlens
