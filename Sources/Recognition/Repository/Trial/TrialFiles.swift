import Base
import Foundation

/// The files that a helper may read. OpenVINO opens a model's files and its own libraries by name.
enum TrialFiles {
    /// The cores, caches and limits from which engines derive their number of threads.
    private static let machine = [
        "/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system", "/sys/fs/cgroup",
    ]
    private static let libraries = ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache"]

    /// The paths that the helper may read for a task. A folder stands for everything in it.
    static func readable(for task: TrialOrder.Task) -> [String] {
        let folder =
            switch task {
            case .inspect(let path, _, _): (path as NSString).deletingLastPathComponent
            case .load(let folder, _, _): folder
            }
        return [folder.isEmpty ? "." : folder] + linked(in: folder) + loadedLibraries() + libraries + machine
    }

    /// The links in a model's folder. Their targets may lie elsewhere.
    private static func linked(in folder: String) -> [String] {
        FileSystem.names(in: folder).map { "\(folder)/\($0)" }.filter {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: $0)) != nil
        }
    }

    /// The folders of the loaded libraries, because more parts of the engine lie beside them.
    private static func loadedLibraries() -> Set<String> {
        let maps = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
        return Set(
            maps.split(separator: "\n").compactMap { line in
                guard let start = line.firstIndex(of: "/"), line[start...].contains(".so") else { return nil }
                return (String(line[start...]) as NSString).deletingLastPathComponent
            })
    }
}
