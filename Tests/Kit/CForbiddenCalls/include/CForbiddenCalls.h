#pragma once
/// Makes the system call that has this name in the table, with harmless arguments. 0 if it was done, its errno if it was
/// refused, -1 for a name that isn't in the table. `descriptor` is an open file that may be written.
int forbidden_call(const char *name, int descriptor);
