#!/bin/sh
# Links a Java runtime that has only some modules: jre.sh DIR JDK MODULES [LINKER]
# LINKER is a JDK for this machine, where JDK is for another architecture.
set -eu
output=$1 jdk=$2 modules=$3 linker=${4:-$2}
# A JDK without jmods links from its own runtime, if it was built for that.
set -- --output "$output" --strip-java-debug-attributes --no-header-files --no-man-pages --add-modules "$modules"
if [ -d "$jdk/jmods" ]; then
  set -- --module-path "$jdk/jmods" "$@"
elif ! "$linker/bin/jlink" --help | grep -q 'run-time image enabled'; then
  echo "this Java cannot link a runtime: jdk=$jdk; install a whole JDK with jmods, or set --jdk or JAVA_HOME" >&2
  exit 1
fi
"$linker/bin/jlink" "$@"
