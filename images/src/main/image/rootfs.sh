#!/bin/sh
# Makes a program's root file system in a directory: a Java runtime with only the modules that the program needs, the jars, the C
# libraries of both, the flags of java.args and a class archive made with this runtime. An image is packed from it unchanged,
# with the entry point, the user and the environment of config.json. Needs a JDK 17 or later, and root or user namespaces.
set -eu
recipe=$(cd "$(dirname "$0")" && pwd)
here=$(cd "$recipe/../../../.." && pwd)
. "$recipe/progress.sh"
wrong() {
  echo "$1; see ./numaledger rootfs --help" >&2
  exit 2
}
case " $* " in *' -h '* | *' --help '*)
  echo "usage: ./numaledger rootfs agent|bridge DIR [--jdk DIR] [--arch amd64|arm64 --sysroot DIR] [--without-archive] [--check]"
  exit ;;
esac
program=${1:-} root=${2:-}
case $root in '' | -*) wrong "no program or no directory" ;; esac
shift 2
linker=${JAVA_HOME:-$(dirname "$(dirname "$(readlink -f "$(command -v java)")")")}
jdk= arch= sysroot= archive=yes check=no
while [ $# -gt 0 ]; do
  case $1 in
    --without-archive) archive=no; shift; continue ;;
    # Only looks whether it would begin.
    --check) check=yes; shift; continue ;;
    --*=*) option=${1%%=*} value=${1#*=}; shift ;;
    *) [ $# -ge 2 ] || wrong "unknown option, or without its value: $1"; option=$1 value=$2; shift 2 ;;
  esac
  case $option in
    --jdk) jdk=$value ;;
    --arch) arch=$value ;;
    --sysroot) sysroot=$value ;;
    *) wrong "unknown option: $option" ;;
  esac
done
# Both programs need less memory with Java 17: docs/adr/0011-java-17-and-25-in-the-images.md.
case $program in
  agent) module=agent ;;
  bridge) module=scheduler-bridge ;;
  *) wrong "unknown program: $program; give agent or bridge" ;;
esac
if [ -z "$jdk" ]; then
  jdk=$linker
  [ -n "${JAVA_HOME:-}" ] || for each in /usr/lib/jvm/*; do
    [ ! -x "$each/bin/jlink" ] || ! grep -q "^JAVA_VERSION=\"17[.\"]" "$each/release" || jdk=$each
  done
fi
case $arch in
  '') target=$(uname -m) ;;
  amd64) target=x86_64 ;;
  arm64) target=aarch64 ;;
  *) echo "unknown architecture: arch=$arch; give amd64 or arm64" >&2; exit 1 ;;
esac
[ -f "$jdk/release" ] || { echo "this is no JDK: jdk=$jdk; set --jdk or JAVA_HOME" >&2; exit 1; }
is=$(sed -n 's/^OS_ARCH="\(.*\)"/\1/p' "$jdk/release")
if [ "$is" != "$target" ]; then
  echo "the JDK is for another architecture: jdk=$jdk is=$is wanted=$target; set --jdk to one for $target, see docs/develop.md" >&2
  exit 1
elif [ "$target" = "$(uname -m)" ]; then
  linker=$jdk sysroot=
else
  # The class archive is made by running the program.
  archive=none
  [ -d "$sysroot/lib" ] || { echo "the C libraries for $target are missing: set --sysroot to a directory with them, see docs/develop.md" >&2; exit 1; }
  [ -d "$jdk/jmods" ] || { echo "the JDK has no jmods: jdk=$jdk; another architecture's runtime is linked from them" >&2; exit 1; }
fi
umask 022
mkdir -p "$root" 2>/dev/null && [ -w "$root" ] || { echo "cannot write the root file system: dir=$root; give another directory" >&2; exit 1; }
root=$(cd "$root" && pwd)
[ -z "$(ls -A "$root")" ] || { echo "the directory is not empty: dir=$root; give a new one" >&2; exit 1; }
[ $archive != yes ] || [ "$(id -u)" = 0 ] || unshare --map-root-user --mount true ||
  { echo "the class archive is made by chroot: user=$(id -un); run as root, or allow user namespaces" >&2; exit 1; }
[ $check = no ] || exit 0

trap end_step EXIT
step "linking a Java runtime for the $program"
java=$(sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$jdk/release")
"$recipe/jre.sh" "$root/jre" "$jdk" \
  java.base,java.logging,java.management,java.naming,java.net.http,java.security.jgss,java.xml,jdk.management,jdk.unsupported,jdk.crypto.ec \
  "$linker"
# jlink leaves out who made the runtime.
grep -e ^IMPLEMENTOR= -e ^JAVA_RUNTIME_VERSION= "$jdk/release" >>"$root/jre/release"
# The runtime has these providers. Java looks for any other in all jars, and so would start BouncyCastle's, which costs 12 MiB.
sed -i -E '/^security\.provider\.[0-9]+=/{/=(SUN|SunRsaSign|SunEC|SunJSSE|SunJCE)$/!d}' "$root/jre/conf/security/java.security"
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
  case $target in
    x86_64) arch=linux-x86-64 ;;
    aarch64) arch=linux-aarch64 ;;
    *) echo "no JNA for this machine: arch=$target" >&2; exit 1 ;;
  esac
  mkdir -p "$root/lib-native"
  (cd "$root/lib-native" && "$linker/bin/jar" xf "$jna" "com/sun/jna/$arch/libjnidispatch.so" && mv "com/sun/jna/$arch/libjnidispatch.so" . && rm -r com)
fi

step "copying C libraries"
# Every C library that is linked to, and the loader, at the paths where they are looked for.
copy() {
  mkdir -p "$root$(dirname "$1")"
  cp -L "$sysroot$1" "$root$1"
}
binaries() {
  find "$root" -type f \( -name '*.so*' -o -name java \) "$@" 2>/dev/null
}
# The names of the libraries that are linked to, and are not in the root.
missing() {
  binaries -exec readelf --dynamic {} + | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u | while read -r name; do
    [ -n "$(find "$root" -name "$name")" ] || echo "$name"
  done
}
if [ -z "$sysroot" ]; then
  for library in $(binaries -exec ldd {} \; | sed -n 's|^[^/]*\(/[^ ]*\) (0x.*|\1|p' | grep -v "^$root/" | sort -u); do
    copy "$library"
  done
else
  # ldd runs the loader, and so knows this machine's architecture only.
  copy "$(readelf --program-headers "$root/jre/bin/java" | sed -n 's/.*interpreter: \(.*\)]/\1/p')"
  while names=$(missing) && [ -n "$names" ]; do
    for name in $names; do
      library=$(find "$sysroot/lib/" "$sysroot/usr/lib/" -name "$name" -path "*$target*" | head -n 1)
      [ -n "$library" ] || { echo "a C library is missing: name=$name sysroot=$sysroot" >&2; exit 1; }
      copy "${library#"$sysroot"}"
    done
  done
fi
{
  printf 'root:x:0:0:root:/:/\n'
  printf 'nonroot:x:65532:65532:nonroot:/:/\n'
} >"$root/etc/passwd"
printf 'root:x:0:\nnonroot:x:65532:\n' >"$root/etc/group"
printf 'hosts: files dns\n' >"$root/etc/nsswitch.conf"

# One file of flags for java's @, so that the entry point is the program and all arguments are the program's.
{
  if [ $archive = none ]; then
    :
  elif [ "$java" -ge 25 ]; then
    printf '%s\n' "-XX:AOTCache=/$program.aot"
  else
    printf '%s\n' "-XX:SharedArchiveFile=/$program.jsa"
  fi
  [ "$java" -lt 25 ] || printf '%s\n' -XX:+UseCompactObjectHeaders --enable-native-access=ALL-UNNAMED
  sed "s|@CLASSPATH@|$(cd "$root" && LC_ALL=C ls -d app/*.jar lib-java/*.jar | sed 's|^|/|' | paste -sd: -)|" "$recipe/$program/java.args"
} >"$root/$program.args"

# The program's name on the path, as kubectl exec needs it. The kernel runs it by its first line; there is no shell.
mkdir -p "$root/bin"
printf '#!/jre/bin/java @/%s.args\n' "$program" >"$root/bin/$program"
chmod 755 "$root/bin/$program"

step "writing the bill of materials"
# The bill of materials, with the Debian packages of the C libraries where there are some.
distribution=$(cat "$sysroot/etc/os-release" /etc/os-release 2>/dev/null | sed -n 's/^ID=//p' | head -n 1)
database=$sysroot/var/lib/dpkg
set --
for library in $(cd "$root" && find lib lib64 usr -type f 2>/dev/null); do
  package=$(dpkg-query --admindir="$database" -S "/$library" "/usr/$library" 2>/dev/null | sed 's/: .*//') || true
  [ -z "$package" ] || set -- "$@" --package "$(dpkg-query --admindir="$database" -W \
    -f "pkg:deb/$distribution/\${Package}@\${Version}?arch=\${Architecture}" "$package" | sed 's/+/%2B/g')"
done
"${NUMALEDGER:-$here/numaledger}" images sbom "$root" --dependencies "$here/$module/target/sbom.json" "$@"

# The class archive holds the times of the jars, and an image has the same time for all files.
find "$root" -exec touch -h -d 2026-01-01T00:00:00Z {} +
if [ $archive = yes ]; then
  step "running the $program for its class archive"
  log=$("${NUMALEDGER:-$here/numaledger}" images "train-$program" "$root" 2>&1) || { echo "$log" >&2; exit 1; }
fi
end_step
du -sm "$root" | cut -f1 | sed "s|.*|the root file system: program=$program java=$java jdk=$jdk arch=$target dir=$root MiB=&|"
