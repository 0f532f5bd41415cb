#!/bin/sh
# Runs a command with another tree as its root: in a mount namespace of its own, as mkosi wants "/" to be a mount point.
# Usage: unshare --mount in_tools_root.sh TOOLS_ROOT SHARED_FOLDER COMMAND…
# SHARED_FOLDER is at the same path inside.
set -eu
tools=$1 shared=$2
shift 2
mount --make-rprivate /
mount --bind "$tools" "$tools"
for folder in dev proc sys; do mount --rbind "/$folder" "$tools/$folder"; done
mount -t tmpfs tmpfs "$tools/tmp"
mount -t tmpfs tmpfs "$tools/run"
mkdir -p "$tools$shared"
mount --rbind "$shared" "$tools$shared"
cd "$tools"
mkdir -p .old-root
pivot_root . .old-root
cd /
umount -l /.old-root
exec "$@"
