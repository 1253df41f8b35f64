#!/bin/sh
# Packs kubectl numa with a Java runtime into an archive for krew, and writes the manifest with the archive's checksum. Equal jars and
# an equal JDK give an equal archive. krew unpacks neither links nor times, so there is no link and no class archive in it.
set -eu
recipe=$(cd "$(dirname "$0")" && pwd)
here=$(cd "$recipe/../../../.." && pwd)
. "$recipe/progress.sh"
wrong() {
  echo "$1; see ./numaledger plugin --help" >&2
  exit 2
}
usage() {
  cat <<'U'
usage: ./numaledger plugin [--output DIR] [--jdk DIR] [--url URL]

Builds kubectl numa for this machine's architecture: an archive that needs no Java, and a manifest for krew.

  --output DIR  where to write kubectl-numa-linux-ARCH.tar.gz and numa.yaml (default: .)
  --jdk DIR     the JDK of the archive's Java runtime, 17 or later; default: $JAVA_HOME, or java on the path
  --url URL     the folder from which the archive will be downloaded, for the manifest; default: the release of git's remote "origin"
U
}
output=. url= jdk= check=no
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) usage; exit ;;
    # Only looks whether it would begin.
    --check) check=yes; shift; continue ;;
    --*=*) option=${1%%=*} value=${1#*=}; shift ;;
    *) [ $# -ge 2 ] || wrong "unknown option, or without its value: $1"
       option=$1 value=$2; shift 2 ;;
  esac
  case $option in
    --output) output=$value ;;
    --jdk) jdk=$value ;;
    --url) url=$value ;;
    *) wrong "unknown option: $option" ;;
  esac
done
case $(uname -m) in
  x86_64) arch=amd64 ;;
  aarch64) arch=arm64 ;;
  *) echo "no plugin for this machine: arch=$(uname -m); build on amd64 or arm64" >&2; exit 1 ;;
esac
umask 022
mkdir -p "$output" 2>/dev/null && [ -w "$output" ] || { echo "cannot write the output: dir=$output; set --output to another directory" >&2; exit 1; }
[ $check = no ] || exit 0
jar=$(ls "$here/scheduler-bridge/target/scheduler-bridge"-[0-9]*.jar)
version=${jar##*/scheduler-bridge-}
version=${version%.jar}
if [ -z "$url" ]; then
  origin=$(git -C "$here" config --get remote.origin.url 2>/dev/null | grep '^https://[^@]*$' || true)
  url=${origin:-https://example.com/numaledger}
  url=${url%.git}/releases/download/v$version
fi

jdk=${jdk:-${JAVA_HOME:-$(dirname "$(dirname "$(readlink -f "$(command -v java)")")")}}

work=$(mktemp -d)
trap 'end_step; rm -rf "$work"' EXIT
step "linking a Java runtime for kubectl numa"
mkdir -p "$work/numa/lib"
cp "$recipe/plugin/kubectl-numa" "$recipe/plugin/kubectl_complete-numa" "$here/LICENSE" "$work/numa/"
"$recipe/jre.sh" "$work/numa/jre" "$jdk" java.base
# The runtime's licences are links to each other. Certificates are kubectl's business.
(cd "$work/numa/jre/legal" && find . -type l | while read -r link; do cp --remove-destination "$(readlink -f "$link")" "$link"; done)
rm -f "$work/numa/jre/lib/security/cacerts"
cp "$jar" "$work/numa/lib/"
# What the views and the evaluation of a dump use; not what the bridge needs to serve.
for name in numa-model nrt-publisher placement-annotator program-base picocli slf4j-api snakeyaml snakeyaml-engine \
  jackson-annotations jackson-core jackson-databind jackson-dataformat-yaml jackson-datatype-jsr310 \
  kubernetes-client-api kubernetes-model-common kubernetes-model-core; do
  cp "$here/scheduler-bridge/target/lib/$name"-[0-9]*.jar "$work/numa/lib/"
done

step "packing kubectl numa"
archive=kubectl-numa-linux-$arch.tar.gz
tar --create --directory="$work/numa" --sort=name --mtime=2026-01-01T00:00:00Z --owner=0 --group=0 --numeric-owner \
  --mode=u+rw,go+r-w,+X --format=ustar . | gzip -n -9 >"$output/$archive"
sha256=$(sha256sum "$output/$archive" | cut -d' ' -f1)
cat >"$output/numa.yaml" <<Y
apiVersion: krew.googlecontainertools.github.com/v1alpha2
kind: Plugin
metadata:
  name: numa
spec:
  version: v$version
  homepage: ${url%/releases/download/*}
  shortDescription: Show NUMA zones, who holds them, and what fits
  description: |
    Shows what is free in each NUMA zone of each node, which pods hold it, and
    where a pod would fit or why it does not. Asks the Numaledger bridge through
    the API server, or evaluates a dump of a cluster.
  caveats: |
    The cluster needs the Numaledger bridge with its aggregated API. Without it,
    use --without-bridge. For shell completion, see docs/kubectl-numa.md.
  platforms:
  - selector:
      matchLabels:
        os: linux
        arch: $arch
    uri: $url/$archive
    sha256: $sha256
    bin: kubectl-numa
Y
end_step
echo "the plugin: archive=$output/$archive sha256=$sha256 MiB=$(($(stat -c %s "$output/$archive") >> 20)) manifest=$output/numa.yaml"
