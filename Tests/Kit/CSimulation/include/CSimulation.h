#pragma once
#include <stdint.h>

// What a deterministic simulation needs of the runtime: every task's jobs, and no random number or time but its own.

/// Takes over the jobs that Swift's thread pool would run. Call it once, before the first task.
void csimulation_take_over(void);

/// Returns the next job that became runnable since the last call, or 0.
uintptr_t csimulation_next_job(void);

/// Returns the number of the task that the job belongs to, or 0 for the job of an actor.
uint64_t csimulation_task(uintptr_t job);

/// Runs a job on this thread until its task waits or ends.
void csimulation_run(uintptr_t job);

/// Gives Swift's system random number generator this seed.
void csimulation_seed(uint64_t seed);

/// Sets the time of all of the system's clocks, in nanoseconds.
void csimulation_set_time(int64_t nanoseconds);

/// Starts this program again with fixed addresses and deterministic hashing, unless it runs so already. Returns -1 on
/// failure.
int csimulation_fix_addresses(char *const *arguments);

/// Calls fork(), which Swift does not offer.
int csimulation_fork(void);
