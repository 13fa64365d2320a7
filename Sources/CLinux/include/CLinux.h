#pragma once
// Calls of the Linux kernel that Swift's Glibc module leaves out, or that are macros or variadic.

/// An unnamed memory file that can be sealed, closed on exec. -1 with errno on failure.
int clinux_memory_file(const char *name);
/// Seals the size of a memory file of `size` bytes: it can neither grow nor shrink. 0, or -1 with errno.
int clinux_seal_size(int descriptor, long size);
