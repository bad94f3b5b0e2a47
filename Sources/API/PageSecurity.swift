package import HTTP

/// Fields that keep browsers from doing more with an answer than it is meant for.
///
/// The page runs only its own scripts and loads nothing from elsewhere; no answer is sniffed for another type or framed.
package struct PageSecurity: Middleware {
    package init() {}

    package func after(_ request: Request, _ response: inout Response) {
        response.headers.append("nosniff", for: "X-Content-Type-Options")
        guard response.headers["Content-Type"]?.hasPrefix("text/html") == true else { return }
        response.headers.append(
            "default-src 'self'; img-src 'self' blob: data:; object-src 'none'; base-uri 'none'; form-action 'self'; "
                + "frame-ancestors 'none'",
            for: "Content-Security-Policy")
        response.headers.append("no-referrer", for: "Referrer-Policy")
    }
}
