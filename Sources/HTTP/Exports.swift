// Who serves speaks of requests and responses: they come along.
@_exported public import HTTPWire
