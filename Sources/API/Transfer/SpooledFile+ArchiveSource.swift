import Archives
import History

extension SpooledFile: ArchiveSource {}
