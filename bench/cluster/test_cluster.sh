#!/usr/bin/env bash
# test_cluster.sh PAT_CLUSTER NODES: brings a cluster up, checks it, runs programs on it, interrupts
# one, takes it down, and looks for anything left. An ordinary user runs it through sudo, if that asks
# no password, else in namespaces of his own. 77: this machine lacks the rights or the features.
set -uo pipefail
if ((EUID != 0)); then
  if sudo -n true 2>/dev/null; then exec sudo -n env PATH="$PATH" "$0" "$@"; fi
  exec "$(dirname "$0")/own_namespaces.sh" "$0" "$@"
fi
cluster=$1
nodes=$2
export PAT_CLUSTER_NAME=test$nodes

fail() {
  echo "FAILED: $1" >&2
  "$cluster" down >/dev/null
  exit 1
}

nodes_idle() { [[ $("$cluster" status) == *"processes in the nodes: 0"* ]]; }
namespaces_left() { [[ $(ip netns list) == *"pat-$1-"* ]]; }
host_links() { ip -o link | sed 's/ state .*//' | sort; }
links_before=$(host_links)

kernel_delays() { unshare --net tc qdisc add dev lo root netem delay 1ms 2>/dev/null; }
says_latency() { # says_latency TEXT: what was added, or that this kernel adds nothing
  local sentence="latency: 1000 us added to each path"
  kernel_delays || sentence="latency: 1000 us asked for, but this kernel has no netem (CONFIG_NET_SCH_NETEM), so none is added"
  [[ $1 == *"$sentence"* ]]
}

"$cluster" down >/dev/null 2>&1
# A latency far above what links without it have (10 to 30 us).
made=$("$cluster" up --nodes "$nodes" --rate 1gbit --latency 1ms)
code=$?
echo "$made"
if ((code == 77)); then
  echo "not runnable on this machine (see above)"
  exit 77
fi
((code == 0)) || fail "up ended with $code"
trap '"$cluster" down >/dev/null' EXIT
says_latency "$made" || fail "up does not say what latency it added: $made"
says_latency "$("$cluster" status)" || fail "status does not say what latency is added"

"$cluster" up --nodes 2 2>/dev/null && fail "a second up was accepted"
# Wide, for the machine may be busy: a link that is not limited is ten times off.
checked=$("$cluster" check --tolerance 0.6) || fail "check found the cluster not as asked: $checked"
echo "$checked"
if kernel_delays; then # asked, and measured at least that
  measured="one-way latency, median +1000\.000 +[1-9][0-9]{3,}\.[0-9]+ +good"
else
  measured="one-way latency, median +[0-9.]+ +\(us; none can be or was added\)"
fi
[[ $checked =~ $measured ]] || fail "check does not say what the latency is: $checked"

names=$("$cluster" run -- hostname | sort | paste -sd' ')
expected=$(for ((i = 0; i < nodes; ++i)); do echo "n$i"; done | sort | paste -sd' ')
[[ $names == "$expected" ]] || fail "host names are '$names'"

spaced=$("$cluster" run --ranks 1 -- printf '%s|' 'a b' "c'd" '$HOME')
[[ $spaced == "a b|c'd|\$HOME|" ]] || fail "arguments arrive as '$spaced'"

ranks=$("$cluster" run --per-node 2 -- sh -c 'echo "$(hostname):$OMPI_COMM_WORLD_LOCAL_RANK"' | sort -u | wc -l)
((ranks == 2 * nodes)) || fail "two processes a node gave $ranks places"

report=$("$cluster" run -- pat bench --alg mpi,lin,bsls --size 1MiB --pattern uniform:5ms --base 10ms \
  -n 3 --max-lateness 10s) || fail "pat bench on the cluster"
[[ $report == *"# nodes: $nodes"* && $report == *bsls* ]] || fail "the report of pat bench: $report"

"$cluster" run --ranks 2 -- sh -c 'exit 3' >/dev/null 2>&1
(($? == 3)) || fail "the exit code of the program was lost"

"$cluster" run -- sleep 60 >/dev/null 2>&1 &
interrupted=$!
for ((i = 0; i < 100; ++i)); do
  nodes_idle || break
  sleep 0.1
done
kill -TERM $interrupted
wait $interrupted
nodes_idle || fail "an interrupted run left processes"

"$cluster" down || fail "down"
trap - EXIT
namespaces_left "$PAT_CLUSTER_NAME" && fail "namespaces are left"
[[ ! -e /run/pat-cluster/$PAT_CLUSTER_NAME ]] || fail "state is left"

# Ports that hold two packets: the others' sending at once to one loses some, and it is said how many.
drops() { sed -n "s/^packets dropped at switch ports$1: //p"; }
"$cluster" up --nodes "$nodes" --rate 100mbit --buffer 12KiB || fail "up with small buffers"
trap '"$cluster" down >/dev/null' EXIT
checked=$("$cluster" check --tolerance 0.6) # which may find incast slow
lost=$(drops ' meanwhile' <<<"$checked")
((lost > 0)) || fail "small buffers lost nothing: $checked"
[[ $checked == *"the times above hold retransmissions; port buffers are 12KiB"* ]] || fail "check does not say that packets were lost: $checked"
(($("$cluster" status | drops '') >= lost)) || fail "status counts less than check"
"$cluster" down || fail "down"
trap - EXIT

PAT_CLUSTER_NAME=${PAT_CLUSTER_NAME}i "$cluster" up --nodes 60 >/dev/null 2>&1 &
interrupted=$!
for ((i = 0; i < 100; ++i)); do
  [[ -e /run/netns/pat-${PAT_CLUSTER_NAME}i-n2 ]] && break
  sleep 0.02
done
kill -TERM $interrupted
wait $interrupted && fail "up was not interrupted"
namespaces_left "${PAT_CLUSTER_NAME}i" && fail "an interrupted up left namespaces"

[[ $(host_links) == "$links_before" ]] || fail "the host's interfaces changed"

unshare --user "$cluster" up --nodes 2 2>"/tmp/pat-cluster-$$"
(($? == 77)) || fail "without rights up did not end with 77"
grep -q CAP_NET_ADMIN "/tmp/pat-cluster-$$" || fail "the missing right is not named"
grep -q "unshare -Urnm" "/tmp/pat-cluster-$$" || fail "the way without root is not named"
rm -f "/tmp/pat-cluster-$$"
echo "ok"
