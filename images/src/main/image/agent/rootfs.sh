#!/bin/sh
# Makes the agent's root file system in a directory: a Java runtime with only the modules that the agent needs, the jars, the C
# libraries of both, and a class archive made with this runtime. An image is packed from it unchanged, with the entry point and
# the environment of config.json beside this file. Needs root for chroot, and a JDK with jmods.
set -eu
here=$(cd "$(dirname "$0")/../../../../.." && pwd)
[ $# = 1 ] || { echo "usage: ./numaledger rootfs DIR" >&2; exit 2; }
mkdir -p "$1"
root=$(cd "$1" && pwd)
[ -z "$(ls -A "$root")" ] || { echo "the directory is not empty: dir=$root; give a new one" >&2; exit 1; }
[ "$(id -u)" = 0 ] || { echo "the class archive is made by chroot: user=$(id -un); run as root" >&2; exit 1; }
jdk=${JAVA_HOME:-$(dirname "$(dirname "$(readlink -f "$(command -v java)")")")}
[ -d "$jdk/jmods" ] || { echo "this Java has no jmods: jdk=$jdk; install a whole JDK, or set JAVA_HOME" >&2; exit 1; }

"$jdk/bin/jlink" --module-path "$jdk/jmods" --output "$root/jre" --strip-debug --no-header-files --no-man-pages \
  --add-modules java.base,java.logging,java.management,java.naming,java.net.http,java.security.jgss,java.xml,jdk.management,jdk.unsupported,jdk.crypto.ec
# An agent trusts the CA of its cluster, or the one that it is given; reading all others costs each of them a megabyte.
rm "$root/jre/lib/security/cacerts"

mkdir -p "$root/lib-java" "$root/etc" "$root/proc" "$root/dev" "$root/tmp" "$root/host/sys" "$root/var/lib/kubelet/pod-resources" \
  "$root/var/run/secrets/kubernetes.io/serviceaccount"
cp "$here"/agent/target/agent-*-SNAPSHOT.jar "$here"/agent/target/lib/*.jar "$root/lib-java/"
rm -f "$root"/lib-java/*-sources.jar "$root"/lib-java/*-tests.jar
# The same order at each build, since the archive holds the class path.
classpath=$(cd "$root" && ls lib-java/*.jar | sort | sed 's|^|/|' | paste -sd: -)

# JNA finds its C half unpacked: nothing is written at run time.
jna=$(ls "$root"/lib-java/jna-*.jar)
case $(uname -m) in
  x86_64) arch=linux-x86-64 ;;
  aarch64) arch=linux-aarch64 ;;
  *) echo "no JNA for this machine: arch=$(uname -m)" >&2; exit 1 ;;
esac
mkdir -p "$root/lib-native"
(cd "$root/lib-native" && "$jdk/bin/jar" xf "$jna" "com/sun/jna/$arch/libjnidispatch.so" && mv "com/sun/jna/$arch/libjnidispatch.so" . && rm -r com)

# Every C library that is linked to, and the loader, at the paths where they are looked for.
find "$root/jre/bin/java" "$root/jre/lib" "$root/lib-native" -type f \( -name '*.so' -o -name java \) -exec ldd {} \; 2>/dev/null |
  sed -n 's|^[^/]*\(/[^ ]*\) (0x.*|\1|p' | grep -v "^$root/" | sort -u | while read -r library; do
  mkdir -p "$root$(dirname "$library")"
  cp -L "$library" "$root$library"
done
printf 'root:x:0:0:root:/:/\n' >"$root/etc/passwd"
printf 'root:x:0:\n' >"$root/etc/group"
printf 'hosts: files dns\n' >"$root/etc/nsswitch.conf"

# One file of flags for java's @, so that the entry point is the program and all arguments are the agent's.
cat >"$root/agent.args" <<ARGS
-XX:SharedArchiveFile=/agent.jsa
-XX:+UnlockDiagnosticVMOptions
-XX:ArchiveRelocationMode=0
-XX:+UseSerialGC
-XX:TieredStopAtLevel=1
-XX:CompileThresholdScaling=8
-XX:CICompilerCount=1
-XX:StringTableSize=8192
-XX:AsyncDeflationInterval=60000
-XX:GuaranteedSafepointInterval=0
-Xss256k
-XX:-UsePerfData
-Xms6m
-Xmx48m
-Xmn2m
-XX:MinHeapFreeRatio=10
-XX:MaxHeapFreeRatio=25
-XX:MaxMetaspaceSize=64m
-XX:ReservedCodeCacheSize=24m
-XX:+ExitOnOutOfMemoryError
-Dio.netty.allocator.type=unpooled
-Dio.netty.noPreferDirect=true
-Djdk.internal.httpclient.selectorTimeout=60000
-Djna.boot.library.path=/lib-native
-Djna.nounpack=true
-cp
$classpath
io.numaledger.agent.AgentMain
ARGS

"$here/numaledger" images train-agent "$root"
du -sm "$root" | cut -f1 | sed "s|.*|the agent's root file system: dir=$root MiB=&|"
