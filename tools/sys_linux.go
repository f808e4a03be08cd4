package tools

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// openQuietly keeps an open from waiting for the other end of a FIFO that has
// come in the place of a file, and from taking a terminal.
const openQuietly = unix.O_NONBLOCK | unix.O_NOCTTY

// links is how many names a file has.
func links(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Nlink)
	}
	return 1
}

// refuseKernelFiles refuses files that the kernel makes up: they hold other
// processes' secrets and act when they are read.
func refuseKernelFiles(f *os.File) error {
	var s unix.Statfs_t
	if err := unix.Fstatfs(int(f.Fd()), &s); err != nil {
		return err
	}
	switch int64(s.Type) {
	case unix.PROC_SUPER_MAGIC, unix.SYSFS_MAGIC, unix.DEBUGFS_MAGIC, unix.TRACEFS_MAGIC, unix.SECURITYFS_MAGIC,
		unix.CGROUP_SUPER_MAGIC, unix.CGROUP2_SUPER_MAGIC, unix.BPF_FS_MAGIC, unix.PSTOREFS_MAGIC, unix.NSFS_MAGIC,
		unix.DEVPTS_SUPER_MAGIC, unix.SELINUX_MAGIC:
		return errors.New("it belongs to the operating system")
	}
	return nil
}

// keepOwner gives the file that replaces another its owner, where that is
// possible.
func keepOwner(f *os.File, old fs.FileInfo) {
	if s, ok := old.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(s.Uid), int(s.Gid))
	}
}
