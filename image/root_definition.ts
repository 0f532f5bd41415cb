/** The Debian release that the machine is made of. */
export const SUITE = "trixie";

/** Packages whose files the root tree is picked from. Nothing else of them is kept than what the lists below name. */
export const ROOT_PACKAGES = [
  "base-files", // common licences
  "ca-certificates",
  "containerd",
  "etcd-server",
  "libblkid1",
  "libc6",
  "libcryptsetup12",
  "libgcc-s1",
  "libkmod2",
  "liblzma5", // libkmod opens it for compressed modules
  "libmnl0",
  "libnftables1",
  "libnl-3-200",
  "libnl-genl-3-200",
  "libnl-route-3-200",
  "runc",
] as const;

/** The kernel for virtual machines, with its modules. Only the images have it; a container uses its host's kernel. */
export const KERNEL_PACKAGE = "linux-image-cloud-amd64";

/** All programs of the machine besides ours. No shell, no package manager, no init system. */
export const PROGRAMS = [
  "usr/bin/containerd",
  "usr/bin/containerd-shim-runc-v2",
  "usr/bin/etcd",
  "usr/bin/etcdutl", // restores snapshots
  "usr/sbin/runc",
] as const;

/** Where Debian keeps libraries. */
export const LIBRARY_FOLDER = "usr/lib/x86_64-linux-gnu";

/** What our program opens, or needs to start; what these need in turn is found in the files. */
export const LIBRARIES = [
  "ld-linux-x86-64.so.2",
  "libblkid.so.1",
  "libc.so.6",
  "libcryptsetup.so.12",
  "libdl.so.2",
  "libgcc_s.so.1",
  "libkmod.so.2",
  "liblzma.so.5",
  "libm.so.6",
  "libmnl.so.0",
  "libnftables.so.1",
  "libnl-3.so.200",
  "libnl-genl-3.so.200",
  "libnl-route-3.so.200",
  "libpthread.so.0",
  "librt.so.1",
  "libzstd.so.1",
] as const;

/** Symbolic links: path, then where it points. */
export const LINKS: readonly (readonly [string, string])[] = [
  ["bin", "usr/bin"],
  ["sbin", "usr/sbin"],
  ["lib", "usr/lib"],
  ["lib64", "usr/lib64"],
  ["usr/lib64/ld-linux-x86-64.so.2", "../lib/x86_64-linux-gnu/ld-linux-x86-64.so.2"],
  ["usr/bin/monosctl", "monos"],
  ["usr/sbin/init", "../bin/monos"],
  ["usr/sbin/poweroff", "../bin/monos"], // the kernel calls it on orderly_poweroff(), e.g. when too hot
  ["etc/os-release", "../usr/lib/os-release"],
  ["etc/mtab", "../proc/self/mounts"],
  ["var/run", "../run"],
];

/** Folders, most of them to mount something on: the machine's root is read-only. */
export const FOLDERS = [
  "dev",
  "etc/cni/net.d",
  "etc/containerd",
  "etc/kubernetes",
  "opt/cni/bin",
  "proc",
  "root",
  "run",
  "sys",
  "system/etc",
  "system/run",
  "system/state",
  "system/var",
  "tmp",
  "usr/lib/firmware",
  "usr/lib/modules",
  "usr/local/etc/talos", // a config that came with the boot medium
  "var/lib",
  "var/log",
] as const;

/** Files that nothing in the packages holds ready. */
export const FILES: Readonly<Record<string, string>> = {
  "etc/group": "root:x:0:\nnogroup:x:65534:\n",
  "etc/hostname": "",
  "etc/hosts": "127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n",
  "etc/ld.so.conf": "/usr/local/lib\n/usr/lib/x86_64-linux-gnu\n",
  "etc/machine-id": "",
  "etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n",
  "etc/passwd": "root:x:0:0:root:/root:/usr/sbin/nologin\nnobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n",
  "etc/resolv.conf": "",
  "usr/bin/monos": "", // ours is put over it: by a bind mount in a machine, by the overlay in a container
  "usr/lib/os-release": 'NAME="Monos"\nID=monos\nID_LIKE=debian\nPRETTY_NAME="Monos"\nVERSION_CODENAME=trixie\n',
};
