import Base
import Foundation
package import HTTP

/// What keeps browsers from doing more with an answer than it is meant for.
package enum PageSecurity {
    /// Fields for every answer: none is to be taken for another media type.
    package static let fixedFields: HeaderFields = ["X-Content-Type-Options": "nosniff"]

    /// Adds the policy of the web page: it runs only its own scripts, loads nothing from elsewhere, and is not framed.
    ///
    /// - Parameter styles: the ``sum(of:)`` of each style that stands in the page itself.
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

    /// Adds the policy of an SVG, which a browser that opens it by itself treats as a page: it runs and loads nothing.
    static func protect(drawing response: Response) -> Response {
        var response = response
        response.headers.append(
            "default-src 'none'; frame-ancestors 'none'; sandbox",
            for: "Content-Security-Policy")
        return response
    }

    /// How a Content-Security-Policy names a style by its content.
    static func sum(of style: String) -> String {
        let digits = Array(ContentDigest(of: Array(style.utf8)).hexadecimal)
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)
        }
        return "'sha256-\(Data(bytes).base64EncodedString())'"
    }
}
