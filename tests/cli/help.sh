#!/bin/bash
# help.sh PROGRAM...: what --help prints is for people: no types and checks of the implementation,
# and lines that fit a terminal. What is misspelt is answered with what was meant.
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }

check() { # check COMMAND...
  local text
  text=$("$@" --help) || fail "$* --help ends with $?"
  grep -q -- '--help ' <<<"$text" || fail "$* --help lists no options"
  grep -nE 'BOOLEAN|ENUM|UINT|INT in|value in|\{|=\[' <<<"$text" && fail "$* shows its implementation"
  awk 'function look() { if (one ~ /^  -.* SIZE/ && one !~ /bytes/) { print one; bad = 1 }
                         if (one ~ /^  -.* TIME/ && one !~ /seconds|such as|likewise|default [0-9.]+[mu]?s/) { print one; bad = 1 } }
       /^  -/ { look(); one = "" } { one = one $0 } END { look(); exit bad }' <<<"$text" ||
    fail "$* does not say that a bare size is in bytes, or what a bare time is in"
  sed -n '/^Options:/,/^$/p' <<<"$text" | awk 'length > 101' | grep . && fail "$* has lines too long for a terminal"
}

complains() { # complains SENTENCE COMMAND...: it ends with 2 and says this after its name, nothing else
  local said code
  said=$("${@:2}" 2>&1)
  code=$?
  [[ $code == 2 && $said == "$(basename "$2"): $1" ]] || fail "${*:2} ends with $code and says '$said', not '$1'"
}

for program in "$@"; do
  if [[ $(basename "$program") == pat-cluster ]]; then
    complains "there is no subcommand 'upp', did you mean up?" "$program" upp
    complains "there is no subcommand 'nonsense', see pat-cluster --help." "$program" nonsense
    complains "up does not know '--noeds', did you mean --nodes?" "$program" up --noeds 3
    complains "run does not know '--realtme', did you mean --realtime?" "$program" run --realtme -- ./app
    complains "check does not know '--tolernace', did you mean --tolerance?" "$program" check --tolernace 1
    complains "status takes no '--nodes'; see pat-cluster --help." "$program" status --nodes
    continue
  fi
  check "$program"
  complains '--hlep is not known, did you mean --help?' "$program" --hlep
  [[ $(basename "$program") == pat ]] || continue
  for subcommand in $("$program" --help | sed '1,/^Subcommands:/d' | awk '/^  [a-z]/ { print $1 }'); do
    check "$program" "$subcommand"
    complains '--hlep is not known, did you mean --help?' "$program" "$subcommand" --hlep
    seen=1
  done
  complains '--trce is not known, did you mean --trace?' "$program" predict --trce x
  complains '--modle is not known, did you mean --model?' "$program" predict --trace x --modle=sma
  complains 'The following argument was not expected: ---, see pat predict --help' "$program" predict --trace x ---
  complains '--nonsense is not known, see pat bench --help' "$program" bench --nonsense -n 0
  complains "there is no subcommand 'benhc', did you mean bench?" "$program" benhc --op gather
  for subcommand in bench tune inject simulate; do
    complains "--seed: '-1' is not a seed, give a whole number of 0 or more, see pat $subcommand --help" "$program" "$subcommand" --seed -1
  done
  complains '--reprot is not known, did you mean --report?' "$program" run --reprot stderr -- ./app
  complains "there is no subcommand 'shwo', did you mean show?" "$program" trace shwo x.trace
  complains "there is no subcommand 'nonsense', see pat --help" "$program" nonsense
  # What is missing is named with where to get it.
  complains 'no --trace is given, give a trace, or a folder of .trace files, see pat predict --help' "$program" predict
  complains 'no file is given, give a trace or JSON report of each run, as PAT_TRACE=run.trace, PAT_REPORT=run.json or pat run --report run.json writes it, see pat report --help' "$program" report
  complains 'no shell is given, give bash or zsh, see pat completion --help' "$program" completion
  for command in 'trace show' 'trace export' 'trace import' 'trace generate' 'trace join' plot man; do
    # shellcheck disable=SC2086  # its words
    said=$("$program" $command 2>&1) && fail "pat $command without an argument ends well"
    [[ $said == "pat: no "*" is given, give "*", see pat $command --help" ]] || fail "pat $command without an argument says '$said'"
  done
  # One idea has one name in all subcommands that have it.
  for name in op:schedule,bench,calibrate,tune,predict alg:schedule,bench,run,inject,predict ranks:schedule,bench-schedule,simulate     iterations:bench,calibrate,tune,bench-schedule segments:schedule,bench-schedule,predict quiet:bench,calibrate,tune,predict,simulate     plot:bench,predict,simulate,schedule predictor:report,predict size:bench,calibrate,tune output:bench,calibrate,tune,plot,report; do
    IFS=, read -ra subcommands <<<"${name#*:}"
    for subcommand in "${subcommands[@]}"; do
      "$program" "$subcommand" --help | grep -qE -- "^  .*--${name%%:*}[ ,]" || fail "pat $subcommand has no --${name%%:*}"
    done
  done
  for subcommand in generate import export join; do
    "$program" trace "$subcommand" --help | grep -q -- '-o,--output,--out ' || fail "pat trace $subcommand has no -o,--output,--out"
  done
  complains "--alpha: 'soon' is not a time, write seconds, or 20ms or 25us, see pat predict --help" \
    "$program" predict --trace x --alpha soon
  [[ -n ${seen-} ]] || fail "no subcommands in the help of pat"
done
exit $((failures > 0))
