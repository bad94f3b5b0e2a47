#pragma once

// The sandbox of a helper process; see Sources/Base/Processes/Sandbox.swift.

/// The access of a helper to the outside. Each level includes the one before.
enum {
    MENAGERIE_REACH_NOTHING,
    /// Reading files by name: the listed ones, or all if the kernel has no Landlock.
    MENAGERIE_REACH_FILES,
    /// Files, devices and the network.
    MENAGERIE_REACH_NETWORK,
};

/// The walls, as bits.
enum {
    MENAGERIE_WALL_USER = 1,
    MENAGERIE_WALL_PROCESSES = 2,
    MENAGERIE_WALL_FILES = 4,
    MENAGERIE_WALL_NETWORK = 8,
    MENAGERIE_WALL_CALLS = 16,
    MENAGERIE_WALL_THREADS = 32,
};

/// Continues in an isolated child. The caller stays behind as its keeper. It ends the child as soon as nobody reads
/// `messages`, and ends in the same way as the child did. Call it while the process has one thread.
///
/// - `first`: descriptors from this number on are closed.
/// - `readable`: files, and folders with all their contents, that MENAGERIE_REACH_FILES can read; ends with NULL.
/// - `lacking`: the walls that the kernel refused.
/// - Returns: 0 in the child, otherwise an error number. The keeper never returns.
int menagerie_sandbox_enter(int reach, int messages, int first, const char *const *readable, int *lacking);

/// From now on the threads of this process can make only the listed system calls, which suffice for decoders and other
/// computing programs. All others fail with EPERM. Call it after `menagerie_sandbox_enter`.
///
/// - `threads`: the largest number of threads; 0 means no limit.
/// - `lacking`: the result of `menagerie_sandbox_enter`. Walls that the kernel refuses now are added. Walls that
///   Landlock and the list of calls replace are removed.
/// - `replaced`: the removed walls.
void menagerie_sandbox_lock(int reach, int threads, int *lacking, int *replaced);

/// The size of a regular file in bytes, by fstat(2), which helpers may call; glibc's function is forbidden. -1 and
/// `errno` for all else.
long long menagerie_file_size(int descriptor);

/// prctl(2): whether debuggers and other processes of the same user may inspect this process.
int menagerie_set_debuggable(int is_debuggable);
