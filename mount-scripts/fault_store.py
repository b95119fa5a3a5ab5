"""The store that a fault-server has: docs/store-api.md with accounts, a catalog, content, annotations.

Made with the server; what it knows is gone when it ends. Its books are those of make-books in DIRECTORY/store, where that is there.
With DIRECTORY/open nobody has to log in. A login is confirmed by asking for its `verification_uri_complete`.
"""

import base64
import email.utils
import hashlib
import json
import os
import re
import secrets
import threading
import urllib.parse

PROBLEM = "application/problem+json"
DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"

# How many devices an account may have.
DEVICE_LIMIT = 3
PERMISSIONS = ["books:read", "books:download", "books:export", "annotations:*", "orders:read"]


# Each secret has the marker that sweep-secrets looks for: that of case-steps.
MARKER = "0pen-sesame"


def secret(kind):
    return f"{MARKER}-{kind}-{secrets.token_urlsafe(16)}"


def encoded(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


class Store:
    """Lock order: `lock` is a leaf, held while one request is answered."""

    def __init__(self, directory):
        self.directory = directory
        self.lock = threading.Lock()
        # By the code: (what the person types, whether it was confirmed).
        self.logins = {}
        self.access_tokens = set()
        # By the refresh token: the access token that came with it.
        self.refresh_tokens = {}
        self.devices = {}
        self.annotations = {}
        self.results = {}
        self.sequences = {}
        self.history = []

    def answers(self, handler):
        """Answers a request if it is one for the store: whether it was."""
        path = urllib.parse.urlsplit(handler.path)
        for pattern, function in self.routes.items():
            match = re.fullmatch(pattern, f"{'GET' if handler.command == 'HEAD' else handler.command} {path.path}")
            if match:
                body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
                with self.lock:
                    answer = function(self, Request(handler, path, body), *match.groups())
                answer.send(handler)
                return True
        return False

    # --- Accounts

    def store_document(self, request):
        return Answer.json({
            "version": 1, "name": "Fault Books",
            "oauth": {"issuer": request.base, "client_id": "bookshelf", "scope": "books", "token_endpoint": "/oauth/token",
                      "device_authorization_endpoint": "/oauth/device", "revocation_endpoint": "/oauth/revoke"},
            "devices": "/v1/devices", "permissions": "/v1/permissions", "catalog": "/catalog.json",
            "configuration": "/v1/configuration", "annotations": "/v1/annotations",
        }, {"Cache-Control": "max-age=3600"})

    def begin_login(self, request):
        if request.form.get("client_id") != "bookshelf":
            return Answer.token_error("invalid_client")
        code, words = secret("code"), secrets.token_hex(4)
        self.logins[code] = [words, False]
        place = f"{request.base}/device"
        return Answer.json({"device_code": code, "user_code": words, "verification_uri": place, "expires_in": 600,
                            "verification_uri_complete": f"{place}?user_code={words}", "interval": 1}, NO_STORE)

    def confirm_login(self, request):
        for login in self.logins.values():
            login[1] = login[1] or login[0] == request.query.get("user_code")
        return Answer(200, b"", {})

    def token(self, request):
        form = request.form
        if form.get("client_id") != "bookshelf":
            return Answer.token_error("invalid_client")
        if form.get("grant_type") == DEVICE_GRANT:
            login = self.logins.get(form.get("device_code"))
            if login is None:
                return Answer.token_error("invalid_grant")
            if not login[1]:
                return Answer.token_error("authorization_pending")
            del self.logins[form["device_code"]]
        elif form.get("grant_type") == "refresh_token":
            former = self.refresh_tokens.pop(form.get("refresh_token"), None)
            if former is None:
                return Answer.token_error("invalid_grant")
            self.access_tokens.discard(former)
        else:
            return Answer.token_error("unsupported_grant_type")
        access, refresh = secret("access"), secret("refresh")
        self.access_tokens.add(access)
        self.refresh_tokens[refresh] = access
        return Answer.json({"access_token": access, "token_type": "Bearer", "expires_in": 3600, "refresh_token": refresh,
                            "scope": "books"}, NO_STORE)

    def revoke(self, request):
        self.access_tokens.discard(self.refresh_tokens.pop(request.form.get("token"), None))
        return Answer(200, b"", {})

    def denial(self, request):
        """Why a request isn't answered; None if it is."""
        if os.path.exists(self.directory + "/open"):
            return None
        scheme, _, token = request.fields.get("Authorization", "").partition(" ")
        if scheme == "Bearer" and token in self.access_tokens:
            return None
        name = "token-expired" if scheme == "Bearer" else "login-needed"
        return Answer.problem(401, name, "A login is needed", {"WWW-Authenticate": 'Bearer realm="store", error="invalid_token"'})

    def add_device(self, request):
        device = request.json.get("device")
        if not isinstance(device, str):
            return Answer.problem(400, "malformed", "device is no UUID")
        if device not in self.devices and len(self.devices) == DEVICE_LIMIT:
            return Answer.problem(409, "device-limit", f"{DEVICE_LIMIT} devices are signed in")
        status = 200 if device in self.devices else 201
        self.devices[device] = secret("device")
        return Answer.json({"deviceToken": self.devices[device]}, NO_STORE, status)

    def remove_device(self, request, device):
        if self.devices.pop(device, None) is None:
            return Answer.problem(404, "not-found", "No such device")
        return Answer(204, b"", {})

    def permissions(self, request):
        return Answer.json({"account": "ann@example.org", "permissions": PERMISSIONS}, PRIVATE).conditional(request)

    def configuration(self, request):
        value = {"audience": request.base, "version": 1, "issuedAt": "2026-11-30T18:00:00Z", "settings": {"sync.interval": "1h"}}
        signed = {"protected": encoded({"alg": "EdDSA", "kid": "1", "typ": "bookshelf-configuration"}),
                  "payload": encoded(value), "signature": "A" * 86}
        return Answer(200, json.dumps(signed).encode(), {"Content-Type": "application/jose+json"}).conditional(request)

    # --- Books

    def books(self):
        try:
            with open(self.directory + "/store/catalog.json", encoding="utf-8") as file:
                return json.load(file)
        except FileNotFoundError:
            data = self.content("novel-01")
            return [{"id": "novel-01", "title": "The Lamp Room", "author": "Ada Merrow", "category": ["Fiction"],
                     "isPurchased": True, "contentUrl": "content/novel-01/1", "fileSizeInBytes": len(data),
                     "sha256": hashlib.sha256(data).hexdigest(), "lastModified": "2025-06-01T00:00:00Z"},
                    {"id": "novel-02", "title": "Not Yours", "isPurchased": False, "contentUrl": "content/novel-02/1"}]

    def content(self, key):
        return b"PK\x03\x04" + hashlib.shake_256(key.encode()).digest(20_000)

    def catalog(self, request):
        body = json.dumps({"version": 1, "books": self.books()}, ensure_ascii=False).encode()
        return Answer(200, body, {"Content-Type": "application/json", "Last-Modified": MODIFIED} | PRIVATE).conditional(request)

    def book(self, request, key):
        if key == "refunded":
            return Answer.problem(410, "gone", "This book is no longer yours")
        book = next((book for book in self.books() if book.get("id") == key), None)
        if book is None:
            return Answer.problem(404, "not-found", "No such book")
        if not book.get("isPurchased"):
            return Answer.problem(403, "not-entitled", "You don't own this book")
        data = self.content(key)
        digest = hashlib.sha256(data).digest()
        etag = f'"{digest.hex()[:16]}"'
        fields = {"ETag": etag, "Last-Modified": MODIFIED, "Accept-Ranges": "bytes", "Content-Type": "application/epub+zip",
                  "Repr-Digest": f"sha-256=:{base64.b64encode(digest).decode()}:"}
        asked = re.fullmatch(r"bytes=([0-9]+)-([0-9]*)", request.fields.get("Range", ""))
        if not asked or request.fields.get("If-Range", etag) != etag:
            return Answer(200, data, fields)
        start, end = int(asked[1]), min(int(asked[2] or len(data)), len(data) - 1)
        if start >= len(data):
            return Answer.problem(416, "range", f"The book has {len(data)} bytes", {"Content-Range": f"bytes */{len(data)}"})
        return Answer(206, data[start:end + 1], fields | {"Content-Range": f"bytes {start}-{end}/{len(data)}"})

    # --- Annotations

    def take_annotations(self, request):
        changes = request.json.get("changes")
        device = request.fields.get("Bookshelf-Device", "")
        if not isinstance(changes, list) or not changes:
            return Answer.problem(400, "malformed", "changes is no list of changes")
        last = self.sequences.get(device, 0)
        for change in changes:
            if change["id"] not in self.results:
                if change["sequence"] <= last:
                    return Answer.problem(409, "out-of-order", "Changes of this device were overtaken", lastSequence=last)
                last = change["sequence"]
        for change in changes:
            if change["id"] not in self.results:
                self.results[change["id"]] = self.take(change, device)
        self.sequences[device] = last
        return Answer.json({"results": [self.results[change["id"]] for change in changes]})

    def take(self, change, device):
        place = (change["book"], change["kind"])
        current = self.annotations.get(place)
        if current and change["kind"] == "progress":
            if change["changedAt"] <= current["changedAt"]:
                return {"id": change["id"], "outcome": "superseded", "revision": current["revision"]}
        elif (current or {}).get("revision") != change["base"]:
            return {"id": change["id"], "outcome": "conflict", "current": current, "revision": current["revision"]}
        revision = f"r-{len(self.history) + 1}"
        self.annotations[place] = {"book": change["book"], "kind": change["kind"], "revision": revision, "device": device,
                                   "value": change["value"], "changedAt": change["changedAt"]}
        self.history.append(place)
        return {"id": change["id"], "outcome": "taken", "revision": revision}

    def annotation_changes(self, request):
        since = request.query.get("since", "a-0").removeprefix("a-")
        if not since.isdigit() or int(since) > len(self.history):
            return Answer.problem(410, "anchor-expired", "The anchor has expired")
        places = dict.fromkeys(self.history[int(since):])
        return Answer.json({"annotations": [self.annotations[place] for place in places],
                            "anchor": f"a-{len(self.history)}", "hasMore": False})

    def authorized(function):
        def answer(self, request, *words):
            return self.denial(request) or function(self, request, *words)
        return answer

    routes = {
        r"GET /\.well-known/bookshelf-store": store_document,
        r"POST /oauth/device": begin_login,
        r"GET /device": confirm_login,
        r"POST /oauth/token": token,
        r"POST /oauth/revoke": revoke,
        r"POST /v1/devices": authorized(add_device),
        r"DELETE /v1/devices/([^/]+)": authorized(remove_device),
        r"GET /v1/permissions": authorized(permissions),
        r"GET /v1/configuration": authorized(configuration),
        r"GET /catalog\.json": authorized(catalog),
        r"GET /content/([^/]+)/1": authorized(book),
        r"POST /v1/annotations": authorized(take_annotations),
        r"GET /v1/annotations": authorized(annotation_changes),
    }


NO_STORE = {"Cache-Control": "no-store"}
PRIVATE = {"Cache-Control": "private, no-cache"}
MODIFIED = email.utils.formatdate(1_748_736_000, usegmt=True)


class Request:
    def __init__(self, handler, path, body):
        self.base = f"http://{handler.headers.get('Host')}"
        self.fields = handler.headers
        self.query = dict(urllib.parse.parse_qsl(path.query))
        media_type = handler.headers.get("Content-Type", "")
        self.form = dict(urllib.parse.parse_qsl(body.decode())) if "form" in media_type else {}
        self.json = json.loads(body) if "json" in media_type else {}


class Answer:
    def __init__(self, status, body, fields):
        self.status, self.body, self.fields = status, body, dict(fields)

    @classmethod
    def json(cls, value, fields=None, status=200):
        return cls(status, json.dumps(value).encode(), {"Content-Type": "application/json"} | (fields or {}))

    @classmethod
    def problem(cls, status, name, title, fields=None, **members):
        value = {"type": f"urn:bookshelf:{name}", "title": title, "status": status} | members
        return cls(status, json.dumps(value).encode(), {"Content-Type": PROBLEM} | (fields or {}))

    @classmethod
    def token_error(cls, name):
        return cls.json({"error": name}, NO_STORE, 400)

    def conditional(self, request):
        """Itself with an ETag, or that nothing has changed."""
        self.fields["ETag"] = etag = f'W/"{hashlib.sha256(self.body).hexdigest()[:16]}"'
        asked = request.fields.get("If-None-Match")
        since = request.fields.get("If-Modified-Since")
        if asked is not None:
            is_same = etag in asked
        else:
            is_same = since is not None and since == self.fields.get("Last-Modified")
        return Answer(304, b"", {"ETag": etag}) if is_same else self

    def send(self, handler):
        handler.send_response(self.status)
        for name, value in self.fields.items():
            handler.send_header(name, value)
        if self.status not in (204, 304):
            handler.send_header("Content-Length", str(len(self.body)))
        handler.end_headers()
        if handler.command != "HEAD" and self.status not in (204, 304):
            handler.wfile.write(self.body)
