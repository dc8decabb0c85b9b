"""A client of a Veridict service: one file, the standard library, Python 3.10 or newer.

    import veridict

    with veridict.Client("http://127.0.0.1:8787") as client:
        grade = client.grade({"trajectory": trajectory, "ground_truth": ground_truth})
        print(grade["label"])

Every function raises `ServiceError` for a refusal of the service, `JudgeFailed` for a failed judge, and `Unreachable` without an
answer; all three are a `VeridictError`. Several threads may share a client.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import secrets
import ssl
import time
import urllib.parse
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from typing import Any, Dict, Literal, NamedTuple, TypedDict, TypeVar, Union, cast


class _GradeRequest(TypedDict):
    trajectory: Mapping[str, object]
    ground_truth: Mapping[str, object]


class GradeRequest(_GradeRequest, total=False):
    rubric: str
    judge: str
    samples: int
    cache: Literal["use", "refresh", "only"]
    allow_self: bool
    metadata: Mapping[str, str | int | float | bool | None]


class BatchItem(GradeRequest, total=False):
    item_id: str


#: Answers of the service; openapi/openapi.json describes their members.
Grade = Dict[str, Any]
Batch = Dict[str, Any]
BatchResult = Dict[str, Any]
BatchEstimate = Dict[str, Any]


class Place(NamedTuple):
    """A wrong place of a request: `path` is a JSON pointer, like `/items/41/ground_truth/cue`."""

    path: str
    message: str


class VeridictError(Exception):
    """A refusal of the service, or the lack of an answer: its `status` is 0 then, and its `code` `unreachable`."""

    status: int = 0
    code: str = "unreachable"
    #: Seconds to wait before the next try; None: the service does not say.
    retry_after: float | None = None

    @property
    def is_passing(self) -> bool:
        """Whether the same call may succeed in a moment: the service is starting, stopping or overloaded."""
        return self.status in (429, 502, 503, 504)


class Unreachable(VeridictError):
    """No answer: no server listens at the address, or the connection broke."""


class ServiceError(VeridictError):
    """A refusal of the service: an RFC 9457 problem."""

    def __init__(self, status: int, problem: Mapping[str, Any], retry_after: float | None = None) -> None:
        super().__init__(str(problem["detail"]))
        self.status = status
        self.code = str(problem["code"])
        #: The wrong places of the request.
        self.errors = tuple(Place(str(place["path"]), str(place["message"])) for place in problem.get("errors") or ())
        #: Whether the same request can succeed later; None: the service does not say.
        self.retryable: bool | None = problem.get("retryable")
        #: The stored grade of a failed judge; None: no judge failed.
        self.grade_id: str | None = problem.get("grade_id")
        self.retry_after = retry_after

    def __str__(self) -> str:
        places = "".join(f"; {path}: {message}" for path, message in self.errors)
        return f"{super().__str__()}{places}"


class JudgeFailed(ServiceError):
    """A failed judge: no verdict. The service has stored the grade, with every call, under `grade_id`: `read_grade` reads it."""

    grade_id: str


class _ItemsBroke(Exception):
    """Carries an error of the items past the errors of the connection."""


T = TypeVar("T")
Items = Union[Iterable[BatchItem], Callable[[], Iterable[BatchItem]]]
_Body = Union[bytes, Iterable[bytes], None]
_Headers = Mapping[str, str]
_Connection = http.client.HTTPConnection
_Response = http.client.HTTPResponse
_BROKEN = (OSError, http.client.HTTPException)
_FIRST_WAIT, _LONGEST_WAIT = 0.5, 15.0
#: Seconds for which a silent service is asked again, before the error is raised.
_PATIENCE = 180.0
_PIECE = 65536
_MOST_IDLE = 8
#: Longest accepted line of a stream in bytes; no result and no state is longer.
_MOST_LINE = 64 * 1024 * 1024


class Client:
    """Talks to the service at `base_url`, over connections that are kept.

    `token` is a key, `vk_...`. `timeout` is the longest silence of the service in seconds. A request that the service did not take
    (429, 503), or whose connection broke, is repeated after the time of `Retry-After`, `tries` times in all; a longer wait than
    `longest_wait` seconds is an error at once. `context` changes how certificates are checked.
    """

    def __init__(
        self,
        base_url: str,
        token: str | None = None,
        *,
        timeout: float = 900.0,
        tries: int = 4,
        longest_wait: float = 60.0,
        context: ssl.SSLContext | None = None,
    ) -> None:
        parts = urllib.parse.urlsplit(base_url)
        if parts.scheme not in ("http", "https") or parts.hostname is None:
            raise ValueError(f"{base_url!r} is not the address of a service: give it like http://127.0.0.1:8787")
        if parts.username is not None:
            raise ValueError("the address of the service holds a user or a password: give the key as token")
        # The error of a header would show the token.
        if token is not None and not (token.isascii() and token.isprintable() and " " not in token):
            raise ValueError("the token is not a key: a key looks like vk_...")
        self._url, self._parts = base_url.rstrip("/"), parts
        self._headers = {"accept": "application/json", "user-agent": "veridict-python"}
        if token is not None:
            self._headers["authorization"] = f"Bearer {token}"
        self._timeout, self._tries, self._longest_wait, self._context = timeout, tries, longest_wait, context
        self._idle: list[_Connection] = []

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the kept connections. The client can be used again."""
        while self._idle:
            self._idle.pop().close()

    def grade(self, request: GradeRequest, *, idempotency_key: str | None = None) -> Grade:
        """Grades one trajectory: `graded` with a label, or `unverified`. Raises `JudgeFailed` for a failed judge. A repeat is paid for once."""
        headers = {} if idempotency_key is None else {"idempotency-key": idempotency_key}
        grade = self.request("POST", "/v1/grades", body=request, headers=headers)
        if not isinstance(grade, dict) or grade.get("status") not in ("graded", "unverified"):
            raise self._strange("not_a_grade", "something that is no grade")
        return cast(Grade, grade)

    def read_grade(self, grade_id: str) -> Grade:
        """Reads a stored grade of any status."""
        return cast(Grade, self.request("GET", _path("grades", grade_id)))

    def batch(
        self,
        items: Items,
        *,
        name: str | None = None,
        key: str | None = None,
        mode: Literal["direct", "provider"] | None = None,
        max_cost_usd: float | None = None,
        judge: str | None = None,
        rubric: str | None = None,
        samples: int | None = None,
        cache: Literal["use", "refresh", "only"] | None = None,
        allow_self: bool | None = None,
    ) -> Batch:
        """Starts a batch, and returns once all items are stored. The items are sent while they are read.

        One fault refuses the whole batch, and `errors` of the `ServiceError` names its place. With a `key`, an existing batch of the key
        that was not cancelled is returned, and no item is read. Items in a list, or from a function, are sent again to a busy service or
        after a broken connection; other items cannot be read twice.
        """
        if key is not None and (known := self.find_batch(key)) is not None:
            return known
        own = key or f"client:{secrets.token_hex(16)}"
        query = dict(name=name, key=own, mode=mode, max_cost_usd=max_cost_usd)
        query.update(judge=judge, rubric=rubric, samples=samples, cache=cache, allow_self=allow_self)
        lost: VeridictError | None = None

        def send() -> Batch:
            nonlocal lost
            if lost is not None and (stored := self._find_lost(own, lost)) is not None:
                return stored
            try:
                return cast(Batch, self._upload(items, query))
            except VeridictError as error:
                lost = error if _is_lost(error) else None
                if lost is None or (stored := self._find_lost(own, lost)) is None:
                    raise
                return stored

        return self._retrying(send) if isinstance(items, (list, tuple)) or callable(items) else send()

    def _find_lost(self, key: str, lost: VeridictError) -> Batch | None:
        """Finds the batch whose answer was lost. Raises `lost` where the batch may still be stored: the items are not sent again then."""
        try:
            stored = self.find_batch(key)
        except VeridictError:
            raise lost from None
        if stored is None and not isinstance(lost, Unreachable):
            raise lost
        return stored

    def estimate(
        self, items: Items, *, judge: str | None = None, rubric: str | None = None, samples: int | None = None, allow_self: bool | None = None
    ) -> BatchEstimate:
        """Estimates a batch; no judge is asked and nothing is kept."""
        query = dict(dry_run=True, judge=judge, rubric=rubric, samples=samples, allow_self=allow_self)
        return cast(BatchEstimate, self._upload(items, query))

    def find_batch(self, key: str) -> Batch | None:
        """Finds the newest batch with this key that was not cancelled."""
        page = self.request("GET", "/v1/batches", query={"key": key})
        open_batches = [batch for batch in page["items"] if batch["status"] not in ("cancelled", "cancelling")]
        return cast(Batch, open_batches[0]) if open_batches else None

    def read_batch(self, batch_id: str) -> Batch:
        return cast(Batch, self.request("GET", _path("batches", batch_id)))

    def cancel_batch(self, batch_id: str) -> Batch:
        """Cancels the items that are not in flight."""
        return cast(Batch, self.request("POST", _path("batches", batch_id) + "/cancel"))

    def resume_batch(self, batch_id: str) -> Batch:
        """Lets a parked batch go on."""
        return cast(Batch, self.request("POST", _path("batches", batch_id) + "/resume"))

    def progress(self, batch_id: str) -> Iterator[Batch]:
        """Yields the state of a batch twice a second, until nothing more happens by itself; the last state comes last."""

        def read(_answered: Callable[[], None]) -> Generator[Batch, None, bool]:
            batch = self.read_batch(batch_id)
            yield batch
            return is_settled(batch)

        return _persist(read)

    def wait(self, batch_id: str, on_progress: Callable[[Batch], object] = lambda _: None) -> Batch:
        """Waits until nothing more happens by itself, and returns the last state of the batch."""
        for state in self.progress(batch_id):
            on_progress(state)
        return state

    def results(self, batch_id: str, *, wait: bool = True) -> Iterator[BatchResult]:
        """Yields the results of a batch in the order of its items, each once, also over broken connections; all of them unless `wait=False`."""
        seen: set[int] = set()
        was_settled = False

        def read(answered: Callable[[], None]) -> Generator[BatchResult, None, bool]:
            nonlocal was_settled
            query = {"wait": True} if wait else {}
            # A stream that breaks at one place for ever is an error, where nobody waits for more.
            heard = answered if wait else lambda: None
            for line in self._lines(_path("batches", batch_id) + "/results", query, heard):
                result = self._parsed(line)
                index = result.get("index") if isinstance(result, dict) else None
                if type(index) is not int or index < 0:
                    raise self._strange("not_a_result", "a line that is no result")
                if index not in seen:
                    seen.add(index)
                    yield cast(BatchResult, result)
            if not wait:
                return True
            # A service that stops ends its streams, too; and the batch may have ended since, on another service.
            batch = self.read_batch(batch_id)
            counts = batch["counts"]
            is_whole = was_settled or len(seen) >= counts["total"] - counts["pending"] - counts["running"]
            was_settled = is_settled(batch)
            return was_settled and is_whole

        return _persist(read)

    def request(
        self, method: str, path: str, *, query: Mapping[str, object] | None = None, body: object = None, headers: _Headers | None = None
    ) -> Any:
        """Makes any call that answers with JSON, like `request("GET", "/v1/reports", query={"group_by": "model"})`."""
        data = None if body is None else json.dumps(body).encode()
        sent = {} if body is None else {"content-type": "application/json"}
        # Without `refresh`, the cache and the request in flight do the work of the key.
        if path == "/v1/grades" and isinstance(body, Mapping) and body.get("cache") == "refresh":
            sent["idempotency-key"] = f"client:{secrets.token_hex(16)}"
        sent.update(headers or {})
        call = lambda: self._answer(method, path, query or {}, data, sent)
        return self._retrying(call, _can_repeat(method, path, sent))

    def _upload(self, items: Items, query: Mapping[str, object]) -> Any:
        def lines() -> Iterator[bytes]:
            try:
                for item in items() if callable(items) else items:
                    yield json.dumps(item).encode() + b"\n"
            except Exception as error:
                raise _ItemsBroke from error

        try:
            return self._answer("POST", "/v1/batches", query, lines(), {"content-type": "application/x-ndjson"})
        except _ItemsBroke as broke:
            raise broke.__cause__ or broke

    def _answer(self, method: str, path: str, query: Mapping[str, object], body: _Body, headers: _Headers) -> Any:
        connection, response = self._open(method, path, query, body, headers)
        try:
            text = response.read()
        except _BROKEN as error:
            connection.close()
            raise self._unreachable(error) from error
        self._keep(connection, response)
        return self._parsed(text)

    def _lines(self, path: str, query: Mapping[str, object], answered: Callable[[], None]) -> Iterator[bytes]:
        """Yields the lines of a stream; empty lines are left out. A last line without an end is a stream that broke."""
        connection, response = self._open("GET", path, query, None, {"accept": "application/x-ndjson"})
        try:
            answered()
            line = bytearray()
            while piece := response.read1(_PIECE):
                *ends, rest = piece.split(b"\n")
                for end in ends:
                    line += end
                    if line.strip():
                        yield bytes(line)
                    line.clear()
                line += rest
                if len(line) > _MOST_LINE:
                    raise ServiceError(200, {"code": "not_a_result", "detail": f"a line of a stream is longer than {_MOST_LINE} bytes"})
            if line.strip():
                raise Unreachable("the stream broke off within a line")
        except _BROKEN as error:
            raise self._unreachable(error) from error
        finally:
            connection.close()

    def _open(self, method: str, path: str, query: Mapping[str, object], body: _Body, headers: _Headers) -> tuple[_Connection, _Response]:
        """Sends a request. Raises the service’s refusal, and `Unreachable` without a response."""
        pairs = {name: json.dumps(value) if isinstance(value, bool) else value for name, value in query.items() if value is not None}
        target = f"{self._parts.path.rstrip('/')}{path}{'?' if pairs else ''}{urllib.parse.urlencode(pairs)}"
        connections = [self._connect()]
        # The service may have closed a kept connection: only a repeatable request goes over one, and then over a new one.
        if _can_repeat(method, path, headers):
            with contextlib.suppress(IndexError):
                connections.insert(0, self._idle.pop())
        for connection in connections:
            try:
                response = _exchange(connection, method, target, body, {**self._headers, **headers})
                break
            except BaseException as error:
                connection.close()
                if not isinstance(error, _BROKEN):
                    raise
                broken = error
        else:
            raise self._unreachable(broken) from broken
        if 200 <= response.status < 300:
            return connection, response
        try:
            text = response.read()
            self._keep(connection, response)
        except _BROKEN:
            connection.close()
            text = b""
        raise _refusal(response, text)

    def _connect(self) -> _Connection:
        host, port = self._parts.hostname or "", self._parts.port
        if self._parts.scheme == "http":
            return http.client.HTTPConnection(host, port, timeout=self._timeout)
        context = self._context or ssl.create_default_context()
        return http.client.HTTPSConnection(host, port, timeout=self._timeout, context=context)

    def _keep(self, connection: _Connection, response: _Response) -> None:
        if response.will_close or not response.isclosed() or len(self._idle) >= _MOST_IDLE:
            connection.close()
        else:
            self._idle.append(connection)

    def _retrying(self, call: Callable[[], T], can_repeat: bool = True) -> T:
        made = 1
        while True:
            wait = float(2 ** (made - 1))
            try:
                return call()
            except VeridictError as error:
                # A failed judge is an answer: its call is not repeated.
                is_busy = error.is_passing or error.code == "idempotency_key_in_use"
                may_repeat = can_repeat if _is_lost(error) else is_busy and not isinstance(error, JudgeFailed)
                wait = wait if error.retry_after is None else error.retry_after
                if not may_repeat or made >= self._tries or wait > self._longest_wait:
                    raise
            time.sleep(wait)
            made += 1

    def _unreachable(self, error: BaseException) -> Unreachable:
        return Unreachable(f"no answer from {self._url}: {error or type(error).__name__}")

    def _strange(self, code: str, answer: str) -> ServiceError:
        return ServiceError(200, {"code": code, "detail": f"{self._url} answered {answer}: is this a Veridict service?"})

    def _parsed(self, text: bytes) -> Any:
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise self._strange("not_json", "something that is not JSON") from None


def _is_lost(error: VeridictError) -> bool:
    """Tells whether the service may have done the work: the connection broke, or a proxy answered 502 or 504, without a failed judge."""
    return isinstance(error, Unreachable) or (error.status in (502, 504) and not isinstance(error, JudgeFailed))


def is_settled(batch: Batch) -> bool:
    """Tells whether nothing more happens by itself: the batch has ended, or is parked until it is resumed."""
    return batch["status"] in ("done", "cancelled") or (batch["status"] == "parked" and batch["resumes_at"] is None)


def _persist(open_stream: Callable[[Callable[[], None]], Generator[T, None, bool]]) -> Iterator[T]:
    """Yields the values of a stream, opened again after it breaks or ends early: a service may restart, and its batch goes on."""
    wait = _FIRST_WAIT
    #: The time since which the service is silent; empty while it answers.
    silent: list[float] = []
    while True:
        stream = open_stream(silent.clear)
        try:
            while True:
                value = next(stream)
                wait = _FIRST_WAIT
                silent.clear()
                yield value
        except StopIteration as end:
            if end.value:
                return
        except VeridictError as error:
            if isinstance(error, ServiceError) and not error.is_passing:
                raise
            silent[:] = silent or [time.monotonic()]
            if time.monotonic() - silent[0] > _PATIENCE:
                raise
        finally:
            stream.close()
        time.sleep(wait)
        wait = min(wait * 2, _LONGEST_WAIT)


def _exchange(connection: _Connection, method: str, target: str, body: _Body, headers: _Headers) -> _Response:
    is_cut = False
    try:
        connection.request(method, target, body=body, headers=headers)
    except (BrokenPipeError, ConnectionResetError):
        # The service may refuse a body before all of it was sent: the response has the reason.
        is_cut = True
    response = connection.getresponse()
    response.will_close = response.will_close or is_cut
    return response


def _refusal(response: _Response, text: bytes) -> ServiceError:
    given = response.getheader("retry-after", "")
    retry_after = float(given) if given.isascii() and given.isdigit() else None
    try:
        problem = json.loads(text)
        # Raises for a body that is no problem, such as the page of a proxy.
        if not isinstance(problem["code"], str) or not isinstance(problem["detail"], str):
            raise ValueError
        kind = JudgeFailed if problem.get("grade_id") else ServiceError
        return kind(response.status, problem, retry_after)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        detail = f"answered {response.status} {response.reason} without saying why: is this a Veridict service?"
        return ServiceError(response.status, {"code": "not_a_problem", "detail": detail}, retry_after)


def _can_repeat(method: str, path: str, headers: _Headers) -> bool:
    """Tells whether a request may be sent twice: it changes nothing, or the service recognises it."""
    return method == "GET" or path in ("/v1/grades", "/v1/trajectories", "/v1/agreement") or "idempotency-key" in headers


def _path(kind: str, name: str) -> str:
    return f"/v1/{kind}/{urllib.parse.quote(name, safe='')}"
