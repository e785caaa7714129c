"""What can go wrong with a request, under the names of `httpx` and `requests`."""

import json
from typing import Any


class HTTPError(Exception):
    """Base of what can go wrong with a request; `requests.RequestException`."""

    def __init__(self, message: object = "", *, request: Any = None, response: Any = None) -> None:
        super().__init__(message)
        self.request = request
        self.response = response


class RequestError(HTTPError):
    """The request got no answer."""


class TransportError(RequestError):
    """It did not get through."""


class TimeoutException(TransportError):
    """It took too long; `requests.Timeout`."""


class ReadTimeout(TimeoutException):
    """The server was silent for too long."""


class WriteTimeout(TimeoutException):
    """The server took too long to read the request."""


class PoolTimeout(TimeoutException):
    """Too many requests were under way."""


class NetworkError(TransportError):
    """The connection failed; `requests.ConnectionError`."""


class ConnectError(NetworkError):
    """The server was not reached."""


class ConnectTimeout(TimeoutException, NetworkError):
    """The server was not reached in time."""


class ReadError(NetworkError):
    """The connection broke while the answer came."""


class WriteError(NetworkError):
    """The connection broke while the request was sent."""


class CloseError(NetworkError):
    """The connection broke while it was closed."""


class ProtocolError(NetworkError):
    """One side did not speak HTTP."""


class LocalProtocolError(ProtocolError):
    """The request is not HTTP."""


class RemoteProtocolError(ProtocolError):
    """The answer is not HTTP."""


class UnsupportedProtocol(TransportError):
    """Only http and https can be used; `requests.exceptions.InvalidSchema`."""


class DecodingError(RequestError):
    """The body is not what its headers say, or is larger than a body may be."""


class TooManyRedirects(RequestError):
    """The answers led on and on."""


class InvalidURL(RequestError):
    """The address is none."""


class HTTPStatusError(HTTPError):
    """The answer says that the request failed; `requests.HTTPError`."""


ERRORS: dict[str, type[HTTPError]] = {
    cls.__name__: cls for cls in list(vars().values()) if isinstance(cls, type) and issubclass(cls, HTTPError)
}
"""The exceptions by name, which are those of httpx."""

REQUESTS_ERRORS: dict[str, type[Exception]] = {
    "JSONDecodeError": json.JSONDecodeError,
    "RequestException": HTTPError,
    "HTTPError": HTTPStatusError,
    "ConnectionError": NetworkError,
    "Timeout": TimeoutException,
    "ConnectTimeout": ConnectTimeout,
    "ReadTimeout": ReadTimeout,
    "TooManyRedirects": TooManyRedirects,
    "InvalidURL": InvalidURL,
    "InvalidSchema": UnsupportedProtocol,
    "MissingSchema": UnsupportedProtocol,
    "ContentDecodingError": DecodingError,
    "ChunkedEncodingError": ProtocolError,
}
"""The same under the names of requests."""


def failure(told: dict[str, Any]) -> HTTPError:
    """Make the exception of `{type, message}` as the parent tells it."""
    return ERRORS.get(told["type"], TransportError)(told["message"])
