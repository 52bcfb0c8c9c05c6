#compdef kelso
# zsh completion for kelso.  The program itself says what may follow.
_kelso() {
    local -a choices
    if (( CURRENT == 2 )) || [[ $words[2] == help && CURRENT -eq 3 ]]; then
        choices=(${(f)"$($words[1] help --list 2>/dev/null)"} --version --help)
    else
        choices=(${(f)"$($words[1] help --list $words[2] 2>/dev/null)"})
    fi
    # Options that take a value end in "=": no blank after those.
    local -a open=(${(M)choices:#*=}) closed=(${choices:#*=})
    compadd -S '' -- $open
    compadd -- $closed
    [[ $PREFIX == -* ]] || _files
}
_kelso "$@"
