import Foundation

/// What a helper that tries a model may read: OpenVINO opens the files of a model, and its own libraries, by their names.
enum TrialFiles {
    /// The cores, caches and bounds by which engines decide how many threads they start.
    private static let machine = [
        "/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system", "/sys/fs/cgroup",
    ]
    private static let libraries = ["/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache"]

    /// Files, and folders with all that they hold.
    static func readable(for task: TrialOrder.Task) -> [String] {
        let folder =
            switch task {
            case .inspect(let path, _, _): (path as NSString).deletingLastPathComponent
            case .load(let folder, _, _): folder
            }
        return [folder.isEmpty ? "." : folder] + linked(in: folder) + loadedLibraries() + libraries + machine
    }

    /// Files of a model may lie elsewhere, where whoever put it there made links to them.
    private static func linked(in folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.map { "\(folder)/\($0)" }.filter {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: $0)) != nil
        }
    }

    /// The folders of the libraries that this program has loaded: more of the engine lie beside them.
    private static func loadedLibraries() -> Set<String> {
        let maps = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
        return Set(
            maps.split(separator: "\n").compactMap { line in
                guard let start = line.firstIndex(of: "/"), line[start...].contains(".so") else { return nil }
                return (String(line[start...]) as NSString).deletingLastPathComponent
            })
    }
}
