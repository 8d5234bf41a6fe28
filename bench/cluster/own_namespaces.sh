#!/usr/bin/env bash
# own_namespaces.sh COMMAND...: runs a test of the emulated cluster without root, in namespaces of its own, which
# vanish with it; root runs it as the user nobody. 77: the kernel gives users no namespaces.
set -u
export PATH=/usr/local/bin:/usr/bin:/bin # as Debian gives it to users
user=()
((EUID != 0)) || user=(setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/nonexistent)
if ! "${user[@]}" unshare -Urnm mount -t tmpfs none /run 2>/dev/null; then
  echo "not root, and the kernel gives users no namespaces (or /run lies elsewhere)"
  exit 77
fi
exec "${user[@]}" unshare -Urnm bash -c 'mount -t tmpfs none /run && exec "$@"' bash "$@"
