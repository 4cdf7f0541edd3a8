#!/usr/bin/env bash
# Builds both images with buildah and runs them. Needs root, Debian's buildah and debootstrap, npm and a Node.js 24
# binary, but neither a container engine nor an image registry:
#
#   TABULARIUM_NODE24=/path/to/node test/container/verify-images.sh
#
# The base images are substitutes under the names in the Dockerfile: Debian from debootstrap, with the Node.js binary
# and this machine's npm. Builds use this machine's npm configuration and certificates, but no image contains them.
set -euo pipefail
cd "$(dirname "$0")/../.."
: "${TABULARIUM_NODE24:?must name a Node.js 24 binary}"
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
work="$(mktemp -d)"
containers=()
finish() {
  for container in "${containers[@]}"; do buildah rm "$container" > "$work/rm.log" || cat "$work/rm.log"; done
  rm -rf "$work"
}
trap finish EXIT

has_image() { buildah inspect --type image "$1" > "$work/inspect.log" 2>&1; }

make_bases() {
  local container root npm
  npm="$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")"
  debootstrap --variant=minbase bookworm "$work/debian" > "$work/debootstrap.log"
  rm -rf "$work"/debian/var/{cache/apt,lib/apt/lists}/* "$work"/debian/usr/share/{doc,man,locale}
  container="$(buildah from scratch)"
  root="$(buildah mount "$container")"
  cp -a "$work/debian/." "$root/"
  buildah commit --quiet --format docker "$container" docker.io/library/debian:bookworm-slim
  install -D "$TABULARIUM_NODE24" "$root/usr/local/bin/node"
  mkdir -p "$root/usr/local/lib/node_modules"
  cp -a "$npm" "$root/usr/local/lib/node_modules/npm"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/bin/npm"
  buildah commit --quiet --rm --format docker "$container" docker.io/library/node:24-bookworm-slim
}

build() {
  local target="$1" tag="$2" mounts=(-v /etc/ssl/certs:/etc/ssl/certs:ro) config
  config="$(npm config get globalconfig)"
  if [ -f "$config" ]; then mounts+=(-v "$config:/usr/local/etc/npmrc:ro"); fi
  buildah bud --quiet --pull-never --layers --format docker --target "$target" "${mounts[@]}" --tag "$tag" .
}

# Runs an image's command as a uid in group 0, in its own namespaces. The root is read-only; only /data is writable.
check() {
  local tag="$1" uid="$2" ports="$3" container root
  shift 3
  container="$(buildah from --pull-never "localhost/$tag")"
  containers+=("$container")
  root="$(buildah mount "$container")"
  echo "== $tag as $uid: $*"
  cp test/container/inside-image.sh "$work/inside-image.sh"
  unshare --mount --pid --net --fork --kill-child bash -euc '
    root="$1" uid="$2" ports="$3" script="$4"; shift 4
    ip link set lo up
    mount --make-rprivate /
    mount --bind "$root" /mnt && mount -o remount,bind,ro /mnt
    mount -t proc proc /mnt/proc && mount --rbind /dev /mnt/dev
    mount -t tmpfs -o mode=0775,uid=10001,gid=0 tmpfs /mnt/data
    cp "$script" /mnt/data/inside-image.sh
    exec chroot --userspec="$uid:0" /mnt /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin NODE_ENV=production \
      TABULARIUM_TABLE_HOST=0.0.0.0 TABULARIUM_LOCATION=/data PORTS="$ports" bash /data/inside-image.sh "$@"
  ' check "$root" "$uid" "$ports" "$work/inside-image.sh" "$@"
}

if ! has_image docker.io/library/node:24-bookworm-slim; then make_bases; fi
build tables tabularium
build full tabularium:full
buildah images | grep tabularium
buildah inspect --type image --format '{{.Docker.Config.User}} {{.Docker.Config.Healthcheck}} {{.Docker.Config.Labels}}' localhost/tabularium

hosts=(--blobHost 0.0.0.0 --queueHost 0.0.0.0 --tableHost 0.0.0.0)
check tabularium 10001 10002 tabularium
check tabularium 54321 10002 azurite-table -l /data
check tabularium 54321 10002 azurite "${hosts[@]}" --inMemoryPersistence --extentMemoryLimit 64.000000
check tabularium:full 10001 "10000 10001 10002" azurite
check tabularium:full 54321 "10000 10001 10002" azurite -l /data "${hosts[@]}" --skipApiVersionCheck
check tabularium:full 54321 "10000 10001 10002" azurite "${hosts[@]}" --inMemoryPersistence --extentMemoryLimit 64
check tabularium:full 10001 10000 azurite-blob --blobHost 0.0.0.0 --blobPort 10000
echo 'all checks passed'
