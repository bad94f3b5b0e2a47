import Base
package import Connections
package import HTTP

/// `/cameras`: the cameras that the service watches, and their sightings.
struct CameraEndpoints: Sendable {
    let service: CameraService

    func register(in router: inout Router) {
        router.post("/cameras", .withoutQuery { try await create($0) })
        router.get("/cameras", .asynchronous { try await list($0) })
        router.get("/cameras/{id}", .withoutQuery { try answer(try await service.camera(id($0))) })
        router.patch("/cameras/{id}", .withoutQuery { try await change($0) })
        router.delete("/cameras/{id}", .noContent { try await service.remove(id($0)) })
        router.get("/cameras/{id}/picture", .withoutQuery { try await picture($0) })
        router.get("/cameras/{id}/sightings", .asynchronous { try await sightings($0) })
        router.get("/cameras/{id}/sightings/{sighting}/picture", .withoutQuery { try await sightingPicture($0) })
    }

    private func create(_ request: Request) async throws -> Response {
        let draft = try CameraRequest.draft(try await request.body.collect(upTo: 65_536))
        let camera = try await service.add(draft)
        return try answer(camera, .created, headers: ["Location": "/cameras/\(camera.id)"])
    }

    private func list(_ request: Request) async throws -> Response {
        let (offset, limit) = try QueryReader.pageOfShortList("cameras", request)
        let page = Page(of: await service.all, from: offset, limit: limit, list: "cameras") {
            CameraRepresentation($0, service.status(of: $0))
        }
        return try .json(
            List(items: page.items, total: page.total, nextCursor: page.nextCursor, enabled: service.isOn))
    }

    private struct List: Encodable {
        let items: [CameraRepresentation]
        let total: Int
        let nextCursor: Nullable<String>
        /// Whether the operator allows adding and watching cameras.
        let enabled: Bool
    }

    private func change(_ request: Request) async throws -> Response {
        let draft = try CameraRequest.draft(try await request.body.collect(upTo: 65_536))
        return try answer(try await service.change(id(request), draft))
    }

    private func picture(_ request: Request) async throws -> Response {
        let picture = try await service.picture(of: id(request))
        return .bytes(picture, type: .jpeg, cacheControl: "no-store")
    }

    private func sightings(_ request: Request) async throws -> Response {
        var reader = QueryReader(request)
        let limit = try reader.integer("limit", in: 1...100, default: 20)
        let start = try reader.identifierCursor(of: "sightings")
        try reader.finish()
        let camera = try await service.camera(id(request))
        let found = service.sightings.newest(of: camera.id, before: start?.description, limit: limit + 1)
        let page = Page(
            of: found, limit: limit, total: service.sightings.count(of: camera.id),
            cursor: { Cursor("sightings", id: $0.id) }, SightingRepresentation.init)
        return try .json(page, of: request)
    }

    private func sightingPicture(_ request: Request) async throws -> Response {
        let camera = try await service.camera(id(request))
        let sighting = request.parameters["sighting"] ?? ""
        let found = await Self.pool.runIfRoom { service.sightings.picture(of: camera.id, sighting) }
        guard let found else { throw ProblemDetails.overloaded(retryAfterSeconds: 1) }
        guard let picture = found else { throw CameraError.unknownSighting(id: sighting) }
        return .bytes(picture, type: .jpeg, cacheControl: "private, no-cache")
    }

    // MARK: Parts

    private static let pool = BlockingPool(label: "menagerie.sightings", width: 2, maximumPending: 64)

    private func id(_ request: Request) -> String { request.parameters["id"] ?? "" }

    private func answer(_ camera: Camera, _ status: Status = .ok, headers: HeaderFields = [:]) throws -> Response {
        try .json(CameraRepresentation(camera, service.status(of: camera)), status, headers: headers)
    }
}

extension CameraError: ProblemConvertible {
    package var problem: ProblemDetails {
        switch self {
        case .off:
            ProblemDetails(
                .conflict,
                detail: "This service watches no cameras: its operator has to start it with --set cameras.enabled=true."
            )
        case .invalid(let field, let expected): .invalidValue(field, expected: expected)
        case .full(let limit):
            ProblemDetails(
                .conflict,
                detail: "There are \(limit) cameras, as many as cameras.max allows; delete one of them first.")
        case .unknown(let id): .notFound("camera", id: id)
        case .unknownSighting(let id): .notFound("sighting", id: id)
        case .noPicture: ProblemDetails(.notFound, detail: "No picture has come from this camera yet.")
        case .diskFull: .storageFull("The cameras cannot be kept, because the disk is full: free some space.")
        case .storage(let reason): .storageUnavailable("The cameras cannot be kept: \(reason)")
        }
    }
}
