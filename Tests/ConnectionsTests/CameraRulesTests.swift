import Foundation
import Imaging
import TestSupport
import Testing

@testable import Connections

@Suite struct CameraRulesTests {
    @Test(arguments: [
        "rtsp://anna:geheim@192.168.1.20/stream", "rtsps://cam/1", "http://cam.local/video.mjpg?x=1", "https://cam/v",
        "/dev/video0", "/dev/video12",
    ])
    func addressesOfCameras(url: String) throws {
        #expect(try CameraDraft(name: "Porch", url: url).camera(id: "porch", files: nil).url == url)
    }

    @Test(arguments: [
        "", "/etc/passwd", "file:///etc/passwd", "file:/etc/passwd", "file:porch.mp4", "/dev/sda", "/dev/video0/../sda",
        "/dev/video", "/dev/video1234", "concat:a|b", "ftp://a/b", "rtsp://", "rtsp:///stream", "http://a b",
        "lavfi://testsrc", "rtsp://a\u{0}b", "pipe:0", "http://cam:99999/", "rtsp://cam:0/", "udp://239.0.0.1:1234",
    ])
    func whatIsNoCameraIsRefused(url: String) {
        #expect(throws: CameraError.self) { try CameraDraft(name: "Porch", url: url).camera(id: "porch", files: nil) }
    }

    @Test(arguments: ["file:../secret.mp4", "file:a/b.mp4", "file:", "file:.hidden", "file:/etc/passwd"])
    func filmsLieInTheirFolder(url: String) {
        #expect(throws: CameraError.self) { try CameraDraft(name: "P", url: url).camera(id: "p", files: "/films") }
    }

    @Test func aFilmOfTheFolderIsTaken() throws {
        #expect(CameraAddress("file:porch.mp4", files: "/films") == .file("/films/porch.mp4"))
    }

    @Test func aNameHasALength() {
        for name in ["", "   ", "a\nb", "a\u{85}b", "a\u{202E}b", "a\u{2028}", String(repeating: "x", count: 61)] {
            #expect(throws: CameraError.self) {
                try CameraDraft(name: name, url: "rtsp://a").camera(id: "x", files: nil)
            }
        }
    }

    /// Earlier releases took it.
    @Test func aCameraWithAnInvisibleCharacterInItsNameCanBeChanged() throws {
        let camera = Fixture.camera("Po\u{202E}rch")
        #expect(try CameraDraft(isEnabled: false).changed(camera, files: nil).name == camera.name)
    }

    @Test func regionsLieInThePicture() {
        for region in [
            Camera.Region(x: 0.9, y: 0, width: 0.2, height: 0.1), .init(x: 0, y: -1, width: 1, height: 1),
            .init(x: 0, y: 0, width: 0, height: 1), .init(x: .nan, y: 0, width: 1, height: 1),
        ] {
            #expect(throws: CameraError.self) {
                try CameraDraft(name: "P", url: "rtsp://a", ignored: [region]).camera(id: "p", files: nil)
            }
        }
    }

    @Test func looksHaveARange() {
        for looks in [0, -1, 31, .infinity, .nan] {
            #expect(throws: CameraError.self) {
                try CameraDraft(name: "P", url: "rtsp://a", looksPerSecond: looks).camera(id: "p", files: nil)
            }
        }
    }

    @Test(arguments: [("Front door", "front_door"), ("Päiväkoti 2", "paivakoti_2"), ("../etc", "etc"), ("🐈", "x")])
    func namesBecomeTopics(name: String, slug: String) { #expect(CameraDraft.slug(name) == slug) }

    @Test func aPasswordIsNotShown() {
        let camera = Fixture.camera(url: "rtsp://anna:ge@heim@10.0.0.2:554/stream?user=anna&pwd=geheim")
        #expect(camera.address == "rtsp://…@10.0.0.2:554/stream?…")
    }

    @Test(arguments: [
        ("rtsp://10.0.0.2:554/user=anna&password=ge@heim&channel=1&stream=0.sdp?real", "rtsp://10.0.0.2:554/user=…"),
        ("rtsp://anna:12/34@10.0.0.2/stream", "rtsp://…@10.0.0.2/stream"),
        ("rtsp://anna:ge=heim@10.0.0.2/stream", "rtsp://…@10.0.0.2/stream"),
        ("http://10.0.0.2:8080/video.mjpg#a", "http://10.0.0.2:8080/video.mjpg?…"),
        ("http://10.0.0.2", "http://10.0.0.2"),
    ])
    func aPasswordInThePathIsNotShown(url: String, address: String) {
        #expect(Fixture.camera(url: url).address == address)
    }
}
