import API
import COpenVINO
import CVips
import GRDB

@main struct Menagerie {
    static func main() {
        print(vips_version(0), GRDB.Configuration().label ?? "-", ov_status_e(0))
    }
}
