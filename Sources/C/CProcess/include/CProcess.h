#pragma once
#include <stddef.h>
// What Swift cannot say about its own process.

/// The first byte of a packet that tells a forbidden system call. The number follows, eight bytes, the least significant
/// first.
enum { CPROCESS_FORBIDDEN_CALL_REPORT = 9 };
/// Makes a forbidden system call of this process send that packet on descriptor 0, a socket, and end the process with
/// SIGSYS. The call is not made. Call this before the filter is loaded, which must answer forbidden calls with the signal.
/// Returns 0, or -1 with errno.
int cprocess_report_forbidden_calls(void);

/// Writes the paths of the libraries that this process has loaded into `text`, each with a zero byte behind it, as far as
/// they fit. Returns the number of bytes.
size_t cprocess_loaded_libraries(char *text, size_t capacity);
