#!/bin/sh
# First process of a lab host: makes the host's own view of the file system, then becomes its init.
#
# Runs as PID 1 in new mount, UTS, IPC and PID namespaces (hosts.py starts it with unshare) and in the
# host's network namespace. Arguments: NAME FOLDER STORE MODELS
# What a host sees: the machine's /usr (read-only), its own /etc /root /home /tmp /run /var, the models,
# the image store. It does not see the machine's /root, /opt, checkouts, or /usr/local/bin:
# a machine may have a `docker` client there ("Cannot connect to the Docker daemon", 2026-11-30).
set -eu
name=$1 folder=$2 store=$3 models=$4

mount --make-rprivate /
hostname "$name"

root=$folder/view
mount -t tmpfs -o mode=755,size=64m "lab-$name" "$root"
for dir in usr etc root home tmp run var dev proc sys srv opt mnt old; do mkdir "$root/$dir"; done
for dir in bin sbin lib lib32 lib64; do
    if [ -L "/$dir" ]; then cp -P "/$dir" "$root/$dir"
    elif [ -d "/$dir" ]; then mkdir "$root/$dir"; mount --rbind "/$dir" "$root/$dir"; fi
done

mount --bind /usr "$root/usr"
mount -o remount,bind,ro "$root/usr"
mount --bind "$folder/bin" "$root/usr/local/bin"
for dir in etc root home tmp var; do mount --bind "$folder/$dir" "$root/$dir"; done
chmod 1777 "$root/tmp"
mount -t tmpfs -o mode=755,size=256m run "$root/run"
mkdir -p "$root/run/sshd" "$root/run/lock"

# The image store is shared and read-only: each image lies on the disk once.
mkdir -p "$root/srv/images" "$root/var/lib/reaffirm-lab/models"
mount --bind "$store" "$root/srv/images"
mount -o remount,bind,ro "$root/srv/images"
mount --bind "$models" "$root/var/lib/reaffirm-lab/models"
mount -o remount,bind,ro "$root/var/lib/reaffirm-lab/models"

# A /sys of its own (so that /sys/class/net shows this host's interfaces) that keeps the cgroups.
mount -t sysfs sysfs "$root/sys"
mount --rbind /sys/fs/cgroup "$root/sys/fs/cgroup"
mount -t proc proc "$root/proc"

# /dev/shm of its own: two hosts that share one make vLLM believe that both ranks are on one machine.
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777,size=4g shm "$root/dev/shm"

cd "$root"
pivot_root . old
umount -l /old
rmdir /old

# catatonit reaps the orphans (conmon of each container becomes one) and passes signals on.
exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 HOME=/root \
    /usr/bin/catatonit -- /usr/sbin/sshd -D -e -f /etc/ssh/sshd_config
