package import HTTP

/// What keeps browsers from doing more with an answer than it is meant for.
package enum PageSecurity {
    /// Fields for every answer: none is to be taken for another media type.
    package static let fixedFields: HeaderFields = ["X-Content-Type-Options": "nosniff"]

    /// Adds the policy of the web page: it runs only its own scripts, loads nothing from elsewhere, and is not framed.
    static func protect(_ response: Response) -> Response {
        guard response.headers["Content-Type"]?.hasPrefix("text/html") == true else { return response }
        var response = response
        response.headers.append(
            "default-src 'self'; img-src 'self' blob: data:; media-src 'self' blob:; worker-src 'self'; connect-src 'self'; "
                + "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
            for: "Content-Security-Policy")
        response.headers.append("no-referrer", for: "Referrer-Policy")
        response.headers.append("camera=(self), microphone=(), geolocation=()", for: "Permissions-Policy")
        return response
    }
}
