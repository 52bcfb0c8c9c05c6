# bash completion for kelso.  The program itself says what may follow, so this file
# does not change when commands do.
_kelso() {
    local word=${COMP_WORDS[COMP_CWORD]} words
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        words=$("${COMP_WORDS[0]}" help --list 2>/dev/null)
        words="$words --version --help"
    elif [ "${COMP_WORDS[1]}" = help ] && [ "$COMP_CWORD" -eq 2 ] && [ "${word#-}" = "$word" ]; then
        words=$("${COMP_WORDS[0]}" help --list 2>/dev/null)
    else
        words=$("${COMP_WORDS[0]}" help --list "${COMP_WORDS[1]}" 2>/dev/null)
    fi
    # An option that takes a value stands with its "=", which bash cuts off as a word.
    if [ "$word" = "=" ] || [ "${COMP_WORDS[COMP_CWORD - 1]}" = "=" ]; then
        local option=${COMP_WORDS[COMP_CWORD - 1]}
        [ "$option" != "=" ] || option=${COMP_WORDS[COMP_CWORD - 2]}
        words=$(printf '%s\n' "$words" | sed -n "s/^$option=//p")
        [ "$word" != "=" ] || word=
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    [ "${#COMPREPLY[@]}" -ne 1 ] || [ "${COMPREPLY[0]%=}" = "${COMPREPLY[0]}" ] || compopt -o nospace
}
complete -o default -F _kelso kelso
