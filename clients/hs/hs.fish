# Completion of hs for fish: what its prompt would offer. Options that lead to the server and stand in
# front of the command are understood; others come from the environment and the option files.
function __hs_complete
    set -l words (commandline -opc)
    $words[1] complete -- (commandline -ct) $words[2..-1] 2>/dev/null
end
complete -c hs -a '(__hs_complete)'
