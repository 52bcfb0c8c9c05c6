# fish completion for kelso.  The program itself says what may follow.
function __kelso_words
    set -l tokens (commandline -opc)
    if test (count $tokens) -eq 1
        $tokens[1] help --list 2>/dev/null
        printf '%s\n' --version --help
    else
        if test (count $tokens) -eq 2 -a $tokens[2] = help
            $tokens[1] help --list 2>/dev/null
        end
        $tokens[1] help --list $tokens[2] 2>/dev/null
    end
end
complete -c kelso -a '(__kelso_words)'
