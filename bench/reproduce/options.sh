# Sourced by common.sh: the command line of the scripts that measure a table or figure.
# shellcheck shell=bash

full=no show=no
asked= # by --iterations

# refuse SENTENCE: a mistake in the command line.
refuse() {
  echo "$(basename "$0"): $1, see --help" >&2
  exit 2
}

# whole_number OPTION VALUE: the value, if it is one above 0.
whole_number() {
  [[ $2 =~ ^[1-9][0-9]{0,5}$ ]] || refuse "$1 is '$2', give a whole number above 0"
  echo "$2"
}

# own_option OPTION VALUE: a script that has one defines this anew.
own_option() { no_option "$1"; }

# own_flag OPTION: whether it is one of the script that takes no value; that script defines this anew.
own_flag() { return 1; }

no_option() { refuse "'$1' is no option of $what"; }

read_number() { # read_number OPTION VALUE
  local number
  number=$(whole_number "$1" "$2")
  case $1 in
    --nodes) nodes=$number ;;
    --iterations) iterations=$number asked=$number ;;
  esac
}

# read_options ACCEPTED ARGUMENTS...: sets what, full and show and, where ACCEPTED names them, nodes and
# iterations (and asked). --full calls full_run, which the script defines; options count in their order.
read_options() {
  local accepted=" $1 "
  what=${2:-}
  shift $(($# > 1 ? 2 : 1))
  while (($#)); do
    case $1 in
      --full) full=yes; full_run; shift ;;
      --show) show=yes; shift ;;
      --nodes | --iterations)
        [[ $accepted == *" $1 "* ]] || no_option "$1"
        read_number "$1" "${2-}"
        shift 2
        ;;
      *)
        if own_flag "$1"; then shift && continue; fi
        own_option "$1" "${2-}"
        shift 2
        ;;
    esac
  done
}

# not_a_figure: what is left when `what` names no table or figure.
not_a_figure() {
  case $what in
    -h | --help) usage ;;
    '') refuse "a table or figure is missing" ;;
    *) refuse "there is no '$what'" ;;
  esac
}
