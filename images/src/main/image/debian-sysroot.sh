#!/bin/sh
# Unpacks Debian packages of another architecture in a new directory: a JDK, and the C libraries that it links to. With it,
# ./numaledger image builds an image for that architecture. Needs Debian's apt; leaves the packages of this machine alone.
set -eu
[ $# = 2 ] || { echo "usage: debian-sysroot.sh DIR amd64|arm64" >&2; exit 2; }
directory=$1 arch=$2
mkdir -p "$directory"
directory=$(cd "$directory" && pwd)
[ -z "$(ls -A "$directory")" ] || { echo "the directory is not empty: dir=$directory; give a new one" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$directory/var/lib/dpkg/info"
apt() {
  apt-get -qq -o APT::Architecture="$arch" -o APT::Architectures="$arch" -o Dir::State::Lists="$work/lists" \
    -o Dir::State::Status=/dev/null -o Dir::Cache="$work/cache" -o APT::Sandbox::User=root "$@"
}
apt update
(cd "$work" && apt download openjdk-17-jdk-headless openjdk-17-jre-headless libc6 libgcc-s1 libstdc++6 zlib1g)
# With a database of the packages, so that dpkg-query tells which one a file is from.
echo 1 >"$directory/var/lib/dpkg/info/format"
for package in "$work"/*.deb; do
  dpkg-deb --extract "$package" "$directory"
  { dpkg-deb --field "$package"; printf 'Status: install ok installed\n\n'; } >>"$directory/var/lib/dpkg/status"
  name=$(dpkg-deb --field "$package" Package)
  ! dpkg-deb --field "$package" Multi-Arch | grep -qx same || name=$name:$arch
  dpkg-deb --fsys-tarfile "$package" | tar --list | sed 's|^\.||; s|/$||; /^$/d' >"$directory/var/lib/dpkg/info/$name.list"
done
