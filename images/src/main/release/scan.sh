#!/bin/sh
# Looks up bills of materials in the database of known advisories, with osv-scanner. Fails if there is one that osv-scanner.toml does not
# accept. Without the program or its database, prints the command that does it.
set -eu
config=$(dirname "$0")/osv-scanner.toml

[ $# -gt 0 ] || { echo "usage: scan.sh SBOM..." >&2; exit 2; }
arguments="scan source --config=$config"
for sbom; do
  arguments="$arguments -L $sbom"
done
if command -v osv-scanner >/dev/null; then
  status=0
  # shellcheck disable=SC2086 # no path has a space: the release's own
  osv-scanner $arguments >&2 || status=$?
  case $status in # 127 and more: it could not scan
    0) echo "advisories: none known"; exit ;;
    12[7-9] | 1[3-9]? | 2??) reason="osv-scanner could not scan: status=$status" ;;
    *)
      echo "dependencies have known advisories: take versions without them, or accept one in osv-scanner.toml with a reason and a date" >&2
      exit 1 ;;
  esac
else
  reason="osv-scanner is not on the path"
fi
echo "advisories: not looked up; $reason. Before you publish, run where its database can be reached:"
echo "  osv-scanner $arguments"
