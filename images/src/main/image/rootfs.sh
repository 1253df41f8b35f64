#!/bin/sh
# Makes a program's root file system in a directory: a Java runtime with only the modules that the program needs, the jars, the C
# libraries of both, the flags of java.args and a class archive made with this runtime. An image is packed from it unchanged,
# with the entry point, the user and the environment of config.json. Needs a JDK 17 or later, and root or user namespaces.
set -eu
recipe=$(cd "$(dirname "$0")" && pwd)
here=$(cd "$recipe/../../../.." && pwd)
usage() {
  echo "usage: ./numaledger rootfs agent|bridge DIR [--jdk DIR] [--without-archive]" >&2
  exit 2
}
program=${1:-} root=${2:-}
[ $# -ge 2 ] || usage
shift 2
jdk=${JAVA_HOME:-$(dirname "$(dirname "$(readlink -f "$(command -v java)")")")}
archive=yes
while [ $# -gt 0 ]; do
  case $1 in
    --jdk) [ $# -ge 2 ] || usage; jdk=$2; shift ;;
    --jdk=*) jdk=${1#--jdk=} ;;
    --without-archive) archive=no ;;
    *) usage ;;
  esac
  shift
done
case $program in
  agent) module=agent ;;
  bridge) module=scheduler-bridge ;;
  *) usage ;;
esac
umask 022
mkdir -p "$root"
root=$(cd "$root" && pwd)
[ -z "$(ls -A "$root")" ] || { echo "the directory is not empty: dir=$root; give a new one" >&2; exit 1; }
[ $archive = no ] || [ "$(id -u)" = 0 ] || unshare --map-root-user --mount true ||
  { echo "the class archive is made by chroot: user=$(id -un); run as root, or allow user namespaces" >&2; exit 1; }

# A JDK without jmods links from its own runtime, if it was built for that.
java=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$jdk/release")
set -- --output "$root/jre" --strip-debug --no-header-files --no-man-pages
if [ -d "$jdk/jmods" ]; then
  set -- --module-path "$jdk/jmods" "$@"
elif ! "$jdk/bin/jlink" --help | grep -q 'run-time image enabled'; then
  echo "this Java cannot link a runtime: jdk=$jdk; install a whole JDK with jmods, or set --jdk or JAVA_HOME" >&2
  exit 1
fi
"$jdk/bin/jlink" "$@" \
  --add-modules java.base,java.logging,java.management,java.naming,java.net.http,java.security.jgss,java.xml,jdk.management,jdk.unsupported,jdk.crypto.ec
# jlink leaves out who made the runtime.
grep -e ^IMPLEMENTOR= -e ^JAVA_RUNTIME_VERSION= "$jdk/release" >>"$root/jre/release"
# A program trusts the CA of its cluster, or the one that it is given; reading all others costs each of them a megabyte.
rm "$root/jre/lib/security/cacerts"

mkdir -p "$root/app" "$root/lib-java" "$root/etc" "$root/proc" "$root/dev" "$root/sys" "$root/tmp" \
  "$root/var/run/secrets/kubernetes.io/serviceaccount"
[ "$program" != agent ] || mkdir -p "$root/host/sys" "$root/var/lib/kubelet/pod-resources"
[ "$program" != bridge ] || mkdir -p "$root/tls"
for jar in "$here/$module/target/$module"-*.jar "$here/$module"/target/lib/*.jar; do
  name=${jar##*/}
  case $name in
    *-sources.jar | *-tests.jar) ;;
    # A jar of this project has the name of one of its modules.
    *) if [ -d "$here/${name%%-[0-9]*}" ]; then cp "$jar" "$root/app/"; else cp "$jar" "$root/lib-java/"; fi ;;
  esac
done

# JNA finds its C half unpacked: nothing is written at run time.
jna=$(find "$root/lib-java" -name 'jna-*.jar')
if [ -n "$jna" ]; then
  case $(uname -m) in
    x86_64) arch=linux-x86-64 ;;
    aarch64) arch=linux-aarch64 ;;
    *) echo "no JNA for this machine: arch=$(uname -m)" >&2; exit 1 ;;
  esac
  mkdir -p "$root/lib-native"
  (cd "$root/lib-native" && "$jdk/bin/jar" xf "$jna" "com/sun/jna/$arch/libjnidispatch.so" && mv "com/sun/jna/$arch/libjnidispatch.so" . && rm -r com)
fi

# Every C library that is linked to, and the loader, at the paths where they are looked for.
libraries=$(find "$root/jre" "$root"/lib-* -type f \( -name '*.so' -o -name java \) -exec ldd {} \; 2>/dev/null |
  sed -n 's|^[^/]*\(/[^ ]*\) (0x.*|\1|p' | grep -v "^$root/" | LC_ALL=C sort -u)
for library in $libraries; do
  mkdir -p "$root$(dirname "$library")"
  cp -L "$library" "$root$library"
done
{
  printf 'root:x:0:0:root:/:/\n'
  printf 'nonroot:x:65532:65532:nonroot:/:/\n'
} >"$root/etc/passwd"
printf 'root:x:0:\nnonroot:x:65532:\n' >"$root/etc/group"
printf 'hosts: files dns\n' >"$root/etc/nsswitch.conf"

# One file of flags for java's @, so that the entry point is the program and all arguments are the program's.
{
  if [ "$java" -ge 25 ]; then
    printf '%s\n' "-XX:AOTCache=/$program.aot" -XX:+UseCompactObjectHeaders --enable-native-access=ALL-UNNAMED
  else
    printf '%s\n' "-XX:SharedArchiveFile=/$program.jsa"
  fi
  sed "s|@CLASSPATH@|$(cd "$root" && LC_ALL=C ls -d app/*.jar lib-java/*.jar | sed 's|^|/|' | paste -sd: -)|" "$recipe/$program/java.args"
} >"$root/$program.args"

# The bill of materials, with the Debian packages of the C libraries where there are some.
distribution=$(sed -n 's/^ID=//p' /etc/os-release)
set --
for library in $libraries; do
  package=$(dpkg-query -S "$library" "/usr$library" 2>/dev/null | sed 's/: .*//') || true
  [ -z "$package" ] || set -- "$@" --package \
    "$(dpkg-query -W -f "pkg:deb/$distribution/\${Package}@\${Version}?arch=\${Architecture}" "$package" | sed 's/+/%2B/g')"
done
"${NUMALEDGER:-$here/numaledger}" images sbom "$root" --dependencies "$here/$module/target/sbom.json" "$@"

# The class archive holds the times of the jars, and an image has the same time for all files.
find "$root" -exec touch -h -d 2026-01-01T00:00:00Z {} +
[ $archive = no ] || "${NUMALEDGER:-$here/numaledger}" images "train-$program" "$root"
du -sm "$root" | cut -f1 | sed "s|.*|the root file system: program=$program java=$java dir=$root MiB=&|"
