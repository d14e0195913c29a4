"""How clients sign for accounts with `ed25519` and `parsec`, for tests only: slow, and no secret is safe.

`ed25519` signs as RFC 8032 does, but with SHA-512 of the password in the place of the hash of a seed.
"""

from __future__ import annotations

import hashlib

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P

# Extended coordinates: x, y, z and t, with x * y = z * t.
Point = tuple[int, int, int, int]
NEUTRAL: Point = (0, 1, 1, 0)


def _add(a: Point, b: Point) -> Point:
    e = (a[1] - a[0]) * (b[1] - b[0]) % P
    f = (a[1] + a[0]) * (b[1] + b[0]) % P
    c = 2 * a[3] * b[3] * D % P
    d = 2 * a[2] * b[2] % P
    return ((f - e) * (d - c) % P, (d + c) * (f + e) % P, (d - c) * (d + c) % P, (f - e) * (f + e) % P)


def _times(number: int, point: Point) -> Point:
    sum_ = NEUTRAL
    while number > 0:
        if number & 1:
            sum_ = _add(sum_, point)
        point = _add(point, point)
        number >>= 1
    return sum_


def _base() -> Point:
    y = 4 * pow(5, P - 2, P) % P
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P != 0:
        x = x * pow(2, (P - 1) // 4, P) % P
    if x & 1:
        x = P - x
    return (x, y, 1, x * y % P)


BASE = _base()


def _packed(point: Point) -> bytes:
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | ((x & 1) << 255)).to_bytes(32, "little")


def _number(*parts: bytes) -> int:
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little") % ORDER


def _signature(secret_text: bytes, message: bytes) -> bytes:
    expanded = hashlib.sha512(secret_text).digest()
    secret = int.from_bytes(expanded[:32], "little")
    secret = secret & ((1 << 254) - 8) | (1 << 254)
    public = _packed(_times(secret, BASE))
    drawn = _number(expanded[32:], message)
    commitment = _packed(_times(drawn, BASE))
    answer = (drawn + _number(commitment, public, message) * secret) % ORDER
    return commitment + answer.to_bytes(32, "little")


def response(challenge: bytes, password: str) -> str:
    """The signature of the challenge, in hexadecimal."""
    return _signature(password.encode(), challenge).hex()


def parsec_response(challenge: bytes, salt: bytes, password: str) -> str:
    """The answer to the two questions of `parsec`, a challenge and then a salt, in hexadecimal."""
    seed = hashlib.pbkdf2_hmac("sha512", password.encode(), salt[2:], 1024 << salt[1], 32)
    drawn = bytes(32)
    return (drawn + _signature(seed, challenge + drawn)).hex()
