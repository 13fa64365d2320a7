#pragma once
#include <errno.h>
#include <linux/seccomp.h>
#include <seccomp.h>
// Swift does not import macros with arguments.
static const uint32_t cseccomp_kill_process = SCMP_ACT_KILL_PROCESS;
static const uint32_t cseccomp_trap = SCMP_ACT_TRAP;
static const uint32_t cseccomp_allow = SCMP_ACT_ALLOW;
static inline uint32_t cseccomp_errno(uint16_t code) { return SCMP_ACT_ERRNO(code); }
static const int32_t cseccomp_native = SCMP_ARCH_NATIVE;
