// Loaded into attachd with LD_PRELOAD: it stands for a disk that hangs, and for a rule that no test could see from outside.
//
// HELD_BELOW   the folder whose files are meant
// HELD_CALLS   the calls that wait there: flock, fsync (and fdatasync), rename, unlink
// HELD_WHILE   the file whose existence makes them wait
// HELD_THREADS a file to which each such call on a thread of Swift's pool is written, before the program is aborted
