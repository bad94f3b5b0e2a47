import Base
import Foundation

/// Header fields that limit what browsers do with an answer.
package enum PageSecurity {
    /// Fields for every answer. They forbid browsers to guess another media type.
    package static let fixedFields: HeaderFields = ["X-Content-Type-Options": "nosniff"]

    /// Adds the policy of the web page. It allows only own scripts, no foreign content and no framing.
    ///
    /// - Parameter styles: the ``sum(of:)`` of each inline style.
    static func protect(_ response: Response, styles: [String] = []) -> Response {
        guard response.headers["Content-Type"]?.hasPrefix("text/html") == true else { return response }
        var response = response
        response.headers.append(
            "default-src 'self'; style-src \((["'self'"] + styles).joined(separator: " ")); img-src 'self' blob: data:; "
                + "media-src 'self' blob:; worker-src 'self'; connect-src 'self'; object-src 'none'; "
                + "base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
            for: "Content-Security-Policy")
        response.headers.append("no-referrer", for: "Referrer-Policy")
        response.headers.append("camera=(self), microphone=(), geolocation=()", for: "Permissions-Policy")
        return response
    }

    /// Adds the policy of an SVG, which browsers may open as a page. It runs and loads nothing.
    package static func protect(drawing response: Response) -> Response {
        var response = response
        response.headers.append(
            "default-src 'none'; frame-ancestors 'none'; sandbox", for: "Content-Security-Policy")
        return response
    }

    /// The source expression of an inline style in a Content-Security-Policy.
    static func sum(of style: String) -> String {
        "'sha256-\(Data(ContentDigest(of: Array(style.utf8)).bytes).base64EncodedString())'"
    }
}
