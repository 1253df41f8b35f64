#!/bin/sh
# Builds chart and programs of an earlier commit, so that UpgradeIT can upgrade from it: docs/develop.md#upgrades.
#
#   e2e/earlier-release.sh DIR [COMMIT]
#
# DIR is a new directory, or one that an earlier run made for this commit: then nothing is built. Afterwards:
#
#   export NUMALEDGER_EARLIER=DIR
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
fail() {
  echo "$1" >&2
  exit 1
}
[ $# -ge 1 ] && [ $# -le 2 ] || fail "usage: $0 DIR [COMMIT]"
commit=$(git -C "$here" rev-parse --quiet --verify "${2:-62d4198615bc6c637638a7f0f2c56b2f7bcbedf7}^{commit}") ||
  fail "this clone does not have the earlier commit: commit=${2:-62d41986}; fetch it, such as with git fetch --unshallow"
helm=${KUBEBUILDER_ASSETS:+$KUBEBUILDER_ASSETS/helm}
[ -x "$helm" ] || helm=$(command -v helm) || fail "there is no helm: set KUBEBUILDER_ASSETS, or put helm on the path"
mkdir -p "$1"
directory=$(cd "$1" && pwd)
revision=g$(echo "$commit" | cut -c 1-8)
if [ -f "$directory/version" ]; then
  grep -q -- "-$revision\$" "$directory/version" || fail "the directory has another commit: dir=$directory; give a new one"
  exit
fi
[ -z "$(ls -A "$directory")" ] || fail "the directory is not empty: dir=$directory; give a new one"

# A clone, whose build touches nothing of this one.
source=$(mktemp -d)
trap 'rm -rf "$source"' EXIT
git clone --quiet --shared --no-checkout "$here" "$source"
cd "$source"
git checkout --quiet "$commit"
for program in agent bridge; do
  ./numaledger rootfs "$program" "$directory/$program" >&2
  cp "images/src/main/image/$program/config.json" "$directory/$program.json"
done
version=$(sed -n 's/^version: //p' charts/numaledger/Chart.yaml)-$revision
"$helm" package charts/numaledger --version "$version" --app-version "$version" --destination "$directory" >&2
# Written last: a build that was interrupted is not used.
echo "$version" > "$directory/version"
