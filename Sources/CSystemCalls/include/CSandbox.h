#pragma once

// The walls around a helper process, see Sources/Base/Processes/Sandbox.swift.

/// What a helper may reach of the world outside, each more than the one before.
enum {
    MENAGERIE_REACH_NOTHING,
    /// Files by their names, for reading: those that it is told of, or all where the kernel has no Landlock.
    MENAGERIE_REACH_FILES,
    /// Files, devices and the network, for good.
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

/// Goes on in a child that is a stranger to the process that started this one. The caller itself stays behind as its keeper:
/// it ends the child as soon as nobody reads `messages`, and ends as the child did. To be called while the process has one
/// thread.
///
/// - `first`: descriptors from this number on are closed.
/// - `readable`: files, and folders with all that they hold, whose names stay open to MENAGERIE_REACH_FILES; ends with NULL.
/// - `lacking`: the walls that the kernel refused.
/// - Returns: 0 in the child, otherwise an error number; the keeper never returns.
int menagerie_sandbox_enter(int reach, int messages, int first, const char *const *readable, int *lacking);

/// From now on the threads of this process may only make the system calls of a list, that of decoders and other programs
/// that compute; all others fail with EPERM. After `menagerie_sandbox_enter`.
///
/// - `threads`: how many it may have; 0: any number.
/// - `lacking`: those of `menagerie_sandbox_enter`; walls that the kernel refused now are added, and those taken away in whose
///   place Landlock and the list of calls stand.
/// - `replaced`: these.
void menagerie_sandbox_lock(int reach, int threads, int *lacking, int *replaced);

/// Bytes of a regular file, by fstat(2), which helpers may call; that of glibc they may not. -1 and `errno` for all else.
long long menagerie_file_size(int descriptor);

/// prctl(2): whether debuggers and other processes of the same user may look into this process.
int menagerie_set_debuggable(int is_debuggable);
