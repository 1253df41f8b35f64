#!/bin/sh
# Packs kubectl numa into two archives: for Linux with a Java runtime, and for any system that has Java. Writes the manifest for krew with
# their checksums. Equal jars and an equal JDK give equal archives. krew unpacks neither links nor times, so there is no link and no class
# archive in them. On Windows krew runs only programs in .exe files, so that its manifest does not have Windows.
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

Builds kubectl numa: an archive for Linux on this machine's architecture that needs no Java, one for macOS, Windows and others
with Java 17 or later, and a manifest for krew.

  --output DIR  where to write kubectl-numa-linux-ARCH.tar.gz, kubectl-numa-java.tar.gz and numa.yaml (default: .)
  --jdk DIR     the JDK of the first archive's Java runtime, 17 or later; default: $JAVA_HOME, or java on the path
  --url URL     the folder from which the archives will be downloaded, for the manifest; default: the release of git's remote "origin"
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
  x86_64) arch=amd64 other=arm64 ;;
  aarch64) arch=arm64 other=amd64 ;;
  *) echo "no plugin for this machine: arch=$(uname -m); build on amd64 or arm64" >&2; exit 1 ;;
esac
umask 022
mkdir -p "$output" 2>/dev/null && [ -w "$output" ] || { echo "cannot write the output: dir=$output; set --output to another directory" >&2; exit 1; }
[ $check = no ] || exit 0
module=$here/kubectl-numa
jar=$(ls "$module/target/kubectl-numa"-[0-9]*.jar)
version=${jar##*/kubectl-numa-}
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
mkdir -p "$work/numa/lib" "$work/java"
cp "$recipe/plugin/kubectl-numa" "$recipe/plugin/kubectl_complete-numa" "$here/LICENSE" "$work/numa/"
"$recipe/jre.sh" "$work/numa/jre" "$jdk" java.base
# The runtime's licences are links to each other. Certificates are kubectl's business.
(cd "$work/numa/jre/legal" && find . -type l | while read -r link; do cp --remove-destination "$(readlink -f "$link")" "$link"; done)
rm -f "$work/numa/jre/lib/security/cacerts"
cp "$jar" "$work/numa/lib/"
# Our jars, and what the views and the evaluation of a dump use; not what only a server or a client of the API server needs.
for each in "$module"/target/lib/*-[0-9]*.jar; do
  name=${each##*/}
  [ ! -d "$here/${name%%-[0-9]*}" ] || cp "$each" "$work/numa/lib/"
done
for name in picocli slf4j-api snakeyaml snakeyaml-engine jackson-annotations jackson-core jackson-databind \
    jackson-dataformat-yaml jackson-datatype-jsr310 kubernetes-client-api kubernetes-model-apps kubernetes-model-batch \
    kubernetes-model-common kubernetes-model-core; do
  cp "$module/target/lib/$name"-[0-9]*.jar "$work/numa/lib/"
done

step "packing kubectl numa"
cp -r "$work/numa/lib" "$work/numa/LICENSE" "$recipe"/plugin/* "$work/java/"

# pack DIR ARCHIVE: prints the checksum
pack() {
  tar --create --directory="$1" --sort=name --mtime=2026-01-01T00:00:00Z --owner=0 --group=0 --numeric-owner \
    --mode=u+rw,go+r-w,+X --format=ustar . | gzip -n -9 >"$output/$2"
  sha256sum "$output/$2" | cut -d' ' -f1
}
archive=kubectl-numa-linux-$arch.tar.gz
sha256=$(pack "$work/numa" "$archive")
java_archive=kubectl-numa-java.tar.gz
java_sha256=$(pack "$work/java" "$java_archive")

# platform OS ARCH ARCHIVE CHECKSUM
platform() {
  cat <<Y
  - selector:
      matchLabels:
        os: $1
        arch: $2
    uri: $url/$3
    sha256: $4
    bin: kubectl-numa
Y
}
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
    use --without-bridge. Elsewhere than on Linux it needs Java 17 or later.
  platforms:
$(platform linux "$arch" "$archive" "$sha256")
$(for each in "linux $other" "darwin amd64" "darwin arm64"; do platform "${each% *}" "${each#* }" "$java_archive" "$java_sha256"; done)
Y
end_step
for each in "$archive" "$java_archive"; do
  echo "the plugin: archive=$output/$each sha256=$(sha256sum "$output/$each" | cut -d' ' -f1) MiB=$(($(stat -c %s "$output/$each") >> 20))"
done
echo "its manifest for krew: file=$output/numa.yaml"
