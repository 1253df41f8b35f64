#!/bin/sh
# Downloads the Kubernetes binaries for the tests from the official release pages, and checks their checksums.
#
#   e2e/kubernetes-binaries.sh DIR
#
# Binaries that are already in DIR are not downloaded again. Afterwards:
#
#   export KUBEBUILDER_ASSETS=DIR
set -eu

kubernetes=${KUBERNETES_VERSION:-v1.36.3}
oldest=${OLDEST_KUBELET_VERSION:-v1.33.13}
etcd=${ETCD_VERSION:-v3.6.16}
helm=${HELM_VERSION:-v4.3.1}

# Mirrors have the same paths.
kubernetes_url=${KUBERNETES_URL:-https://dl.k8s.io/release}
etcd_url=${ETCD_URL:-https://github.com/etcd-io/etcd/releases/download}
helm_url=${HELM_URL:-https://get.helm.sh}

fail() {
  echo "$1" >&2
  exit 1
}

[ $# -eq 1 ] || fail "usage: $0 DIR"
case $(uname -m) in
  x86_64) arch=amd64 ;;
  aarch64) arch=arm64 ;;
  *) fail "no Kubernetes binaries for this machine: architecture=$(uname -m)" ;;
esac
mkdir -p "$1"
dir=$(cd "$1" && pwd)
part=$(mktemp -d "$dir/.part.XXXXXX")
trap 'rm -rf "$part"' EXIT
trap 'exit 1' INT TERM

# fetch URL FILE
fetch() {
  echo "downloading $1" >&2
  curl --fail --silent --show-error --location --retry 3 --output "$part/$2" "$1" \
    || fail "cannot download: url=$1; check the connection, or name a mirror in KUBERNETES_URL, ETCD_URL or HELM_URL"
}

# check FILE SUM URL
check() {
  sum=$(sha256sum "$part/$1" | cut -d ' ' -f 1)
  [ "$sum" = "$2" ] || fail "wrong checksum: url=$3 expected=$2 got=$sum; nothing was installed from it, try again"
}

# binary VERSION NAME TARGET
binary() {
  [ ! -x "$dir/$3" ] || return 0
  url=$kubernetes_url/$1/bin/linux/$arch/$2
  fetch "$url" "$3"
  fetch "$url.sha256" "$3.sha256"
  check "$3" "$(cut -d ' ' -f 1 "$part/$3.sha256")" "$url"
  install -m 755 "$part/$3" "$dir/$3"
}

# packed URL SUMS-URL ARCHIVE MEMBER NAME
packed() {
  [ ! -x "$dir/$5" ] || return 0
  fetch "$1" "$3"
  fetch "$2" sums
  check "$3" "$(awk -v name="$3" 'NF == 1 || $2 == name || $2 == "*" name { print $1 }' "$part/sums")" "$1"
  tar -xzf "$part/$3" -C "$part" "$4"
  install -m 755 "$part/$4" "$dir/$5"
}

for name in kube-apiserver kube-controller-manager kube-scheduler kubelet kubectl; do
  binary "$kubernetes" "$name" "$name"
done
binary "$oldest" kubelet "kubelet-$(echo "$oldest" | cut -d . -f 1-2 | tr -d v)"
archive=etcd-$etcd-linux-$arch
packed "$etcd_url/$etcd/$archive.tar.gz" "$etcd_url/$etcd/SHA256SUMS" "$archive.tar.gz" "$archive/etcd" etcd
archive=helm-$helm-linux-$arch.tar.gz
packed "$helm_url/$archive" "$helm_url/$archive.sha256sum" "$archive" "linux-$arch/helm" helm
echo "$dir"
