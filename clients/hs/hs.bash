# Completion of hs for bash: what its prompt would offer. Options that lead to the server and stand in
# front of the command are understood; others come from the environment and the option files.
_hs() {
    local IFS=$'\n' word=${COMP_WORDS[COMP_CWORD]}
    mapfile -t COMPREPLY < <("${COMP_WORDS[0]}" complete -- "$word" "${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)
    # A name that ends with a dot or an = goes on.
    [[ ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *[.=] ]] || compopt -o nospace 2>/dev/null
}
complete -o default -F _hs hs
